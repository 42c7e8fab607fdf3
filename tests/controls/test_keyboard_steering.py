"""Driving by keys: no spin from a held key, a lane held by taps, parking, handbrake turns, and what is recorded."""

import math
from datetime import datetime

import numpy as np
import pytest
from key_drives import KMH, KeyDrive, drive_at_speed, steady_limit
from lane_driver import LaneDriver

from driving_sandbox.benchmarks.scenes import VEHICLES, flat_world
from driving_sandbox.game.controls.driver import HumanDriver, SpeedAndGear
from driving_sandbox.game.controls.inputs import AnalogInput
from driving_sandbox.game.controls.keyboard import Keyboard
from driving_sandbox.game.controls.keyboard_steering import KeyboardSteering
from driving_sandbox.game.controls.presets import NORMAL, SIMULATION
from driving_sandbox.game.program.settings import Settings, load_settings
from driving_sandbox.game.session.driver_switch import DriverSwitch
from driving_sandbox.game.session.drivers import PlayerDriver, gearing_of
from driving_sandbox.game.session.session import Session
from driving_sandbox.game.windows.bindings_file import load_bindings
from driving_sandbox.lab.drivers.lateral_limit import lateral_limit
from driving_sandbox.lab.drivers.steering_response import SteeringResponse
from driving_sandbox.physics.recording.reader import Recording
from driving_sandbox.physics.recording.verification import as_commands, verify
from driving_sandbox.physics.tick.commands import REVERSE
from driving_sandbox.physics.vehicle.understeer import understeer
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

GRAVITY = 9.81  # m/s^2
STEERING_TIME = 0.5  # s
MAX_SIDESLIP = 8.0  # degrees
WATCH_TIME = 3.0  # s after the key is released
MAX_OFFSET = 0.9  # m from the lane's middle: a lane of 3.5 m less the car's width, halved
PEDALS = {  # pedal in the first half of the steering, in the second half, and afterwards; "~": taps, four a second
    "full throttle": ("throttle", "throttle", "throttle"),
    "light throttle": ("~throttle", "~throttle", "~throttle"),
    "lifting before": ("", "", ""),
    "lifting during": ("throttle", "", ""),
    "lifting after": ("throttle", "throttle", ""),
    "light brake": ("~brake", "~brake", ""),
}
SEEDS = (1, 6)  # of the taps' random errors; of 1 to 6, 6 is the worst for most vehicles
SHORT_TAP = 0.02  # s; the front tires still slip less than the aid allows
TAP = 0.06  # s for which the key of a lightly pressed pedal is down in every quarter of a second


def press(drive, seconds, pedal, keys):
    """Hold keys for some seconds, with a pedal that is held or, with "~" before its name, tapped."""
    if not pedal.startswith("~"):
        drive.run(seconds, [*keys, pedal] if pedal else keys)
        return
    for _ in range(round(seconds / 0.25)):
        drive.run(TAP, [*keys, pedal[1:]])
        drive.run(0.25 - TAP, keys)


@pytest.mark.parametrize("name", VEHICLES)
def test_half_a_second_of_a_steering_key_keeps_the_sideslip_small(name):
    """The sideslip stays below 8 degrees to both sides with every use of the pedals in PEDALS."""
    sideslips = {}
    for pedals, (first, second, after) in PEDALS.items():
        for side in ("steer_left", "steer_right"):
            drive, _ = drive_at_speed(name)
            press(drive, STEERING_TIME / 2, first, [side])
            press(drive, STEERING_TIME / 2, second, [side])
            press(drive, WATCH_TIME, after, [])
            sideslips[pedals, side] = drive.largest_sideslip()
    assert max(sideslips.values()) <= MAX_SIDESLIP, sideslips
    assert min(sideslips.values()) > 0.3, sideslips  # and it does turn


def lane_acceleration(name):
    """Lateral acceleration in the bends of a vehicle's lane, m/s^2; less before two trailers, which amplify it."""
    share = 0.5 if len(load_vehicle(name).trailers) > 1 else 0.7
    return min(0.5 * GRAVITY, share * steady_limit(name))


@pytest.mark.parametrize("name", VEHICLES)
def test_taps_hold_a_lane(name):
    acceleration = lane_acceleration(name)
    farthest = [LaneDriver(name, 100.0 * KMH, acceleration, seed).run() for seed in SEEDS]
    assert max(farthest) <= MAX_OFFSET, farthest


