"""Record of an engine's sound from a preset and changes, with all values that kernels need derived from it.

Tables over a cycle of 720 degrees, 0 at the firing top dead centre:
    volume   V = 1/(r - 1) + (1 - cos a)/2 + (1 - sqrt(1 - k^2 sin^2 a))/(2 k)   in swept volumes, k: ROD_RATIO
    lift     sin^1.5 over the angle in which a valve is open
An area step from S1 to S2 reflects R = (S1 - S2)/(S1 + S2) of a pressure wave.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from driving_sandbox.physics.schema.schema import Float, SchemaError
from driving_sandbox.physics.schema.yaml_file import key_hint
from driving_sandbox.sound.base.block import SAMPLE_RATE, SPEED_OF_SOUND
from driving_sandbox.sound.base.curves import sines_of
from driving_sandbox.sound.base.resonator import tune_mode
from driving_sandbox.sound.engine.crank import firing_angles
from driving_sandbox.sound.engine.parameters import BANK_CAPACITY, MODE_COUNT, STEPS, EngineSound
from driving_sandbox.sound.engine.presets import PRESETS, SCALE_NAMES, SCALES

HOT_SOUND = 540.0  # m/s, speed of sound in exhaust pipes: that of air at 450 degrees Celsius
DIESEL_SOUND = 500.0  # m/s, in the cooler gas of a diesel
HOT_IMPEDANCE = 263.0  # kg/(m^2 s), density times speed of sound of that air at 1.013 bar
BAR = 1e5  # Pa
BANK_STRETCH = 1.03  # middle pipe and second chamber of exhaust system 1, by 0's: two equal ones would sound as one
COMPRESSION = 10.0  # largest / smallest volume
ROD_RATIO = 0.29  # crank radius / length of the connecting rod
EXHAUST_OPENS_DEG, EXHAUST_LASTS_DEG = 135.0, 245.0  # after the firing top dead centre
INTAKE_OPENS_DEG, INTAKE_LASTS_DEG = 350.0, 240.0
MODE_Q = (6.0, 10.0)  # quality of the lowest and the highest resonance of the block


def engine_parameters(preset: str, changes: Mapping[str, Any]) -> Any:
    """The record of EngineSound.dtype for a preset of `PRESETS` with some of its values changed.

    Raises SchemaError for an unknown preset or parameter, with the nearest known one, for a wrong value, and for lists
    that do not fit each other.
    """
    if preset not in PRESETS:
        raise SchemaError(f"preset: {preset!r} is unknown{key_hint(preset, PRESETS)}; known: {', '.join(PRESETS)}")
    scales = zip(SCALE_NAMES, SCALES[preset], strict=True)
    values = {**PRESETS[preset], **dict(scales), **_checked(changes)}
    record = np.zeros(1, EngineSound.dtype)[0]
    EngineSound.defaults(record)
    for name, value in values.items():
        EngineSound.fields[name].kind.write(record, name, value)
    _derive(record)
    return record


def _checked(changes: Mapping[str, Any]) -> dict[str, Any]:
    """The changes, each checked against its declaration; whole numbers are allowed where it has a Float."""
    known = [name for name, declared in EngineSound.fields.items() if not declared.derived]
    result = {}
    for name, value in changes.items():
        if name not in known:
            raise SchemaError(f"{name}: unknown parameter of an engine's sound{key_hint(name, known)}")
        declared = EngineSound.fields[name]
        try:
            given = float(value) if isinstance(declared.kind, Float) and type(value) is int else value
            result[name] = declared.parse(given)
        except SchemaError as error:
            raise SchemaError(f"{name}: {error}") from None
    return result


def _derive(record: Any) -> None:
    """Fill `record.derived`; a `bank` is an exhaust system. Raises SchemaError for lists that do not fit each other."""
    derived = record["derived"]
    firing = _values(record, "firing_deg") or firing_angles(
        _values(record, "crank_pins_deg"), _values(record, "cylinder_banks"),
        float(record["bank_angle_deg"]), _values(record, "firing_order"),
    )  # fmt: skip
    count = len(firing)
    if count == 0:
        raise SchemaError("crank_pins_deg: must have the angle of at least one cylinder's pin")
    banks = _for_each(record, "bank", count).astype(int)
    derived["cylinder_count"] = count
    derived["bank_count"] = banks.max() + 1
    derived["firing"][:count] = np.asarray(firing) / 720.0 * STEPS
    derived["bank"][:count] = banks
    derived["pipes_of_bank"] = np.bincount(banks, minlength=BANK_CAPACITY)
    speed = DIESEL_SOUND if record["diesel"] else HOT_SOUND
    derived["pipe_delay"] = 1
    derived["pipe_delay"][:count] = [_delay(length, speed) for length in _for_each(record, "pipe_lengths", count)]
    _derive_lines(record, speed)
    derived["runner_delay"] = _delay(record["runner_length"], SPEED_OF_SOUND)
    derived["snorkel_delay"] = _delay(record["snorkel_length"], SPEED_OF_SOUND)
    derived["valve_rate"] = record["valve_flow"] * record["redline"]
    area = math.pi / 4.0 * record["pipe_diameter"] ** 2
    derived["impedance"] = HOT_IMPEDANCE * record["displacement"] / count / area / BAR
    derived["jitter"] = record["jitter_deg"] / 720.0 * STEPS
    orders = _values(record, "mechanical_orders")
    derived["order_count"] = len(orders)
    derived["orders"][: len(orders)] = np.asarray(orders) / (2.0 * math.pi * SAMPLE_RATE)
    derived["modes"] = _modes(_values(record, "mode_frequencies"))
    derived["lift"], derived["volume"], derived["volume_slope"], derived["suction"] = cycle_tables()


def _values(record: Any, name: str) -> list[float]:
    """A list of numbers in the record."""
    return EngineSound.fields[name].kind.read(record, name)


def _for_each(record: Any, name: str, count: int) -> np.ndarray:
    """A list's numbers, one for each of `count` cylinders; a single number is repeated. Raises SchemaError."""
    values = _values(record, name)
    if len(values) not in (1, count):
        raise SchemaError(f"{name}: {len(values)} values for {count} cylinders")
    return np.resize(np.asarray(values), count)


