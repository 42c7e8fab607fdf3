"""Advice on components modelled after Racer, a driving simulator whose car files describe a car's parts.

Rows have the columns of lab/advisor/symptoms.py. The first three apply to a body assembled from parts (with `cg`), the
others to a clutch with `max_torque`, to brakes with a handbrake, and to a gearbox with `end_ratio` in front of a
differential with ratios of its own. The height of 0.3 to 0.4 m of most cars is from Racer's guide.
"""

PART_ROWS = (
    ("cg_outside", "The vehicle tips or floats",
     "centre of mass outside the hull, or not above the ground at rest", "cg is relative to another origin",
     "body.cg", "correct", "load", "RC-MASS-02"),
    ("cg_height", "The vehicle rolls too much or not at all",
     "centre of mass outside 0.2..0.8 m above the ground at rest (most cars: 0.3 to 0.4 m)",
     "the centre of mass is unusually high or low", "body.cg", "change the third number of", "load", "RC-MASS-03"),
    ("inertia_ratios", "The vehicle turns too quickly or too slowly",
     "yaw inertia outside 0.7..1.3 times pitch inertia, or roll outside 0.3..0.8 times it",
     "the ratios of the moments of inertia are unusual", "body.principal_inertia", "balance", "load", "RC-MASS-06"),
    ("clutch_capacity", "The clutch slips at full throttle", "clutch capacity below the engine's largest torque",
     "the clutch cannot hold the engine", "clutch.max_torque", "raise", "load", "RC-CLUTCH-02"),
    ("handbrake_as_brake", "The handbrake locks its wheels at a touch",
     "no handbrake torque, so that of the service brake is used; a tenth of it is realistic",
     "handbrake_torque is missing", "brakes.handbrake_torque", "give a tenth of max_torque:", "load", "RC-BRAKE-02"),
    ("end_ratio_unused", "The final drive changes nothing",
     "the gearbox has an end_ratio, but the differential has ratios of its own", "the end ratio is not used",
     "gearbox.end_ratio", "leave out", "load", "RC-GEAR-05"),
)  # fmt: skip
