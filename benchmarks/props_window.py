"""Frame rate of the whole program while a car circles among a hundred props in motion; prints one line of JSON.

Offscreen with Mesa's no-op driver (`GALLIUM_NOOP=1`, as `props.py` runs it) it measures everything but rasterisation.
In a real window on a GPU, `rate` includes rasterisation, `work` does not:

    python -m driving_sandbox.benchmarks.props_window --size 480x270 --quality low
"""

import argparse
import json
from time import perf_counter, process_time, thread_time
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.benchmarks.scenes import command, drive_options
from driving_sandbox.physics.props.placing import PlacedProp

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

MOVING = 100  # props in motion
KINDS = ("crate", "barrel", "cone", "tire", "plank")
SPAWN = "skid_pad"  # open level asphalt of the proving ground
MIDDLE = (-611.0, 80.0)  # m, of the square of props, 9 m to the right of SPAWN: the circling car drives through it
SPACING = 1.6  # m between props at the start
KICK_SPEED = 0.8  # m/s; slower props are kicked
SIDEWAYS = 2.5  # m/s, scale of a kick's random horizontal velocity and of its bias towards MIDDLE
UP = 5.0  # m/s, vertical speed of a kick: a second in the air
SPIN = 6.0  # rad/s, largest spin of a kick about each axis
FAR = 10.0  # m; the bias of kicks towards MIDDLE grows with the distance from it, up to this distance
WARM_UP = 60  # frames


class Circling:
    """A driver of a session (game/session/drivers.py) with half throttle and full steering to the right."""

    def __init__(self, vehicle: "Vehicle") -> None:
        self._command = command(vehicle, throttle=0.5, steer=1.0)

    def __call__(self, situation: object) -> np.ndarray:
        return self._command

    def jumped(self, situation: Any) -> None:
        """Nothing to forget after a jump of the vehicle, as by a reset."""


class Kicks:
    """Kicks the props of a world that have become slow."""

    def __init__(self, props: Any) -> None:
        self._props, self._random = props, np.random.default_rng(1)

    def keep_moving(self) -> int:
        """Kick the slow props; returns the number of props in motion."""
        state, random = self._props.state, self._random
        slow = np.flatnonzero(np.linalg.norm(state["velocity"], axis=1) < KICK_SPEED)
        for k in slow:
            away = state["position"][k, :2] - MIDDLE
            push = SIDEWAYS * (random.uniform(-1.0, 1.0, 2) - away / max(FAR, float(np.linalg.norm(away))))
            state["awake"][k], state["velocity"][k] = 1, (*push, UP)
            state["angular_velocity"][k] = random.uniform(-SPIN, SPIN, 3)
        if len(slow):
            self._props.check_again()
        return self._props.moving


def props() -> list[PlacedProp]:
    """[PlacedProp] in a square about MIDDLE, of every kind in turn."""
    x, y = MIDDLE
    return [
        PlacedProp(KINDS[k % len(KINDS)], (x + SPACING * (k % 10 - 4.5), y + SPACING * (k // 10 - 4.5)),
                   height=None, rise=0.0, heading=0.3 * k, group=k)
        for k in range(MOVING)
    ]  # fmt: skip


def open_program(options: argparse.Namespace) -> Any:
    """The program on an otherwise empty proving ground."""
    from driving_sandbox.game.platform.window import WindowSettings, open_window
    from driving_sandbox.game.program.app import App
    from driving_sandbox.game.program.settings import Settings
    from driving_sandbox.game.toolkit.backend import ImGuiBackend
    from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
    from driving_sandbox.physics.world.world import World
    from driving_sandbox.physics.world.world_file import load_world

    world_file, vehicle = load_world("proving_ground"), load_vehicle("roadster")
    world_file.props, world_file.parked = props(), []
    base = open_window(WindowSettings(offscreen=options.offscreen, size=options.size, vsync=False))
    ui = ImGuiBackend(base)
    world = World(world_file, [vehicle])
    world.spawn(SPAWN)
    settings = Settings(first_start=False, quality=options.quality)
    return App(base, ui, world, Circling(vehicle), drive_options(options.offscreen), settings)


def main() -> None:
    """Run the program and print its figures as JSON.

    work: processor time of the main thread per frame, ms, without the kicks; slow: its 99th percentile.
    rate: frames per second by the clock, without the time of the kicks.
    moving: mean number of props in motion.
    all_threads: processor time of all threads per frame, ms; it includes the kicks.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--offscreen", action="store_true")
    parser.add_argument("--size", type=lambda text: tuple(map(int, text.split("x"))), default=(1280, 720))
    parser.add_argument("--quality", default="auto")
    parser.add_argument("--frames", type=int, default=600)
    parser.add_argument("--picture", help="save the last frame here")
    options = parser.parse_args()
    app = open_program(options)
    app.first_frame()
    kicks = Kicks(app.world.props)
    work, frame_times, moving = [], [], []
    for k in range(WARM_UP + options.frames):
        if k == WARM_UP:
            process_begin = process_time()
        moving.append(kicks.keep_moving())
        clock_begin, thread_begin = perf_counter(), thread_time()
        app.base.taskMgr.step()
        frame_times.append(perf_counter() - clock_begin)
        work.append(thread_time() - thread_begin)
    process_seconds = process_time() - process_begin
    if options.picture:
        from driving_sandbox.game.platform.window import screenshot

        screenshot(app.base, options.picture)
    work_ms = np.array(work[WARM_UP:]) * 1e3
    frame_seconds = float(np.mean(frame_times[WARM_UP:]))
    app.shut_down()
    print(json.dumps({
        "work": float(work_ms.mean()), "slow": float(np.quantile(work_ms, 0.99)), "rate": 1.0 / frame_seconds,
        "moving": round(float(np.mean(moving[WARM_UP:]))), "all_threads": 1e3 * process_seconds / options.frames,
    }))  # fmt: skip


if __name__ == "__main__":
    main()
