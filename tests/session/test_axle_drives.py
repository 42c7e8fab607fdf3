"""The sedan with axles as bodies: recorded and verified, restored, in a batch; and a trailer with such axles.

The scripts run in processes without JIT, because a new sequence takes long to compile.
"""

from test_unsprung_drives import printed_result

CAR = """
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.benchmarks.scenes import flat_world, forward_gear

def sedan():
    return load_vehicle(ROOT / "tests" / "reference" / "data" / "commonroad" / "sedan.yaml")
"""

RECORDED = """
import json
import sys
from flat_drive import flat_world, run
from driving_sandbox.game.session.session import Session
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.recording import Recording, verify
from driving_sandbox.physics.recording.verification import build_world, state_at

path, car = sys.argv[1], ROOT / "tests" / "reference" / "data" / "commonroad" / "sedan.yaml"
with Session(flat_world((car,)), record=path) as session:
    run(session, 0.15)
    session.tuning.set_parameter("suspension.fl.joint_damping", 2000.0)
    run(session, 0.15)
    end = session.world.state_hash()
    travel = float(abs(session.vehicle.state["suspension"][0]["axle_travel"]).max())
recording = Recording.open(path)
world = build_world(recording)
state_at(recording, world, recording.ticks)
report = verify(path)
print(json.dumps({"ok": report.ok, "ticks": report.ticks, "text": report.text, "travel": travel,
                  "state_repeated": world.state_hash() == end}))
"""

BATCH_AND_SNAPSHOTS = (
    CAR
    + """
import json
import numpy as np
from driving_sandbox.physics.batch.batch import Batch

world = flat_world(sedan(), tick_rate=60.0, substeps=2)
batch = Batch(world.vehicles[0], world, 2, threads=2)
batch.place(np.zeros((2, 2)), np.zeros(2))
worlds = [flat_world(sedan(), tick_rate=60.0, substeps=2) for _ in range(2)]
commands = batch.neutral_commands(20)
commands["gear"], commands["throttle"] = forward_gear(batch.vehicle), 1.0
commands["steer"][:, 1] = 0.5
for single, state in zip(worlds, batch.states):
    single.restore(bytes(8) + state.tobytes())  # tick 0 and the state
faults = batch.step(commands)
for k, single in enumerate(worlds):
    faults += [f for f in (single.step(commands[t, k : k + 1]) for t in range(10)) if f]
    snapshot = single.snapshot()
    for _ in range(2):  # it includes what axles store of earlier steps
        single.restore(snapshot)
        faults += [f for f in (single.step(commands[t, k : k + 1]) for t in range(10, 20)) if f]
print(json.dumps({"faults": len(faults), "equal": [single.snapshot()[8:] == state.tobytes()
                                                   for single, state in zip(worlds, batch.states)],
                  "travel": [float(abs(single.vehicles[0].state["suspension"][0]["axle_travel"]).max())
                             for single in worlds]}))
"""
)


TRAIN = """
import json
import sys
from pathlib import Path
import numpy as np
import yaml
from driving_sandbox.physics.kernel.jit import ROOT
from hitch_gap import hitch_gap
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.benchmarks.scenes import command, flat_world

front, folder = load_vehicle("truck_trailer"), Path(sys.argv[1])
text = (ROOT / "configs" / "vehicles" / "trailers" / "central_axle_trailer.yaml").read_text("utf-8")
document = yaml.safe_load(text)
document["components"] |= {"suspension": "axle_bodies", "body": "sprung"}
(folder / "trailer.yaml").write_text(yaml.safe_dump(document), "utf-8")
front.trailers = (load_vehicle(folder / "trailer.yaml"),)
world = flat_world(front, tick_rate=60.0, substeps=4)
truck, trailer = world.vehicles
faults, gaps = 0, []
for tick in range(45):
    fault = world.step(np.repeat(command(truck, throttle=1.0, steer=0.3), len(world.trains)))
    faults, gaps = faults + (fault is not None), [*gaps, hitch_gap(truck, trailer)]
s = trailer.state["suspension"][0]
print(json.dumps({"faults": faults, "gap": max(gaps), "speed": float(trailer.read("body.velocity.y")),
                  "known": s["hub_initialized"][:4].tolist(), "loads": float(s["force"][:4].sum())}))
"""


def test_a_recorded_drive_of_the_sedan_is_repeated(tmp_path):
    result = printed_result(RECORDED, tmp_path / "a.drive")
    assert result["ok"] and result["ticks"] == 72, result["text"]
    assert result["state_repeated"] and result["travel"] > 1e-6


def test_drives_in_a_batch_and_from_a_snapshot_are_bit_identical():
    result = printed_result(BATCH_AND_SNAPSHOTS)
    assert result["faults"] == 0
    assert result["equal"] == [True, True]
    assert result["travel"][1] > 1e-4


def test_a_trailer_on_axle_bodies_is_pulled(tmp_path):
    result = printed_result(TRAIN, tmp_path)
    assert result["faults"] == 0 and result["known"] == [1, 1, 1, 1]
    assert result["gap"] < 1e-3
    assert result["speed"] > 0.05
    assert 60e3 < result["loads"] < 180e3
