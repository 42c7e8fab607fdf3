"""Swaps in a vehicle with trailers. The scripts run in processes without JIT, because a train takes long to compile."""

import json
import os
import subprocess
import sys

from driving_sandbox.physics.kernel.jit import ROOT

SWAP_OF_TIRES = """
import json
import numpy as np
from driving_sandbox.physics.vehicle.swap import candidate_text, plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle_text
from driving_sandbox.benchmarks.scenes import command, flat_world

world = flat_world("truck_trailer", tick_rate=60.0, substeps=2)
front, trailer = world.vehicles
commands = np.repeat(command(front, throttle=1.0), len(world.trains))
faults = [world.step(commands) for _ in range(4)]
changed = swapped_vehicle(front, plan_swap(front, "tire", "mf_52"))
unchanged = {slot: changed.state[slot].tobytes() == front.state[slot].tobytes()
        for slot in front.state.dtype.names if slot in changed.state.dtype.names}
world.swap(0, changed)
again = load_vehicle_text(candidate_text(changed))
try:
    world.swap(1, trailer)
    refused = ""
except ValueError as error:
    refused = str(error)
faults += [world.step(commands) for _ in range(6)]
print(json.dumps({
    "tick": world.tick, "faults": [f is not None for f in faults], "unchanged": unchanged, "refused": refused,
    "trailers": [t is trailer for t in changed.trailers], "train": len(world.trains),
    "equal": [again.sequence is changed.sequence, again.trailers[0].sequence is trailer.sequence],
    "tire": changed.sequence.by_slot["tire"].name, "load": changed.read("tire.%s.load" % changed.wheel_names[0]),
}))
"""

SWAP_WITH_TRAILER_SHOWN = """
import json
from driving_sandbox.game.session.session import Session
from driving_sandbox.physics.vehicle.swap import plan_swap, inverse_swap
from driving_sandbox.benchmarks.scenes import flat_world

session = Session(flat_world("truck_trailer", tick_rate=60.0, substeps=2))
tuning, front = session.tuning, session.vehicle
tuning.choose(1)
trailer = tuning.vehicle
tuning.swap(inverse_swap(front, "tire"), plan_swap(front, "tire", "mf_52"))
result = {"trailer shown": tuning.vehicle is trailer, "undo of the trailer": tuning.can_undo}
tires = [session.vehicle.sequence.by_slot["tire"].name]
tuning.choose(0)
session.tuning.undo()
result["tires"] = [*tires, session.vehicle.sequence.by_slot["tire"].name]
print(json.dumps(result))
"""


def printed_result(script):
    """Values that a script prints as JSON, run in a process without JIT."""
    environment = dict(os.environ, SANDBOX_JIT="0")
    run = [sys.executable, "-c", script]
    result = subprocess.run(run, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    return json.loads(result.stdout)


def test_a_swap_of_tires_keeps_the_trailers_and_the_state():
    result = printed_result(SWAP_OF_TIRES)
    assert result["tick"] == 10 and not any(result["faults"]) and result["train"] == 1
    assert result["trailers"] == [True] and result["equal"] == [True, True]
    assert all(same for slot, same in result["unchanged"].items() if slot != "tire")
    assert result["tire"] == "mf_52" and result["load"] > 1000.0
    assert "is a trailer" in result["refused"]


def test_a_swap_while_the_panel_shows_a_trailer_is_undone_on_the_vehicle_in_front():
    result = printed_result(SWAP_WITH_TRAILER_SHOWN)
    assert result == {"trailer shown": True, "undo of the trailer": False, "tires": ["mf_52", "mf_62"]}
