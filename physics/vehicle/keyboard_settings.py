"""Settings of the keyboard's steering aid for a vehicle: the section `keyboard` of its file.

    keyboard: {understeer_gradient: 0.003}

If it is missing, the gradient is estimated from the vehicle's parameters (physics/vehicle/understeer.py).
"""

from driving_sandbox.physics.schema.schema import Float, Schema, field


class KeyboardSettings(Schema):
    """Settings of the section `keyboard`."""

    understeer_gradient: Float = field(
        unit="rad*s^2/m",
        ge=-0.05,
        le=0.05,
        suggest=(-0.001, 0.008),
        doc="Steer angle per lateral acceleration that the aid starts from and refines; 0.00178 is 1 degree per g.",
    )
