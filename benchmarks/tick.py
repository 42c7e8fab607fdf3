"""One tick of 1/60 s with 3 substeps, 4 wheels, rays on a 512 x 512 heightfield, called from Python.

Our vehicle and panda3d.bullet's follow the same circle over the same triangles with the same driver at the same speed,
alternating in turns of a second; only the calls of the step are timed. Ours computes every recorded channel. A turn's
figure is the median of its 60 calls, the result the median of all turns, which rejects load by other programs. Like
Bullet's vehicle, ours uses rays on a smooth surface; `as shipped`, and with other tires or suspension, it uses the
cylinder sweep and road roughness.
"""

import time
from typing import Any

import numpy as np

from driving_sandbox.benchmarks.bullet_vehicle import BulletCar
from driving_sandbox.benchmarks.scenes import RING_RADIUS, forward_gear, hill_world, hills, ring_line
from driving_sandbox.benchmarks.sweep import with_query, with_tires_of
from driving_sandbox.lab.drivers import LineFollower
from driving_sandbox.lab.drivers.motion import motion_of
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

RATE = 60.0  # 1/s, ticks per second
WARM_UP = 600  # ticks until both have reached their speed
TURNS = 30  # number of turns of each vehicle
TURN = 60  # ticks of a turn
SPEED = 12.0  # m/s, of both vehicles on the circle


def _driver(gear: int) -> LineFollower:
    return LineFollower(ring_line(), top_speed=SPEED, forward_gear=gear)


class _Ours:
    """One of our cars on the circle, with its driver."""

    def __init__(self, vehicle: str | Vehicle) -> None:
        self.world = hill_world(vehicle, RATE, substeps=3)
        self.vehicle = self.world.vehicles[0]
        self.driver = _driver(forward_gear(self.vehicle))
        self.farthest = 0.0  # m, largest distance from the circle so far

    def turn(self, ticks: int, bare: bool = False) -> float:
        """Median time of a call, s; `bare` calls the compiled step without World around it."""
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
    """Bullet's vehicle on the circle, with the same driver."""

    def __init__(self, vehicle: Vehicle) -> None:
        self.car = BulletCar(hills(), vehicle, (RING_RADIUS, 0.0, 2.0), 0.0)
        self.driver = _driver(2)  # its gear has no effect on Bullet's vehicle
        self.farthest = 0.0  # m, largest distance from the circle so far

    def turn(self, ticks: int) -> float:
        """Median time of a step, s."""
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


def measure() -> list[dict[str, Any]]:
    """Rows of figures."""
    plain = with_query(load_vehicle("roadster_simple"), "ray")
    plain.set_many({f"road.{wheel}.roughness": 0.0 for wheel in plain.wheel_names})
    on_formula = with_tires_of("roadster_simple", "roadster")
    ours, shipped, mf_62 = _Ours(plain), _Ours("roadster_simple"), _Ours(on_formula)
    unsprung = _Ours(swapped_vehicle(on_formula, plan_swap(on_formula, "suspension", "unsprung")))
    bullet = _Bullet(ours.vehicle)
    turns = [
        lambda: ours.turn(TURN), lambda: bullet.turn(TURN), lambda: ours.turn(TURN, bare=True),
        lambda: shipped.turn(TURN, bare=True), lambda: mf_62.turn(TURN, bare=True),
        lambda: unsprung.turn(TURN, bare=True),
    ]  # fmt: skip
    for car in (ours, shipped, mf_62, unsprung, bullet):
        car.turn(WARM_UP)
    ours.farthest = bullet.farthest = 0.0
    seconds = np.array([[turn() for turn in turns] for _ in range(TURNS)])
    path = "{:.1f} m/s, at most {:.1f} m beside the line"
    notes = [path.format(motion_of(ours.vehicle, 0.0).speed, ours.farthest), f"state {ours.world.state_hash():016x}",
             path.format(bullet.car.motion()[2], bullet.farthest)]  # fmt: skip
    return rows(1e6 * np.median(seconds, axis=0), *notes)


def rows(medians: np.ndarray, path: str, state: str, bullet_path: str) -> list[dict[str, Any]]:
    """Rows of figures from medians of the turns, us, and notes."""
    world_step, bullet, compiled_step, sweep, mf_62, unsprung = medians.tolist()
    return [
        {"what": what, "value": value, "unit": unit, "note": note}
        for what, value, unit, note in (
            ("World.step", world_step, "us", path),
            ("compiled step alone", compiled_step, "us", state),
            ("panda3d.bullet step", bullet, "us", bullet_path),
            ("compiled step, as shipped", sweep, "us", "sweep and roughness"),
            ("the same, Magic Formula 6.2", mf_62, "us", "on the roadster's tires"),
            ("Magic Formula 6.2 / plainest tire", mf_62 / sweep, "1", "aim: at most 1.25"),
            ("the same, unsprung masses", unsprung, "us", "on the same tires"),
            ("unsprung, Magic Formula 6.2 / plainest", unsprung / sweep, "1", "aim: at most 1.5"),
            ("World.step / bullet", world_step / bullet, "1", "with its snapshot"),
            ("compiled step / bullet", compiled_step / bullet, "1", "aim: at most 0.3"),
        )
    ]
