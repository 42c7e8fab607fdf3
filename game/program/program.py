"""The open program: window, interface, inputs, settings, and the drive in it, which can be replaced by another.

A change of vehicle or world has three steps. First the files are read, checked and compiled and a new world is built:
an error is reported, and the present drive goes on. Then the present drive ends, with its recording and its scene. Last
the scene of the next one is built.
"""

import gc
import logging
import sys
from argparse import Namespace
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

from panda3d.core import GraphicsWindow

from driving_sandbox.game.audio.compiling import begin_compiling
from driving_sandbox.game.platform.display_loss import when_display_is_lost
from driving_sandbox.game.platform.shutdown import END_REQUEST
from driving_sandbox.game.platform.stages import (
    CHANGE_STAGES,
    COMPILING,
    COMPILING_SOUND,
    DRIVE_STAGES,
    FILES,
    INSTRUMENTS,
    OPENING,
    PLACING,
    PRELOADING,
    VEHICLE,
)
from driving_sandbox.game.platform.trusted_files import TrustedFiles
from driving_sandbox.game.platform.user_folder import file_errors
from driving_sandbox.game.platform.window import forget_states, screenshot
from driving_sandbox.game.program.app import App
from driving_sandbox.game.program.inputs import Inputs
from driving_sandbox.game.program.loading import LoadingScreen, wait_for_sound
from driving_sandbox.game.program.prepared_drive import PreparedDrive, run_in_background
from driving_sandbox.game.program.world_view import world_view
from driving_sandbox.game.session.choice import Choice, later_options
from driving_sandbox.game.session.drivers import FileDriver, PlayerDriver, make_driver
from driving_sandbox.game.session.tuning_memory import TuningMemory
from driving_sandbox.game.toolkit.backend import ImGuiBackend
from driving_sandbox.game.view.first_frame import preload_spawn_view
from driving_sandbox.game.view.scene import Scene
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.batch.batch import copy_vehicle
from driving_sandbox.physics.vehicle.component_file import UntrustedCode
from driving_sandbox.physics.vehicle.swap import component_files
from driving_sandbox.physics.vehicle.trust import Allowed, has_run
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

_log = logging.getLogger(__name__)


class WindowClosed(Exception):
    """The window was closed while something was loaded."""


