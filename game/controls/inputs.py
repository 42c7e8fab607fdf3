"""What all analog devices together ask for at one moment."""

from typing import NamedTuple


class AnalogInput(NamedTuple):
    """Pedals and brake levers 0..1, steer (+1 right) and thrust levers (+1 ahead) -1..1, after range, inversion, dead
    zone and curve.

    `brake_reverses`: the brake of these devices may engage reverse at rest (triggers of a pad), or it may not
    (the brake pedal of a wheel, on which a driver rests the foot at a stop).
    """

    throttle: float = 0.0
    brake: float = 0.0
    handbrake: float = 0.0
    clutch: float = 0.0
    steer: float = 0.0
    thrust_left: float = 0.0
    thrust_right: float = 0.0
    brake_left: float = 0.0
    brake_right: float = 0.0
    brake_reverses: bool = True

    @property
    def channels(self):
        """All but `brake_reverses`."""
        return self[:-1]


def merge(first: AnalogInput, second: AnalogInput) -> AnalogInput:
    """Channel by channel the value of larger magnitude; whose pedals are pressed further says what its brake means."""
    channels = [a if abs(a) >= abs(b) else b for a, b in zip(first.channels, second.channels, strict=True)]
    leader = first if max(first.throttle, first.brake) >= max(second.throttle, second.brake) else second
    return AnalogInput(*channels, leader.brake_reverses)
