"""Friction of a wheel: table of surfaces and tire types, mean of two materials, and limits before the slip factor."""

import numpy as np
import pytest
from test_query_sweep import wheels

from driving_sandbox.physics.ground.ground import Ground, Plane, plane_ground
from driving_sandbox.physics.ground.surfaces import DEFAULT_PATH, default_surfaces, load_surfaces
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.tick.commands import NEUTRAL, neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World

TABLE = default_surfaces()


def world_with_car(values, surface="asphalt", surfaces=None, speed=0.0):
    """World of a roadster on flat ground after one tick; values: {slot: {key: value}}, for every wheel."""
    vehicle = load_vehicle("roadster_simple")
    values_of_wheels = {f"{slot}.{wheel}.{key}": value for wheel in vehicle.wheel_names
             for slot, part in values.items() for key, value in part.items()}  # fmt: skip
    vehicle.set_many(values_of_wheels)
    table = surfaces or TABLE
    world = World(Ground(Plane(0.0, table.index(surface)), [], table), [vehicle], tick_seconds=1.0 / 240.0)
    world.place(0, (0.0, 0.0), 0.0)
    vehicle.state["body"]["velocity"][0, 1] = speed
    step(world)
    return world


def step(world, **values):
    """Step a world once in neutral gear; values: fields of the command."""
    command = neutral_command()
    command["gear"] = NEUTRAL
    for key, value in values.items():
        command[key] = value
    assert world.step(command) is None


def friction(*args, **values):
    """Friction of the four wheels of `world_with_car`."""
    return wheels(world_with_car(*args, **values), "road", "friction")


@pytest.mark.covers("PX-SURF-01", "ST-TIRE-01")
@pytest.mark.parametrize("tire", ["street", "sport", "offroad"])
def test_the_table_gives_friction_by_surface_and_tire_type(tire):
    for surface in ("asphalt", "ice", "gravel"):
        expected = TABLE[TABLE.index(surface)].friction[tire]
        assert friction({"tire": {"tire_type": tire}}, surface) == pytest.approx([expected] * 4)


def with_material(tmp_path, **friction_of):
    """The standard surfaces with other values of material_friction."""
    lines, current_surface = [], None
    for line in DEFAULT_PATH.read_text().splitlines():
        if line.startswith("  ") and line.rstrip().endswith(":") and not line.startswith("    "):
            current_surface = line.strip()[:-1]
        if "material_friction:" in line and not line.startswith("#") and current_surface in friction_of:
            line = f"    material_friction: {friction_of[current_surface]}"
        lines.append(line)
    path = tmp_path / "surfaces.yaml"
    path.write_text("\n".join(lines))
    return load_surfaces(path)


@pytest.mark.covers("CE-SURF-01")
def test_friction_by_the_rule_mean_is_the_mean_of_tire_and_ground(tmp_path):
    """Tire 1.4 and ground 0.6 give 1.0 for every tire type."""
    table = with_material(tmp_path, rubber=1.4, gravel=0.6)
    for tire in ("street", "offroad"):
        values = {"road": {"friction_rule": "mean"}, "tire": {"tire_type": tire}}
        assert friction(values, "gravel", table) == pytest.approx([1.0] * 4, abs=1e-15)


def stopping_distance(values, surfaces=None):
    """Distance with locked wheels from 15 to 0.3 m/s, m."""
    smooth = {"roughness": 0.0, **values}
    world = world_with_car({"road": smooth}, surfaces=surfaces, speed=15.0)
    start = world.vehicles[0].state["body"]["position"][0, 1]
    for _ in range(240 * 60):
        world.vehicles[0].state["wheel"]["omega"][0, :4] = 0.0
        step(world, brake=1.0)
        if world.vehicles[0].state["body"]["velocity"][0, 1] < 0.3:
            break
    return world.vehicles[0].state["body"]["position"][0, 1] - start


@pytest.mark.covers("CE-SURF-02")
def test_the_stopping_distance_is_inversely_proportional_to_the_mean_friction_of_the_materials():
    ground = TABLE[TABLE.index("asphalt")].material_friction
    distances, means = [], []
    for material in ("rubber", "ice"):
        distances.append(stopping_distance({"friction_rule": "mean", "tire_material": material}))
        means.append(0.5 * (TABLE[TABLE.index(material)].material_friction + ground))
    assert distances[1] / distances[0] == pytest.approx(means[0] / means[1], rel=0.05)