@pytest.mark.parametrize("name", ["coupe", "roadster_simple"])
def test_the_steer_angle_of_a_tap_follows_the_gradient_that_the_aid_begins_with(name):
    """Before the aid has learned anything, a larger understeer gradient gives a larger steer command."""
    commands = {}
    for gradient in (None, 0.002, 0.006):  # None: the vehicle's own
        drive, speed = drive_at_speed(name)
        if gradient is not None:
            drive.vehicle.info["keyboard"] = {"understeer_gradient": gradient}
        expected = understeer(drive.vehicle)
        aid = KeyboardSteering(drive.vehicle)
        commands[expected] = abs(aid.command(-1.0, handbrake=False, dt=SHORT_TAP))
    (_, low), *_, (_, high) = sorted(commands.items())
    assert len(commands) == 3 and high > 1.1 * low
    assert sorted(commands.values()) == [command for _, command in sorted(commands.items())]


def test_without_the_aid_the_same_driver_loses_the_lane_and_the_car():
    """Shows that `test_taps_hold_a_lane` and the test of sideslip depend on the aid."""
    driver = LaneDriver("roadster", 100.0 * KMH, lane_acceleration("roadster"), aided=False)
    assert driver.run() > MAX_OFFSET
    drive, _ = drive_at_speed("roadster", aided=False)
    drive.run(STEERING_TIME, ["steer_left"])
    drive.run(WATCH_TIME)
    assert drive.largest_sideslip() > 60.0


def test_a_key_has_the_whole_lock_at_rest_and_in_reverse():
    drive = KeyDrive("roadster")
    drive.run(0.5)
    drive.run(0.5, ["steer_left"])
    assert drive.command["steer"] == -1.0
    assert drive.vehicle.state["response"]["steer"][0] == -1.0  # half a second later the wheels are there
    drive.run(2.0, ["brake"])
    drive.run(0.1, ["brake", "steer_right"])
    assert drive.now.speed > 1.0 and drive.command["gear"] == REVERSE and drive.command["steer"] == 1.0


def test_the_command_is_limited_by_the_grip_under_the_tires():
    """A held key gives 75 to 110 % of the lateral acceleration that the ground allows, on two surfaces."""
    for surface in (0, 1):
        drive, _ = drive_at_speed("hatchback", surface=surface)
        drive.run(1.0, ["throttle", "steer_left"])
        acceleration = drive.now.yaw_rate * drive.now.speed
        limit = lateral_limit(drive.vehicle)
        assert 0.75 * limit < acceleration < 1.1 * limit
        assert abs(drive.command["steer"]) < 0.9


def test_a_tap_turns_the_car_in_proportion_to_its_length():
    """Turns divided by lengths differ by less than 15 % of their mean."""
    rates = []
    for length in (0.05, 0.10, 0.20):
        drive, _ = drive_at_speed("hatchback")
        drive.run(length, ["throttle", "steer_left"])
        drive.run(1.5, ["throttle"])
        rates.append(drive.now.heading / length)
    assert np.ptp(rates) < 0.15 * np.mean(rates)


def test_the_handbrake_turns_the_car_by_over_45_degrees_and_a_counter_key_has_full_authority():
    drive, _ = drive_at_speed("hatchback", 60.0 * KMH)
    before = drive.now.heading
    drive.run(1.2, ["handbrake", "steer_left"])
    assert abs(math.degrees(math.remainder(drive.now.heading - before, math.tau))) > 45.0
    assert math.degrees(abs(drive.now.sideslip)) > 20.0
    drive.run(0.3, ["steer_right"])
    assert drive.command["steer"] == 1.0


def test_a_key_against_a_turn_soon_steers_the_other_way():
    drive, _ = drive_at_speed("roadster")
    drive.run(1.0, ["throttle", "steer_left"])
    assert drive.command["steer"] < -0.1
    drive.run(0.2, ["steer_right"])
    assert drive.command["steer"] > 0.1


