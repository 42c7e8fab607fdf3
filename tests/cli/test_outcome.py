"""Spins, rollovers and impacts are recognised as events of a failed drive; other drives have no events."""

import json
import math

import numpy as np
import pytest
import trimesh

from driving_sandbox.cli.program import main
from driving_sandbox.lab.drive import drive, driver_factory
from driving_sandbox.lab.outcome import OutcomeMonitor
from driving_sandbox.lab.simulate import simulate
from driving_sandbox.physics.tick.commands import neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

WALLED = """
name: Walled
gravity: 9.81
tick_rate: 240
substeps: 4
air_density: 1.204
terrain: {plane: 0.0, surface: asphalt}
collision: [wall.glb]
spawn_points:
  start: {position: [0, 0], heading_deg: 0}
"""


def thrown(velocity, orientation=(0.0, 0.0, 0.0, 1.0), seconds=0.5, height=1.0, name="roadster"):
    """Kinds of the events of a vehicle that flies with a velocity in the world, m/s.

    orientation: of its body, quaternion (x, y, z, w).
    height: of the model's origin, m.
    """
    vehicle = load_vehicle(name)
    world = World(load_world("plane"), [vehicle])
    vehicle.put((0.0, 0.0, height), orientation, velocity)
    monitor = OutcomeMonitor([vehicle])
    for tick in range(round(seconds * 240)):
        world.step(neutral_command())
        monitor.step((tick + 1) * world.tick_seconds)
    return [event.kind for event in monitor.events]


def test_sideways_is_a_spin_and_straight_ahead_or_astern_is_none():
    assert thrown((20.0, 0.0, 0.0), seconds=0.1) == ["spin"]
    assert thrown((0.0, 20.0, 0.0), seconds=0.1) == thrown((0.0, -20.0, 0.0), seconds=0.1) == []
    assert thrown((10.0, 10.0, 0.0), seconds=0.1) == []  # 45 degrees are a drift
    assert thrown((2.0, 0.0, 0.0), seconds=0.1) == []  # too slow for a spin


def test_a_car_on_its_roof_has_rolled_over_and_the_ground_is_no_impact():
    assert thrown((0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), seconds=1.0, height=1.6) == ["rollover"]
    nose_down = (-math.sin(0.25), 0.0, 0.0, math.cos(0.25))  # 29 degrees: the bumper meets the plane first
    assert thrown((0.0, 0.0, -3.0), nose_down, height=1.2) == []


def test_a_wall_is_an_impact(tmp_path):
    ahead = trimesh.transformations.translation_matrix((0.0, 1.5, -8.0))  # glTF: y up, z backwards
    wall = trimesh.creation.box((10.0, 3.0, 1.0), ahead)
    material = trimesh.visual.material.PBRMaterial(name="concrete")
    wall.visual = trimesh.visual.TextureVisuals(uv=np.zeros((len(wall.vertices), 2)), material=material)
    wall.export(tmp_path / "wall.glb")
    (tmp_path / "walled.yaml").write_text(WALLED)
    world_file = load_world(tmp_path / "walled.yaml")
    outcome = drive(load_vehicle("roadster"), world_file, 960, driver_factory("launch"), lambda world: world.spawn())
    (event,) = outcome.events
    assert event.kind == "impact" and str(event) == f"hit something at {event.time:.1f} s" and 1.5 < event.time < 4.0


def test_simulate_reports_a_spin(tmp_path, capfd):
    out = tmp_path / "turn.csv"
    words = ["simulate", "--vehicle", "roadster", "--world", "plane", "--maneuver", "handbrake_turn", "--seconds", "7",
             "--out", str(out)]  # fmt: skip
    assert main(words) == 0
    assert "spun at 6." in capfd.readouterr().out
    assert main([*words, "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["outcome"]["spin"] == pytest.approx(6.0, abs=0.1)


def test_a_calm_drive_has_no_events():
    vehicle = load_vehicle("roadster")
    outcome = drive(vehicle, load_world("plane"), 480, driver_factory("launch"), lambda world: world.spawn())
    assert outcome.events == [] and np.isfinite(outcome.measures("launch")["top_speed"])


def lean_trailer(world, angle):
    """Put a train at the spawn point, with its last trailer leaning by an angle, rad."""
    world.spawn()
    world.vehicles[-1].state["body"][0]["orientation"] = (0.0, math.sin(0.5 * angle), 0.0, math.cos(0.5 * angle))


@pytest.mark.parametrize(("angle", "kinds"), [(1.4, ["rollover"]), (0.0, [])])
def test_a_trailer_on_its_side_is_a_rollover_of_its_train(angle, kinds):
    outcome = drive(load_vehicle("road_train"), load_world("plane"), 24, driver_factory("launch"),
                 lambda world: lean_trailer(world, angle))  # fmt: skip
    assert [event.kind for event in outcome.events] == kinds
    world = World(load_world("plane"), [load_vehicle("road_train")])
    lean_trailer(world, angle)
    assert [event.kind for event in simulate(world, lambda motion: neutral_command(), 0.1).events] == kinds
