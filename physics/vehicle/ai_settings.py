"""AI driver settings of a vehicle: the section `ai` of its file (RC-AI-02..08).

    ai: {max_velocity: 50, grip_factor: 1.2}

`max_velocity` scales the speeds of a world's driving line so that the highest equals it; a line recorded with the same
car is not scaled. For `understeer_correct` and `oversteer_correct` a smaller number means a stronger correction. The
factors change the car only while the AI drives.
"""

from typing import TYPE_CHECKING

from driving_sandbox.physics.schema.schema import Float, Schema, field

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

OFF = 99999.0  # rad or 1, a threshold never reached: the correction has no effect


class AiSettings(Schema):
    """Settings of the section `ai`."""

    max_velocity: Float = field(
        unit="m/s",
        ge=0,
        default=0.0,
        suggest=(0, 80),
        source="RC-AI-02",
        doc="Highest speed on a line that was not recorded with this car; 0: the line's own speeds.",
    )
    understeer_correct: Float = field(
        unit="rad",
        gt=0,
        default=OFF,
        suggest=(0.05, 2),
        source="RC-AI-04",
        doc="Front slip angle, in excess of the optimum and of the rear's, at which the AI straightens the wheels.",
    )
    oversteer_correct: Float = field(
        unit="1",
        gt=0,
        default=OFF,
        suggest=(0.2, 5),
        source="RC-AI-05",
        doc="Rear slip angle, in excess of the optimum and of the front's, per angle of counter-steer.",
    )
    grip_factor: Float = field(
        unit="1", gt=0, le=5, default=1.0, suggest=(0.5, 2), source="RC-AI-06", doc="Factor on the tires' forces."
    )
    cg_factor: Float = field(
        unit="1",
        ge=0,
        le=1,
        default=0.0,
        suggest=(0, 1),
        source="RC-AI-07",
        doc="How far up the tire forces act: 0 where they are, 1 at the height of the centre of mass.",
    )
    rc_factor: Float = field(
        unit="1",
        ge=0,
        le=1,
        default=0.0,
        suggest=(0, 1),
        source="RC-AI-08",
        doc="How far the roll centres are raised: 0 not at all, 1 to the height of the centre of mass.",
    )


DEFAULTS = {name: f.default for name, f in AiSettings.fields.items()}


def ai_settings(vehicle: "Vehicle") -> dict[str, float]:
    """{setting: value} of a vehicle's section `ai`, with defaults for missing ones."""
    return {**DEFAULTS, **vehicle.info.get("ai", {})}
