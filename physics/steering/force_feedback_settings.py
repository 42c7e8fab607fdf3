"""How strong a vehicle's forces are at the driver's hands: the section `force_feedback` of its file (RC-FFB-01..07).

    force_feedback: {aligning: 1.2, gain: 0.8}

All settings are factors on what the user has set for the wheel (game/force_feedback/setup.py). They change what is sent
to devices, never the vehicle's motion.
"""

from collections.abc import Mapping
from typing import Any

from driving_sandbox.physics.schema.schema import Float, Schema, field

LARGEST = 10.0  # of a factor


def _factor(doc: str, source: str, smallest: float = 0.0) -> Any:
    """A field with a factor, 1 unless the file says otherwise."""
    return field(
        unit="1", ge=smallest, le=LARGEST, default=1.0, suggest=(0.0, 3.0), mechanic=True, doc=doc, source=source
    )


class ForceFeedbackSettings(Schema):
    """Settings of the section `force_feedback`."""

    acceleration: Float = _factor("Factor on the accelerations sent to motion platforms.", "RC-FFB-01", -LARGEST)
    aligning: Float = _factor("Factor on the torque of the road at the rim.", "RC-FFB-02", -LARGEST)
    friction: Float = _factor("Factor on the wheel's friction.", "RC-FFB-03")
    stick_friction: Float = _factor("Factor on the wheel's friction at rest.", "RC-FFB-04")
    damping: Float = _factor("Factor on the wheel's damping.", "RC-FFB-05")
    inertia: Float = _factor("Factor on the wheel's inertia.", "RC-FFB-06")
    gain: Float = _factor("Factor on all forces of the wheel.", "RC-FFB-07")


DEFAULTS = {name: f.default for name, f in ForceFeedbackSettings.fields.items()}


def force_feedback_settings(info: Mapping[str, Any]) -> dict[str, float]:
    """{setting: value} of the section `force_feedback`, with 1 for missing ones. info: `Vehicle.info`."""
    return {**DEFAULTS, **info.get("force_feedback", {})}
