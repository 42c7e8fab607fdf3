"""Values of imported Stingray vehicles: masses, wheels, engine, gears, torque shares, steering, bound nodes."""

import numpy as np
import pytest
from stingray_samples import (
    ORIGIN,
    RADIUS,
    TRACK,
    WHEELBASE,
    block,
    changed,
    load,
    sjson,
    warnings_about,
    wheel_centres,
    write_meshes,
    written,
)

from driving_sandbox.formats.stingray import load_stingray
from driving_sandbox.physics.schema.yaml_file import ConfigError

GRAVITY = 9.81  # m/s^2


@pytest.mark.covers("ST-WHEEL-02")
def test_radius_is_half_the_shapes_height(tmp_path):
    v = load(tmp_path)
    assert v.get("wheel.rr.radius") == pytest.approx(RADIUS, abs=1e-6)
    assert v.get("wheel.rr.half_width") == pytest.approx(0.11, abs=1e-6)
    assert load(tmp_path, wheels__radius_scale=1.1).get("wheel.rr.radius") == pytest.approx(1.1 * RADIUS, abs=1e-6)


@pytest.mark.covers("ST-WHEEL-03")
def test_unusual_wheel_masses_are_reported_and_used_in_the_inertia(tmp_path):
    for mass, count in ((19.0, 4), (20.0, 0), (80.0, 0), (81.0, 4)):
        mass_warnings = [w for w in warnings_about(tmp_path, wheels__mass=mass) if "usually 20 to 80 kg" in w]
        assert len(mass_warnings) == count, mass
        assert load(tmp_path, wheels__mass=mass).get("wheel.fl.inertia") == pytest.approx(mass * RADIUS**2, rel=1e-5)


@pytest.mark.covers("ST-ENG-03")
@pytest.mark.parametrize("rate", ["full_throttle", "zero_throttle_clutch_engaged", "zero_throttle_clutch_disengaged"])
def test_an_undamped_engine_gives_a_warning(tmp_path, rate):
    damping_warnings = warnings_about(tmp_path, **{f"engine__damping_rates__{rate}": 0.0})
    assert len(damping_warnings) == 1 and f"engine.damping_rates.{rate}: 0 may be unstable" in damping_warnings[0]
    assert warnings_about(tmp_path) == []
    inline = changed(block(), engine__damping_rates=None, **{f"engine__{k}": v for k, v in
                     block()["engine"]["damping_rates"].items()})  # fmt: skip
    assert load(tmp_path, data=inline).get("engine.damping_full_throttle") == 0.3


@pytest.mark.covers("ST-GEAR-04")
def test_at_most_thirty_forward_gears(tmp_path):
    many = [-4.0, 0.0, *np.linspace(6.0, 0.5, 31).round(4).tolist()]
    assert len(load(tmp_path, gears__ratios=many[:32]).get("gearbox.ratios")) == 32
    with pytest.raises(ConfigError, match=r"gears\.ratios: has 33 entries; .*1 to 30 forward"):
        load(tmp_path, gears__ratios=many)
    v = load(tmp_path, gears__ratios=[-4.0, 0.0, 4.2, 2.0, 1.1, 1.0])
    assert v.get("gearbox.ratios")[0] < 0.0 and v.get("gearbox.neutral_gear") == 1


def test_automatic_gears_are_set_by_either_key(tmp_path):
    assert load(tmp_path).get("autobox.up_ratios") == [0.65] * 7
    off = load(tmp_path, gears__use_auto_gears=None, gears__auto_gears_enabled=False)
    assert off.get("autobox.up_ratios") == [1.0] * 7
    assert load(tmp_path, gears__use_auto_gears=False).params.tobytes() == off.params.tobytes()
    with pytest.raises(ConfigError, match="use_auto_gears: contradicts auto_gears_enabled in line"):
        load(tmp_path, gears__auto_gears_enabled=False)
    load(tmp_path, gears__auto_gears_enabled=True)


