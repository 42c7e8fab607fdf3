"""Converts the drivetrain sections of a Stingray vehicle block to the sections of our vehicle YAML.

The differential has six presets: limited slip or open, with all wheels, the front or the rear ones driven. Torque is
split between the axles (above 0.5 more to the front) and between the wheels of each (above 0.5 more to the left);
limited slip keeps ratios of wheel speeds below its biases. With more than two axles, those behind the first share the
rear torque equally. A tank has a track on each side, with torque scaled by the levers.

The format lacks the engine's inertia, idle speed and torque curve, and the shift speeds and delay of the automatic
gearbox; they are the defaults of PhysX 3, which Stingray used. A missing key takes its `default` silently, or its
`usual` value with a warning.
"""

from typing import Any

from driving_sandbox.physics.gearbox.gearbox import GEAR_CAPACITY

TORQUE_CURVE = [[0.0, 0.8], [0.33, 1.0], [1.0, 0.8]]  # [speed / max_omega, torque / peak_torque]
ENGINE_INERTIA = 1.0  # kg m^2
IDLE_OMEGA = 0.0  # rad/s
UP_RATIO = 0.65  # of max_omega, engine speed at which the automatic gearbox shifts up
DOWN_RATIO = 0.5  # of max_omega, engine speed at which it shifts down
LATENCY = 2.0  # s between two of its gear changes
DEFAULT_RATIOS = [-4.0, 0.0, 4.2, 2.0, 1.1, 1.0]  # reverse, neutral, forward; for a file without ratios
BIAS_MARGIN = 0.01  # a limited slip's target is this far below its bias: 1.29 for 1.3
DIFFERENTIALS = {  # {preset: (limited slip, driven wheels)}
    f"{kind}_{driven}": (kind == "ls", driven) for kind in ("ls", "open") for driven in ("4wd", "frontwd", "rearwd")
}


def convert_drivetrain(c: Any) -> None:
    """Write engine, gearbox, clutch and differential into the config of a Conversion (stingray_convert.py)."""
    _engine(c)
    _gears(c)
    _clutch(c)
    if c.tank:
        _tracks(c)
    else:
        _differential(c)


def _engine(c: Any) -> None:
    """The engine."""
    part = c.block.part("engine")
    c.put("engine", "peak_torque", part.number("peak_torque", low=0.0), part, "peak_torque")
    c.put("engine", "max_omega", part.number("max_omega", above=0.0), part, "max_omega")
    rates = part.part("damping_rates") if "damping_rates" in part else part
    for key in ("full_throttle", "zero_throttle_clutch_engaged", "zero_throttle_clutch_disengaged"):
        rate = rates.number(key, low=0.0)
        if rate == 0.0:
            rates.warn(key, "0 may be unstable; usually 0.25 to 3")
        c.put("engine", f"damping_{key}", rate, rates, key)
    # not in the file: shown as coming from the nearest related key
    c.put("engine", "torque_curve", TORQUE_CURVE, part, "peak_torque")
    c.put("engine", "inertia", ENGINE_INERTIA, part, "peak_torque")
    c.put("engine", "idle_omega", IDLE_OMEGA, part, "max_omega")
    if rates is not part:
        rates.finish()
    part.finish()


def _gears(c: Any) -> None:
    """Gearbox and automatic gears."""
    part = c.block.part("gears", required=False)
    ratios = part.numbers("ratios", usual=DEFAULT_RATIOS)
    if not 3 <= len(ratios) <= GEAR_CAPACITY:
        text = f"has {len(ratios)} entries; reverse, neutral and 1 to {GEAR_CAPACITY - 2} forward gears are possible"
        raise part.error("ratios", text)
    c.put("gearbox", "ratios", ratios, part, "ratios")
    c.put("gearbox", "neutral_gear", 1, part, "ratios")
    c.put("gearbox", "final_ratio", part.number("final_ratio", usual=4.0, above=0.0), part, "final_ratio")
    c.put("gearbox", "switch_time", part.number("switch_time", usual=0.5, low=0.0), part, "switch_time")
    key = part.one_of("auto_gears_enabled", "use_auto_gears")
    automatic = part.flag(key, default=True)
    up, down = (UP_RATIO, DOWN_RATIO) if automatic else (1.0, 0.0)  # manual gears: these ratios never shift
    c.put("autobox", "up_ratios", [up] * len(ratios), part, key)
    c.put("autobox", "down_ratios", [down] * len(ratios), part, key)
    c.put("autobox", "latency", LATENCY, part, key)
    part.finish()


def _clutch(c: Any) -> None:
    """The clutch's strength."""
    part = c.block.part("clutch", required=False)
    c.put("clutch", "strength", part.number("strength", usual=10.0, above=0.0), part, "strength")
    part.finish()


def _differential(c: Any) -> None:
    """A car's differential by its preset: torque shares of the wheels, and limited slip between the driven ones."""
    part = c.block.part("differential")
    limited, driven = DIFFERENTIALS[part.text("type", options=tuple(DIFFERENTIALS))]
    # read in any case: finish() reports the keys that were not
    split = part.number("front_rear_split", default=0.45, low=0.0, high=1.0)
    front = {"4wd": split, "frontwd": 1.0, "rearwd": 0.0}[driven]
    left = [part.number(f"{axle}_left_right_split", default=0.5, low=0.0, high=1.0) for axle in ("front", "rear")]
    biases = {name: part.number(f"{name}_bias", default=1.3, low=1.0) for name in ("center", "front", "rear")}
    rear_axle_count = len(c.names) // 2 - 1  # axles behind the first, which share the rear torque
    for i in range(len(c.names)):
        axle = 0 if i < 2 else 1
        share = (front if axle == 0 else (1.0 - front) / rear_axle_count) * (
            left[axle] if i % 2 == 0 else 1.0 - left[axle]
        )
        source = "front_rear_split" if driven == "4wd" else f"{('front', 'rear')[axle]}_left_right_split"
        c.put("differential", "torque_ratio", share, part, source, i)
    if limited:
        ends = dict(zip(("front_left", "front_right", "rear_left", "rear_right"),
                        (*c.names[:2], *c.names[-2:]), strict=True))  # fmt: skip
        for key, wheel in ends.items():
            c.put("limited_slip", key, wheel, part, "type")
        coupled = {"4wd": ("center", "front", "rear"), "frontwd": ("front",), "rearwd": ("rear",)}[driven]
        for name in coupled:
            bias = biases[name]
            c.put("limited_slip", f"{name}_bias", bias, part, f"{name}_bias")
            target = max(1.0, bias - BIAS_MARGIN)
            c.put("limited_slip", f"{name}_target", target, part, f"{name}_bias")
        if rear_axle_count > 1:
            part.warn("type", "limits the slip of the first and the last axle only; the others have open differentials")
    part.finish()


def _tracks(c: Any) -> None:
    """A track on each side, whose wheels turn together; the levers scale its torque."""
    model = c.block.text("tank_drive_model", options=("standard", "special"))
    c.put("levers", "drive_model", model, c.block, "tank_drive_model")
    share = 1.0 / len(c.names)
    for i in range(len(c.names)):
        for key, value in (("torque_ratio", share), ("speed_ratio", share), ("track", 1 + i % 2),
                           ("lever", ("left", "right")[i % 2])):  # fmt: skip
            c.put("differential", key, value, c.block, "wheels", i)
    if "differential" in c.block:
        c.block.asked.add("differential")
        c.block.warn("differential", "tanks have none: left out")