def _delay(length: float, speed: float) -> int:
    """Samples that a wave takes for a length in m at a speed of sound in m/s."""
    return max(1, round(length / speed * SAMPLE_RATE))


def _derive_lines(record: Any, speed: float) -> None:
    """Fill delays and reflections of the exhaust systems; 1 has a longer middle pipe and second chamber than 0."""
    names = ("middle_length", "chamber_1_length", "link_length", "chamber_2_length", "tail_length")
    lengths = np.array([record[name] for name in names])
    stretched = lengths * np.array([BANK_STRETCH, 1.0, 1.0, BANK_STRETCH, 1.0])  # in the order of `names`
    for bank, of_bank in enumerate((lengths, stretched)):
        record["derived"]["line_delay"][bank] = [_delay(length, speed) for length in of_bank]
    first, second = (
        (1.0 - record[name]) / (1.0 + record[name]) for name in ("chamber_1_ratio", "chamber_2_ratio")
    )  # fmt: skip
    record["derived"]["reflection"] = [first, -first, second, -second]


def _modes(frequencies: list[float]) -> np.ndarray:
    """Coefficients [3, MODE_COUNT] of the block's resonances (sound/base/resonator.py)."""
    result = np.zeros((3, MODE_COUNT))
    for k, frequency in enumerate(frequencies):
        quality = MODE_Q[0] + (MODE_Q[1] - MODE_Q[0]) * k / (MODE_COUNT - 1)
        tune_mode(result, k, frequency, math.pi * frequency / quality, 1.0)
    return result


def cycle_tables() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(exhaust lift, volume, its slope per rad, slope times intake lift), each at STEPS + 1 angles of a cycle."""
    degrees = np.arange(STEPS + 1) * (720.0 / STEPS)
    a = np.radians(degrees)
    sine, cosine = sines_of(a)
    root = np.sqrt(1.0 - (ROD_RATIO * sine) ** 2)
    volume = 1.0 / (COMPRESSION - 1.0) + (1.0 - cosine) / 2.0 + (1.0 - root) / (2.0 * ROD_RATIO)
    slope = sine / 2.0 * (1.0 + ROD_RATIO * cosine / root)
    exhaust = _lift(degrees, EXHAUST_OPENS_DEG, EXHAUST_LASTS_DEG)
    return exhaust, volume, slope, slope * _lift(degrees, INTAKE_OPENS_DEG, INTAKE_LASTS_DEG)


def _lift(degrees: np.ndarray, opens: float, lasts: float) -> np.ndarray:
    """Lift of a valve, 0..1, at angles of the cycle; `opens`, `lasts`: deg."""
    share = np.clip((degrees - opens) / lasts, 0.0, 1.0)
    lift = np.maximum(0.0, sines_of(math.pi * share)[0])
    return lift * np.sqrt(lift)
