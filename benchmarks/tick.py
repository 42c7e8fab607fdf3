"""One tick of 1/60 s with 3 substeps, 4 wheels, rays on a 512 x 512 heightfield, called from Python.

Both vehicles follow the same circle over the same triangles with the same driver at the same speed, in turns of a
second each; only the call of the step is timed. Ours computes every recorded channel. A turn's figure is the median of
its 60 calls, the result the median of all turns, which rejects load by other programs. Like Bullet's vehicle, ours uses
rays on a smooth surface here; `as shipped` is with the cylinder sweep and road roughness.
"""

import time

import numpy as np

from driving_sandbox.benchmarks.bullet_vehicle import BulletCar
from driving_sandbox.benchmarks.scenes import RING_RADIUS, forward_gear, hill_world, hills, ring_line
from driving_sandbox.benchmarks.sweep import with_query, with_tires_of
from driving_sandbox.lab.drivers import LineFollower
from driving_sandbox.lab.drivers.motion import motion_of
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

RATE = 60.0  # 1/s
WARM_UP = 600  # ticks until both have reached their speed
TURNS = 30  # of each vehicle
TURN = 60  # ticks
SPEED = 12.0  # m/s


def _driver(gear):
    return LineFollower(ring_line(), top_speed=SPEED, forward_gear=gear)


class _Ours:
    def __init__(self, vehicle):
        self.world = hill_world(vehicle, RATE, 3)
        self.vehicle = self.world.vehicles[0]
        self.driver = _driver(forward_gear(self.vehicle))
        self.farthest = 0.0

    def turn(self, ticks, bare=False):
        """Median time of a call in s; `bare` calls the compiled step without World around it."""
        world, vehicle, times = self.world, self.vehicle, np.zeros(ticks)
        arrays = (vehicle.params, vehicle.state, vehicle.scratch, world.context, world.ground.arrays)
        step, nothing = vehicle.sequence.bind(*arrays), np.zeros(1, EXTERNAL)
        for k in range(ticks):
            motion = motion_of(vehicle, 0.0)
            command = self.driver.command(motion.position, motion.heading, motion.speed, 1.0 / RATE)
            if bare:
                start = time.perf_counter()
                step(nothing, command, world.tick_seconds)
            else:
                start = time.perf_counter()
                world.step(command)
            times[k] = time.perf_counter() - start
            self.farthest = max(self.farthest, abs(float(np.hypot(*motion.position[:2])) - RING_RADIUS))
        return float(np.median(times))


class _Bullet:
    def __init__(self, vehicle):
        self.car = BulletCar(hills(), vehicle, (RING_RADIUS, 0.0, 2.0), 0.0)
        self.driver = _driver(2)
        self.farthest = 0.0

    def turn(self, ticks):
        """Median time of a step in s."""
        times = np.zeros(ticks)
        for k in range(ticks):
            position, heading, speed, _ = self.car.motion()
            record = self.driver.command(position, heading, speed, 1.0 / RATE)[0]
            self.car.control(float(record["throttle"]), float(record["brake"]), float(record["steer"]))
            start = time.perf_counter()
            self.car.step(1.0 / RATE)
            times[k] = time.perf_counter() - start
            self.farthest = max(self.farthest, abs(float(np.hypot(*position[:2])) - RING_RADIUS))
        return float(np.median(times))


def measure():
    """Rows of figures."""
    plain = with_query(load_vehicle("roadster_simple"), "ray")
    plain.set_many({f"road.{wheel}.roughness": 0.0 for wheel in plain.wheel_names})
    on_formula = with_tires_of("roadster_simple", "roadster")
    ours, shipped, modern = _Ours(plain), _Ours("roadster_simple"), _Ours(on_formula)
    unsprung = _Ours(swapped_vehicle(on_formula, plan_swap(on_formula, "suspension", "unsprung")))
    bullet_car = _Bullet(ours.vehicle)
    ours.turn(WARM_UP)
    shipped.turn(WARM_UP)
    modern.turn(WARM_UP)
    unsprung.turn(WARM_UP)
    bullet_car.turn(WARM_UP)
    ours.farthest = bullet_car.farthest = 0.0
    whole, bare, bullet, full, formula, hubs = [], [], [], [], [], []
    for _ in range(TURNS):
        whole.append(ours.turn(TURN))
        bullet.append(bullet_car.turn(TURN))
        bare.append(ours.turn(TURN, bare=True))
        full.append(shipped.turn(TURN, bare=True))
        formula.append(modern.turn(TURN, bare=True))
        hubs.append(unsprung.turn(TURN, bare=True))
    figures = (whole, bullet, bare, full, formula, hubs)
    own, other, kernel, sweep, modern, sprung = (float(np.median(times)) * 1e6 for times in figures)
    (_, _, speed, _), motion = bullet_car.car.motion(), motion_of(ours.vehicle, 0.0)
    path = "{:.1f} m/s, at most {:.1f} m beside the line"
    return [
        {"what": "World.step", "value": own, "unit": "us", "note": path.format(motion.speed, ours.farthest)},
        {"what": "compiled step alone", "value": kernel, "unit": "us", "note": f"state {ours.world.state_hash():016x}"},
        {"what": "panda3d.bullet step", "value": other, "unit": "us", "note": path.format(speed, bullet_car.farthest)},
        {"what": "compiled step, as shipped", "value": sweep, "unit": "us", "note": "sweep and roughness"},
        {"what": "the same, Magic Formula 6.2", "value": modern, "unit": "us", "note": "on the roadster's tires"},
        {
            "what": "Magic Formula 6.2 / plainest tire",
            "value": modern / sweep,
            "unit": "1",
            "note": "aim: 1.25 at most",
        },
        {"what": "the same, unsprung masses", "value": sprung, "unit": "us", "note": "on the same tires"},
        {
            "what": "unsprung, Magic Formula 6.2 / plainest",
            "value": sprung / sweep,
            "unit": "1",
            "note": "aim: 1.5 at most",
        },
        {"what": "World.step / bullet", "value": own / other, "unit": "1", "note": "with its snapshot"},
        {"what": "compiled step / bullet", "value": kernel / other, "unit": "1", "note": "aim: at most 0.3"},
    ]
