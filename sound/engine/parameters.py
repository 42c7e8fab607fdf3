"""Declared parameters of a combustion engine's sound.

Lengths and areas are those of the parts; the defaults are those of an ordinary four-cylinder engine. The values that
kernels need besides (delays in samples, tables over the crank angle ...) are derived in `record.py`.
"""

import numpy as np

from driving_sandbox.physics.schema.schema import Block, Bool, Float, Floats, Schema, field

CYLINDER_CAPACITY = 12
BANK_CAPACITY = 2  # exhaust systems of an engine, each called a bank in this folder
PIPE_CAPACITY = 256  # samples, longest delay of a primary pipe, runner or snorkel
LINE_CAPACITY = 512  # samples, longest delay of a part of the exhaust system
LINE_COUNT = 5  # parts of an exhaust system: middle pipe, chamber, link, chamber, tail pipe
MODE_COUNT = 6  # resonances of the engine block
ORDER_CAPACITY = 4  # lines of parts that turn with the crankshaft
STEPS = 1024  # of the tables over a cycle of 720 degrees of the crankshaft

DERIVED = np.dtype(
    [
        ("cylinder_count", np.int64),
        ("bank_count", np.int64),
        ("firing", np.float64, (CYLINDER_CAPACITY,)),  # steps of the cycle
        ("bank", np.int64, (CYLINDER_CAPACITY,)),
        ("pipes_of_bank", np.int64, (BANK_CAPACITY,)),  # an integer, so that it changes at once, as `cylinder_count`
        ("pipe_delay", np.int64, (CYLINDER_CAPACITY,)),  # samples
        ("line_delay", np.int64, (BANK_CAPACITY, LINE_COUNT)),  # samples
        ("reflection", np.float64, (LINE_COUNT - 1,)),  # of a pressure wave at the end of a line
        ("runner_delay", np.int64),  # samples
        ("snorkel_delay", np.int64),  # samples
        ("valve_rate", np.float64),  # swept volumes/s, choked flow at full lift
        ("impedance", np.float64),  # bar s per swept volume: pressure of a wave / its flow in a primary pipe
        ("jitter", np.float64),  # steps of the cycle, largest shift
        ("order_count", np.int64),
        ("orders", np.float64, (ORDER_CAPACITY,)),  # turns per sample and rad/s of the crankshaft
        ("modes", np.float64, (3, MODE_COUNT)),  # coefficients of the block's resonances (sound/base/resonator.py)
        ("lift", np.float64, (STEPS + 1,)),  # of the exhaust valve, 0..1
        ("volume", np.float64, (STEPS + 1,)),  # of the cylinder, in swept volumes
        ("volume_slope", np.float64, (STEPS + 1,)),  # per rad of the crankshaft
        ("suction", np.float64, (STEPS + 1,)),  # volume_slope times the lift of the intake valve, 0..1
    ],
    align=True,
)


