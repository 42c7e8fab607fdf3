"""What the driver switches and what moves by itself: horn, turn signals, brake, rams of a hydraulic suspension."""

import math
from typing import Any

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.state.drive import number
from driving_sandbox.sound.state.words import MISSING

FLASHES = 1.5  # 1/s, of turn signals, lit in the first half of each: as the lamps are drawn


@kernel
def mean_ram_speed(memory: Any, state: Any, layout: Any, dt: float) -> float:
    """Mean speed of the pistons since the tick before, m/s; 0 in the first one."""
    if layout.ram == MISSING or layout.wheel_count == 0:
        return 0.0
    way = 0.0
    for i in range(layout.wheel_count):
        ram = state[layout.ram + i * layout.ram_stride]
        way += abs(ram - memory.rams[i])
        memory.rams[i] = ram
    return way / (layout.wheel_count * dt) if memory.known == 1 else 0.0


@kernel
def gather_signals(
    frame: Any, memory: Any, state: Any, layout: Any, dt: float, time: float, horn: int, indicator: int
) -> None:
    """Set `horn`, `indicator`, `brake` and `ram_speed` of a FRAME; indicator: 1 while turn signals are switched on."""
    flashes = time * FLASHES
    frame.horn = horn
    frame.indicator = 1 if indicator == 1 and flashes - math.floor(flashes) < 0.5 else 0
    frame.brake = min(1.0, max(0.0, number(state, layout.brake, 0.0)))
    frame.ram_speed = mean_ram_speed(memory, state, layout, dt)
