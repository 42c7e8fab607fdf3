"""Symptoms while driving are reported; harmless drives and shipped vehicles get no advice.

Most tests provoke one symptom by a wrong parameter or command, and check its parameter and evidence. Vehicles have
combined_slip tires in place of mf_62 (watched.py).
"""

import math
import re

import numpy as np
import pytest
import trimesh
from plain_tires import on_plain_tires
from watched import WatchedDrive, bumpy_ground, everywhere, reported

from driving_sandbox.lab.advisor.symptoms_driving import not_stepped
from driving_sandbox.physics.ground.ground import Ground, Plane
from driving_sandbox.physics.ground.surfaces import default_surfaces
from driving_sandbox.physics.ground.world_mesh import Mesh
from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST, NEUTRAL, REVERSE
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER

SHIPPED = sorted(path.stem for path in VEHICLE_FOLDER.glob("*.yaml"))


@pytest.mark.covers("PX-HELP-11")
def test_throttle_in_neutral():
    assert not WatchedDrive().settle().run(0.9, gear=NEUTRAL, throttle=1.0).advice
    advice = reported(WatchedDrive().settle().run(1.6, gear=NEUTRAL, throttle=1.0), "neutral_gear")
    assert advice.path is None and "throttle 1.00" in advice.evidence and "engage a gear" in advice.text


@pytest.mark.covers("PX-HELP-13")
@pytest.mark.parametrize("pedal", ["brake", "handbrake"])
def test_throttle_against_a_brake(pedal):
    drive = WatchedDrive().settle()
    assert "brake_engaged" not in drive.run(0.8, throttle=0.6, **{pedal: 0.1}).advice
    advice = reported(drive.run(1.0, throttle=0.6, **{pedal: 0.1}), "brake_engaged")
    assert f"{pedal} 0.10" in advice.evidence


@pytest.mark.covers("PX-HELP-03")
def test_a_wheel_on_its_stop_most_of_the_time():
    drive = WatchedDrive(values=lambda v: everywhere(v, "suspension", stiffness=9000.0)).settle(6.0)
    advice = reported(drive, "travel_room")
    assert advice.path.endswith(".stiffness") and advice.action == "raise" and "% of 4 s" in advice.evidence


@pytest.mark.covers("PX-HELP-18")
def test_bodywork_on_the_ground_while_all_wheels_stand_on_it():
    def high_wheels(v):
        return {f"suspension.{w}.attachment": [*v.get(f"suspension.{w}.attachment")[:2], 0.60] for w in v.wheel_names}

    drive = WatchedDrive(values=high_wheels).settle(2.0).run(2.0, throttle=0.6)
    advice = reported(drive, "hull_contact")
    assert advice.path.startswith("suspension.") and "contacts of bodywork" in advice.evidence
    assert int(advice.evidence.split()[0]) >= 1


def block(low, high):
    """Level ground with a block of asphalt on it, between the opposite corners `low` and `high`, (x, y, z) in m."""
    box, asphalt = trimesh.creation.box(bounds=(low, high)), default_surfaces().index("asphalt")
    mesh = Mesh("block", np.array(box.vertices), np.array(box.faces, np.int64), np.full(len(box.faces), asphalt))
    return Ground(Plane(0.0, asphalt), [mesh])


def test_a_ridge_under_the_floor_is_not_blamed_on_the_springs():
    drive = WatchedDrive(ground=block((-9.0, -0.4, -1.0), (9.0, 0.4, 0.20))).settle(0.5).run(4.0, throttle=0.3)
    assert drive.vehicle.state["contact"]["hull_contact_count"][0] > 0
    assert drive.vehicle.state["suspension"]["on_ground"][0, :4].all()
    assert "hull_contact" not in drive.advice


@pytest.mark.covers("PX-HELP-19")
def test_wheels_that_spin_on_tires_of_low_friction():
    """A friction of 0.1 is too little to climb: the wheels keep spinning while the car hardly moves."""
    slippery = [[0.0, 0.1], [0.1, 0.1], [0.6, 0.1]]  # [slip, friction]
    drive = WatchedDrive(values=lambda v: everywhere(v, "tire", friction_versus_slip=slippery), slope=6.0)
    advice = reported(drive.settle(0.5).run(4.0, gear=FIRST, throttle=1.0), "low_friction")
    assert advice.path.startswith("tire.r") and advice.path.endswith("friction_versus_slip")
    for wheel in ("fl", "fr", "rl", "rr"):
        assert f"{wheel} 0.1" in advice.evidence


