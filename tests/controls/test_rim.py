"""A wheel whose rotation is known turns the car's rim angle for angle, up to the car's lock."""

import math

import pytest
from virtual_stick import VirtualStick

from driving_sandbox.benchmarks.scenes import flat_world
from driving_sandbox.game.controls.devices import Devices
from driving_sandbox.game.controls.driver import SpeedAndGear
from driving_sandbox.game.controls.inputs import AnalogInput, merge
from driving_sandbox.game.controls.rim import RimSteering, beyond_lock, rim_lock
from driving_sandbox.game.session.drivers import PlayerDriver
from driving_sandbox.game.windows.bindings_file import load_bindings, save_bindings
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.tick.commands import neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

TICK = 1.0 / 240.0  # s


@pytest.mark.parametrize("degrees", [20.0, -90.0, 45.0])
@pytest.mark.parametrize("speed", [0.0, 12.0])
def test_the_cars_rim_has_the_angle_of_the_wheel(degrees, speed):
    vehicle = load_vehicle("mx5_na")
    world = flat_world(vehicle)
    vehicle.state["body"]["velocity"][0, 1] = speed
    command = neutral_command()
    command["steer"] = RimSteering(vehicle).command(math.radians(degrees), speed, TICK)
    world.step(command)
    assert math.degrees(-vehicle.state["steering_column"]["angle"][0]) == pytest.approx(degrees, abs=1.0)


@pytest.mark.parametrize("rotation", [540.0, 900.0])
def test_the_share_of_the_rotation_becomes_an_angle(rotation):
    vehicle = load_vehicle("mx5_na")
    driver = PlayerDriver(vehicle).human_driver
    driver.analog = AnalogInput(steer=0.2, rotation=math.radians(rotation))
    command = driver.command(SpeedAndGear(0.0, 2, 2), TICK)
    assert command["steer"][0] == pytest.approx(0.1 * math.radians(rotation) / rim_lock(vehicle), abs=1e-3)
    driver.analog = AnalogInput(steer=0.2)  # of a wheel whose rotation is not known, or a pad
    assert driver.command(SpeedAndGear(0.0, 2, 2), TICK)["steer"][0] == 0.2


def test_a_wheel_beyond_the_cars_lock_steers_no_further():
    vehicle = load_vehicle("mx5_na")
    lock = rim_lock(vehicle)
    assert lock == pytest.approx(15.0 * 0.62)
    assert RimSteering(vehicle).command(1.3 * lock, 0.0, TICK) == 1.0
    assert beyond_lock(1.3 * lock, lock) == pytest.approx(0.3 * lock)
    assert beyond_lock(-1.1 * lock, lock) == pytest.approx(-0.1 * lock)
    assert beyond_lock(0.9 * lock, lock) == 0.0


def test_known_wheels_have_their_rotation_and_pads_none():
    devices = Devices(load_bindings())
    stick = VirtualStick(name="Logitech G29")
    try:
        devices.poll()
        stick.axis(0, 0.5)
        devices.poll()
        devices.poll()
        assert devices.analog.rotation == pytest.approx(math.radians(900.0))
        device = devices.devices[stick.instance_id]
        assert math.degrees(device.rim_angle()) == pytest.approx(-225.0, abs=0.1)
    finally:
        stick.unplug()
        devices.close()
    assert merge(AnalogInput(steer=0.1, rotation=9.0), AnalogInput(steer=-0.4)).rotation == 0.0


@pytest.mark.parametrize("rotation", [270.0, 1080.0])
def test_the_rotation_is_kept_in_the_users_file(tmp_path, rotation):
    bindings = load_bindings()
    profile = bindings.profile_for("abc", "046d:c24f", "G29", False)
    bindings.set_profile("abc", type(profile)(**{**profile.__dict__, "rotation": rotation}))
    save_bindings(bindings, tmp_path / "controls.yaml")
    assert load_bindings(tmp_path / "controls.yaml").user_profiles[0].rotation == rotation
    text = (tmp_path / "controls.yaml").read_text().replace(f"rotation: {rotation}", "rotation: 9000")
    (tmp_path / "controls.yaml").write_text(text)
    with pytest.raises(ConfigError, match="rotation: 9000 must be a number from 0 to 2520"):
        load_bindings(tmp_path / "controls.yaml")
