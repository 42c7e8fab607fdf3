"""The shipped vehicle combinations (called trains here): towed, braked, parked, reversed, snaking.

Most bounds leave wide margins to the simulated values.
"""

import math

import numpy as np
import pytest
from hitch_gap import hitch_gap

from driving_sandbox.physics.contact.chain import LATENCY, PARALLEL, SERIAL
from driving_sandbox.physics.ground.ground import Ground, Heightfield, Plane
from driving_sandbox.physics.maths.quat import rotate, rotate_inverse
from driving_sandbox.physics.tick.commands import AUTOMATIC, COMMAND, NEUTRAL, REVERSE
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.placing import heading_of, hitch_position
from driving_sandbox.physics.world.world import World

TICK = 1.0 / 240.0  # s
GRAVITY = 9.81  # m/s^2, of worlds by default
GRADE = math.atan(0.1)  # rad, a 10 % slope
BUILD_UP = 0.5  # s until a lorry's brakes have full pressure and its throttle has closed


def sloping(angle):
    """Ground rising along +y; angle: rad."""
    n = 21
    y = -640.0 + 64.0 * np.arange(n)
    heights = np.repeat((math.tan(angle) * y)[:, None], n, axis=1).astype(np.float32)
    return Ground(Heightfield(heights, np.zeros((n - 1, n - 1), np.uint8), (-640.0, -640.0), 64.0))


class Train:
    """A shipped train on a ground, with a speed controller; `gap`: largest gap at any of its hitches so far, m."""

    def __init__(self, name="truck_trailer", ground=None, order=SERIAL, heading=0.0, tick=TICK, abs_on=True):
        vehicle = load_vehicle(name)
        for member in (vehicle, *vehicle.trailers):
            member.set("abs.enable", abs_on)
        vehicle.info["trailer_order"] = order
        self.world = World(ground or Ground(Plane(0.0, 0)), [vehicle], tick_seconds=tick)
        self.members = self.world.vehicles
        self.world.place(0, (0.0, 0.0), heading)
        self.command = np.zeros(1, COMMAND)
        self.command["gear"] = AUTOMATIC
        self.gap = 0.0

    def run(self, seconds, **command):
        """Step the world with the present command, some of its fields changed."""
        for name, value in command.items():
            self.command[name] = value
        for _ in range(round(seconds / self.world.tick_seconds)):
            assert self.world.step(self.command) is None
            if self.world.tick % 4 == 0:
                pairs = zip(self.members, self.members[1:], strict=False)
                self.gap = max(self.gap, *(hitch_gap(front, rear) for front, rear in pairs))
        return self

    def cruise(self, speed, seconds, steer=0.0):
        """Keep a speed, m/s, by throttle and brake; steer: command."""
        self.command["steer"] = steer
        for _ in range(round(seconds * 24)):
            speed_error = speed - self.speed()
            pedals = {
                "throttle": np.clip(0.5 * speed_error + 0.15, 0, 1),
                "brake": np.clip(-0.3 * speed_error - 0.1, 0, 1),
            }
            self.run(10 * TICK, **pedals)
        return self

    def roll(self, speed):
        """Set everything rolling straight ahead; speed: m/s."""
        for v in self.members:
            v.state["body"]["velocity"][0] = rotate(v.model_orientation(), (0.0, speed, 0.0))
            v.state["wheel"]["omega"][0, : v.wheel_count] = speed / v.params["wheel"]["radius"][0, : v.wheel_count]
        return self

    def speed(self, k=0):
        """Speed of vehicle k, m/s; 0 pulls the others."""
        return float(np.linalg.norm(self.members[k].state["body"]["velocity"][0]))

    def articulation(self, k=1):
        """Heading of vehicle k less that of vehicle k - 1, rad."""
        angle = heading_of(self.members[k]) - heading_of(self.members[k - 1])
        return (angle + math.pi) % (2 * math.pi) - math.pi

    def kinetic_energy(self):
        """Kinetic energy of the bodies, without the spin of wheels, J."""
        total = 0.0
        for v in self.members:
            body = v.state["body"][0]
            spin = rotate_inverse(v.model_orientation(), tuple(body["angular_velocity"].tolist()))
            total += 0.5 * v.get("body.mass") * float(body["velocity"] @ body["velocity"])
            total += 0.5 * float(v.params["body"]["inertia"][0] @ np.square(spin))
        return total


def axles_at(vehicle):
    """Midpoint of the axles in the world."""
    y = float(np.mean(vehicle.params["suspension"]["attachment"][0, : vehicle.wheel_count, 1]))
    return np.add(vehicle.model_position(), rotate(vehicle.model_orientation(), (0.0, y, 0.0)))


