"""Wheels with mass: swapped in and out while driving, recorded, restored, in a batch, on a trailer.

The scripts run in processes without JIT, because new sequences take long to compile.
"""

import json
import os
import subprocess
import sys

from driving_sandbox.physics.kernel.jit import ROOT

SWAPPED = """
import json
import sys
from flat_drive import flat_world, run
from driving_sandbox.game.session.session import Session
from driving_sandbox.physics.recording import Recording, verify
from driving_sandbox.physics.recording.verification import build_world, state_at
from driving_sandbox.physics.vehicle.swap import plan_swap, inverse_swap

path = sys.argv[1]
with Session(flat_world(), record=path) as session:
    states = []
    for choice in ("standard", "unsprung", "standard"):
        if choice != session.vehicle.sequence.by_slot["suspension"].name:
            session.tuning.swap(inverse_swap(session.vehicle, "suspension"), plan_swap(session.vehicle, "suspension",
            choice))
        if choice == "unsprung":
            session.tuning.set_parameter("suspension.fl.joint_compliance", 1e-5)
        run(session, 0.15)
        states.append((session.vehicle.sequence.by_slot["suspension"].name, float(session.vehicle.model_position()[2])))
    end = session.world.state_hash()
recording = Recording.open(path)
world = build_world(recording)
state_at(recording, world, recording.ticks)
report = verify(path)
print(json.dumps({"states": states, "ok": report.ok, "ticks": report.ticks, "text": report.text,
                  "state_repeated": world.state_hash() == end}))
"""

BATCH_AND_SNAPSHOTS = """
import json
import numpy as np
from driving_sandbox.physics.batch.batch import Batch
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.benchmarks.scenes import flat_world, forward_gear

def fitted():
    car = load_vehicle("roadster")
    car = swapped_vehicle(car, plan_swap(car, "suspension", "unsprung"))
    car.set_many({f"suspension.{w}.{name}": value for w in car.wheel_names
                  for name, value in (("links", "solid_axle"), ("joint_compliance", 1e-5))})
    return car

world = flat_world(fitted(), tick_rate=60.0, substeps=2)
batch = Batch(world.vehicles[0], world, 2, threads=2)
batch.place(np.zeros((2, 2)), np.zeros(2))
worlds = [flat_world(fitted(), tick_rate=60.0, substeps=2) for _ in range(2)]
commands = batch.neutral_commands(80)
commands["gear"], commands["throttle"] = forward_gear(batch.vehicle), 1.0
commands["steer"][:, 1] = 0.5
for single, state in zip(worlds, batch.states):
    single.restore(bytes(8) + state.tobytes())  # tick 0 and the state
faults = batch.step(commands)
for k, single in enumerate(worlds):
    faults += [f for f in (single.step(commands[t, k : k + 1]) for t in range(40)) if f]
    snapshot = single.snapshot()
    for _ in range(2):  # it includes what joints store of earlier steps
        single.restore(snapshot)
        faults += [f for f in (single.step(commands[t, k : k + 1]) for t in range(40, 80)) if f]
print(json.dumps({"faults": len(faults), "equal": [single.snapshot()[8:] == state.tobytes()
                                                   for single, state in zip(worlds, batch.states)],
                  "travel": [float(abs(single.vehicles[0].state["suspension"][0]["joint_travel"]).max())
                             for single in worlds]}))
"""

TRAIN = """
import json
import numpy as np
from hitch_gap import hitch_gap
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.benchmarks.scenes import command, flat_world

front = load_vehicle("truck_trailer")
front.trailers = tuple(swapped_vehicle(t, plan_swap(t, "suspension", "unsprung")) for t in front.trailers)
world = flat_world(front, tick_rate=60.0, substeps=4)
truck, trailer = world.vehicles
faults, gaps = 0, []
for tick in range(45):
    fault = world.step(np.repeat(command(truck, throttle=1.0, steer=0.3), len(world.trains)))
    faults, gaps = faults + (fault is not None), [*gaps, hitch_gap(truck, trailer)]
s = trailer.state["suspension"][0]
count = trailer.wheel_count
print(json.dumps({"faults": faults, "gap": max(gaps), "speed": float(trailer.read("body.velocity.y")),
                  "name": trailer.sequence.by_slot["suspension"].name, "known": int(s["hub_initialized"][:count].sum()),
                  "loads": float(s["force"][:count].sum()), "count": count}))
"""


def printed_result(script, *arguments):
    """Values that a script prints as JSON in its last line, run in a process without JIT."""
    paths = (ROOT, ROOT / "tests", ROOT / "tests" / "session", ROOT / "tests" / "core")
    environment = {**os.environ, "SANDBOX_JIT": "0", "PYTHONPATH": os.pathsep.join(map(str, paths))}
    result = subprocess.run([sys.executable, "-c", script, *map(str, arguments)], env=environment, cwd=ROOT,
                          capture_output=True, text=True)  # fmt: skip
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout.splitlines()[-1])


def test_swaps_to_unsprung_and_back_while_driving_are_recorded(tmp_path):
    result = printed_result(SWAPPED, tmp_path / "a.drive")
    assert [name for name, _ in result["states"]] == ["standard", "unsprung", "standard"]
    heights = [height for _, height in result["states"]]
    assert max(heights) - min(heights) < 0.05
    assert result["ok"] and result["ticks"] == 108, result["text"]
    assert result["state_repeated"]


def test_drives_in_a_batch_and_from_a_snapshot_are_bit_identical():
    result = printed_result(BATCH_AND_SNAPSHOTS)
    assert result["faults"] == 0
    assert result["equal"] == [True, True]
    assert result["travel"][1] > 1e-4


def test_a_trailer_on_unsprung_wheels_is_pulled():
    result = printed_result(TRAIN)
    assert result["faults"] == 0 and result["name"] == "unsprung" and result["known"] == result["count"]
    assert result["gap"] < 1e-3
    assert result["speed"] > 0.05
    assert result["loads"] > 0.0
