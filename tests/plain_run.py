"""Runs a vehicle without JIT, phase by phase, in a separate process: `SANDBOX_JIT=0 python plain_run.py VEHICLE`.

Prints JSON: {"writes": {"slot.phase": [slots whose state changed]}, "channels": {name: value} after all ticks}.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from driving_sandbox.benchmarks.scenes import command, hill_world
from driving_sandbox.physics.tick.component import Substeps, as_phase
from driving_sandbox.physics.tick.context import EXTERNAL

TICKS = 12
SUBSTEPS = 2
# commands of the three thirds of the run: drive off, brake in a bend, pull the handbrake
THIRDS = ({"throttle": 1.0}, {"brake": 0.7, "steer": 0.5}, {"handbrake": 1.0, "steer": -1.0, "digital": 1})
PUSH = (0.0, 0.0, 900.0)  # N*m*s, about the vertical in the first tick: no value stays zero by symmetry


def scene(vehicle):
    """World at the start of the run; tests/test_component_rules.py runs the same scene compiled."""
    world = hill_world(vehicle, 60.0, SUBSTEPS, 256)
    body = world.vehicles[0].state["body"][0]
    body["velocity"] = (0.5, 6.0, -0.5)
    body["position"][2] -= 0.03
    return world


def commands(vehicle):
    """One command per tick."""
    return [command(vehicle, **THIRDS[k * len(THIRDS) // TICKS]) for k in range(TICKS)]


def first_push():
    """External record of the first tick, with the angular impulse PUSH."""
    external = np.zeros(1, EXTERNAL)
    external["angular_impulse"] = PUSH
    return external


def _record(array):
    return array.view(np.recarray)[0]


class _PlainRun:
    """Calls the phases of a vehicle one after the other and notes the slots whose state each of them changes."""

    def __init__(self, world):
        vehicle = world.vehicles[0]
        self.sequence, self.state = vehicle.sequence, vehicle.state
        self.names = {  # the names that expressions of the bindings use
            "p": _record(vehicle.params), "s": _record(vehicle.state), "w": _record(vehicle.scratch),
            "c": _record(world.context), "ground": world.ground.arrays,
        }  # fmt: skip
        self.writes = {}

    def tick(self, dt, driver_command, external):
        self.names.update(u=_record(driver_command), e=_record(external))
        self._entries(self.sequence.entries, dt)
        self.names["s"].tick += 1

    def _entries(self, entries, dt):
        """Run entries of the sequence over a time dt, s; groups of substeps divide it."""
        for entry in entries:
            if isinstance(entry, Substeps):
                count = entry.steps if isinstance(entry.steps, int) else eval(entry.steps.expression, self.names)
                for _ in range(count):
                    self._entries(entry.entries, dt / count)
            else:
                self._phase(as_phase(entry), dt)

    def _phase(self, phase, dt):
        """Run a phase, and note which slots of the state it has written."""
        before = self.state.copy()
        values = {**self.names, "dt": dt}
        arguments = [eval(binding.expression, values) for binding in self.sequence.bindings(phase)]
        phase.component.phases[phase.phase](*arguments)
        changed = {n for n in self.state.dtype.names if self.state[n].tobytes() != before[n].tobytes()}
        self.writes.setdefault(f"{phase.component.slot}.{phase.phase}", set()).update(changed)


def main(vehicle):
    """Print, as JSON, what the phases write while the vehicle is driven, and its final channels."""
    world = scene(vehicle)
    run = _PlainRun(world)
    external = first_push()
    for driver_command in commands(world.vehicles[0]):
        run.tick(world.tick_seconds, driver_command, external)
        external = np.zeros(1, EXTERNAL)
    car = world.vehicles[0]
    result = {
        "writes": {name: sorted(slots) for name, slots in run.writes.items()},
        "channels": {c.name: car.read(c.name) for c in car.channels()},
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main(sys.argv[1])