def circle_radius(points):
    """Radius of the circle fitted to the points' x and y by least squares, m."""
    p = np.asarray(points)[:, :2]
    a, b, c = np.linalg.lstsq(np.c_[2 * p, np.ones(len(p))], (p**2).sum(axis=1), rcond=None)[0]
    return math.sqrt(c + a * a + b * b)


def test_a_train_at_rest_has_its_modelled_height_and_static_loads():
    train = Train("road_train").run(6.0, brake=1.0)
    for member in train.members:
        assert member.model_position()[2] == pytest.approx(0.0, abs=0.02), member.name
    loads = [float(m.state["tire"]["load"][0, : m.wheel_count].sum()) for m in train.members]
    weights = [GRAVITY * m.get("body.mass") for m in train.members]
    assert sum(loads) == pytest.approx(sum(weights), rel=2e-3)
    # load on the king pin, N, by moments about the middle axle of the last trailer: its mass is 20,000 kg, its centre
    # of mass 2.60 m ahead of that axle (they are 0.80 and 3.40 m behind the origin), the king pin 7.00 m
    pin = 20000 * GRAVITY * (3.40 - 0.80) / 7.0
    assert weights[2] - loads[2] == pytest.approx(pin, rel=0.05)
    assert train.gap < 1e-4


@pytest.mark.covers("PX-JOINT-01")
def test_a_slalom_and_hard_braking_lock_trailer_wheels_and_keep_the_coupling():
    train = Train(abs_on=False).run(0.5).roll(15.0)
    for steer in (0.6, -0.6, 0.6, -0.6):
        train.cruise(15.0, 1.5, steer=steer)
    assert abs(train.articulation()) > 0.1
    train.cruise(15.0, 3.0)
    train.run(BUILD_UP, throttle=0.0, brake=1.0, steer=0.0)
    before, start = train.speed(), np.array(train.members[0].model_position())
    train.run(1.0)
    assert np.abs(train.members[1].state["wheel"]["omega"][0, :4]).max() < 1.0
    train.run(4.0)
    assert train.speed() < 0.01 and train.speed(1) < 0.01
    distance = float(np.linalg.norm(train.members[0].model_position() - start))
    assert 5.5 < before**2 / 2 / distance < 7.5  # m/s^2
    assert train.gap < 1e-3


@pytest.mark.parametrize("name", ["truck_trailer", "road_train"])
@pytest.mark.parametrize("steer", [0.0, 0.2])
def test_anti_lock_brakes_keep_a_train_straight(name, steer):
    """The train decelerates by 6 to 7 m/s^2, as loaded lorries do, with articulation below 0.45 rad at each hitch.

    In a bend, where tires have side forces, too, 5.7 m/s^2 are enough.

    Without anti-lock brakes wheels lock: straight on it decelerates less, in a bend its largest articulation is over
    1.5 times as large.
    """
    # {anti-lock on: (deceleration, m/s^2; largest articulation, rad; share of the samples in which more than 30 % of
    # the wheels of any one vehicle are locked)}
    stops = {}
    for abs_on in (True, False):
        train = Train(name, abs_on=abs_on).run(0.5).roll(24.0).cruise(24.0, 1.0, steer=steer)
        train.run(BUILD_UP, throttle=0.0, brake=1.0, steer=steer)
        before, start = train.speed(), np.array(train.members[0].model_position())
        largest_articulation, locked, samples = 0.0, 0, 0
        while train.speed() > 3.0:
            train.run(0.1)
            samples += 1
            largest_articulation = max(
                largest_articulation, *(abs(train.articulation(k)) for k in range(1, len(train.members)))
            )
            rates = [m.state["wheel"]["omega"][0, : m.wheel_count] for m in train.members]
            locked += max(float((np.abs(rate) < 0.5).mean()) for rate in rates) > 0.3
        distance = float(np.linalg.norm(train.members[0].model_position() - start))
        stops[abs_on] = (before**2 - train.speed() ** 2) / 2 / distance, largest_articulation, locked / samples
    (braking, angle, locked_share), (sliding, angle_without, locked_share_without) = stops[True], stops[False]
    assert (5.7 if steer else 6.0) < braking < 7.0 and angle < 0.45, stops
    assert locked_share < 0.15 and locked_share_without > 0.9, stops
    if steer == 0.0:
        assert braking > sliding, stops
    else:
        assert angle_without > 1.5 * angle, stops


