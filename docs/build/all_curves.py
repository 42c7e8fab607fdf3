"""Every curve of the documentation: importing a module of curves registers its curves in CURVES."""

from driving_sandbox.docs.build import (  # noqa: F401 - imported to register their curves
    curves_air,
    curves_assists,
    curves_axles,
    curves_chassis_variants,
    curves_clutch_drive,
    curves_contact,
    curves_cryengine,
    curves_drive,
    curves_driveline,
    curves_driven,
    curves_engine_variants,
    curves_gear_variants,
    curves_magic,
    curves_mf62,
    curves_plain_parts,
    curves_planar,
    curves_road,
    curves_runs,
    curves_surroundings_variants,
    curves_tire,
    curves_tire_variants,
)
from driving_sandbox.docs.build.curve import CURVES as CURVES
