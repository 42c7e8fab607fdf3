"""The loading screen, and compiling a vehicle's physics and the sound with their progress there and on the terminal."""

import sys
from functools import partial
from pathlib import Path
from time import monotonic, perf_counter, sleep
from typing import TYPE_CHECKING, Any

from imgui_bundle import imgui

from driving_sandbox.game.audio.compiling import SoundCompiler
from driving_sandbox.game.platform.shutdown import END_REQUEST, EndRequested
from driving_sandbox.game.platform.stages import COMPILING, COMPILING_SOUND, Progress
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.compile import CompileWorker, CountingWorker, is_warm

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

# Kernels of the default vehicle, and of the sound with 50 added, as its last ones take as long as 50 more. Only the
# length of the progress bar depends on these numbers.
KERNEL_COUNT, SOUND_KERNEL_COUNT = 540, 300
LONGEST_WAIT = 60.0  # s of waiting for the sound after all else is ready; then the drive begins without it
FRAME_PAUSE = 0.1  # s between frames; without a pause, software OpenGL would take the processor from the compiler
BAR_WIDTH, BAR_HEIGHT = 420.0, 10.0  # pixels at interface scale 1
COMPILED = {COMPILING: "the physics", COMPILING_SOUND: "the sound"}  # {stage: what it compiles, unless that is cached}
ONCE = "This is needed once, and again after an update."


class CompileFailed(UserError):
    """The worker that compiles the physics has failed; `str()` is its message."""

    exit_code = 1


class LoadingScreen:
    """A line of text and a progress bar, drawn with ImGui while the program gets ready.

    Args:
        base: ShowBase.
        ui: ImGuiBackend.
        stages: {name: usual seconds}, see game/platform/stages.py.
        compiled: those stages of COMPILED in which something has to be compiled.
    Attributes:
        text: the stage with its note.
        share: share of the start that is done, 0..1.
        notes: lines below `text`: what is compiled, and that this is rarely needed.
    """

    def __init__(self, base: Any, ui: Any, stages: dict[str, float], compiled: tuple[str, ...]) -> None:
        self._base, self._ui = base, ui
        self._progress = Progress(stages, tuple(name for name in COMPILED if name in stages and name not in compiled))
        self.text, self.share = "", 0.0
        what = " and ".join(COMPILED[name] for name in compiled)
        self.notes = (f"Compiling {what} for this computer.", ONCE) if what else ()
        ui.add(self._draw)

    def show(self, stage: str, share: float = 0.0, note: str = "") -> None:
        """Draw one frame with a stage, the share of that stage that is done (0..1), and a note; the scene is hidden."""
        self.text, self.share = f"{stage}: {note}" if note else stage, self._progress.at(stage, share)
        self._base.render.hide()
        self._base.taskMgr.step()
        self._base.render.show()

    def close(self) -> None:
        """Remove the screen from the interface."""
        self._ui.remove(self._draw)

    def _draw(self) -> None:
        """Draw text and progress bar in the middle of the frame."""
        scale, (width, height) = self._ui.scale, self._ui.size
        draw = imgui.get_background_draw_list()
        background = imgui.get_color_u32((0.07, 0.08, 0.10, 1.0))
        draw.add_rect_filled(imgui.ImVec2(0, 0), imgui.ImVec2(width, height), background)
        left, top = (width - BAR_WIDTH * scale) / 2.0, height * 0.55
        right, bottom = left + BAR_WIDTH * scale, top + BAR_HEIGHT * scale
        draw.add_rect_filled(imgui.ImVec2(left, top), imgui.ImVec2(right, bottom), imgui.get_color_u32((1, 1, 1, 0.10)))
        filled = left + (right - left) * self.share
        bar_color = imgui.get_color_u32((0.906, 0.431, 0.141, 1.0))
        draw.add_rect_filled(imgui.ImVec2(left, top), imgui.ImVec2(filled, bottom), bar_color)
        line = imgui.get_text_line_height() * 1.4
        for k, text in enumerate((self.text, *self.notes)):
            size = imgui.calc_text_size(text)
            color = imgui.get_color_u32((1, 1, 1, 0.9 if k == 0 else 0.5))
            position = imgui.ImVec2((width - size.x) / 2.0, bottom + line * (k + 1))
            draw.add_text(position, color, text)


def _show_compiling(screen: Any, stage: str, worker: CountingWorker, share: float) -> None:
    """Draw a frame while a worker process compiles, and wait FRAME_PAUSE. Raises EndRequested on a signal."""
    with END_REQUEST.noted():  # an exception raised while imgui draws would be lost
        screen.show(stage, share, f"{worker.count} parts")
    if END_REQUEST.number is not None:
        raise EndRequested
    sleep(FRAME_PAUSE)


def wait_for_sound(compiler: SoundCompiler, screen: Any) -> None:
    """Block until the sound is compiled, and show the progress; not for ever, as a drive needs no sound.

    On two cores the sound is compiled a few seconds after the physics. If the drive began at once, drawing would leave
    the worker process so little time that the sound would come a minute later.
    """
    end = monotonic() + LONGEST_WAIT
    while (worker := compiler.worker) is not None and worker.poll() and monotonic() < end:
        _show_compiling(screen, COMPILING_SOUND, worker, min(1.0, worker.count / SOUND_KERNEL_COUNT))
    compiler.step_back()


class Preparation:
    """Compiles a vehicle's kernels in a worker process, which starts at once; does nothing if they are cached.

    The program does its other work until it calls `wait`. Afterwards the worker goes on with rarely needed kernels.

    Args:
        vehicle: the vehicle whose kernels are compiled.
        vehicle_path: its file.
        world_path: file of its world.
        trusted: component files that may run.
        on_terminal: whether to print the progress.
        needed: keyword arguments of `is_warm`: kernels that `wait` waits for in addition to the vehicle's own.
    """

    def __init__(
        self,
        vehicle: "Vehicle",
        vehicle_path: Path,
        world_path: Path | str,
        trusted: tuple,
        on_terminal: bool,
        needed: dict[str, bool],
    ) -> None:
        self._ready, self._on_terminal = partial(is_warm, vehicle, **needed), on_terminal
        self._started = perf_counter()
        # None if nothing has to be compiled
        self._worker = None if self._ready() else CompileWorker(vehicle_path, world_path, trusted=trusted)

    def wait(self, screen: Any, done: float = 0.0, span: float = 1.0) -> None:
        """Block until driving can begin, and show the progress, from `done` to `done + span` of the stage (0..1).

        Raises CompileFailed if the worker fails. An exception of `screen` (WindowClosed), or EndRequested, ends it.
        """
        worker, reported = self._worker, -1
        if worker is None:
            return
        try:
            while worker.poll() and not self._ready():
                share = min(1.0, worker.count / KERNEL_COUNT)
                _show_compiling(screen, COMPILING, worker, done + span * share)
                if self._on_terminal and worker.count // 20 != reported:  # a line every 20 kernels
                    reported = worker.count // 20
                    print(f"preparing the physics: {worker.count} parts compiled", file=sys.stderr)
        except BaseException:
            worker.cancel()
            raise
        if worker.error:
            raise CompileFailed(f"the physics could not be compiled: {worker.error}")
        if self._on_terminal:
            print(f"physics ready after {perf_counter() - self._started:.1f} s", file=sys.stderr)
