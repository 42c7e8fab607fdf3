"""State of an engine's sound. A delay line is a ring as long as its delay: what is read is then overwritten.

All is 0 at the start, except `noise` and `power`, which `begin` in engine.py sets.
"""

import numpy as np

from driving_sandbox.sound.base.block import BLOCK
from driving_sandbox.sound.engine.open_end import OPEN_END
from driving_sandbox.sound.engine.parameters import (
    BANK_CAPACITY,
    CYLINDER_CAPACITY,
    LINE_CAPACITY,
    LINE_COUNT,
    MODE_COUNT,
    ORDER_CAPACITY,
    PIPE_CAPACITY,
)

_CYLINDERS, _BANKS = (CYLINDER_CAPACITY,), (BANK_CAPACITY,)
WAITS, BURNS, EXHAUSTS = range(3)  # `stage`: until it fires, until its exhaust valve opens, until the next draw

STATE = np.dtype(
    [
        ("noise", np.uint64),
        ("fade", np.float64),  # 0..1, rises at the start and after a change of the count of cylinders
        ("cylinder_count", np.int64),  # in the last block
        ("power", np.float64),  # mean square / that at full power
        ("gain", np.float64),  # of the last block's end
        ("peak", np.float64),  # largest recent sample; falls by PEAK_KEPT per block (engine.py)
        ("exhaust", np.float64, (BLOCK,)),  # sound of the block, before levelling
        ("bay", np.float64, (BLOCK,)),
        # the sample's values
        ("speed", np.float64),  # rad/s
        ("load", np.float64),  # 0..1
        ("torque", np.float64),  # without boost / an engine's usual one at full load, 0..1.5
        ("charge", np.float64),  # bar, pressure at which the cylinders are filled
        ("fuel", np.float64),  # 0..1
        ("throttle", np.float64),  # 0..1, smoothed
        ("crank", np.float64),  # steps of the cycle
        # cylinders
        ("stage", np.int64, _CYLINDERS),
        ("shift", np.float64, _CYLINDERS),  # steps, of this cycle
        ("burn", np.float64, _CYLINDERS),  # burnt share of this cycle
        ("pressure", np.float64, _CYLINDERS),  # bar above the ambient pressure
        ("crackle", np.float64, _CYLINDERS),  # bar, envelope of a bang in the pipe
        ("flow_noise", np.float64),
        ("pipe", np.float64, (CYLINDER_CAPACITY, 2, PIPE_CAPACITY)),  # bar; wave outwards, wave back
        ("pipe_index", np.int64, _CYLINDERS),
        ("pipe_pole", np.float64, _CYLINDERS),
        ("arrived", np.float64, _CYLINDERS),  # bar, wave at the collector
        ("pipe_delay", np.int64, _CYLINDERS),  # samples, of the pipes as they are now (lengths.py)
        # exhaust systems
        ("line", np.float64, (BANK_CAPACITY, LINE_COUNT, 2, LINE_CAPACITY)),  # bar; wave outwards, wave back
        ("line_index", np.int64, (BANK_CAPACITY, LINE_COUNT)),
        ("line_delay", np.int64, (BANK_CAPACITY, LINE_COUNT)),
        ("turbine_pole", np.float64, _BANKS),
        ("chamber_pole", np.float64, (BANK_CAPACITY, LINE_COUNT - 1)),
        ("tail_end", OPEN_END, _BANKS),
        # intake
        ("runner", np.float64, (2, PIPE_CAPACITY)),  # wave to the plenum, wave back
        ("runner_index", np.int64),
        ("runner_pole", np.float64),
        ("plenum", np.float64),
        ("snorkel", np.float64, (2, PIPE_CAPACITY)),  # wave to the open end, wave back
        ("snorkel_index", np.int64),
        ("snorkel_end", OPEN_END),
        ("runner_delay", np.int64),
        ("snorkel_delay", np.int64),
        ("turn", np.int64),  # number of the block: which pipe's turn it is (lengths.py)
        # block
        ("turned", np.float64, (ORDER_CAPACITY,)),  # phases of the mechanical orders, turns
        ("phases", np.float64, (BLOCK,)),  # turns, of an order in each sample of the block
        ("lines", np.float64, (BLOCK,)),  # sum of the tones of all orders in each sample
        ("modes", np.float64, (2, MODE_COUNT)),
    ],
    align=True,
)
