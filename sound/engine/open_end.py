"""Open end of the exhaust's tail pipe or the intake's snorkel: reflection, and what is heard outside.

A wave that arrives is reflected with its sign changed, high frequencies less, as they radiate. The flow through the
end, incoming less reflected wave, radiates as a monopole: its derivative, which peaks near ka = 1; the noise of its jet
grows with its square.

Source: Levine and Schwinger, On the radiation of sound from an unflanged circular pipe (1948).
"""

from typing import Any, NamedTuple

import numpy as np

from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.sound.base.filters import pole
from driving_sandbox.sound.base.noise import white

# factor on the flow's change per sample, and share per sample of two low-passes behind it: peaks near 2.7 kHz (ka = 1)
RADIATION, RADIATION_SHARE = 9.0, 0.3

OPEN_END = np.dtype(
    [
        ("reflected", np.float64),  # low-pass of the waves that arrive
        ("flow", np.float64),
        ("radiation", np.float64, (2,)),  # low-passes of the derivative
        ("jet", np.float64, (2,)),  # low-passes of the noise
    ],
    align=True,
)


class EndShape(NamedTuple):
    """What differs between open ends; shares are those of low-passes, per sample."""

    share: float  # of the reflected wave
    reflection: float  # reflected wave / arriving wave
    jet_share: float  # of the jet's noise, for its upper corner frequency
    jet_share_low: float  # and for its lower one


@inline_kernel
def open_end(end: Any, voice: Any, shape: Any, wave: float, jet_noise: float) -> tuple[float, float]:
    """Let a wave arrive at an open end; returns (sound outside, wave back).

    Args:
        end: OPEN_END record, changed.
        voice: record with the generator `noise`.
        shape: EndShape.
        wave: pressure of the arriving wave, bar.
        jet_noise: level of the jet's noise.
    """
    end.reflected = pole(end.reflected, wave, shape.share)
    back = shape.reflection * end.reflected
    flow = wave - back
    sound = RADIATION * (flow - end.flow)
    end.flow = flow
    for k in range(2):
        end.radiation[k] = pole(end.radiation[k], sound, RADIATION_SHARE)
        sound = end.radiation[k]
    end.jet[0] = pole(end.jet[0], flow * flow * white(voice), shape.jet_share)
    end.jet[1] = pole(end.jet[1], end.jet[0], shape.jet_share_low)
    return sound + jet_noise * (end.jet[0] - end.jet[1]), back
