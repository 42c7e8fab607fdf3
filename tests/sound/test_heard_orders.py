"""On soundtracks: orders by the firing angles and by the load, squeal by the slip speed."""

import numpy as np
import pytest
from engine_takes import STEADY, firing_frequency, pressure_level, rms, spectrum

from driving_sandbox.physics.tick.commands import NEUTRAL, neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world
from driving_sandbox.sound.base.block import SAMPLE_RATE
from driving_sandbox.sound.engine.record import engine_parameters
from driving_sandbox.sound.soundtrack import Soundtrack
from driving_sandbox.sound.vehicle_sound import TORQUE_PER_DISPLACEMENT
from driving_sandbox.sound.voices import VOICES

RATE = 240  # ticks per second
SPEED = 300.0  # rad/s, of the engine
DISPLACEMENT = 1.8e-3  # m^3
# the engine's leveller multiplies by rms^(-3/8), so in dB it takes 3/5 of the rms level that it leaves
TAKEN = 3.0 / 5.0
ORDERS = np.arange(1, 17)  # in halves of the crankshaft's speed
EQUAL = STEADY | {  # all cylinders alike, with one exhaust; nothing but the exhaust is heard
    "bank": [0.0], "pipe_lengths": [0.6], "intake_level": 0.0, "block_level": 0.0, "mechanical_level": 0.0,
    "crackle": 0.0, "knock": 0.0,
}  # fmt: skip


def soundtrack(sound, seconds, act, **inputs):
    """The last second of both channels' mean, quiet enough for the limiter; the other voices have the level 0.

    act: function(vehicle), called before every tick.
    """
    vehicle = load_vehicle("roadster_simple")
    vehicle.info["sound"] = {name: {"level": 0.0} for name in VOICES if name in ("engine", "gears", "tires")} | sound
    world = World(load_world("plane"), [vehicle])
    world.spawn()
    track, command, blocks = Soundtrack(world), neutral_command(), []
    track.scene.levels["master"] = 0.1
    command["gear"] = NEUTRAL
    for name, value in inputs.items():
        command[name] = value
    for _ in range(round(seconds * RATE)):
        act(vehicle)
        world.step(command)
        track.add()
        blocks += [block.copy() for block in track.blocks()]
    return np.concatenate(blocks)[-round(SAMPLE_RATE) :].mean(axis=1)


def order_levels(preset, bank_angle):
    """(levels of the ORDERS, those of |sum exp(i n angle)| of the firing angles), dB."""
    changes = EQUAL | {"bank_angle_deg": bank_angle}

    def hold(vehicle):
        vehicle.params["engine"]["inertia"], vehicle.state["engine"]["omega"] = 1e6, SPEED

    x = soundtrack({"engine": {"preset": preset, **changes}}, 2.0, hold, throttle=1.0)
    frequency, power = spectrum(x)
    half = SPEED / (4.0 * np.pi)
    lines = np.array([power[abs(frequency - n * half) < 0.3 * half].sum() for n in ORDERS])
    derived = engine_parameters(preset, changes)["derived"]
    angles = derived["firing"][: derived["cylinder_count"]] / 1024.0 * 2.0 * np.pi
    sums = np.abs(np.exp(1j * np.outer(ORDERS, angles)).sum(axis=1)) / len(angles)
    return 10.0 * np.log10(lines), 20.0 * np.log10(sums + 1e-9)


@pytest.mark.parametrize(("preset", "first", "second"), [("v_twin", 45.0, 70.0), ("v8_cross", 60.0, 75.0)])
def test_orders_are_as_strong_as_the_firing_angles_say(preset, first, second):
    """Two bank angles of one engine: pulses and pipes are the same, so the levels differ by the sums over the angles.

    Compared are orders that are strong with both, within 2 dB; the leveller shifts all by the same.
    """
    (found_first, sum_first), (found_second, sum_second) = order_levels(preset, first), order_levels(preset, second)
    strong = (np.minimum(sum_first, sum_second) > -12.0) & (found_first > found_first.max() - 30.0)
    error = ((found_first - found_second) - (sum_first - sum_second))[strong]
    assert len(error) >= 4 and np.ptp((sum_first - sum_second)[strong]) > 4.0
    assert np.abs(error - np.median(error)).max() < 2.0


def firing_level(throttle):
    """(level of the firing order before the leveller, dB, torque / usual torque) of a four-cylinder engine at SPEED."""
    torques = []

    def hold(vehicle):
        vehicle.params["engine"]["inertia"], vehicle.state["engine"]["omega"] = 1e6, SPEED
        torques.append(float(vehicle.state["engine"]["torque"][0]))

    engine = {"preset": "inline_4", "displacement": DISPLACEMENT, **EQUAL}
    x = soundtrack({"engine": engine}, 2.0, hold, throttle=throttle)
    frequency, power = spectrum(x)
    near = abs(frequency - firing_frequency("inline_4", SPEED)) < 4.0
    level = 10.0 * np.log10(power[near].sum()) + TAKEN * 20.0 * np.log10(rms(x))
    return level, torques[-1] / (TORQUE_PER_DISPLACEMENT * DISPLACEMENT)


def test_the_firing_order_follows_the_pressure_at_every_load():
    """As computed from the torque, within 2 dB."""
    full, torque = firing_level(1.0)
    for throttle in (0.3, 0.6):
        level, part = firing_level(throttle)
        assert part < 0.8 * torque
        assert level - full == pytest.approx(pressure_level(part) - pressure_level(torque), abs=2.0), throttle


def test_the_squeal_of_a_sliding_car_rises_with_the_slip_speed():
    """Sideways at 2 and 7 m/s: pitch and level."""
    pitches, levels = [], []
    for speed in (2.0, 7.0):

        def slide(vehicle, speed=speed):
            vehicle.state["body"]["velocity"][0, :2] = speed, 0.0
            vehicle.state["wheel"]["omega"][:] = 0.0

        x = soundtrack({"tires": {"texture": 0.0, "tread": 0.0, "scrub": 0.0}, "wind": {"level": 0.0}}, 2.0, slide)
        frequency, power = spectrum(x)
        heard = (frequency > 500.0) & (frequency < 1000.0)
        assert power[heard].sum() > 0.5 * power[frequency > 20.0].sum()
        pitches.append(np.average(frequency[heard], weights=power[heard]))
        levels.append(20.0 * np.log10(rms(x)))
    assert 600.0 < pitches[0] < pitches[1] - 60.0 < 900.0
    assert levels[0] + 3.0 < levels[1]