@pytest.mark.parametrize("angle", [GRADE, -GRADE])
def test_a_train_braked_to_rest_on_a_slope_does_not_creep(angle):
    train = Train(ground=sloping(angle)).run(1.0, brake=1.0).roll(6.0).run(8.0, brake=1.0)
    assert train.speed() < 1e-3
    before = [m.state["body"]["position"][0].copy() for m in train.members]
    train.run(30.0)
    for member, position in zip(train.members, before, strict=True):
        assert np.linalg.norm(member.state["body"]["position"][0] - position) < 1e-4, member.name


def test_reversing_with_steering_jack_knifes_up_to_the_limit():
    train = Train().run(1.0, steer=0.4, gear=REVERSE)
    largest_articulation = 0.0
    for _ in range(24):
        train.run(0.5, throttle=0.25)
        largest_articulation = max(largest_articulation, abs(train.articulation()))
    limit = train.members[1].get("contact.hitch_limit")
    assert limit - 0.01 < largest_articulation < limit + 0.01
    assert train.gap < 1e-3


def test_snaking_dies_down():
    """The largest articulation in each 2 s is less than in the 2 s before; the fourth is below 10 % of the first."""
    train = Train().run(0.5).roll(22.0).cruise(22.0, 2.0).cruise(22.0, 0.5, steer=0.3)
    swings = []
    for _ in range(4):
        angles = []
        for _ in range(8):
            train.cruise(22.0, 0.25)
            angles.append(abs(train.articulation()))
        swings.append(max(angles))
    assert swings[0] > 0.02
    assert swings == sorted(swings, reverse=True) and swings[-1] < 0.1 * swings[0], swings


@pytest.mark.parametrize("tick", [1.0 / 120.0, 1.0 / 480.0])
def test_off_tracking_on_a_circle_follows_geometry(tick):
    """At low speed the axles of a trailer, L behind its hitch, follow that on a circle of radius sqrt(R^2 - L^2).

    R: radius of the hitch's circle; L: to the middle of the axles, which is the trailer's origin.
    """
    train = Train(tick=tick).run(0.5).cruise(2.0, 60.0, steer=-0.5)
    hitch, axles = [], []
    for _ in range(24):
        train.cruise(2.0, 1.5, steer=-0.5)
        hitch.append(hitch_position(train.members[0], "hitch_rear"))
        axles.append(axles_at(train.members[1]))
    length = train.members[1].get("contact.hitch_front")[1]
    radius = circle_radius(hitch)
    assert radius < 16.0
    assert circle_radius(axles) == pytest.approx(math.sqrt(radius**2 - length**2), rel=0.005)


def test_mirrored_steering_gives_the_mirrored_path():
    """The end points of both drives differ by less than 2 cm: contact constraints are solved left wheel first.

    Without the crankshaft, whose reaction turns the body to one side.
    """
    ends = []
    for sign in (1.0, -1.0):
        train = Train()
        train.members[0].set("body.crankshaft", [0.0, 0.0, 0.0])
        train.run(0.5).roll(8.0).cruise(8.0, 4.0, steer=0.4 * sign)
        ends.append([np.array(m.model_position()) * [sign, 1.0, 1.0] for m in train.members])
    for left, right in zip(*ends, strict=True):
        assert np.linalg.norm(left - right) < 0.02


def test_the_same_drive_gives_the_same_bytes():
    hashes = []
    for _ in range(2):
        train = Train("road_train").run(0.5).roll(12.0).cruise(12.0, 2.0, steer=0.5)
        hashes.append(train.world.state_hash())
    assert hashes[0] == hashes[1]


def test_in_the_air_hitches_keep_momentum_and_add_no_energy():
    """Kinetic energy never exceeds its lowest value so far by more than 0.01 %."""
    train = Train("road_train")
    train.world.context["air_density"] = 0.0
    train.world.context["gravity"] = 0.0
    for k, member in enumerate(train.members):
        body = member.state["body"][0]
        body["position"][2] += 50.0
        body["velocity"] = (1.0 - k, 0.3 * k, 0.1)
        body["angular_velocity"] = (0.0, 0.05 * k, 0.2 - 0.1 * k)
    masses = np.array([m.get("body.mass") for m in train.members])
    momentum = sum(mass * m.state["body"]["velocity"][0] for mass, m in zip(masses, train.members, strict=True))
    lowest = train.kinetic_energy()
    for _ in range(120):
        assert train.world.step(train.command) is None
        after = sum(mass * m.state["body"]["velocity"][0] for mass, m in zip(masses, train.members, strict=True))
        assert after == pytest.approx(momentum, rel=1e-9, abs=1e-6)
        assert train.kinetic_energy() <= lowest * (1.0 + 1e-4)
        lowest = min(lowest, train.kinetic_energy())