def test_springs_too_weak_to_carry_the_car_are_reported():
    drive = WatchedDrive(values=lambda v: everywhere(v, "suspension", stiffness=5000.0)).settle(5.0)
    advice = reported(drive, "sprung_masses")
    assert "of 11036 N at rest" in advice.evidence  # 1125 kg x 9.81 m/s^2


@pytest.mark.covers("PX-HELP-21")
def test_slip_without_force():
    drive = WatchedDrive(values=lambda v: everywhere(v, "tire", longitudinal_stiffness=0.5)).settle()
    advice = reported(drive.run(4.0, gear=FIRST, throttle=1.0), "no_longitudinal_force")
    assert advice.path.startswith("tire.r") and advice.path.endswith("longitudinal_stiffness")
    assert float(advice.evidence.split("slip ")[1].split(",")[0]) > 0.5


@pytest.mark.covers("PX-HELP-24")
def test_a_body_that_sleeps():
    drive = WatchedDrive().settle()
    drive.vehicle.state["input"]["throttle"] = 1.0
    drive.vehicle.state["actuation"][0]["drive_applied"][2:4] = 1  # at the rear wheels
    for _ in range(300):  # the world is not stepped, so that the pose stays the same
        drive.monitor.sample()
    assert not_stepped(drive.monitor.history, asleep=False) is None
    advice = not_stepped(drive.monitor.history, asleep=True)
    assert "throttle 1.00, pose unchanged for 1 s" in advice.evidence
    for _ in range(20):
        drive._keep(drive.monitor.detect())
    reported(drive, "not_stepped")
    assert "not_stepped" not in WatchedDrive().settle().run(3.0, throttle=1.0).advice


@pytest.mark.covers("PX-HELP-26")
def test_steering_without_angle():
    drive = WatchedDrive(values=lambda v: everywhere(v, "steering", max_angle=0.01)).settle().roll(8.0)
    assert "no_steer_angle" not in drive.run(1.5, steer=0.25).advice
    advice = reported(drive.run(1.5, steer=0.5), "no_steer_angle")
    assert advice.path.startswith("steering.") and "command 0.50" in advice.evidence


@pytest.mark.covers("PX-HELP-27")
def test_tires_that_turn_without_a_slip_angle():
    stiff = WatchedDrive(values=lambda v: everywhere(v, "tire", lateral_stiffness=1e6)).settle().roll(7.0)
    advice = reported(stiff.run(2.5, steer=0.25, throttle=0.1), "no_lateral_slip")
    assert advice.path == "tire.fl.lateral_stiffness"
    assert float(advice.evidence.split("slips ")[1].split()[0]) < 0.1
    assert "no_lateral_slip" not in WatchedDrive().settle().roll(7.0).run(2.5, steer=0.25, throttle=0.1).advice


@pytest.mark.covers("PX-HELP-30")
def test_an_up_ratio_that_cannot_be_reached():
    drive = WatchedDrive(values=lambda v: {"autobox.up_ratios": [1.0] * 7}).settle()
    advice = reported(drive.run(9.0, throttle=1.0), "stuck_in_gear")
    assert advice.path == "autobox.up_ratios" and advice.evidence.startswith("gear 1: engine at")
    assert "stuck_in_gear" not in WatchedDrive().settle().run(9.0, throttle=1.0).advice


@pytest.mark.covers("PX-HELP-36")
def test_the_advice_for_an_abruptly_pressed_pedal_is_smoothing():
    strong = {"engine.peak_torque": 600.0}
    drive = WatchedDrive(values=strong).settle(2.0).run(1.5, gear=FIRST).run(2.0, gear=FIRST, throttle=1.0)
    advice = reported(drive, "pedal_slew")
    assert advice.path == "input.analog_throttle_rise" and float(advice.evidence.split()[2]) > 10.0
    smooth = WatchedDrive(values={**strong, **advice.changes}).settle(2.0).run(1.5, gear=FIRST)
    assert "pedal_slew" not in smooth.run(2.0, gear=FIRST, throttle=1.0).advice


