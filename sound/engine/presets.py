"""Engines by name: what differs from the defaults of `EngineSound`.

Firing orders are those of common engines. Most lengths of an exhaust system have no simple ratio, as those of real
systems: resonances of equal or doubled lengths pile up at one frequency. SCALES makes the presets' levels alike.
"""

from typing import Any

_RPM = 0.10471975511965977  # rad/s per revolution per minute


_STRAIGHT_SIX = {
    "crank_pins_deg": [0.0, 240.0, 120.0, 120.0, 240.0, 0.0], "firing_order": [1.0, 5.0, 3.0, 6.0, 2.0, 4.0],
}  # fmt: skip

PRESETS: dict[str, dict[str, Any]] = {
    "single": {
        "crank_pins_deg": [0.0], "firing_order": [1.0],
        "pipe_lengths": [0.62], "displacement": 0.5e-3, "pipe_diameter": 0.036,
        "redline": 7500 * _RPM, "middle_length": 0.41, "chamber_1_length": 0.27, "link_length": 0.12,
        "chamber_2_length": 0.33, "tail_length": 0.17, "collector_ratio": 1.1, "chamber_1_ratio": 2.6,
        "chamber_2_ratio": 3.0, "muffler_share": 0.27, "idle_variation": 0.2, "plenum": 0.2, "intake_level": 0.4,
        "block_level": 0.25,
    },
    "v_twin": {
        "crank_pins_deg": [0.0, 0.0], "cylinder_banks": [0, 1], "bank_angle_deg": 45.0, "firing_order": [1.0, 2.0],
        "pipe_lengths": [0.75, 0.65], "displacement": 1.2e-3, "pipe_diameter": 0.0334,
        "redline": 5800 * _RPM, "collector_ratio": 1.2, "middle_length": 0.35, "chamber_1_length": 0.3,
        "link_length": 0.1, "chamber_2_length": 0.35, "tail_length": 0.15, "chamber_1_ratio": 2.333,
        "chamber_2_ratio": 3.0, "muffler_share": 0.23, "idle_variation": 0.25,
    },
    "inline_3": {
        "crank_pins_deg": [0.0, 240.0, 120.0], "firing_order": [1.0, 3.0, 2.0],
        "pipe_lengths": [0.3, 0.28, 0.3], "displacement": 1.0e-3, "pipe_diameter": 0.0334,
        "redline": 6500 * _RPM, "middle_length": 1.5, "muffler_share": 0.24, "turbine": 0.5,
    },
    "inline_4": {},
    "boxer_4": {
        "crank_pins_deg": [0.0, 180.0, 180.0, 0.0], "cylinder_banks": [0, 1, 0, 1], "bank_angle_deg": 180.0,
        "firing_order": [1.0, 3.0, 2.0, 4.0], "pipe_lengths": [0.35, 0.4, 0.95, 0.88], "displacement": 2.0e-3,
        "pipe_diameter": 0.0409, "redline": 6800 * _RPM, "middle_length": 1.8, "muffler_share": 0.27,
        "idle_variation": 0.2, "turbine": 0.3,
    },
    "inline_6": {
        **_STRAIGHT_SIX, "pipe_lengths": [0.52, 0.47, 0.43, 0.43, 0.47, 0.52], "displacement": 3.0e-3,
        "pipe_diameter": 0.041, "redline": 7000 * _RPM, "middle_length": 1.37, "chamber_1_length": 0.37,
        "link_length": 0.59, "chamber_2_length": 0.43, "tail_length": 0.53, "muffler_share": 0.3,
    },
    "flat_6": {
        "crank_pins_deg": [0.0, 120.0, 240.0, 180.0, 300.0, 60.0], "cylinder_banks": [0, 0, 0, 1, 1, 1],
        "bank_angle_deg": 180.0, "firing_order": [1.0, 6.0, 2.0, 4.0, 3.0, 5.0],
        "bank": [0, 1, 0, 1, 0, 1], "pipe_lengths": [0.55], "displacement": 3.6e-3,
        "pipe_diameter": 0.0448, "redline": 8400 * _RPM, "middle_length": 0.7, "chamber_1_length": 0.25,
        "link_length": 0.3, "chamber_2_length": 0.35, "tail_length": 0.3, "muffler_share": 0.35, "muffler_gain": 0.88,
        "jet_noise": 0.02, "crackle": 0.025, "plenum": 0.2, "intake_level": 0.5,
    },
    "v8_cross": {
        "crank_pins_deg": [0.0, 0.0, 90.0, 90.0, 270.0, 270.0, 180.0, 180.0],
        "cylinder_banks": [0, 1, 0, 1, 0, 1, 0, 1], "bank_angle_deg": 90.0,
        "firing_order": [1.0, 8.0, 4.0, 3.0, 6.0, 5.0, 7.0, 2.0], "bank": [0, 1, 1, 0, 1, 0, 0, 1],
        "pipe_lengths": [0.55, 0.75, 0.6, 0.7, 0.55, 0.62, 0.72, 0.58], "displacement": 5.6e-3,
        "pipe_diameter": 0.0442, "redline": 6500 * _RPM, "middle_length": 1.6, "chamber_1_length": 0.45,
        "link_length": 1.0, "chamber_2_length": 0.6, "tail_length": 0.6, "muffler_share": 0.27, "idle_variation": 0.28,
        "misfire": 0.05, "jet_noise": 0.015, "chamber_1_ratio": 2.1, "chamber_2_ratio": 2.2,
    },
    "v8_flat": {
        "crank_pins_deg": [0.0, 180.0, 180.0, 0.0, 0.0, 180.0, 180.0, 0.0],
        "cylinder_banks": [1, 1, 1, 1, 0, 0, 0, 0], "bank_angle_deg": 90.0,
        "firing_order": [1.0, 5.0, 3.0, 7.0, 4.0, 8.0, 2.0, 6.0],
        "bank": [0, 1, 0, 1, 0, 1, 0, 1], "pipe_lengths": [0.62], "displacement": 4.5e-3,
        "pipe_diameter": 0.0414, "redline": 8800 * _RPM, "middle_length": 1.13, "chamber_1_length": 0.25,
        "link_length": 0.4, "chamber_2_length": 0.35, "tail_length": 0.35, "chamber_1_ratio": 2.0,
        "chamber_2_ratio": 2.2, "muffler_share": 0.38, "muffler_gain": 0.8, "jet_noise": 0.02, "runner_length": 0.22,
        "plenum": 0.3, "intake_level": 0.55,
    },
    "diesel_6": {
        **_STRAIGHT_SIX, "pipe_lengths": [0.35, 0.3, 0.25, 0.25, 0.3, 0.35], "displacement": 12.0e-3,
        "pipe_diameter": 0.0718, "redline": 2300 * _RPM, "diesel": True, "turbine": 0.5, "middle_length": 2.2,
        "chamber_1_length": 0.6, "link_length": 0.6, "chamber_2_length": 0.8, "tail_length": 1.2,
        "chamber_1_ratio": 2.8, "chamber_2_ratio": 2.8, "muffler_share": 0.19, "muffler_gain": 0.85,
        "idle_variation": 0.08, "crackle": 0.0, "knock": 0.24, "block_level": 0.5,
        "mode_frequencies": [380.0, 760.0, 1150.0, 1600.0, 2300.0, 3400.0],
    },
}  # fmt: skip

# Measured factors to an rms of 0.1 of exhaust, intake and block, at full throttle and REFERENCE_SHARE of the redline,
# with REFERENCE_BOOST where there is a turbine: names of EngineSound's fields, then their values.
REFERENCE_SHARE = 0.85
REFERENCE_BOOST = 0.8  # bar
SCALE_NAMES = ("exhaust_scale", "intake_scale", "block_scale")
SCALES: dict[str, tuple[float, float, float]] = {
    "single": (1.17, 2.42, 0.975),
    "v_twin": (1.19, 2.86, 0.992),
    "inline_3": (2.17, 1.81, 0.805),
    "inline_4": (3.04, 3.52, 0.702),
    "boxer_4": (2.47, 2.48, 0.737),
    "inline_6": (3.6, 1.09, 0.615),
    "flat_6": (1.73, 2.76, 0.444),
    "v8_cross": (1.42, 10.7, 0.585),
    "v8_flat": (1.5, 6.1, 0.516),
    "diesel_6": (20.3, 5.76, 0.478),
}