# ---- a train that starts releases the sticky tires of its trailers (PX-JOINT-02 to 06)


def sticky(train, k=1):
    """Number of a member's tires that are laterally sticky."""
    member = train.members[k]
    return int(member.state["tire"]["sticky_lateral"][0, : member.wheel_count].sum())


def timers(train, k=1):
    """Time for which each tire of a member has been laterally at rest, s."""
    member = train.members[k]
    return member.state["contact"]["solver"]["wheels"]["lateral_time"][0, : member.wheel_count]


def release_delay(order):
    """Ticks from the first with a driven wheel (`intent.accelerating`) to the release of the trailer's tires."""
    train = Train(order=order).run(5.0, gear=AUTOMATIC)
    assert sticky(train) == 4 and timers(train).min() > 1.0
    first = None
    train.command["throttle"] = 1.0
    for tick in range(240):
        assert train.world.step(train.command) is None
        if first is None and train.members[0].state["intent"]["accelerating"][0]:
            first = tick
        if sticky(train) == 0:
            return tick - first
    raise AssertionError("the trailer was never released")


@pytest.mark.covers("PX-JOINT-02", "PX-JOINT-05")
def test_serial_order_releases_in_the_tick_of_the_first_drive_torque():
    assert release_delay(SERIAL) == 0
    train = Train().run(1.0, brake=1.0, throttle=1.0)
    assert train.members[0].state["intent"]["accelerating"][0] == 0  # a braked wheel is not driven
    train.run(0.5, brake=0.0, gear=NEUTRAL)
    assert train.members[0].state["intent"]["accelerating"][0] == 0
    train.run(0.5, gear=AUTOMATIC)
    assert train.members[0].state["intent"]["accelerating"][0] == 1


@pytest.mark.covers("PX-JOINT-04")
def test_the_order_with_latency_releases_one_tick_later():
    assert release_delay(LATENCY) == 1


@pytest.mark.covers("PX-JOINT-06")
def test_the_parallel_order_equals_the_one_with_latency_bit_for_bit():
    hashes = []
    for order in (LATENCY, PARALLEL):
        train = Train(order=order).run(1.0).run(1.5, throttle=1.0, steer=0.4).run(1.0, throttle=0.0, brake=1.0)
        hashes.append(train.world.state_hash())
    assert hashes[0] == hashes[1]


@pytest.mark.covers("PX-JOINT-03")
def test_a_train_starts_at_once_and_releases_its_trailer():
    train = Train().run(5.0)
    start = train.members[1].model_position()[1]
    train.run(0.2, throttle=1.0)
    assert sticky(train) == 0 and timers(train).max() < TICK + 1e-9  # else its tires would stick until it is dragged
    train.run(0.8)
    assert train.members[1].model_position()[1] - start > 0.02


# ---- speeds below which tires may stick (PX-STICK-05, 06), on one vehicle and its trailer


@pytest.mark.covers("PX-STICK-05")
def test_without_thresholds_tires_never_stick_and_the_train_still_stops():
    train = Train()
    for member in train.members:
        member.set_many({f"contact.{which}_speed": 0.0 for which in ("longitudinal", "lateral")})
    train.run(0.5).roll(4.0).run(4.0, brake=1.0)
    for k, member in enumerate(train.members):
        assert sticky(train, k) == 0 and not member.state["tire"]["sticky_longitudinal"].any()
        assert train.speed(k) < 0.05


@pytest.mark.covers("PX-STICK-06")
def test_at_20_hz_a_raised_threshold_gives_rest_without_oscillation():
    vehicle = load_vehicle("truck_trailer")
    world = World(Ground(Plane(0.0, 0)), [vehicle], tick_seconds=1.0 / 20.0, substeps=4)
    for member in world.vehicles:
        member.set_many({f"contact.{which}_speed": 0.6 for which in ("longitudinal", "lateral")})
    world.place(0, (0.0, 0.0), 0.0)
    command = np.zeros(1, COMMAND)
    command["gear"], command["brake"] = NEUTRAL, 1.0
    for member in world.vehicles:
        member.state["body"]["velocity"][0, 1] = 3.0
    for _ in range(240):  # 12 s; it stops in 2 s, and what motion remains dies down in 5 s
        assert world.step(command) is None
    speeds = []
    for _ in range(60):
        assert world.step(command) is None
        speeds += [float(np.linalg.norm(m.state["body"]["velocity"][0])) for m in world.vehicles]
    assert max(speeds) < 1e-3