def test_driven_wheels_that_the_brakes_lock_do_not_spin():
    drive = WatchedDrive(values=lambda v: everywhere(v, "brakes", max_torque=1e4)).settle().roll(30.0)
    drive.run(1.5, gear=NEUTRAL).run(1.2, gear=NEUTRAL, throttle=1.0, brake=1.0)
    assert drive.vehicle.state["tire"][0]["longitudinal_slip"][:4].max() < -0.9
    assert "pedal_slew" not in drive.advice


@pytest.mark.covers("PX-HELP-38")
def test_an_inner_wheel_that_spins_in_a_corner():
    def values(v):
        return {"limited_slip.rear_bias": 0.0, "engine.peak_torque": 320.0, "antiroll.stiffness": [0.0, 60000.0]}

    drive = WatchedDrive(values=values).settle().roll(9.0).run(1.0, gear=FIRST + 1, steer=0.7, throttle=0.3)
    advice = reported(drive.run(3.0, gear=FIRST + 1, steer=0.7, throttle=1.0), "no_limited_slip")
    assert advice.path == "limited_slip.rear_bias" and advice.evidence.startswith("rr (inner)")
    assert advice.changes["limited_slip.rear_bias"] == 1.3
    drive.vehicle.set_many(advice.changes)  # raises an error if the proposed values are invalid


@pytest.mark.covers("PX-HELP-39")
def test_gears_that_hunt_between_first_and_neutral():
    values = {"autobox.latency": 0.05, "gearbox.switch_time": 0.25, "autobox.up_ratios": [0.5] * 7,
              "autobox.down_ratios": [0.45] * 7}  # fmt: skip
    drive = WatchedDrive(values=values, slope=3.0).settle(0.3).run(12.0, throttle=0.7)
    advice = reported(drive, "gear_hunting")
    assert advice.path == "autobox.latency" and "latency 0.05 s, switch time 0.25 s" in advice.evidence
    assert int(advice.evidence.split()[0]) >= 3 and advice.changes == {"autobox.latency": 1.0}


@pytest.mark.covers("PX-HELP-40")
def test_a_bumpy_road_with_large_load_changes():
    def waves(x, y):
        side = np.where(x > 0.0, 1.0, -1.0)
        return 0.05 * np.sin(2.0 * math.pi * y / 5.0 + 0.7 * side)

    drive = WatchedDrive(ground=bumpy_ground(waves)).settle().roll(18.0).run(5.0, steer=0.05, throttle=0.35)
    advice = reported(drive, "bumpy_load")
    assert advice.path.endswith(".load_filter") and float(advice.evidence.split("at ")[1].split()[0]) > 2.0
    drive.vehicle.set_many(advice.changes)  # raises an error if the proposed values are invalid


@pytest.mark.covers("PX-HELP-41")
def test_slip_that_changes_its_sign_in_most_steps():
    def coast(tick=1.0 / 960.0, passive=0.02):
        drive = WatchedDrive(tick=tick, substeps=1).settle(0.5)
        drive.world.context["min_passive_slip_speed"] = passive
        return drive.roll(1.5).run(1.0, gear=NEUTRAL)

    advice = reported(coast(), "slip_oscillation")
    assert float(advice.evidence.split(" in ")[1].split()[0]) > 50.0
    assert "substeps" in advice.text and "min_passive_slip_speed" in advice.text
    assert "slip_oscillation" not in coast(passive=4.0).advice
    assert "slip_oscillation" not in coast(tick=1.0 / 9600.0).advice


def test_a_car_that_climbs_too_steep_a_slope_is_reported():
    flat_curve = [[0.0, 1.3], [0.1, 1.3], [0.6, 1.3]]  # [slip, friction]
    hill = bumpy_ground(lambda x, y: math.tan(math.radians(35.0)) * y)
    vehicle = on_plain_tires("offroader")
    vehicle.set_many({"engine.peak_torque": 1400.0, "traction_control.enable": False})
    drive = WatchedDrive(vehicle, lambda v: everywhere(v, "tire", friction_versus_slip=flat_curve), ground=hill)
    advice = reported(drive.run(0.5, brake=1.0).run(5.0, gear=FIRST, throttle=1.0), "climbs_steep")
    assert advice.path.endswith("friction_versus_slip") and "climbs 3" in advice.evidence


