"""Worlds: determinism, rewinding, faults, constant memory."""

import math
import os
import resource
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from drive_rig import Drive
from plain_tires import on_plain_tires
from print_hashes import drive

from driving_sandbox.physics.kernel.jit import JIT, ROOT
from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.tick.commands import AUTOMATIC, COMMAND, neutral_command
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.world.placing import upright_on

SCRIPT = ROOT / "tests" / "core" / "print_hashes.py"


def fresh_process(*arguments, **environment):
    """Hash printed by a new Python process."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    result = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return int(result.stdout)


@pytest.mark.parametrize("ground", ["plane", "field"])
def test_equal_drives_give_equal_bytes_in_this_and_a_new_process(ground):
    names = ("roadster_simple", "buggy")
    first = drive(400, ground, names)
    assert drive(400, ground, names).snapshot() == first.snapshot()
    assert drive(401, ground, names).state_hash() != first.state_hash()
    assert fresh_process(400, ground, *names) == first.state_hash()


@pytest.mark.skipif(not JIT, reason="compares with compiled kernels")
@pytest.mark.parametrize(("ground", "name"), [("plane", "buggy"), ("field", "roadster_simple")])
def test_plain_python_and_compiled_kernels_give_equal_bytes(ground, name):
    assert fresh_process(60, ground, name, SANDBOX_JIT="0") == drive(60, ground, [name]).state_hash()


def test_rewinding_and_stepping_again_gives_equal_bytes():
    world = drive(120, "field", ["roadster_simple", "hatchback"])
    command = np.zeros(2, COMMAND)
    command["throttle"], command["steer"], command["gear"], command["digital"] = 0.7, 0.3, AUTOMATIC, 1
    snapshot = world.snapshot()
    snapshots = []
    for _ in range(2):
        world.restore(snapshot)
        for _ in range(200):
            assert world.step(command) is None
        snapshots.append(world.snapshot())
    assert snapshots[0] == snapshots[1] != snapshot
    with pytest.raises(ValueError, match="snapshot of this world"):
        world.restore(snapshot[:-8])


def test_many_ticks_in_one_call_equal_single_ticks():
    stepped, run = Drive("roadster_simple"), Drive("roadster_simple")
    commands = stepped.commands(300, throttle=0.8, steer=0.2, gear=AUTOMATIC)
    for i in range(300):
        stepped.world.step(commands[i : i + 1])
    run.ticks(commands)
    assert stepped.vehicle.snapshot() == run.vehicle.snapshot()


def test_external_impulses_act_once_and_forces_through_the_tick():
    pushed = Drive("roadster_simple", position=(0.0, 0.0, 50.0))
    mass = pushed.vehicle.get("body.mass")
    external = np.zeros(1, EXTERNAL)
    external["impulse"], external["force"] = (3.0 * mass, 0.0, 0.0), (0.0, 240.0 * mass, 0.0)
    pushed.world.step(neutral_command(), external)
    velocity = pushed.body("velocity")
    assert velocity[0] == pytest.approx(3.0, rel=1e-4) and velocity[1] == pytest.approx(1.0, rel=1e-3)
    pushed.world.step(neutral_command())
    assert pushed.body("velocity")[:2] == pytest.approx(velocity[:2], rel=1e-3)


@pytest.mark.parametrize(
    ("slot", "wheel", "key"),
    [("body", None, "velocity"), ("body", None, "position"), ("wheel", 2, "omega")],
)
def test_a_nan_state_is_named_and_reset(slot, wheel, key):
    rig = Drive("roadster_simple").run(0.5)
    world, car = rig.world, rig.vehicle
    block = car.state[slot][0] if wheel is None else car.state[slot][0][wheel]
    good = car.snapshot()
    block[key] = np.nan
    poisoned = car.snapshot()
    fault = None
    for _ in range(3):
        fault = world.step(neutral_command())
        if fault:
            break
    assert fault is not None and fault.vehicle == 0 and fault.component
    assert fault.text.startswith("Roadster, simple: ") and "reset to the tick before" in fault.text
    assert "\n" not in fault.text
    if wheel is not None:
        assert fault.wheel == car.wheel_names[wheel]
    assert car.snapshot() == poisoned  # the state before the tick, with the NaN
    car.restore(good)
    assert world.step(neutral_command()) is None


def test_an_excessive_impulse_is_a_fault_and_the_world_continues():
    from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
    from driving_sandbox.physics.world.world import World

    world = World(Drive("roadster_simple").ground, [load_vehicle("roadster_simple"), on_plain_tires("buggy")])
    world.place(0, (0.0, 0.0), 0.0)
    world.place(1, (6.0, 0.0), 0.0)
    commands = np.concatenate([neutral_command()] * 2)
    for _ in range(50):
        world.step(commands)
    before = world.vehicles[1].snapshot()
    for kind in ("impulse", "force", "angular_impulse"):
        external = np.zeros(2, EXTERNAL)
        external[kind][1] = (0.0, 0.0, 1e15)
        fault = world.step(commands, external)
        assert (fault.vehicle, fault.wheel) == (1, None) and fault.component
        assert "Buggy" in fault.text
        assert world.vehicles[1].snapshot() == before
    for _ in range(100):
        assert world.step(commands) is None
    assert np.isfinite(world.vehicles[1].state["body"][0]["position"]).all()


def test_memory_is_constant_over_a_hundred_thousand_ticks():
    rig = Drive("roadster_simple")
    commands = rig.commands(20_000, throttle=0.3, steer=0.4, gear=AUTOMATIC)
    external = np.zeros(len(commands), EXTERNAL)
    rig.ticks(commands, external)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(5):
        rig.ticks(commands, external)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2048  # KiB: 21 bytes a tick
    world, command = rig.world, neutral_command()
    for _ in range(200):
        world.step(command)
    tracemalloc.start()
    start, _ = tracemalloc.get_traced_memory()
    for _ in range(5000):
        world.step(command)
    end, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert end - start < 16_384  # bytes: less than four a tick


@pytest.mark.parametrize("heading", [0.0, 1.0, math.pi / 2, 3.0, math.pi, -math.pi, -3.1])
def test_a_vehicle_is_placed_on_a_slope_at_any_heading(heading):
    for normal in ((0.0, 0.0, 1.0), (0.0, -0.342, 0.94), (0.5, 0.3, 0.8)):
        up = np.array(normal) / np.linalg.norm(normal)
        q = upright_on(tuple(up), heading)
        assert np.linalg.norm(q) == pytest.approx(1.0, abs=1e-12)
        assert rotate(q, (0.0, 0.0, 1.0)) == pytest.approx(up, abs=1e-12)
        forward = np.array(rotate(q, (0.0, 1.0, 0.0)))
        side = np.cross(up, (-math.sin(heading), math.cos(heading), 0.0))
        assert forward @ side == pytest.approx(0.0, abs=1e-12)
        assert forward @ (-math.sin(heading), math.cos(heading), 0.0) > 0.5