@pytest.mark.parametrize("keys", [["steer_right"], []])
def test_a_slide_is_countersteered_and_caught(keys):
    """The car starts with a sideslip of 25 degrees, tail to the right, and a yaw rate of 11 deg/s; no handbrake.

    The side force of a tire falls beyond its peak at 7 degrees: at a yaw rate of 17 deg/s the car could not be caught.
    """
    drive, _ = drive_at_speed("roadster", 60.0 * KMH)
    body, slide = drive.vehicle.state["body"][0], math.radians(25.0)
    speed = drive.now.speed
    body["velocity"] = (speed * math.sin(slide), speed * math.cos(slide), 0.0)
    body["angular_velocity"] = (0.0, 0.0, 0.2)
    drive.run(0.2, keys)
    assert drive.command["steer"] > 0.6
    drive.run(1.5)
    assert abs(math.degrees(drive.now.sideslip)) < 5.0


@pytest.mark.parametrize("name", VEHICLES)
def test_the_steer_command_falls_with_the_angle_and_saturates_at_the_lock(name):
    vehicle = flat_world(name).vehicles[0]
    response = SteeringResponse(vehicle)
    for speed in (0.0, 12.0, 28.0):
        response.update(speed)
        shares = np.linspace(-0.99, 0.99, 23)
        commands = [response.command(share * response.lock) for share in shares]
        assert np.all(np.diff(commands) < 0.0) and response.command(0.0) == 0.0
        assert response.command(2.0 * response.lock) == -1.0 and response.command(-response.lock) == 1.0


@pytest.mark.parametrize("analog", [
    AnalogInput(steer=-0.7, throttle=0.8), AnalogInput(steer=0.02, throttle=1.0),
    AnalogInput(throttle=0.6, brake_reverses=False), AnalogInput(steer=1.0, handbrake=1.0),
])  # fmt: skip
def test_the_aid_does_not_change_commands_of_pads_and_wheels(analog):
    """A HumanDriver without an aid gives bit-identical commands, while the vehicle drives by them."""
    drive, _ = drive_at_speed("roadster")
    plain = HumanDriver(gearing_of(drive.vehicle))
    plain.resume_from(SpeedAndGear(drive.situation.forward_speed, drive.situation.gear, drive.situation.target_gear))
    drive.driver.human_driver.analog = plain.analog = analog
    for _ in range(240):
        s = drive.situation
        expected = plain.command(SpeedAndGear(s.forward_speed, s.gear, s.target_gear), s.dt).tobytes()
        command_row = drive.driver(s)
        assert command_row.tobytes() == expected
        drive.world.step(command_row)


def test_a_recording_holds_the_aids_commands_and_verifies(tmp_path):
    world = World(load_world("plane"), [load_vehicle("roadster")])
    world.spawn()
    player, keyboard, commands = PlayerDriver(world.vehicles[0]), Keyboard(load_bindings().keys), []

    def driver(situation):
        player.human_driver.take(keyboard)
        commands.append(player(situation).copy())
        return commands[-1]

    path = tmp_path / "keys.drive"
    with Session(world, record=path, now=lambda: datetime(2026, 1, 1)) as session:
        keyboard.key_down("w")
        for key, frames in (("", 240), ("a", 30), ("", 10), ("d", 30)):
            keyboard.key_down(key)
            for _ in range(frames):
                session.step(1.0 / 60.0, driver)
            keyboard.key_up(key)
    steers = np.array([float(command["steer"][0]) for command in commands])
    assert len(np.unique(np.abs(steers))) > 20  # not only the 0 and 1 of keys
    assert verify(path).ok
    recorded = as_commands(Recording.open(path).commands()[:, 0])
    assert np.array_equal(recorded["steer"], steers)


def test_a_swapped_vehicle_is_aided_too():
    drive, _ = drive_at_speed("roadster")
    other, _ = drive_at_speed("hatchback")
    other.driver = drive.driver
    other.run(1.0, ["throttle", "steer_left"])
    assert -0.9 < other.command["steer"] < -0.1


def test_the_aid_can_be_switched_off(home):
    drive, _ = drive_at_speed("roadster")
    with Session(drive.world) as session:
        switch = DriverSwitch(session, drive.driver, aids=SIMULATION)
        drive.run(0.2, ["steer_left"])
        assert drive.command["steer"] == -1.0
        switch.set_aids(NORMAL)
        drive.run(0.2, ["steer_left"])
        assert drive.command["steer"] > -1.0
    assert load_settings()[0].key_steering_aid
    Settings(key_steering_aid=False).save()
    assert load_settings() == (Settings(key_steering_aid=False), None)


def test_a_driver_is_aided_by_default():
    assert PlayerDriver(flat_world().vehicles[0]).aids.steering
