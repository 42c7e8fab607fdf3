"""Shipped vehicles on slopes with partly applied brakes: each stays at rest, or accelerates by theory.

The holding force is computed from parameters and loads: for each wheel brake plus rolling resistance, limited by
grip. The downhill force is m g sin(slope). With a larger holding force the vehicle stays at rest; with a smaller one
it accelerates by (m g sin(slope) - holding force) / (m + sum I / R^2), without a threshold speed.
"""

import math

import numpy as np
import pytest

from driving_sandbox.physics.ground.arrays import ROUGHNESS_AMPLITUDE
from driving_sandbox.physics.ground.ground import Ground, Heightfield
from driving_sandbox.physics.ground.surfaces import default_surfaces
from driving_sandbox.physics.tick.commands import COMMAND, NEUTRAL
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World

GRAVITY = 9.81  # m/s^2
CARS = ("buggy", "clubsport", "coupe", "hatchback", "lowrider", "offroader", "patrol", "roadster", "three_wheeler",
        "track_roadster", "truck")  # fmt: skip
TRACKED = ("half_track", "tank")
TRAINS = ("road_train", "truck_trailer")
UP, DOWN, ACROSS = 0.0, math.pi, math.pi / 2.0  # rad, headings
COARSE, STANDARD = (1.0 / 60.0, 3), (1.0 / 240.0, 4)  # tick, s, and substeps
BALANCE_MARGIN = 0.03  # of the downhill force; closer to balance a vehicle may rest or roll
REST_DISPLACEMENT = 1e-3  # m; a vehicle that moves less in REST_TIME is at rest
REST_TIME = 3.0  # s
# ranges of the acceleration relative to theory; in long steps the speed of a free wheel oscillates
ACCELERATION_RANGES = {STANDARD: (0.93, 1.1), COARSE: (0.5, 1.5)}
SETTLING_TIME = 5.0  # s, until springs and anchors are at rest


def sloping(degrees, surface="asphalt"):
    """Smooth ground rising along +y."""
    y = -640.0 + 64.0 * np.arange(21)
    heights = np.repeat((math.tan(math.radians(degrees)) * y)[:, None], 21, axis=1).astype(np.float32)
    index = default_surfaces().index(surface)
    ground = Ground(Heightfield(heights, np.full((20, 20), index, np.uint8), (-640.0, -640.0), 64.0))
    ground.arrays.surfaces[:, ROUGHNESS_AMPLITUDE] = 0.0
    return ground


class Held:
    """A vehicle with its trailers on a slope with the brake applied, its hill hold off."""

    def __init__(self, name, degrees, heading, steps, surface="asphalt", **command):
        self.degrees = degrees
        vehicle = load_vehicle(name)
        vehicle.set_many({p.path: False for p in vehicle.parameters() if p.path == "hill_hold.enable"})
        self.world = World(sloping(degrees, surface), [vehicle], *steps)
        self.world.place(0, (0.0, 0.0), heading)
        self.members = self.world.vehicles
        self.command = np.zeros(1, COMMAND)
        self.command["gear"] = NEUTRAL
        for key, value in command.items():
            self.command[key] = value

    def run(self, seconds):
        for _ in range(round(seconds / self.world.tick_seconds)):
            assert self.world.step(self.command) is None
        return self

    def positions(self):
        """[vehicles, 3] positions of the centres of mass, m."""
        return np.array([v.state["body"]["position"][0] for v in self.members])

    def speed(self):
        """Speed of the first vehicle, m/s."""
        return float(np.linalg.norm(self.members[0].state["body"]["velocity"][0]))

    def downhill_force(self):
        """Downhill force, N."""
        return sum(v.get("body.mass") for v in self.members) * GRAVITY * math.sin(math.radians(self.degrees))

    def effective_mass(self):
        """Effective mass, kg, with rotating wheels."""
        total = 0.0
        for v in self.members:
            wheel = v.params["wheel"][0, : v.wheel_count]
            total += v.get("body.mass") + float((wheel["inertia"] / wheel["radius"] ** 2).sum())
        return total

    def holding_force(self):
        """Holding force of brakes, rolling resistance and grip at the present loads, N."""
        total = 0.0
        for v in self.members:
            n = v.wheel_count
            state, tire, radius = v.state, v.params["tire"][0, :n], v.params["wheel"]["radius"][0, :n]
            load = state["tire"]["load"][0, :n]
            rolling = (tire["rolling_resistance"] + state["road"]["rolling_drag"][0, :n]) * load
            brake, grip = state["brakes"]["torque"][0, :n] / radius + rolling, state["tire"]["friction"][0, :n] * load
            total += float(np.minimum(brake, grip).sum())
        return total


def ease(held, brake):
    """Release the brake to a command of 0 to 1, and wait a second for the pedal response."""
    held.command["brake"] = brake
    return held.run(1.0)


def displacement(held, seconds):
    """Largest displacement of a vehicle of the train, m."""
    before = held.positions()
    held.run(seconds)
    return np.linalg.norm(held.positions() - before, axis=1).max()