@pytest.mark.covers("ST-SUSP-01")
def test_sprung_masses_are_equal_or_add_up(tmp_path):
    """Masses of 0 in the file mean equal ones; others must add up to the chassis mass."""
    v = load(tmp_path)
    assert [v.get(f"suspension.{w}.supported_mass") for w in v.wheel_names] == [375.0] * 4
    v = load(tmp_path, wheels__suspension__sprung_mass=(400.0, 400.0, 350.0, 350.0))
    assert [v.get(f"suspension.{w}.supported_mass") for w in v.wheel_names] == [400.0, 400.0, 350.0, 350.0]
    with pytest.raises(ConfigError, match=r"sprung_mass: .*sum to 1400 kg, not to the chassis mass of 1500 kg"):
        load(tmp_path, wheels__suspension__sprung_mass=(400.0, 400.0, 300.0, 300.0))


@pytest.mark.covers("ST-MASS-02", "ST-WHEEL-02")
def test_the_mass_is_at_the_chassis_node_and_wheels_are_centred_in_their_shapes(tmp_path):
    path = written(tmp_path, block())
    offsets = {"c_body": (0.1, 0.2, 0.3), **{f"w_{side}{k}": (0.0, 0.05, 0.02) for side in "lr" for k in (0, 1)}}
    write_meshes(path.with_suffix(".glb"), moved=offsets)
    vehicle = load_stingray(path)["sample"].vehicle
    assert vehicle.get("body.centre_of_mass") == pytest.approx(np.array(ORIGIN) + (0.0, 0.0, -0.35), abs=1e-5)
    for i, name in enumerate(vehicle.wheel_names):  # full jounce is 0.15 m above
        expected = wheel_centres()[i] + (0.0, 0.05, 0.17)
        assert vehicle.get(f"suspension.{name}.attachment") == pytest.approx(expected, abs=1e-5)


@pytest.mark.covers("ST-TIRE-03", "ST-SUSP-01")
def test_tire_stiffnesses_are_per_static_load_or_per_gravity(tmp_path):
    masses = (400.0, 410.0, 340.0, 350.0)
    vehicle = load(tmp_path, wheels__suspension__sprung_mass=masses)
    for wheel, mass in zip(("fl", "fr", "rl", "rr"), masses, strict=True):
        assert vehicle.get(f"tire.{wheel}.lateral_stiffness") == pytest.approx(18.0 * mass * GRAVITY)
        assert vehicle.get(f"tire.{wheel}.nominal_load") == pytest.approx(mass * GRAVITY)
        assert vehicle.get(f"tire.{wheel}.camber_stiffness") == pytest.approx(mass * GRAVITY)
        assert vehicle.get(f"tire.{wheel}.longitudinal_stiffness") == pytest.approx(6000.0 * GRAVITY)


@pytest.mark.covers("ST-DIFF-07", "ST-DIFF-09")
@pytest.mark.parametrize("axles", [2, 3, 5])
def test_axles_behind_the_first_share_the_rear_torque(tmp_path, axles):
    split = {"type": "open_4wd", "front_rear_split": 0.4, "rear_left_right_split": 0.25}
    vehicle = load(tmp_path, axles, differential=split)
    torque_ratios = [vehicle.get(f"differential.{w}.torque_ratio") for w in vehicle.wheel_names]
    assert torque_ratios == pytest.approx(
        [0.2, 0.2, *(axles - 1) * [0.6 * 0.25 / (axles - 1), 0.6 * 0.75 / (axles - 1)]]
    )


