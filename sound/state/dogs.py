"""Dog teeth of a gear that is forced in at the wrong speed.

The physics engages every gear that is commanded. Whether its teeth would grind follows from the speeds on both sides of
the dog clutch, referred to the gearbox's output shaft: w_out of the shaft, w_in / ratio of the gear's wheel.

    clutch closed            |w_out - w_engine / ratio|       the engine holds the input shaft at its own speed
    open, a forward gear     0                                the synchroniser brings the input shaft to its speed, by
                                                              SYNCHRONISER; what is left when the gear is engaged grinds
    open, a reverse gear     w_out if the car rolls forwards  it has no synchroniser, and the input shaft rests

The clutch is closed in a change only where nothing but the driver's pedal opens it and the pedal is up: any clutch with
a gearbox with `free_shifting`, and the clutches `torsion_damper` and `friction` (without `auto_omega`) with any gearbox
but `three_phases`. All others open in a change.

Teeth pass from the moment the lever pushes, in the time in neutral, until the gear is engaged or given up. A gear that
is engaged at once reports its difference for REPORTED, so that a frame of the picture has it too.
"""

from typing import Any

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.state.drive import number, shaft_speed
from driving_sandbox.sound.state.words import MISSING

SYNCHRONISER = 7000.0  # rad/s^2, of the input shaft; a change by a gear needs up to 6,000, by two gears 12,000
DRAGS = 0.1  # closed share of the clutch from which it turns an input shaft without load
REPORTED = 0.02  # s; longer than the 1/60 s from one frame of the picture to the next


@kernel
def clutch_turns_input(state: Any, params: Any, params_int: Any, layout: Any) -> bool:
    """Whether the engine turns the gearbox's input shaft during a change of gear."""
    free = layout.free_shifting != MISSING and params_int[layout.free_shifting] != 0
    if layout.pedal == MISSING or not (free or layout.pedal_clutch == 1):
        return False
    if not free and number(params, layout.auto_omega, 0.0) > 0.0:
        return False
    return 1.0 - state[layout.pedal] > DRAGS


@kernel
def forced_speed(out: float, ratio: float, engine_speed: float, closed: bool) -> float:
    """Speed between the teeth of a gear and those of its shaft, rad/s.

    Args:
        out: speed of the gearbox's output shaft, positive forwards, rad/s.
        ratio: turns of the input shaft for one of the output shaft; negative in reverse.
        closed: whether the clutch turns the input shaft with the engine.
    """
    if ratio == 0.0:
        return 0.0
    if closed:
        return abs(out - engine_speed / ratio)
    return max(0.0, out) if ratio < 0.0 else 0.0


@kernel
def synchronised(memory: Any, pushed: bool, gear: int, out: float, params: Any, layout: Any, dt: float) -> float:
    """Speed by which the input shaft still differs from that of a forward gear, rad/s; then synchronises it for a tick.

    The gear is pushed now or was in the tick before; else it is 0. The input shaft begins at its speed in the gear
    before. `out`: speed of the output shaft, rad/s.
    """
    if pushed and gear != memory.wanted_gear:
        memory.unsynchronised = out * abs(params[layout.ratios + gear] - params[layout.ratios + memory.left_gear])
    left = memory.unsynchronised
    memory.unsynchronised = max(0.0, left - SYNCHRONISER * dt) if pushed else 0.0
    return left


@kernel
def gather_dogs(
    frame: Any, memory: Any, state: Any, state_int: Any, params: Any, params_int: Any, layout: Any, dt: float
) -> None:
    """Set `dog_speed` of a FRAME whose engine is known; `memory` is that of the tick before, changed."""
    frame.dog_speed = 0.0
    if layout.gear == MISSING or layout.electric == 1:
        return
    engaged, neutral = state_int[layout.gear], params_int[layout.neutral_gear]
    wanted = state_int[layout.target_gear]
    pushed = engaged == neutral and wanted != neutral
    entered = memory.known == 1 and engaged != memory.gear and engaged != neutral
    memory.dog_time = memory.dog_time - dt if memory.known == 1 else 0.0
    gear, speed = (wanted, frame.engine_speed) if pushed else (engaged, memory.engine_speed)
    if (pushed or entered) and 0 <= gear < params_int[layout.ratio_count]:
        out, ratio = shaft_speed(state, layout) * number(params, layout.final_ratio, 1.0), params[layout.ratios + gear]
        closed = clutch_turns_input(state, params, params_int, layout)
        left = synchronised(memory, pushed, gear, abs(out), params, layout, dt)
        memory.dog_speed = forced_speed(out, ratio, speed, closed)
        if entered and ratio > 0.0 and not closed:
            memory.dog_speed = left / ratio
        memory.dog_time = REPORTED
    if memory.dog_time > 0.0 and memory.known == 1:
        frame.dog_speed = memory.dog_speed
    if engaged != neutral:
        memory.left_gear = engaged
    memory.wanted_gear = wanted if pushed else neutral
    memory.gear, memory.engine_speed = engaged, frame.engine_speed