@pytest.mark.parametrize("steps", [COARSE, STANDARD], ids=["coarse", "standard"])
@pytest.mark.parametrize("heading", [UP, DOWN], ids=["up", "down"])
@pytest.mark.parametrize("name", [*CARS, *TRACKED, *TRAINS])
def test_a_partly_applied_brake_holds_up_to_its_force(name, heading, steps):
    for degrees in (5.0, 20.0):
        parked_vehicle = Held(name, degrees, heading, steps, brake=1.0).run(SETTLING_TIME)
        parked = [v.state.copy() for v in parked_vehicle.members]
        for brake in (1.0, 0.5, 0.25, 0.0):
            for member, state in zip(parked_vehicle.members, parked, strict=True):
                member.state[:] = state
            ease(parked_vehicle, brake)
            holding_force, downhill_force = parked_vehicle.holding_force(), parked_vehicle.downhill_force()
            case = f"{degrees:g} degrees, brake {brake:g}: {holding_force:.0f} N hold {downhill_force:.0f} N"
            if holding_force > (1.0 + BALANCE_MARGIN) * downhill_force:
                assert displacement(parked_vehicle, REST_TIME) < REST_DISPLACEMENT, case
            elif holding_force < (1.0 - BALANCE_MARGIN) * downhill_force:
                before = parked_vehicle.speed()
                acceleration = parked_vehicle.run(1.0).speed() - before  # mean of a second
                low, high = ACCELERATION_RANGES[steps]
                assert (
                    low < acceleration / ((downhill_force - holding_force) / parked_vehicle.effective_mass()) < high
                ), case


@pytest.mark.parametrize("heading", [UP, DOWN], ids=["up", "down"])
def test_a_track_holds_with_the_sum_of_its_brakes(heading):
    """A tank holds with 0.5 % more than the downhill force, and not with 3 % less.

    Its uphill wheels have low loads and would slide if they were braked separately.
    """
    parked_vehicle = Held("tank", 20.0, heading, STANDARD, brake=1.0).run(SETTLING_TIME)
    v = parked_vehicle.members[0]
    parked, n = v.state.copy(), v.wheel_count
    brakes = float((v.params["brakes"]["max_torque"][0, :n] / v.params["wheel"]["radius"][0, :n]).sum())
    rolling = float((v.params["tire"]["rolling_resistance"][0, :n] * v.state["tire"]["load"][0, :n]).sum())
    for ratio, rests in ((1.005, True), (0.97, False)):
        v.state[:] = parked
        ease(parked_vehicle, (ratio * parked_vehicle.downhill_force() - rolling) / brakes)
        assert parked_vehicle.holding_force() == pytest.approx(ratio * parked_vehicle.downhill_force(), rel=2e-3)
        assert (displacement(parked_vehicle, REST_TIME) < REST_DISPLACEMENT) == rests, ratio


@pytest.mark.parametrize("surface", ["asphalt", "gravel"])
@pytest.mark.parametrize("heading", [UP, DOWN, ACROSS], ids=["up", "down", "across"])
@pytest.mark.parametrize("name", TRAINS)
def test_a_parked_train_does_not_creep(name, heading, surface):
    """The train moves less than 0.01 mm in 6 s; if its hitches oscillated undamped, it would creep across the slope."""
    parked_vehicle = Held(name, 15.0, heading, STANDARD, surface, brake=1.0, handbrake=1.0).run(12.0)
    assert displacement(parked_vehicle, 6.0) < 1e-5


@pytest.mark.parametrize("surface", ["asphalt", "asphalt_wet"])
@pytest.mark.parametrize("side", [1.0, -1.0], ids=["left", "right"])
@pytest.mark.parametrize("name", TRAINS)
def test_a_train_parks_across_a_steep_slope(name, side, surface):
    """All its wheels stay loaded. The last trailer would roll over if its king pin let it roll like a ball hitch."""
    parked_vehicle = Held(name, 20.0, side * ACROSS, STANDARD, surface, brake=1.0, handbrake=1.0).run(12.0)
    assert displacement(parked_vehicle, 30.0) < 1e-4
    for member in parked_vehicle.members:
        assert (member.state["tire"]["load"][0, : member.wheel_count] > 0.0).all(), member.name


@pytest.mark.parametrize("name", ["roadster_simple", *TRACKED])
def test_vehicles_with_locked_wheels_slide_on_ice(name):
    """The vehicles accelerate by Coulomb's law, within 2 %. Locked wheels add no inertia."""
    sliding = Held(name, 15.0, UP, STANDARD, "ice", brake=1.0).run(2.0)
    before = sliding.speed()
    expected = (sliding.downhill_force() - sliding.holding_force()) / sliding.members[0].get("body.mass")
    assert sliding.run(1.0).speed() - before == pytest.approx(expected, rel=0.02)
    assert not sliding.members[0].state["wheel"]["omega"].any()