@pytest.mark.covers("ST-STEER-01")
@pytest.mark.parametrize(("angles", "corrected"), [
    ((0.5, 0.5, -0.3, -0.3), {"ackermann": (0, 1, WHEELBASE), "ackermann_second": (2, 3, -WHEELBASE)}),
    ((0.0, 0.0, -0.3, -0.3), {"ackermann": (2, 3, -WHEELBASE)}),
])  # fmt: skip
def test_each_steered_axle_has_ackermann_geometry(tmp_path, angles, corrected):
    vehicle = load(tmp_path, wheels__max_steer=angles)
    for slot, expected in corrected.items():
        assert [vehicle.get(f"{slot}.{key}") for key in ("left", "right", "wheelbase")] == pytest.approx(expected)
        assert (vehicle.get(f"{slot}.track"), vehicle.get(f"{slot}.strength")) == pytest.approx((TRACK, 1.0))


def test_smoothing_applies_to_keys_and_sticks(tmp_path):
    rates = {"rise_rates": {"acceleration": 6.0, "steer_left": 2.5, "steer_right": 2.5},
             "fall_rates": {"handbrake": 12.0, "steer_left": 4.0, "steer_right": 5.0}}  # fmt: skip
    v = load(tmp_path, input_smoothing=rates)
    for key, value in (("throttle_rise", 6.0), ("analog_throttle_rise", 6.0), ("analog_handbrake_fall", 12.0),
                       ("steer_left_rise", 2.5), ("analog_steer_rise", 2.5), ("steer_right_fall", 5.0),
                       ("analog_steer_fall", 4.5)):  # fmt: skip
        assert v.get(f"input.{key}") == value, key
    assert any("analog sticks their mean" in w for w in warnings_about(tmp_path, input_smoothing=rates))


def test_unknown_tires_and_filters_are_reported(tmp_path):
    assert load(tmp_path, wheels__tire__type="slick").get("tire.fl.tire_type") == "sport"
    notes = warnings_about(tmp_path, wheels__tire__type="slcik", wheels__wheel_raycast_filter="water")
    assert sum("street is used" in w for w in notes) == 4 and sum("no filter 'water'" in w for w in notes) == 4
    assert load(tmp_path, wheels__wheel_raycast_filter="no_kerbs").get("road.fl.raycast_filter") == "no_kerbs"


def test_drawn_nodes_are_bound_to_their_bodies(tmp_path):
    nodes = [{"node": "tread", "transform_type": "translation"}]
    data = changed(block(), wheels__scene_graph_render_nodes=nodes)
    unit = load_stingray(written(tmp_path, data))
    assert len(unit.warnings) == 4 and "the model has no node 'tread', which wheel fl would move" in unit.warnings[0]
    unit = load_stingray(written(tmp_path, data, extra={"tread": (0.7, 0.5, 0.1)}.items()))
    assert unit.warnings == [] and "tread@wheel3.translation" in unit["sample"].vehicle.geometry.nodes
    assert unit["sample"].bindings == [("j_body", "full", None), *((("tread", "translation", w)) for w in
                                                                   ("fl", "fr", "rl", "rr"))]  # fmt: skip


def test_geometry_of_the_file_is_imported(tmp_path):
    v = load(tmp_path)
    assert (v.get("ackermann.wheelbase"), v.get("ackermann.track")) == (pytest.approx(WHEELBASE), pytest.approx(TRACK))
    assert v.get("suspension.fl.travel") == pytest.approx(0.27) and v.get("suspension.fl.rest_distance") == 0.15
    assert sjson([1.0]) == "[\n    1.0\n]"


def test_a_tank_has_a_track_on_each_side(tmp_path):
    v = load(tmp_path, data=block(axles=3, model="tank"), axles=3)
    assert [v.get(f"differential.{w}.track") for w in v.wheel_names] == [1, 2] * 3
    assert [v.get(f"differential.{w}.lever") for w in v.wheel_names] == ["left", "right"] * 3
    assert v.get("levers.drive_model") == "special"
    v = load(tmp_path, data=block(axles=3, model="tank"), axles=3, tank_drive_model="standard")
    assert v.get("levers.drive_model") == "standard"
    with pytest.raises(ConfigError, match="tank_drive_model: is missing"):
        load(tmp_path, data=block(axles=3, model="tank"), axles=3, tank_drive_model=None)
