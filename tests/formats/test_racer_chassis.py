"""Import of a Racer car's chassis and driveline: axes, units, conventions of its files, notes and errors."""

import copy
import math

import pytest
import yaml

from driving_sandbox.formats.racer import chassis_and_drive, inertia_to_ours, to_ours
from driving_sandbox.lab.advisor import check_vehicle
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle_text

NAMES = ("fl", "fr", "rl", "rr")
CAR = {
    "car": {"cg": {"x": "0.0", "y": "-0.05", "z": "0.1"}},
    "body": {"mass": "1000 ; kg", "inertia": {"x": "1500", "y": "1400", "z": "900"}},
    "engine": {"mass": "150", "max_torque": 300, "max_rpm": 7000, "idle_rpm": 900, "stall_rpm": 400, "start_rpm": 600,
               "shifting": {"automatic": 1, "shift_up_rpm": 6500, "shift_down_rpm": 2500, "time_to_declutch": 200,
                            "time_to_clutch": 300, "time_to_clutch_down": 150}},
    "gearbox": {"gears": 5, "end_ratio": 3.9},
    "gear0": {"ratio": -3.2}, "gear1": {"ratio": 3.2, "inertia": 0.05}, "gear2": {"ratio": 2.1},
    "gear3": {"ratio": 1.5}, "gear4": {"ratio": 1.2}, "gear5": {"ratio": 1.0},
    "differential": {"ratio": 4.1, "type": "viscous"},
    "clutch": {"max_torque": 400},
    "handbrakes": {"wheels": "23"},
    "steer": {"x": 0.35, "y": 0.4, "z": 0.3, "xa": 20, "lock": 480, "linearity": 0.9},
    **{f"susp{n}": {"x": 0.75 if n % 2 == 0 else -0.75, "y": 0.1, "z": 1.3 if n < 2 else -1.2} for n in range(4)},
    **{f"wheel{n}": {"lock": 32 if n < 2 else 0, "ackerman": 1.1, "max_braking": 1500, "max_handbrake_torque": 150}
       for n in range(4)},
}  # fmt: skip


def changed(**values):
    """The car with values at nested keys (`gear0__ratio=2`); None removes a key."""
    car = copy.deepcopy(CAR)
    for key, value in values.items():
        *sections, name = key.split("__")
        section = car
        for part in sections:
            section = section.setdefault(part, {})
        if value is None:
            section.pop(name, None)
        else:
            section[name] = value
    return car


def vehicle(**values):
    """(Vehicle on the clubsport's wheels and springs, notes) of a changed car."""
    sections, notes = chassis_and_drive(changed(**values))
    base = yaml.safe_load((ROOT / "configs" / "vehicles" / "clubsport.yaml").read_text(encoding="utf8"))
    base.pop("model")
    springs = sections.pop("suspension")
    for name, section in springs.items():
        base["suspension"][name] = {**section, "attachment": [*section["attachment"][:2], 0.4]}
    sections["components"] = {**base["components"], **sections.get("components", {})}
    base.update(sections)
    return load_vehicle_text(yaml.safe_dump(base), "imported.yaml"), notes


@pytest.mark.covers("RC-FRAME-01")
def test_axes_are_converted_and_wheels_named_by_place():
    """Racer's x is to the left and y up. Wheels are named by place, also with mirrored or reversed positions."""
    assert to_ours((1.0, 2.0, 3.0)) == [-1.0, 3.0, 2.0]  # left, up, forward
    right, up, forward = to_ours((-1, 0, 0)), to_ours((0, 1, 0)), to_ours((0, 0, 1))
    assert (right, up, forward) == ([1, 0, 0], [0, 0, 1], [0, 1, 0])
    imported, _ = vehicle()
    attachments = {name: imported.get(f"suspension.{name}.attachment") for name in NAMES}
    assert attachments["fl"][:2] == [-0.75, 1.3] and attachments["rr"][:2] == [0.75, -1.2]
    mirrored = {f"susp{n}__x": -CAR[f"susp{n}"]["x"] for n in range(4)}
    backwards = {f"susp{n}__z": -CAR[f"susp{n}"]["z"] for n in range(4)}
    for flipped in (mirrored, backwards, {**mirrored, **backwards}):
        other, _ = vehicle(**flipped)
        positions = {n: other.get(f"suspension.{n}.attachment")[:2] for n in NAMES}
        assert positions == {n: p[:2] for n, p in attachments.items()}


@pytest.mark.covers("RC-MASS-05")
def test_moments_of_inertia_are_on_their_axes():
    assert inertia_to_ours((1.0, 2.0, 3.0)) == [1.0, 3.0, 2.0]
    imported, _ = vehicle()
    assert imported.get("body.inertia") == [1500.0, 900.0, 1400.0]  # pitch, roll, yaw
    without, _ = vehicle(body__inertia=None)
    assert without.get("body.inertia_from") == "axle_formula"


