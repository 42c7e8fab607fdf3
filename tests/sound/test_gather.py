"""The FRAME of a vehicle: the numbers of a launch, a slide, and of every shipped vehicle."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from gather_rig import RATE, Drive, finite

from driving_sandbox.physics.ground.surfaces import default_surfaces
from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST, NEUTRAL
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER, load_vehicle
from driving_sandbox.sound.gather import Gatherer
from driving_sandbox.sound.state.drive import AXLE_RATIO, LIMITER_PERIOD
from driving_sandbox.sound.state.words import LAYOUT, MISSING, PARAMETERS, STATE, layout_of, words
from driving_sandbox.sound.surroundings import surface_kinds
from driving_sandbox.sound.tires.surfaces import KIND_COUNT, PAVED

VEHICLES = sorted(path.stem for path in VEHICLE_FOLDER.glob("*.yaml"))


# ---- words


def test_words_are_those_of_the_channels():
    """Every number that is found is where the vehicle's own records have it."""
    vehicle = load_vehicle("golf_gti_mk7")
    vehicle.state["engine"]["boost"] = 12345.0
    vehicle.state["tire"]["load"][0, 3] = 4321.0
    vehicle.state["contact"]["solver"]["contacts"]["tick_impulse"][0, 5] = 77.0
    layout = layout_of(vehicle)[0]
    numbers = words(vehicle.state, np.float64)
    assert numbers[layout["boost"]] == 12345.0
    assert numbers[layout["load"] + 3 * layout["tire_stride"]] == 4321.0
    assert numbers[layout["contact_impulse"] + 5 * layout["contact_stride"]] == 77.0
    assert words(vehicle.params, np.float64)[layout["mass"]] == vehicle.get("body.mass")
    assert {name for name in (*STATE, *PARAMETERS) if layout[name] == MISSING} == {
        "running", "limited", "cranking", "motor_torque", "motor_limit", "dry_drag", "ram", "free_shifting",
        "auto_omega", "track", "lever",
    }  # fmt: skip
    assert len(LAYOUT.names) == len(set(LAYOUT.names))


# ---- launch


def test_a_launch_fills_the_numbers_of_drive_and_wheels():
    drive = Drive("roadster_simple")
    rest = drive.run(0.5)[-1]
    assert rest["engine_speed"] == drive.vehicle.get("engine.idle_omega")
    assert (rest["burning"], rest["gear"], rest["impact"], rest["scrape_force"]) == (1, NEUTRAL, 0.0, 0.0)
    assert 0.0 < rest["load"] < 0.3  # of the governor, against the losses
    assert rest["wheel_load"][:4].sum() == pytest.approx(9.81 * drive.vehicle.get("body.mass"), rel=0.01)
    assert np.allclose(rest["forward"], (0, 1, 0), atol=0.02)
    frames = drive.run(2.5, throttle=1.0, gear=FIRST)
    assert frames["gear_step"][1:] == pytest.approx(np.abs(np.diff(frames["gear_speed"])))
    assert frames["gear_step"].max() > 0.1
    frame = frames[-1].copy()
    for complete in (False, False, True):
        drive.world.step(drive.command)
        drive.gatherer.gather(frame, complete)
    assert frame["gear_step"] == pytest.approx(abs(frame["gear_speed"] - frames[-1]["gear_speed"]))
    frames = drive.run(0.1)
    frame = frames[-1]
    assert frame["engine_speed"] == drive.state("engine.omega") and frame["throttle"] == 1.0
    assert frame["load"] == pytest.approx(1.0, abs=0.01) and frame["burning"] == 1 and frame["gear"] == FIRST
    assert frame["gear_torque"] == drive.state("drivetrain.clutch_torque") > 50.0
    rear = 0.5 * (drive.state("wheel.rl.omega") + drive.state("wheel.rr.omega"))
    final, first = drive.vehicle.get("gearbox.final_ratio"), drive.vehicle.get("gearbox.ratios")[FIRST]
    assert frame["shaft_speed"] == pytest.approx(rear * final)
    assert frame["gear_speed"] == pytest.approx(rear * final * first)
    assert frame["clutch_slip"] == pytest.approx(abs(frame["engine_speed"] - rear * final * first))
    speed = np.linalg.norm(frame["velocity"])
    assert frame["air_speed"] == pytest.approx(speed) and abs(frame["air_yaw"]) < 0.05
    assert frame["wheel_speed"][:4] == pytest.approx(speed, rel=0.02)
    assert (frame["slip_speed"][2:4] > 3 * frame["slip_speed"][:2]).all()  # the driven wheels
    assert (frame["used_friction"][2:4] > 0.4).all() and (frame["used_friction"][:2] < 0.1).all()
    assert (frame["surface"][:4] == PAVED).all() and (frame["wetness"][:4] == 0.0).all() and frame["wheel_count"] == 4


