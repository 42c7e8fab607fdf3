"""Spectra of engines by order, and which kind of engine a take has, judged by its spectrum alone.

An order is a frequency divided by that of the crankshaft. Takes (rendered pieces of sound) of a kind differ in speed,
load and noise, so that neither pitch nor level tells kinds apart:

    kind of a take = the one whose mean spectrum, without that take, is nearest in dB, all less their mean level
"""

from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from driving_sandbox.docs.build.contact_sheet import INK, PAPER, contact_sheet
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.base.block import BLOCK, BLOCK_SECONDS, BUS_COUNT, ENGINE_BAY, EXHAUST, SAMPLE_RATE
from driving_sandbox.sound.base.frame import FRAME
from driving_sandbox.sound.engine.presets import REFERENCE_BOOST
from driving_sandbox.sound.engine.record import engine_parameters
from driving_sandbox.sound.voices import Voices, begin, default_record, render_voices, voice_parameters

MOTOR, DIESEL = "motor", "diesel_6"
# presets of engines, the diesel with a turbocharger, and a motor
KINDS = ("inline_3", "inline_4", "boxer_4", "v8_cross", DIESEL, MOTOR)
TAKES = 20  # of each kind
SPEEDS = (0.4, 0.9)  # of a take, as fractions of the redline
LOADS = (0.5, 1.0)  # engine load of a take, 0..1
MOTOR_SPEED = 1000.0  # rad/s, the motor's fastest
SETTLING, SECONDS = 0.6, 0.5  # s, before a take and of it
SINGLE = np.arange(0.25, 10.5, 0.5)  # edges of bands with a half order each
EDGES = np.concatenate([SINGLE, SINGLE[-1] * 10.0 ** np.linspace(0.05, 1.0, 20)])  # then bands of equal ratio
FLOOR = -50.0  # dB below the strongest band, at which levels end
PANEL = (420, 236)  # px of a kind's spectrum
LEFT, BOTTOM, TOP = 34, 24, 8  # px beside, below and above its axes
MARKED_ORDERS, MARKED_LEVELS = (0.5, 1, 2, 4, 8, 16, 32, 64), (0, -20, -40)
SPREAD, MEAN, GRID = (96, 62, 40), (245, 130, 50), (50, 52, 56)  # colours, red, green, blue


def take(kind: str, number: int) -> tuple[np.ndarray, float]:
    """(samples, rad/s): exhaust and engine bay of an engine at constant speed; speed and load by the take's number."""
    choice = np.random.default_rng(number)
    share, load = choice.uniform(*SPEEDS), choice.uniform(*LOADS)
    frame = np.zeros(1, FRAME)[0]
    if kind == MOTOR:
        record = default_record(MOTOR)
        record["level"] = 1.0
        speed = share * MOTOR_SPEED
    else:
        record = engine_parameters(kind, {})
        speed = share * float(record["redline"])
        frame["boost"] = REFERENCE_BOOST * load * (record["turbine"] > 0.0)
    records = {MOTOR if kind == MOTOR else "engine": record}
    if kind == DIESEL:
        records["turbo"] = default_record("turbo")
        records["turbo"]["level"] = 1.0
    parameters = voice_parameters(records)
    frame["engine_speed"], frame["throttle"], frame["load"], frame["burning"] = speed, load, load, 1
    frame["gear_torque"] = load * float(parameters[MOTOR]["reference_torque"])
    voices = np.zeros(1, Voices)[0]
    begin(voices, number)
    blocks = np.zeros((round((SETTLING + SECONDS) / BLOCK_SECONDS), BUS_COUNT, BLOCK))
    _render(blocks, parameters, voices, frame)
    return blocks[round(SETTLING / BLOCK_SECONDS) :, [EXHAUST, ENGINE_BAY]].sum(axis=1).ravel(), speed


@kernel
def _render(blocks: Any, parameters: Any, voices: Any, frame: Any) -> None:
    """Compute blocks float64 [n, BUS_COUNT, BLOCK] of a FRAME that stays the same."""
    for k in range(len(blocks)):
        render_voices(blocks[k], parameters, voices, frame, frame)


def order_spectrum(samples: np.ndarray, speed: float) -> np.ndarray:
    """Power in the bands between EDGES, in dB relative to the strongest band, at least FLOOR."""
    power = np.abs(np.fft.rfft(samples * np.blackman(len(samples)))) ** 2
    order = np.fft.rfftfreq(len(samples), 1.0 / SAMPLE_RATE) * 2.0 * np.pi / speed
    sums, _ = np.histogram(order, EDGES, weights=power)
    return 10.0 * np.log10(np.maximum(sums / sums.max(), 10.0 ** (FLOOR / 10.0)))


def spectra_of_takes() -> dict[str, np.ndarray]:
    """{kind: spectra [TAKES, bands], dB}."""
    return {kind: np.array([order_spectrum(*take(kind, number)) for number in range(TAKES)]) for kind in KINDS}


def judged(spectra: dict[str, np.ndarray]) -> dict[tuple[str, str], int]:
    """{(kind, kind of the nearest mean spectrum): number of takes}."""
    counts = {(kind, other): 0 for kind in spectra for other in spectra}
    shapes = {kind: levels - levels.mean(axis=1, keepdims=True) for kind, levels in spectra.items()}
    means = {kind: levels.mean(axis=0) for kind, levels in shapes.items()}
    for kind, levels in shapes.items():
        for number, own in enumerate(levels):
            others = means | {kind: np.delete(levels, number, axis=0).mean(axis=0)}
            counts[kind, min(others, key=lambda other: np.linalg.norm(others[other] - own))] += 1
    return counts


def engines_picture(spectra: dict[str, np.ndarray]) -> Image.Image:
    """The mean spectra of all kinds side by side, and within which levels nine of ten takes lie."""
    return contact_sheet({kind: _panel(levels) for kind, levels in spectra.items()}, columns=3, width=PANEL[0])


def _panel(levels: np.ndarray) -> np.ndarray:
    """Image [height, width, 3] of a kind's spectra [takes, bands]."""
    image = Image.new("RGB", PANEL, PAPER)
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(11)
    low, middle, high = np.quantile(levels, 0.05, axis=0), levels.mean(axis=0), np.quantile(levels, 0.95, axis=0)
    for level in MARKED_LEVELS:
        draw.line([(LEFT, _row(level)), (PANEL[0], _row(level))], GRID)
        draw.text((LEFT - 4, _row(level)), f"{level}", INK, font, anchor="rm")
    for k in range(len(EDGES) - 1):
        left, right = _column(EDGES[k]), _column(EDGES[k + 1]) - 1
        draw.rectangle([left, _row(high[k]), right, _row(low[k])], SPREAD)
        draw.rectangle([left, _row(middle[k]) - 1, right, _row(middle[k])], MEAN)
    for order in MARKED_ORDERS:
        draw.line([(_column(order), _row(FLOOR)), (_column(order), _row(FLOOR) + 4)], INK)
        draw.text((_column(order), PANEL[1] - 2), f"{order:g}", INK, font, anchor="mb")
    return np.asarray(image)


def _column(order: float) -> int:
    """px of an order on the logarithmic axis."""
    share = np.log(order / EDGES[0]) / np.log(EDGES[-1] / EDGES[0])
    return LEFT + round(float(share) * (PANEL[0] - LEFT - 1))


def _row(level: float) -> int:
    """px of a level, dB."""
    return TOP + round(float(level / FLOOR) * (PANEL[1] - BOTTOM - TOP))