@pytest.mark.covers("RC-WHEEL-01")
@pytest.mark.covers("RC-BRAKE-01")
def test_the_handbrakes_digits_name_wheels():
    def handbrake_limits(digits, **values):
        imported, _ = vehicle(handbrakes__wheels=digits, **values)
        return [imported.get(f"brakes.{name}.handbrake_limit") for name in NAMES]

    assert handbrake_limits("23") == [0.0, 0.0, 150.0, 150.0]
    assert handbrake_limits("0123") == [150.0] * 4
    assert handbrake_limits("1") == [0.0, 150.0, 0.0, 0.0]
    assert handbrake_limits("2") == [0.0, 0.0, 150.0, 0.0]
    swapped = {f"susp{n}": CAR[f"susp{n ^ 1}"] for n in range(4)}  # numbers follow the suspensions
    assert handbrake_limits("2", **swapped) == [0.0, 0.0, 0.0, 150.0]
    with pytest.raises(ConfigError, match=r"car.ini: handbrakes.wheels: '24': wheel 4 does not exist, there are 4"):
        vehicle(handbrakes__wheels="24")
    for text, wheel in (("2²", "²"), ("٣", "٣"), ("2,3", ",")):  # only ASCII digits
        with pytest.raises(ConfigError, match=f"handbrakes.wheels: .*wheel {wheel} does not exist"):
            vehicle(handbrakes__wheels=text)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("values", "message"),
    [({"differential__ratio": "0"}, "differential.ratio: 0 must be greater than 0"),
     ({"gear2__ratio": 0}, "gearbox.ratios: .*must be > 0")],
)  # fmt: skip
def test_a_ratio_of_zero_is_refused_by_name(values, message):
    with pytest.raises(ConfigError, match=message):
        vehicle(**values)


@pytest.mark.covers("RC-BRAKE-02")
def test_a_missing_handbrake_torque_is_that_of_the_brake_with_a_note():
    imported, notes = vehicle(wheel2__max_handbrake_torque=None, wheel3__max_handbrake_torque=None)
    assert imported.get("brakes.rl.handbrake_limit") == imported.get("brakes.rl.max_torque") == 1500.0
    assert any("wheel2.max_handbrake_torque is missing" in note for note in notes)
    (advice,) = [a for a in check_vehicle(imported) if a.id == "handbrake_as_brake"]
    assert advice.changes == {"brakes.rl.handbrake_torque": 150.0, "brakes.rr.handbrake_torque": 150.0}
    unchanged, _ = vehicle()
    assert not [a for a in check_vehicle(unchanged) if a.id == "handbrake_as_brake"]


@pytest.mark.covers("RC-ENG-01")
def test_a_car_without_engine_gets_a_default_one():
    imported, notes = vehicle(engine__max_torque=None)
    assert imported.get("engine.peak_torque") == 250.0 and "the car has no engine: a default engine is used" in notes
    imported, notes = vehicle()
    assert imported.get("engine.peak_torque") == 300.0 and imported.get("body.mass") == 1150.0  # with 150 of the engine
    assert not any("no engine" in note for note in notes)


@pytest.mark.covers("RC-GEAR-01")
def test_at_most_ten_gears():
    ratios = {f"gear{n}__ratio": 4.0 - 0.3 * n for n in range(1, 12)}
    imported, _ = vehicle(gearbox__gears=10, **ratios)
    assert len(imported.get("gearbox.ratios")) == 12  # with reverse and neutral
    with pytest.raises(ConfigError, match=r"car.ini: gearbox.gears: 11 must lie within 1..10"):
        vehicle(gearbox__gears=11, **ratios)


@pytest.mark.covers("RC-GEAR-02")
def test_gear_0_is_reverse_and_neutral_is_inserted():
    imported, notes = vehicle()
    assert imported.get("gearbox.ratios") == [-3.2, 0.0, 3.2, 2.1, 1.5, 1.2, 1.0]
    assert not any("gear0" in note for note in notes)
    imported, notes = vehicle(gear0__ratio=7)
    assert imported.get("gearbox.ratios")[0] == -7.0 and any("gear0.ratio is 7" in note for note in notes)
    imported, _ = vehicle(gear0__ratio=None)
    assert imported.get("gearbox.ratios")[0] == -2.0


@pytest.mark.covers("RC-GEAR-05")
def test_the_end_ratio_is_for_cars_without_differential():
    imported, notes = vehicle()
    assert imported.get("differential.rear_ratio") == 4.1 and imported.get("gearbox.final_ratio") == 1.0
    assert "gearbox.end_ratio is ignored: the differential has a ratio" in notes
    imported, notes = vehicle(differential=None)
    assert imported.get("gearbox.final_ratio") == 3.9 and not any("ignored" in note for note in notes)


def test_units_and_other_values_are_converted():
    imported, _ = vehicle()
    assert imported.get("gearbox.time_to_clutch") == 0.3 and imported.get("gearbox.time_to_clutch_down") == 0.15
    assert imported.get("gearbox.time_to_declutch_down") == -1.0 and imported.get("gearbox.inertias")[2] == 0.05
    assert imported.get("autobox.up_omega") == pytest.approx(6500 * math.pi / 30)
    assert imported.get("steering.fl.max_angle") == pytest.approx(math.radians(32.0))
    assert imported.get("steering_wheel.ratio") == pytest.approx(15.0)
    assert imported.get("steering_wheel.position") == [-0.35, 0.3, 0.4]
    assert imported.get("limited_slip.rear_type") == "viscous" and imported.get("body.cg") == [0.0, 0.1, -0.05]


@pytest.mark.parametrize(("values", "rule"), [
    ({"body__mass": "heavy"}, "body.mass: 'heavy' must be a number"),
    ({"body__mass": None}, "body.mass: is missing"),
    ({"gear2__ratio": None}, "gear2.ratio: is missing"),
    ({"differential__type": "torsen"}, "must be one of open, spool, viscous, salisbury"),
    ({"body__mass": "inf"}, "must be a finite number"),
])  # fmt: skip
def test_bad_values_are_refused(values, rule):
    with pytest.raises(ConfigError) as error:
        vehicle(**values)
    assert rule in str(error.value)