class EngineSound(Schema):
    """Combustion engine: cylinders, exhaust system, intake, block, and their levels."""

    crank_pins_deg: Floats = field(
        capacity=CYLINDER_CAPACITY, unit="deg", ge=0, lt=360, default=[0.0, 180.0, 180.0, 0.0],
        doc="Angle of each cylinder's crank pin, against the rotation.",
    )  # fmt: skip
    cylinder_banks: Floats = field(
        capacity=CYLINDER_CAPACITY, ge=0, le=1, default=[0.0], doc="Bank of each cylinder, 0 or 1; one is that of all."
    )
    bank_angle_deg: Float = field(
        unit="deg", ge=0, le=180, suggest=(0, 180), default=0.0, doc="Between the banks; 0: inline, 180: boxer."
    )
    firing_order: Floats = field(
        capacity=CYLINDER_CAPACITY, ge=1, le=CYLINDER_CAPACITY, default=[1.0, 3.0, 4.0, 2.0],
        doc="Numbers of the cylinders, from 1, in the order in which they fire.",
    )  # fmt: skip
    firing_deg: Floats = field(
        capacity=CYLINDER_CAPACITY, unit="deg", ge=0, lt=720, default=[],
        doc="Crank angles at which the cylinders fire; empty: they follow from crank pins, banks and firing order.",
    )  # fmt: skip
    bank: Floats = field(
        capacity=CYLINDER_CAPACITY, ge=0, le=1, default=[0.0],
        doc="Exhaust system of each cylinder in the firing order, 0 or 1.",
    )  # fmt: skip
    pipe_lengths: Floats = field(
        capacity=CYLINDER_CAPACITY, unit="m", ge=0.05, le=2.5, default=[0.45, 0.42, 0.42, 0.45],
        doc="Primary pipe of each cylinder in the firing order, from the valve to the collector; one is that of all.",
    )  # fmt: skip
    displacement: Float = field(unit="m^3", gt=0, suggest=(0.3e-3, 16e-3), default=1.8e-3, doc="Of all cylinders.")
    pipe_diameter: Float = field(unit="m", ge=0.01, suggest=(0.02, 0.1), default=0.0388, doc="Of a primary pipe.")
    valve_flow: Float = field(
        gt=0, suggest=(0.5, 3), default=2.2,
        doc="Choked flow through open exhaust valves, in swept volumes of a cylinder per rad at the redline.",
    )  # fmt: skip
    redline: Float = field(
        unit="rad/s",
        gt=0,
        suggest=(200, 1200),
        default=733.0,
        doc="Highest speed; sets the size of the valves and the speeds of crackling.",
    )
    diesel: Bool = field(default=False, doc="Compression ignition: no throttle valve, load by fuel.")
    turbine: Float = field(
        ge=0, le=1, suggest=(0, 1), default=0.0, doc="How much a turbine behind the collector smooths the pulses."
    )

    collector_ratio: Float = field(
        gt=0, suggest=(0.5, 4), default=1.6, doc="Area of the middle pipe by that of a primary pipe."
    )
    middle_length: Float = field(unit="m", ge=0.05, le=5, suggest=(0.3, 3), default=1.55, doc="Collector to silencer.")
    chamber_1_length: Float = field(unit="m", ge=0.05, le=5, suggest=(0.1, 1), default=0.33, doc="First chamber.")
    link_length: Float = field(unit="m", ge=0.05, le=5, suggest=(0.1, 1.5), default=0.71, doc="Between the chambers.")
    chamber_2_length: Float = field(unit="m", ge=0.05, le=5, suggest=(0.1, 1), default=0.47, doc="Second chamber.")
    tail_length: Float = field(unit="m", ge=0.05, le=5, suggest=(0.1, 1.5), default=0.61, doc="Tail pipe.")
    chamber_1_ratio: Float = field(ge=1, suggest=(1, 10), default=2.6, doc="Area of the first chamber by its pipes'.")
    chamber_2_ratio: Float = field(ge=1, suggest=(1, 10), default=2.6, doc="Area of the second chamber by its pipes'.")
    muffler_share: Float = field(
        gt=0, le=1, suggest=(0.1, 0.6), default=0.33, doc="Low-pass of a wave into a chamber, share per sample."
    )
    muffler_gain: Float = field(ge=0, le=0.99, suggest=(0.5, 0.95), default=0.86, doc="Gain of a wave into a chamber.")

    variation: Float = field(
        ge=0, le=0.5, suggest=(0, 0.1), default=0.035, doc="Standard deviation of the burnt share from cycle to cycle."
    )
    idle_variation: Float = field(
        ge=0, le=0.5, suggest=(0, 0.3), default=0.14, doc="What is added to `variation` without load."
    )
    misfire: Float = field(ge=0, le=0.5, suggest=(0, 0.1), default=0.02, doc="Share of weak cycles without load.")
    jitter_deg: Float = field(
        unit="deg", ge=0, le=20, suggest=(0, 4), default=1.4, doc="Largest shift of a cycle's valve timing."
    )
    flow_noise: Float = field(ge=0, le=1, suggest=(0, 0.2), default=0.08, doc="Noise in the flow through the valves.")
    jet_noise: Float = field(ge=0, le=1, suggest=(0, 0.1), default=0.035, doc="Noise of the jet at the tail's end.")
    crackle: Float = field(
        ge=0, le=1, suggest=(0, 0.2), default=0.015, doc="Share of cycles that bang in the exhaust on overrun."
    )

    runner_length: Float = field(unit="m", ge=0.05, le=1.5, suggest=(0.1, 0.8), default=0.35, doc="Valve to plenum.")
    snorkel_length: Float = field(unit="m", ge=0.05, le=1.5, suggest=(0.1, 1), default=0.5, doc="Throttle to air.")
    plenum: Float = field(
        gt=0, le=0.4, suggest=(0.05, 0.3), default=0.1, doc="Rate at which the plenum's pressure follows, per sample."
    )
    intake_noise: Float = field(ge=0, suggest=(0, 0.5), default=0.15, doc="Noise of the flow at the intake's open end.")

    mode_frequencies: Floats = field(
        capacity=MODE_COUNT, unit="Hz", ge=20, le=16000, default=[430.0, 820.0, 1350.0, 2050.0, 3100.0, 4600.0],
        doc="Resonances of the engine block.",
    )  # fmt: skip
    mechanical_orders: Floats = field(
        capacity=ORDER_CAPACITY, ge=0, le=100, default=[7.0, 21.0, 32.4],
        doc="Lines per turn of the crankshaft: oil pump, teeth of the timing chain, poles of the alternator.",
    )  # fmt: skip
    mechanical_level: Float = field(
        ge=0, suggest=(0, 3), default=1.0, doc="Level of these lines, by the noise of the moving parts."
    )
    knock: Float = field(
        ge=0, suggest=(0, 0.5), default=0.12, doc="Blow of combustion on the block; that of a valve is about 0.04."
    )

    exhaust_level: Float = field(ge=0, suggest=(0, 2), default=1.0, doc="Exhaust; 1: rms of 0.1 at full power.")
    intake_level: Float = field(ge=0, suggest=(0, 1), default=0.35, doc="Intake, in the same measure.")
    block_level: Float = field(ge=0, suggest=(0, 1), default=0.2, doc="Engine block, in the same measure.")
    exhaust_scale: Float = field(gt=0, le=1e4, default=1.0, doc="Factor to an rms of 0.1, measured at full power.")
    intake_scale: Float = field(gt=0, le=1e4, default=1.0, doc="Factor to an rms of 0.1, measured at full power.")
    block_scale: Float = field(gt=0, le=1e4, default=1.0, doc="Factor to an rms of 0.1, measured at full power.")
    level: Float = field(ge=0, suggest=(0, 2), default=1.0, doc="Level of the whole engine.")

    derived: Block = field(layout=DERIVED, derived=True)
