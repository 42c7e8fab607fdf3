"""Rules of Racer's documentation: ratios of differentials, and couplings that lock them."""

import math

import numpy as np
import pytest
from drive_rig import Drive
from racer_rig import AXLE_RATIO, TICK, car, on_road, read, roll
from row_rig import call, each_wheel

from driving_sandbox.physics.differential.locks import torque_bias
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.tick.commands import FIRST
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle_text

SECOND, THIRD = FIRST + 1, FIRST + 2


def total_ratio(vehicle, gear=THIRD):
    """Engine turns per turn of the rear wheels, measured with the clutch closed."""
    d = roll(Drive(vehicle).run(0.5, brake=1.0), 15.0, gear)
    d.run(1.0, gear=gear, throttle=0.1)
    return read(d, "engine.omega") / d.wheels("wheel", "omega")[2:].mean()


@pytest.mark.covers("RC-DIFF-01")
@pytest.mark.parametrize("ratio", [4.1, 3.5])
def test_a_differentials_ratio_is_in_the_total_ratio(ratio):
    vehicle = car(differential__rear_ratio=ratio)
    assert total_ratio(vehicle) == pytest.approx(vehicle.get("gearbox.ratios")[THIRD] * ratio, rel=1e-6)
    with pytest.raises(SchemaError, match="must be one of open, spool, viscous, salisbury"):
        car(limited_slip__rear_type="locked")


@pytest.mark.covers("RC-GEAR-05")
def test_the_end_ratio_only_counts_for_differentials_without_their_own_ratio():
    assert total_ratio(car(gearbox__end_ratio=2.0)) == pytest.approx(1.47 * AXLE_RATIO, rel=1e-6)  # 1.47: third gear
    text = ("base: clubsport\nname: plain\n"
            "components: {differential: open, tire: mf_62, abs: velocity_ratio, compliance: graphs_and_bushes, "
            "suspension: unsprung, aero: road_car, steering_column: kingpin_torque}\n"
            "differential: {rear: {torque_ratio: 1}}\nlimited_slip: {}\n")  # fmt: skip
    plain = load_vehicle_text(text, "configs/vehicles/plain.yaml")
    assert plain.get("gearbox.final_ratio") == plain.get("gearbox.end_ratio") == 1.0
    plain.set("gearbox.end_ratio", 3.0)
    call(plain, "differential")
    shares = plain.state["differential"]["speed_ratio"][0, :4]
    assert plain.get("gearbox.final_ratio") == 3.0 and shares.sum() == pytest.approx(1.0)


@pytest.mark.covers("RC-DIFF-01")
def test_three_differentials_share_torque_and_speed():
    vehicle = car(differential__driven="four_wheel", differential__front_ratio=3.0, differential__rear_ratio=3.0,
                  differential__center_ratio=1.2, differential__front_split=0.4)  # fmt: skip
    call(vehicle, "differential")
    state = vehicle.state["differential"][0]
    # front: 1.2 * 3 * 0.4 / 2; rear: 1.2 * 3 * 0.6 / 2
    assert state["torque_ratio"][:4] == pytest.approx([0.72, 0.72, 1.08, 1.08])
    assert state["speed_ratio"][:4].sum() == pytest.approx(3.6) and state["connected"][:4].all()
    vehicle.set("differential.driven", "front")
    call(vehicle, "differential")
    assert state["torque_ratio"][:4].tolist() == [1.5, 1.5, 0.0, 0.0]
    assert state["connected"][:4].tolist() == [1, 1, 0, 0]


# ---- limited slip


def coupled(kind, torque=0.0, seconds=TICK, **values):
    """(speeds of the rear wheels, rad/s; vehicle) after some time in which only the coupling acts on them.

    The wheels begin at 40 and 20 rad/s.
    torque: of the clutch, N m.
    values: further parameters of the rear coupling.
    """
    vehicle = car(limited_slip__rear_type=kind, **{f"limited_slip__rear_{k}": v for k, v in values.items()})
    call(vehicle, "differential")
    vehicle.state["gearbox"]["current_gear"] = FIRST
    vehicle.state["drivetrain"]["clutch_torque"] = torque
    vehicle.state["wheel"]["omega"][0, 2:4] = (40.0, 20.0)
    step = TICK / 4.0
    for _ in range(round(seconds / step)):
        call(vehicle, "limited_slip", dt=step)
    return vehicle.state["wheel"]["omega"][0, 2:4].copy(), vehicle


@pytest.mark.covers("RC-DIFF-01")
def test_open_spool_and_viscous_couplings():
    assert coupled("open", torque=200.0)[0].tolist() == [40.0, 20.0]
    assert coupled("spool")[0] == pytest.approx([30.0, 30.0])
    seconds, rate = 0.05, 5.0
    (left, right), vehicle = coupled("viscous", seconds=seconds, locking=rate)
    inertia = vehicle.get("wheel.rl.inertia")
    assert left + right == pytest.approx(60.0)
    assert left - right == pytest.approx(20.0 * math.exp(-2.0 * rate / inertia * seconds), rel=0.03)
    assert vehicle.read("limited_slip.rear_torque") == pytest.approx(rate * (left - right), rel=0.01)
    for rate in (0.0, 5.0, 2e3):  # one implicit substep does not reverse the difference
        left, right = coupled("viscous", seconds=TICK / 4.0, locking=rate)[0]
        assert left - right == pytest.approx(20.0 / (1.0 + TICK / 4.0 * rate * 2.0 / inertia))