class Program:
    """One window and the drives in it.

    Args:
        base: ShowBase with the open window.
        settings: game.program.settings.Settings.
        options: options of the command line.
        choice: the Choice that the program begins with; None if nothing can be chosen.
        trusted: Allowed, the Python files that may run.
    Attributes:
        app: App of the present drive, None between two drives.
        sound_compiler: SoundCompiler of all drives.
        running: whether the window is open and the drive goes on.
    """

    def __init__(
        self, base: Any, settings: Any, options: Namespace, choice: Choice | None = None, trusted: Allowed | None = None
    ) -> None:
        self.base, self.settings, self.options, self.choice = base, settings, options, choice
        self.ui = ImGuiBackend(base, scale=settings.scale)
        self.inputs = Inputs(base)
        self.tuning_memory = TuningMemory()
        self._trusted, self._trusted_before = trusted or Allowed(), TrustedFiles()  # files allowed now; in earlier runs
        self._asked: Path | None = None  # the Python file that `trust` was last asked about
        self._wanted: Choice | None = None  # to change to after this frame
        self._screen: LoadingScreen | None = None  # while something is loaded
        self.app: App | None = None
        self._closed = False  # whether the window was closed while something was loaded
        self._not_recorded = False  # whether a recording that the user named ended before its drive
        if isinstance(base.win, GraphicsWindow):
            when_display_is_lost(self._close_recording)
        self.sound_compiler = begin_compiling(options, settings)

    # ---- the first drive

    def begin(self, prepared: PreparedDrive, driver: Any) -> App:
        """Load the drive that the program begins with; its scene is built while physics and sound are compiled."""
        try:
            return self._load_first(prepared, driver)
        except BaseException:
            self.sound_compiler.close()
            raise

    def _load_first(self, prepared: PreparedDrive, driver: Any) -> App:
        """The work of `begin`, with the loading screen on."""
        compiled = (COMPILING,) if prepared.needs_compiling else ()
        self._open_screen(DRIVE_STAGES, (*compiled, COMPILING_SOUND) if self.sound_compiler.running else compiled)
        self.show(OPENING)
        prepared.begin()
        scene = Scene.of(self.base, world_view(prepared.world_file), self.settings, self.show)
        prepared.wait(self)
        with ThreadPoolExecutor(1) as thread:
            placed = thread.submit(prepared.build_world, self.options.spawn)
            self._preload(scene, prepared.world_file, prepared.vehicle)
            world = placed.result()
        wait_for_sound(self.sound_compiler, self)
        self.show(INSTRUMENTS)
        app = self.open(world, driver, scene, prepared.twin_index(world))
        self._close_screen()
        return app

    def _preload(self, scene: Scene, world_file: Any, vehicle: Vehicle) -> None:
        """Add the vehicle, and draw it and the world around the spawn point: this uploads textures and shaders."""
        if vehicle.geometry:
            self.show(VEHICLE)
            scene.add_vehicle(vehicle.geometry.path, vehicle.paint)
        self.show(PRELOADING)
        preload_spawn_view(self.base, scene, world_file.spawn(self.options.spawn))

    def open(self, world: Any, driver: Any, scene: Scene | None, twin_index: int | None = None) -> App:
        """Begin a drive in `world`; returns its App."""
        app = self.app = App(self.base, self.ui, world, driver, self.options, self.settings, scene, twin_index, self)
        return app

    # ---- running

    def run(self, started: float) -> int:
        """Step frames until the end; returns the exit code: 1 if a named recording ended before its drive, else 0.

        Args:
            started: `perf_counter()` when the program started, s.
        """
        try:
            self._drive.first_frame()
            print(f"first drivable frame after {perf_counter() - started:.1f} s", file=sys.stderr)
            limit = self.options.seconds
            with END_REQUEST.noted():
                while self.running and END_REQUEST.number is None and (limit is None or self._drive.world.time < limit):
                    self.step()
                    self._check_driver()
                if self.options.screenshot and not self._closed:
                    self.base.taskMgr.step()
                    screenshot(self.base, self.options.screenshot)
        finally:
            self.shut_down()
        return 1 if self._not_recorded or (self.app and self.app.session.recording_control.failures) else 0

    def _check_driver(self) -> None:
        """Raise the error of a driver's Python file, if there is one; it ends the program."""
        if self.app is not None and isinstance(self.app.driver, FileDriver) and self.app.driver.error is not None:
            raise self.app.driver.error

    @property
    def _drive(self) -> App:
        """The present drive, where there must be one."""
        assert self.app is not None
        return self.app

    @property
    def _present(self) -> Choice:
        """The choice that is driven, where there must be one."""
        assert self.choice is not None
        return self.choice

    running = property(lambda self: not self._closed and self.app is not None and self.app.running)

    def shut_down(self) -> None:
        """End the drive, if there is one, and close the window."""
        if self.app is not None:
            self.app.running &= not self._window_is_gone  # a closed window gives no thumbnail
            self.app.shut_down()
            return
        self.close()
        self.ui.close()
        self.base.destroy()

    def _close_recording(self) -> None:
        """Close the recording after the display was lost; nothing touches the window, which is gone."""
        if self.app is not None:
            self.app.session.close("display lost")

    def step(self) -> None:
        """Draw one frame, then change to the drive that was requested during it, if any."""
        self.base.taskMgr.step()
        wanted, self._wanted = self._wanted, None
        if wanted is not None and self.running and self._take(wanted):
            self._drive.first_frame()

    # ---- another drive

    def request(self, choice: Choice) -> None:
        """Change to another Choice after this frame."""
        self._wanted = choice

    def allow(self, path: str | Path) -> None:
        """Let a vehicle's Python file run from now on, as long as its content stays the same."""
        try:
            with file_errors(Path(path)):
                self._trusted.add(path)
            self._trusted_before.allow(path)
        except UserError as error:
            self._drive.session.say(str(error), "warning")

    def trust(self, path: str | Path) -> bool:
        """Whether a vehicle's Python file may run; remembers the file for `_refuse`."""
        self._asked = Path(path).resolve()
        return has_run(path) or self._trusted(path) or self._trusted_before(path)

    def _take(self, choice: Choice) -> bool:
        """Change to a Choice: to a new drive, or only to another spawn point or time of day.

        Returns whether a new drive began.
        """
        if (choice.vehicle, choice.world) != (self._present.vehicle, self._present.world):
            same_world = choice.world == self._present.world
            spawn = choice.spawn or (self._drive.placement.spawn if same_world else None)
            return self._change(replace(choice, spawn=spawn))
        self._set_daytime(choice.daytime)
        self._drive.scene.set_daytime(choice.daytime)
        self._drive.pause.resume()
        if choice.spawn is not None:
            self._drive.placement.teleport(choice.spawn)
        self._settle(choice)
        return False

    def _settle(self, choice: Choice) -> None:
        """Take `choice`, with the spawn point in use, as the one that is driven from now on."""
        self.choice = replace(choice, spawn=self._drive.placement.spawn)
        self._drive.pause.settle(self._present)

    def _set_daytime(self, daytime: str) -> None:
        if daytime != self.settings.daytime:
            self.settings.daytime = daytime
            self.settings.save()

    def _change(self, choice: Choice) -> bool:
        """Change vehicle or world; returns whether that worked. An error is shown, and the present drive goes on."""
        self._asked = None
        self._drive.take_thumbnail()  # the loading screen covers the scene from now on
        self._drive.driver_switch.release()
        self._drive.detach()
        self._open_screen(CHANGE_STAGES)
        if not self.options.offscreen:
            self.base.accept(self.base.win.getWindowEvent(), self._window_changed)
        try:
            prepared = self._load(choice)
            if prepared.needs_compiling:
                self._open_screen(CHANGE_STAGES, (COMPILING,))
            prepared.begin()
            prepared.wait(self)
            world = self._in_background(PLACING, share=0.0, work=lambda: prepared.build_world(choice.spawn))
            self._replace(prepared, world, choice)
        except WindowClosed:
            self._closed = True
        except Exception as error:  # from a file, a user's component or the compiler: the present drive continues
            self._refuse(choice, error)
        else:
            return True
        finally:
            self._close_screen()
        return False

    def _refuse(self, choice: Choice, error: Exception) -> None:
        """Show why a choice cannot be driven, and go on with the present drive."""
        _log.warning("%s: %s", choice.vehicle, error, exc_info=not isinstance(error, UserError))
        self._drive.attach()
        self._drive.driver_switch.take_up()
        untrusted = self._asked if isinstance(error, UntrustedCode) else None
        text = str(error) if isinstance(error, UserError) else f"{type(error).__name__}: {error}"
        self._drive.session.say(text, "warning")
        change = self._trusted_before.change(untrusted) if untrusted else ""
        self._drive.pause.refuse(choice, text, untrusted, change)

    def _load(self, choice: Choice) -> PreparedDrive:
        """The PreparedDrive of a choice, read and checked; keeps the values that were changed in the present world."""
        self.show(FILES)
        if choice.vehicle == self._present.vehicle:
            vehicle = copy_vehicle(self._drive.session.vehicle)
        else:
            vehicle = self.tuning_memory.vehicle(choice.vehicle) or load_vehicle(choice.vehicle, trust=self.trust)
        world_file = self._in_background(FILES, share=0.3, work=lambda: load_world(choice.world))
        world_file.spawn(choice.spawn)
        trusted = tuple(component_files(vehicle))
        self.tuning_memory.keep_world(self._present.world, self._drive.world)
        values = self.tuning_memory.world_values(choice.world)
        return PreparedDrive(
            world_file, vehicle, choice.vehicle, self.options.twin, trusted, self.options.offscreen, values
        )

    def _replace(self, prepared: PreparedDrive, world: World, choice: Choice) -> None:
        """End the present drive and begin the next one, or one in the same world if that fails, and raise the error."""
        display, by_ai = self._drive.display_state(), self._drive.driver_switch.by_ai
        last = self._drive.world, self._drive.driver, self._drive.twin_index, self.options
        self._end()
        try:
            self.options = later_options(self.options, self._present, choice)
            self._begin_drive(world, self._driver(prepared), prepared.twin_index(world), choice)
        except BaseException:
            if self._window_is_gone:
                raise WindowClosed from None
            last_world, last_driver, last_twin, self.options = last
            self._begin_drive(last_world, last_driver, last_twin, self._present)
            self._drive.detach()
            raise
        self._drive.restore_display(display)
        if by_ai and not self._drive.driver_switch.by_ai:
            self._drive.driver_switch.toggle()

    def _end(self) -> None:
        """End the present drive; its scene is released from the graphics driver before the next one is built."""
        app, self.app = self._drive, None
        self.tuning_memory.keep(self._present.vehicle, app)
        app.end()
        self._not_recorded |= bool(app.session.recording_control.failures)
        app.scene.close()
        del app
        gc.collect()
        forget_states()

    def _begin_drive(self, world: World, driver: Any, twin_index: int | None, choice: Choice) -> None:
        """Build the scene of a world and begin its drive."""
        assert world.file is not None  # from the file of a choice
        self._set_daytime(choice.daytime)
        scene = Scene.of(self.base, world_view(world.file), self.settings, self.show)
        try:
            self._preload(scene, world.file, world.vehicles[0])
            self.show(INSTRUMENTS)
            self.open(world, driver, scene, twin_index)
        except BaseException:
            scene.close()
            raise
        self.tuning_memory.hand_on(choice.vehicle, self._drive)
        self._settle(choice)

    def _driver(self, prepared: PreparedDrive) -> Any:
        """The next drive's driver: the player, unless the command line named a command table, a Python file or none."""
        if self.options.driver in ("keyboard", "ai"):
            return PlayerDriver(prepared.vehicle)
        return make_driver(self.options.driver, prepared.vehicle, prepared.world_file)

    # ---- while something is loaded

    def show(self, stage: str, share: float = 0.0, note: str = "") -> None:
        """Draw one frame of the loading screen (LoadingScreen.show). Raises WindowClosed."""
        assert self._screen is not None
        self._screen.show(stage, share, note)
        if self._window_is_gone:
            raise WindowClosed

    @property
    def _window_is_gone(self) -> bool:
        return self._closed or (isinstance(self.base.win, GraphicsWindow) and self.base.win.isClosed())

    def _in_background(self, stage: str, share: float, work: Callable[[], Any]) -> Any:
        """The result of `work()`, done in a thread while the loading screen shows that `share` of the stage is done."""
        return run_in_background(work, lambda: self.show(stage, share))

    def _open_screen(self, stages: dict[str, float], compiled: tuple[str, ...] = ()) -> None:
        self._close_screen()
        self._screen = LoadingScreen(self.base, self.ui, stages, compiled)

    def _close_screen(self) -> None:
        if self._screen is not None:
            self._screen.close()
            self._screen = None

    def _window_changed(self, window: Any) -> None:
        """Note that the window was closed while something is loaded; pass on other changes."""
        if window.getProperties().getOpen():
            self.base.windowEvent(window)
        else:
            self._closed = True

    def close(self) -> None:
        """End the program: release the tuning memory, the input devices and the process that compiles the sound."""
        self.sound_compiler.close()
        self.tuning_memory.close()
        self.inputs.close()