def test_a_handbrake_too_weak_for_a_slope_is_reported():
    hill = bumpy_ground(lambda x, y: math.tan(math.radians(15.0)) * y)
    drive = WatchedDrive(values=lambda v: everywhere(v, "brakes", handbrake_torque=100.0), ground=hill)
    advice = reported(drive.run(5.0, gear=NEUTRAL, handbrake=1.0), "handbrake_weak")
    assert advice.path.startswith("brakes.") and re.search("1[56] degrees", advice.evidence)


def test_jitter_at_rest_from_springs_too_stiff_for_the_step_is_reported():
    def values(v):
        return everywhere(v, "suspension", stiffness=8e5, damping=0.0)

    drive = WatchedDrive(values=values, tick=1.0 / 60.0, substeps=1).settle(5.0)
    assert reported(drive, "jitter_at_rest").path.endswith(".stiffness")


def test_a_car_that_spins_at_speed_is_reported():
    def values(v):
        return {f"tire.{w}.lateral_stiffness": 15000.0 for w in ("rl", "rr")}

    drive = WatchedDrive(values=values).settle().roll(22.0).run(3.0, steer=0.5, throttle=0.3)
    assert reported(drive, "spins_out").path == "tire.rr.lateral_stiffness"


def test_a_car_that_tips_over_is_reported():
    def values(v):
        return {"body.centre_of_mass": [0.0, 0.045, 1.3], "response.steer_table": []}

    drive = WatchedDrive(values=values).settle().roll(14.0).run(3.0, steer=0.6, throttle=0.3)
    advice = reported(drive, "tips_over")
    assert advice.path == "body.centre_of_mass" and "1.30 m high: tips at 0.5" in advice.evidence


def test_advice_is_given_once_and_again_after_a_while():
    """A symptom that lasts is reported once; once it has been absent for more than 20 s, it is reported again."""
    drive = WatchedDrive().settle().run(1.5, gear=NEUTRAL, throttle=1.0)
    reported(drive, "neutral_gear")
    drive.run(5.0, gear=NEUTRAL, throttle=1.0)  # unchanged: not reported twice
    drive.run(21.0, gear=NEUTRAL)
    drive.advice.clear()
    reported(drive.run(1.6, gear=NEUTRAL, throttle=1.0), "neutral_gear")


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_vehicles_get_no_advice_in_a_mixed_drive(name):
    """Drive off, slalom, brake hard, reverse, park with the handbrake."""
    drive = WatchedDrive(name).settle(2.0)
    forward = AUTOMATIC if "autobox" in drive.vehicle.sequence.by_slot else FIRST
    for k in range(8):  # the pedal is pressed within 0.4 s
        drive.run(0.05, gear=forward, throttle=0.1 * (k + 1))
    drive.run(6.0, gear=forward, throttle=0.8)
    for side in (0.3, -0.3, 0.3):
        drive.run(1.2, gear=forward, throttle=0.3, steer=side)
    drive.run(4.0, gear=forward, brake=1.0).run(2.0, gear=REVERSE, throttle=0.4).run(2.0, gear=REVERSE, brake=0.8)
    drive.run(3.0, gear=NEUTRAL, handbrake=1.0)
    assert [str(advice) for advice in drive.advice.values()] == []


def test_a_wall_that_stops_the_vehicle_is_not_blamed_on_its_tuning():
    ground = block((-9.0, 2.1, -1.0), (9.0, 4.0, 3.0))
    slippery = [[0.0, 0.15], [0.1, 0.15], [0.6, 0.15]]  # [slip, friction]
    for values in (None, lambda v: everywhere(v, "tire", friction_versus_slip=slippery)):
        drive = WatchedDrive(values=values, ground=ground).settle(0.5).run(5.0, gear=FIRST, throttle=1.0)
        assert drive.vehicle.state["contact"]["hull_contact_count"][0] > 0
        assert not set(drive.advice) & {"hull_contact", "low_friction", "no_longitudinal_force", "pedal_slew"}
