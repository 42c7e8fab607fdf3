"""Analog input at one moment, of one source or of several combined."""

from typing import NamedTuple


class AnalogInput(NamedTuple):
    """Analog values after range, inversion, dead zone and curve.

    Pedals and brake levers are 0..1; steer (+1 right) and thrust levers (+1 ahead) are -1..1. `brake_reverses` says
    whether the brake engages reverse at rest, as a key and a pad's trigger do; the brake pedal of a steering wheel does
    not, because a driver rests the foot on it at a stop. `rotation` is the angle of a steering wheel from stop to stop,
    rad, of which steer is then a share; 0: steer is a share of the car's lock.
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
    rotation: float = 0.0

    @property
    def channels(self) -> tuple[float, ...]:
        """All values except `brake_reverses` and `rotation`."""
        return self[:-2]


def merge(first: AnalogInput, second: AnalogInput) -> AnalogInput:
    """Take each channel's larger magnitude, with `rotation` of the input that steers further, and `brake_reverses` of
    the one whose pedals are pressed further."""
    channels = [a if abs(a) >= abs(b) else b for a, b in zip(first.channels, second.channels, strict=True)]
    leader = first if max(first.throttle, first.brake) >= max(second.throttle, second.brake) else second
    rotation = first.rotation if abs(first.steer) > abs(second.steer) else second.rotation
    return AnalogInput._make((*channels, leader.brake_reverses, rotation))
