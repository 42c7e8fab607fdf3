"""Open end of the exhaust's tail pipe or the intake's snorkel: reflection, and what is heard outside.

An arriving wave is reflected inverted; high frequencies are reflected less because they radiate. The flow through the
end (arriving minus reflected wave) radiates as a monopole: the sound outside is the flow's time derivative, low-passed
so that the spectrum peaks near ka = 1 (wave number k, radius a). The jet's noise is proportional to the flow squared.

Source: Levine and Schwinger, On the radiation of sound from an unflanged circular pipe (1948).
"""

from typing import Any, NamedTuple

import numpy as np

from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.sound.base.filters import pole
from driving_sandbox.sound.base.noise import white

# gain on the flow's change per sample, and `share` of the two poles after it: peaks at 2.7 kHz (ka = 1 for a = 20 mm)
RADIATION, RADIATION_SHARE = 9.0, 0.3

OPEN_END = np.dtype(
    [
        ("reflected", np.float64),  # pole of the arriving waves
        ("flow", np.float64),  # of the last sample, bar
        ("radiation", np.float64, (2,)),  # poles of the derivative
        ("jet", np.float64, (2,)),  # poles of the noise
    ],
    align=True,
)


class EndShape(NamedTuple):
    """What differs between open ends; each share is the coefficient `share` of filters.pole."""

    share: float  # of the reflected wave
    reflection: float  # reflected wave / arriving wave at low frequency, negative
    jet_share_high: float  # upper corner of the jet noise's band
    jet_share_low: float  # lower corner


@inline_kernel
def open_end(end: Any, voice: Any, shape: Any, wave: float, jet_noise: float) -> tuple[float, float]:
    """Let a sample of a wave arrive at an open end; returns (sound outside, reflected wave).

    Args:
        end: OPEN_END record, changed.
        voice: record with the generator `noise`.
        shape: EndShape.
        wave: pressure of the arriving wave, bar.
        jet_noise: gain on the jet's noise.
    """
    end.reflected = pole(end.reflected, wave, shape.share)
    back = shape.reflection * end.reflected
    flow = wave - back
    sound = RADIATION * (flow - end.flow)
    end.flow = flow
    for k in range(2):
        end.radiation[k] = pole(end.radiation[k], sound, RADIATION_SHARE)
        sound = end.radiation[k]
    end.jet[0] = pole(end.jet[0], flow * flow * white(voice), shape.jet_share_high)
    end.jet[1] = pole(end.jet[1], end.jet[0], shape.jet_share_low)
    return sound + jet_noise * (end.jet[0] - end.jet[1]), back