def test_overrun_cuts_the_fuel_until_the_engine_is_near_idle():
    drive = Drive("roadster_simple")
    drive.run(2.0, throttle=1.0, gear=FIRST)
    frames = np.concatenate([drive.run(2.0, throttle=0.0), drive.run(3.0, brake=0.3)])
    coasting = frames[frames["throttle"] == 0.0]
    idle = drive.vehicle.get("engine.idle_omega")
    fast, slow = coasting[coasting["engine_speed"] > 1.6 * idle], coasting[coasting["engine_speed"] < 1.4 * idle]
    assert len(fast) > 20 and (fast["burning"] == 0).all() and (fast["load"] < -0.05).all()
    assert len(slow) > 20 and (slow["burning"] == 1).all() and slow["load"][-1] > 0.0


def test_limiter_cuts_and_fires_once_per_period():
    drive = Drive("roadster_simple")
    frames = drive.run(3.0, throttle=1.0)[-RATE:]  # in neutral
    assert frames["engine_speed"].min() >= 0.99 * drive.vehicle.get("engine.max_omega")
    changes = np.abs(np.diff(frames["burning"])).sum()
    assert changes == pytest.approx(2.0 / LIMITER_PERIOD, abs=1.5)


def test_turbocharger_has_boost_in_bar():
    drive = Drive("golf_gti_mk7")
    frame = drive.run(2.0, throttle=1.0, gear=AUTOMATIC)[-1]
    assert frame["boost"] == pytest.approx(drive.state("engine.boost") * 1e-5) and 0.2 < frame["boost"] < 2.0
    assert 0.0 < frame["load"] <= 1.0


def test_assumed_boost_is_that_of_an_engine_whose_model_has_none():
    drive = Drive("roadster_simple")
    drive.gatherer = Gatherer(drive.vehicle, drive.world, assumed_boost=1.5)
    assert drive.run(0.5)[-1]["boost"] < 0.1
    frame = drive.run(1.5, throttle=1.0, gear=FIRST)[-1]
    share = frame["engine_speed"] / drive.vehicle.get("engine.max_omega")
    assert frame["boost"] == pytest.approx(1.5 * frame["load"] * share)


@pytest.mark.parametrize(("factor", "assumed_boost"), [(1.0, 0.0), (0.8, 0.0), (3.0, 0.0), (1.0, 1.5)])
def test_filling_follows_the_torque_curve(factor, assumed_boost):
    """At full throttle and held speeds, less the boost that is assumed; a torque far too large is limited."""
    drive = Drive("roadster_simple")
    engine = drive.vehicle.params["engine"]
    engine["inertia"], engine["peak_torque"] = 1e6, factor * engine["peak_torque"]
    drive.gatherer = Gatherer(drive.vehicle, drive.world, assumed_boost, usual_torque=150.0)
    drive.run(0.5, throttle=1.0)
    found, expected = [], []
    for share in (0.2, 0.4, 0.6, 0.8):
        drive.vehicle.state["engine"]["omega"] = share * engine["max_omega"]
        frame = drive.run(1 / RATE)[-1]
        natural = drive.state("engine.torque") / frame["load"] / (1.0 + 0.9 * assumed_boost * share)
        found.append(frame["filling"])
        expected.append(max(-0.5, min(0.5, natural / 150.0 - 1.0)))
    assert found == pytest.approx(expected, abs=1e-3)
    assert factor > 1.0 or np.ptp(found) > 0.05


def test_filling_of_a_turbocharged_engine_is_without_its_boost():
    drive = Drive("golf_gti_mk7")
    drive.gatherer = Gatherer(drive.vehicle, drive.world, usual_torque=200.0)
    frame = drive.run(2.0, throttle=1.0, gear=AUTOMATIC)[-1]
    engine = drive.vehicle.params["engine"][0]
    assert frame["filling"] <= engine["natural_share"] * engine["peak_torque"] / 200.0 - 1.0
    assert frame["filling"] > -0.4 and frame["boost"] > 0.2


def test_stalled_engine_is_cranked():
    drive = Drive("clubsport")
    drive.run(0.2)
    drive.vehicle.state["engine"]["omega"], drive.vehicle.state["engine"]["running"] = 0.0, 0
    still = drive.run(0.1)[-1]
    assert (still["burning"], still["starter"], still["engine_speed"]) == (0, 0, 0.0)
    cranked = drive.run(0.1, throttle=0.5, clutch=1.0)[-1]
    assert (cranked["burning"], cranked["starter"]) == (0, 1) and cranked["engine_speed"] > 1.0


def test_motors_in_the_wheels_are_one_motor():
    drive = Drive("buggy")
    frame = drive.run(1.0, throttle=1.0, gear=FIRST)[-1]
    mean = np.mean([drive.state(f"wheel.{name}.omega") for name in drive.vehicle.wheel_names])
    assert frame["engine_speed"] == pytest.approx(AXLE_RATIO * mean, rel=0.02)
    assert frame["load"] > 0.8 and frame["burning"] == 1 and frame["gear"] == FIRST