@pytest.mark.covers("RC-DIFF-01")
def test_salisbury_clutches_lock_in_proportion_to_the_torque_on_them():
    """B = cos(60 deg) (1 + 2 x 2) 1.2 = 3 on power: the slower wheel gets three times what the faster one does."""
    assert torque_bias(math.radians(60.0), 2, 1.2) == pytest.approx(3.0)
    shape = {"power_angle": math.radians(60.0), "coast_angle": math.radians(80.0), "clutches": 2, "clutch_factor": 1.2}
    assert coupled("salisbury", torque=0.0, **shape)[0].tolist() == [40.0, 20.0]
    _, vehicle = coupled("salisbury", torque=20.0, **shape)
    axle_torque = 20.0 * vehicle.get("gearbox.ratios")[FIRST] * AXLE_RATIO
    torque = vehicle.read("limited_slip.rear_torque")
    assert torque == pytest.approx(0.25 * axle_torque)
    assert (0.5 * axle_torque + torque) / (0.5 * axle_torque - torque) == pytest.approx(3.0)
    _, vehicle = coupled("salisbury", torque=-20.0, **shape)
    coast = math.cos(math.radians(80.0)) * 5.0 * 1.2
    assert vehicle.read("limited_slip.rear_torque") == pytest.approx(0.5 * axle_torque * (coast - 1.0) / (coast + 1.0))
    speeds, _ = coupled("salisbury", torque=200.0, seconds=0.1, **shape)
    assert speeds == pytest.approx([30.0, 30.0])  # locked, and not reversed


@pytest.mark.covers("RC-DIFF-01")
@pytest.mark.parametrize(("torque", "direction", "angle"), [(20.0, 1, 60.0), (-20.0, 1, 80.0), (-20.0, -1, 60.0),
                                                          (20.0, -1, 80.0)])  # fmt: skip
@pytest.mark.parametrize("location", ["front", "center", "rear"])
def test_each_ramp_presses_on_power_or_coasting_in_either_direction(location, torque, direction, angle):
    """The clutches transfer (B - 1) / (B + 1) / 2 of the torque, B = 6 cos(angle), in both directions of the wheels."""
    shape = {"type": "salisbury", "power_angle": math.radians(60.0), "coast_angle": math.radians(80.0), "clutches": 2,
             "clutch_factor": 1.2}  # fmt: skip
    vehicle = car(differential__driven="four_wheel", differential__front_ratio=2.0, differential__rear_ratio=2.0,
                  differential__front_split=0.4,
                  **{"limited_slip__rear_type": "open",
                     **{f"limited_slip__{location}_{k}": v for k, v in shape.items()}})  # fmt: skip
    call(vehicle, "differential")
    vehicle.state["gearbox"]["current_gear"] = SECOND
    vehicle.state["drivetrain"]["clutch_torque"] = torque / vehicle.get("gearbox.ratios")[SECOND]
    vehicle.state["wheel"]["omega"][0, :4] = direction * np.array([50.0, 40.0, 30.0, 20.0])
    call(vehicle, "limited_slip", dt=TICK)
    bias = 6.0 * math.cos(math.radians(angle))
    share = {"front": 0.4, "center": 1.0, "rear": 0.6}[location]
    # 40 N m: 20 N m behind the gearbox times the ratio of 2 of the axles
    transferred = direction * 0.5 * 40.0 * share * (bias - 1.0) / (bias + 1.0)
    assert vehicle.read(f"limited_slip.{location}_torque") == pytest.approx(transferred)


@pytest.mark.parametrize("kind", ["spool", "viscous"])
def test_the_centre_coupling_brings_the_axles_together(kind):
    vehicle = car(limited_slip__center_type=kind, limited_slip__rear_type="open", limited_slip__center_locking=40.0)
    vehicle.state["wheel"]["omega"][0, :4] = (30.0, 20.0, 50.0, 60.0)
    momentum = vehicle.state["wheel"]["omega"][0, :4].sum()
    for _ in range(200):
        call(vehicle, "limited_slip", dt=1e-3)
    speeds = vehicle.state["wheel"]["omega"][0, :4]
    assert speeds[:2].mean() == pytest.approx(speeds[2:].mean(), abs=0.1) and speeds.sum() == pytest.approx(momentum)
    assert speeds[0] - speeds[1] == pytest.approx(10.0) and speeds[3] - speeds[2] == pytest.approx(10.0)


def test_a_locked_axle_pulls_where_an_open_one_spins_its_wheel():
    """With the left wheels on ice, it covers more than 1.5 times the distance in 3 s at 70 % throttle in first gear."""

    def distance(kind):
        d = on_road(limited_slip__rear_type=kind, **each_wheel("road", ("fl", "rl"), max_friction=0.1))
        return d.run(3.0, gear=FIRST, throttle=0.7).position[1]

    assert distance("spool") > 1.5 * distance("open")