def test_a_tire_material_works_in_worlds_with_fewer_and_other_surfaces(tmp_path):
    """Materials are those of the standard file; a world can override their values, in any order."""
    standard = TABLE[TABLE.index("asphalt")]
    entry = """
  {name}:
    friction: {{street: 0.5, sport: 0.5, offroad: 0.5}}
    material_friction: {material}
    rolling_drag: 0
    roughness_amplitude: 0
    roughness_wavelength: 1
    restitution: 0
    hull_friction: 0.5
    color: "#000000"
"""
    path = tmp_path / "surfaces.yaml"
    path.write_text("surfaces:" + entry.format(name="moon", material=0.7) + entry.format(name="ice", material=0.3))
    table = load_surfaces(path)
    mean = {"friction_rule": "mean"}
    rubber = TABLE[TABLE.index("rubber")].material_friction
    assert standard.material_friction != 0.7
    assert friction({"road": mean}, "moon", table) == pytest.approx([0.5 * (rubber + 0.7)] * 4)
    assert friction({"road": {**mean, "tire_material": "ice"}}, "moon", table) == pytest.approx([0.5] * 4)
    path.write_text("surfaces:" + entry.format(name="moon", material=0.7).replace("    material_friction: 0.7\n", ""))
    assert load_surfaces(path)[0].material_friction == 0.5  # default: friction of a street tire


@pytest.mark.covers("CE-TIRE-04", "CE-TIRE-05")
def test_friction_is_within_the_limits_of_the_wheel(tmp_path):
    slippery = with_material(tmp_path, rubber=0.1, ice=0.1)
    mean = {"friction_rule": "mean"}
    assert friction({"road": mean}, "ice", slippery) == pytest.approx([0.1] * 4)
    assert friction({"road": {**mean, "min_friction": 0.6}}, "ice", slippery).tolist() == [0.6] * 4
    sticky = with_material(tmp_path, rubber=2.0, asphalt=3.0)
    assert friction({"road": mean}, "asphalt", sticky) == pytest.approx([2.5] * 4)
    assert friction({"road": {**mean, "max_friction": 1.2}}, "asphalt", sticky).tolist() == [1.2] * 4
    assert friction({"road": {"max_friction": 0.4}}).tolist() == [0.4] * 4  # applies to the table too
    with pytest.raises(SchemaError, match=r"road.max_friction: of wheel rl must not be below min_friction$"):
        load_vehicle("roadster_simple").set_many({"road.rl.max_friction": 0.4, "road.rl.min_friction": 0.6})


@pytest.mark.covers("CE-TIRE-06")
def test_friction_is_limited_before_the_slip_factor():
    """With friction limited to 1.0 and a factor of 1.5 at large slip, a locked wheel has a friction of 1.5."""
    world = world_with_car({"road": {"max_friction": 1.0, "min_friction": 1.0},
                 "tire": {"friction_versus_slip": [[0.0, 1.0], [0.1, 1.5], [1.0, 1.5]]}}, speed=20.0)  # fmt: skip
    world.vehicles[0].state["wheel"]["omega"][0, :4] = 0.0
    step(world, brake=1.0)
    assert np.abs(wheels(world, "tire", "longitudinal_slip")).min() > 0.5
    assert wheels(world, "road", "friction").tolist() == [1.0] * 4
    assert wheels(world, "tire", "friction") == pytest.approx([1.5] * 4)


def test_reversed_limits_are_refused():
    vehicle = load_vehicle("roadster_simple")
    with pytest.raises(ValueError, match="must not be below min_friction"):
        vehicle.set_many({"road.fl.min_friction": 1.0, "road.fl.max_friction": 0.5})


def test_kernels_read_the_materials_of_the_file():
    rows = plane_ground().arrays.surfaces
    from driving_sandbox.physics.ground.arrays import MATERIAL_FRICTION, TIRE_MATERIAL_FRICTION

    for row, surface in zip(rows, TABLE.surfaces, strict=True):
        assert row[MATERIAL_FRICTION] == row[TIRE_MATERIAL_FRICTION] == surface.material_friction


def test_surfaces_have_sound_marks_and_dust_that_suit_them():
    """All but rubber have a sound; gravel gives more dust than asphalt; marks are darker on asphalt than in sand."""
    names = {"asphalt", "asphalt_wet", "concrete", "kerb", "gravel", "grass", "mud", "sand", "snow", "ice",
             "painted_line"}  # fmt: skip
    assert names <= set(TABLE.names)
    for surface in TABLE.surfaces:
        assert surface.sound != "none" or surface.name == "rubber"
        assert 0.0 <= surface.mark.amount <= 1.0 and 0.0 <= surface.dust.amount <= 1.0
        assert len(surface.mark.color) == len(surface.dust.color) == 3
    by_name = {surface.name: surface for surface in TABLE.surfaces}
    assert by_name["gravel"].dust.amount > 5.0 * by_name["asphalt"].dust.amount
    assert max(by_name["asphalt"].mark.color) < 0.2 < max(by_name["sand"].mark.color)
