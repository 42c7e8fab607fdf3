"""Profile of a tick: every entry of a vehicle's tick sequence in a hot loop over states recorded in a drive.

One generated function per entry cycles through several states, so that the compiler cannot hoist work out of the loop;
entries of a substep group are counted as often as they run in a tick. Alone, an entry finds its records and code in the
core's own caches, so the sum of all is below the time of the whole tick (benchmark `tick`).
"""

import time
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.benchmarks.scenes import forward_gear, hill_world, ring_line
from driving_sandbox.benchmarks.sweep import with_query
from driving_sandbox.lab.drivers import LineFollower
from driving_sandbox.lab.drivers.motion import motion_of
from driving_sandbox.physics.kernel.jit import JIT
from driving_sandbox.physics.tick.component import Phase, Substeps, as_phase, phases_of
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.tick.sequence import GROUND_NAMES
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

if TYPE_CHECKING:
    from driving_sandbox.physics.tick.sequence import Sequence
    from driving_sandbox.physics.vehicle.vehicle import Vehicle
    from driving_sandbox.physics.world.world import World

RATE = 60.0  # 1/s, ticks per second
SUBSTEPS = 3  # per tick, the world's
WARM_UP = 600  # ticks until the car has reached its speed
STATES = 8  # states of the drive; with the vehicle's parameters and scratch they fit in the L2 cache (330 kB)
TICKS_BETWEEN_STATES = 20
ROUNDS = 50  # passes over the states in one measurement
REPEATS = 15  # measurements; the shortest counts
SPEED = 12.0  # m/s, of the car on the ring line
_FUNCTION = """

@kernel
def entry_{k}(params, states, scratch, context, external, command, dt, rounds, {ground}):
    ground = GroundArrays({ground})
    p = params[0]
    w = scratch[0]
    c = context[0]
    e = external[0]
    u = command[0]
    for _ in range(rounds):
        for j in range(states.shape[0]):
            s = states[j]
            {call}
"""


def profile_source(sequence: "Sequence") -> str:
    """Source of a module with one function for every distinct entry of a Sequence."""
    lines = [
        "from driving_sandbox.physics.kernel.jit import kernel",
        "from driving_sandbox.physics.ground.arrays import GroundArrays",
        *sequence.imports(),
    ]
    text = "\n".join(lines) + "\n"
    for k, phase in enumerate(_phases(sequence)):
        arguments = ", ".join(binding.expression for binding in sequence.bindings(phase))
        call = f"{phase.component.slot}_{phase.phase}({arguments})"
        text += _FUNCTION.format(k=k, ground=GROUND_NAMES, call=call)
    return text


def _phases(sequence: "Sequence") -> list[Phase]:
    """Phases of a Sequence, each once, in order."""
    return list(dict.fromkeys(phases_of(sequence.entries)))


def _calls_per_tick(entries: Iterable[Any], substeps: int, times: int = 1) -> dict[Phase, int]:
    """{phase: number of calls in one tick}.

    Args:
        entries: phases and groups of substeps.
        substeps: the world's, per tick.
        times: how often the entries run in a tick.
    """
    counts: dict[Phase, int] = {}
    for entry in entries:
        if isinstance(entry, Substeps):
            count = entry.count if isinstance(entry.count, int) else substeps  # a Binding's may be more
            inner = _calls_per_tick(entry.entries, substeps, times * count)
        else:
            inner = {as_phase(entry): times}
        for phase, count in inner.items():
            counts[phase] = counts.get(phase, 0) + count
    return counts


def driven(vehicle: "Vehicle") -> tuple["World", np.ndarray, np.ndarray]:
    """(world, [STATES] states, last command) of a car that followed the ring line over wavy terrain."""
    world = hill_world(vehicle, RATE, SUBSTEPS)
    driver = LineFollower(ring_line(), top_speed=SPEED, forward_gear=forward_gear(vehicle))
    states = np.zeros(STATES, vehicle.sequence.dtypes["state"])
    for tick in range(1, WARM_UP + STATES * TICKS_BETWEEN_STATES + 1):
        motion = motion_of(vehicle, 0.0)
        command = driver.command(motion.position, motion.heading, motion.speed, 1.0 / RATE)
        world.step(command)
        number, remainder = divmod(tick - WARM_UP, TICKS_BETWEEN_STATES)
        if number > 0 and remainder == 0:
            states.view(np.uint8).reshape(STATES, -1)[number - 1] = vehicle.state_bytes
    return world, states, command


def entry_times(vehicle: "Vehicle", only: Collection[str] | None = None) -> list[tuple[str, int, float]]:
    """[(entry, calls per tick, s per call)] of a vehicle's entries, or of those named in `only`, in their order."""
    world, states, command = driven(vehicle)
    sequence = vehicle.sequence
    module = sequence.load("profile", profile_source(sequence))
    calls = _calls_per_tick(sequence.entries, SUBSTEPS)
    times = []
    for k, phase in enumerate(_phases(sequence)):
        name = f"{phase.component.slot}.{phase.phase}"
        if only is not None and name not in only:
            continue
        function = sequence._function(module, f"entry_{k}")
        dt = world.tick_seconds / (SUBSTEPS if calls[phase] >= SUBSTEPS else 1)  # of a substep, for a substep's phases
        shared = (vehicle.scratch, world.context, np.zeros(1, EXTERNAL), command, dt)
        seconds = min(_time(function, vehicle.params, states, shared, world.ground.arrays) for _ in range(REPEATS))
        times.append((name, calls[phase], seconds))
    return times


def _time(
    function: Callable[..., object], params: np.ndarray, states: np.ndarray, shared: tuple, ground: tuple
) -> float:
    """Time of one call of an entry, s."""
    states = states.copy()
    rounds = ROUNDS if JIT else 1
    function(params, states, *shared, 1, *ground)  # warm the caches
    start = time.perf_counter()
    function(params, states, *shared, rounds, *ground)
    return (time.perf_counter() - start) / (rounds * len(states))


def measure() -> list[dict[str, Any]]:
    """Rows of figures for the roadster with sweeps, costliest first; a note gives the road query's time with rays."""
    shipped = load_vehicle("roadster_simple")
    times = entry_times(shipped)
    rays = entry_times(with_query(shipped, "ray"), {"road.update"})
    rows: list[dict[str, Any]] = []
    for name, calls, seconds in sorted(times, key=lambda row: -row[1] * row[2]):
        note = f"{calls} x {seconds * 1e9:.0f} ns"
        if name == "road.update":
            note += f"; with rays {rays[0][2] * 1e9:.0f} ns"
        rows.append({"what": name, "value": calls * seconds * 1e6, "unit": "us", "note": note})
    total = sum(row["value"] for row in rows)
    rows.append({"what": "all entries", "value": total, "unit": "us", "note": "of one tick, each timed alone"})
    return rows