def test_engine_of_a_model_without_clutch_idles():
    drive = Drive("planar_roadster")
    assert drive.run(0.1)[-1]["engine_speed"] == drive.vehicle.get("engine.floor_omega") > drive.state("engine.omega")


# ---- slide


def test_a_slide_has_slip_full_friction_and_air_from_the_side():
    drive = Drive("roadster_simple")
    drive.run(0.2)
    drive.vehicle.state["body"]["velocity"] = (8.0, 0.0, 0.0)  # sideways, to the right
    frame = drive.run(0.1)[-1]
    assert frame["slip_speed"][:4] == pytest.approx(frame["velocity"][0], rel=0.1)
    assert (frame["used_friction"][:4] > 0.95).all()
    assert frame["air_yaw"] == pytest.approx(-np.pi / 2, abs=0.1)  # velocity to the right: air from the right
    assert frame["air_speed"] == pytest.approx(np.linalg.norm(frame["velocity"]), rel=1e-6)


def test_locked_wheels_slip_as_fast_as_they_go():
    drive = Drive("roadster_simple")
    drive.run(0.1)
    drive.vehicle.state["body"]["velocity"] = (0.0, 20.0, 0.0)
    frame = drive.run(0.4, brake=1.0)[-1]
    assert frame["slip_speed"][0] == pytest.approx(frame["wheel_speed"][0], rel=1e-6) and frame["wheel_speed"][0] > 5.0


@pytest.mark.parametrize("name", ["roadster", "patrol"])
def test_the_crank_angle_is_the_integral_of_the_speed(name):
    drive = Drive(name)
    frames = np.concatenate((drive.run(0.5), drive.run(1.0, throttle=1.0, gear=FIRST), drive.run(0.5, throttle=0.0)))
    speed = frames["engine_speed"]
    assert np.diff(frames["crank_angle"]) == pytest.approx(0.5 * (speed[1:] + speed[:-1]) / RATE, abs=1e-9)
    assert frames["crank_angle"][-1] > 50.0
    turned = drive.run(1 / RATE)["crank_angle"][0]
    drive.gatherer.forget()  # a jump turns nothing
    assert drive.run(1 / RATE)["crank_angle"][0] == turned


# ---- every vehicle


@pytest.mark.parametrize("name", VEHICLES)
def test_every_vehicle_gathers(name):
    drive = Drive(name)
    drive.gatherer.switch(horn=True, indicator=False)
    frames = drive.run(0.1, throttle=1.0, gear=FIRST)
    assert finite(frames) and (frames["horn"] == 1).all() and (np.abs(frames["load"]) <= 1.0).all()
    assert (frames["wheel_count"] == drive.vehicle.wheel_count).all()
    assert frames["wheel_load"][-1, : drive.vehicle.wheel_count].sum() > 0.0
    assert frames["engine_speed"][-1] > 5.0


def test_trailers_have_frames_of_their_own():
    drive = Drive("truck_trailer")
    trailer = drive.world.vehicles[1]
    drive.gatherer = Gatherer(trailer, drive.world)
    frame = drive.run(0.1)[-1]
    assert finite(frame) and frame["engine_speed"] == 0.0 and frame["burning"] == 0
    assert frame["wheel_count"] == trailer.wheel_count and frame["wheel_load"][0] > 1000.0
    assert frame["position"][1] < drive.state("body.position.y") - 3.0  # behind the truck


def test_surfaces_have_kinds():
    table = default_surfaces()
    kinds, wetness = surface_kinds(table)
    assert len(kinds) == len(table) + 1 and (kinds >= 0).all() and (kinds < KIND_COUNT).all()
    assert wetness[table.index("asphalt_wet")] > 0.5 and wetness[table.index("asphalt")] == 0.0


def test_frames_are_equal_without_compiling():
    """The kernels as plain Python, in a process of its own."""
    code = (
        "import hashlib, numpy as np; from gather_rig import FRAME, Drive;"
        "from driving_sandbox.physics.tick.commands import FIRST;"
        "drive = Drive('roadster_simple'); frames = np.zeros(8, FRAME).view(np.recarray);"
        "drive.command['throttle'], drive.command['gear'] = 1.0, FIRST;"
        "[(drive.world.step(drive.command), drive.gatherer.gather(frame)) for frame in frames];"
        "print(hashlib.md5(frames.tobytes()).hexdigest())"
    )
    paths = os.pathsep.join((str(VEHICLE_FOLDER.parents[1]), str(Path(__file__).parent)))
    hashes = [
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": paths, "SANDBOX_JIT": jit},
            capture_output=True, text=True, check=True,
        ).stdout
        for jit in ("0", "1")
    ]  # fmt: skip
    assert hashes[0] == hashes[1] and len(hashes[0]) == 33  # 32 digits and the end of the line


def test_frames_are_the_same_in_every_run():
    first, second = (Drive("roadster_simple").run(0.5, throttle=1.0, gear=FIRST) for _ in range(2))
    assert first.tobytes() == second.tobytes()
