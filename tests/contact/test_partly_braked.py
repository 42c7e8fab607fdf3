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


class OnSlope:
    """A vehicle with its trailers in neutral on a slope, its hill hold off.

    Args:
        steps: (tick, s; substeps).
        command: fields of the command.
    """

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


def set_brake(on_slope, brake):
    """Set the brake command, 0 to 1, and wait a second for the pedal response."""
    on_slope.command["brake"] = brake
    return on_slope.run(1.0)


def displacement(on_slope, seconds):
    """Largest displacement of a vehicle of the train, m."""
    before = on_slope.positions()
    on_slope.run(seconds)
    return np.linalg.norm(on_slope.positions() - before, axis=1).max()


@pytest.mark.parametrize("steps", [COARSE, STANDARD], ids=["coarse", "standard"])
@pytest.mark.parametrize("heading", [UP, DOWN], ids=["up", "down"])
@pytest.mark.parametrize("name", [*CARS, *TRACKED, *TRAINS])
def test_a_partly_applied_brake_holds_up_to_its_force(name, heading, steps):
    for degrees in (5.0, 20.0):
        on_slope = OnSlope(name, degrees, heading, steps, brake=1.0).run(SETTLING_TIME)
        parked = [v.state.copy() for v in on_slope.members]
        for brake in (1.0, 0.5, 0.25, 0.0):
            for member, state in zip(on_slope.members, parked, strict=True):
                member.state[:] = state
            set_brake(on_slope, brake)
            holding_force, downhill_force = on_slope.holding_force(), on_slope.downhill_force()
            case = f"{degrees:g} degrees, brake {brake:g}: {holding_force:.0f} N hold {downhill_force:.0f} N"
            if holding_force > (1.0 + BALANCE_MARGIN) * downhill_force:
                assert displacement(on_slope, REST_TIME) < REST_DISPLACEMENT, case
            elif holding_force < (1.0 - BALANCE_MARGIN) * downhill_force:
                before = on_slope.speed()
                acceleration = on_slope.run(1.0).speed() - before  # mean of a second
                low, high = ACCELERATION_RANGES[steps]
                expected = (downhill_force - holding_force) / on_slope.effective_mass()
                assert low < acceleration / expected < high, case


@pytest.mark.parametrize("heading", [UP, DOWN], ids=["up", "down"])
def test_a_track_holds_with_the_sum_of_its_brakes(heading):
    """A tank holds with 0.5 % more than the downhill force, and not with 3 % less.

    Its uphill wheels have low loads and would slide if they were braked separately.
    """
    on_slope = OnSlope("tank", 20.0, heading, STANDARD, brake=1.0).run(SETTLING_TIME)
    v = on_slope.members[0]
    parked, n = v.state.copy(), v.wheel_count
    brakes = float((v.params["brakes"]["max_torque"][0, :n] / v.params["wheel"]["radius"][0, :n]).sum())
    rolling = float((v.params["tire"]["rolling_resistance"][0, :n] * v.state["tire"]["load"][0, :n]).sum())
    for ratio, rests in ((1.005, True), (0.97, False)):
        v.state[:] = parked
        set_brake(on_slope, (ratio * on_slope.downhill_force() - rolling) / brakes)
        assert on_slope.holding_force() == pytest.approx(ratio * on_slope.downhill_force(), rel=2e-3)
        assert (displacement(on_slope, REST_TIME) < REST_DISPLACEMENT) == rests, ratio


@pytest.mark.parametrize("surface", ["asphalt", "gravel"])
@pytest.mark.parametrize("heading", [UP, DOWN, ACROSS], ids=["up", "down", "across"])
@pytest.mark.parametrize("name", TRAINS)
def test_a_parked_train_does_not_creep(name, heading, surface):
    """The train moves less than 0.01 mm in 6 s; if its hitches oscillated undamped, it would creep across the slope."""
    on_slope = OnSlope(name, 15.0, heading, STANDARD, surface, brake=1.0, handbrake=1.0).run(12.0)
    assert displacement(on_slope, 6.0) < 1e-5


@pytest.mark.parametrize("surface", ["asphalt", "asphalt_wet"])
@pytest.mark.parametrize("side", [1.0, -1.0], ids=["left", "right"])
@pytest.mark.parametrize("name", TRAINS)
def test_a_train_parks_across_a_steep_slope(name, side, surface):
    """All its wheels stay loaded. The last trailer would roll over if its king pin let it roll like a ball hitch."""
    on_slope = OnSlope(name, 20.0, side * ACROSS, STANDARD, surface, brake=1.0, handbrake=1.0).run(12.0)
    assert displacement(on_slope, 30.0) < 1e-4
    for member in on_slope.members:
        assert (member.state["tire"]["load"][0, : member.wheel_count] > 0.0).all(), member.name


@pytest.mark.parametrize("name", ["roadster_simple", *TRACKED])
def test_vehicles_with_locked_wheels_slide_on_ice(name):
    """The vehicles accelerate by Coulomb's law, within 2 %. Locked wheels add no inertia."""
    sliding = OnSlope(name, 15.0, UP, STANDARD, "ice", brake=1.0).run(2.0)
    before = sliding.speed()
    expected = (sliding.downhill_force() - sliding.holding_force()) / sliding.members[0].get("body.mass")
    assert sliding.run(1.0).speed() - before == pytest.approx(expected, rel=0.02)
    assert not sliding.members[0].state["wheel"]["omega"].any()
