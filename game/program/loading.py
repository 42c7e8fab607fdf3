"""The loading screen, and compiling a vehicle's physics with its progress there and on the terminal."""

import sys
from functools import partial
from time import perf_counter, sleep

from imgui_bundle import imgui

from driving_sandbox.game.platform.shutdown import REQUEST, Ended
from driving_sandbox.game.platform.stages import COMPILING, Progress
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.compile import CompileWorker, is_warm

KERNEL_COUNT = 390  # kernels of the default vehicle; only the length of the progress bar depends on it
FRAME_PAUSE = 0.1  # s between frames; without a pause, software OpenGL would take the processor from the compiler
BAR_WIDTH, BAR_HEIGHT = 420.0, 10.0  # pixels at interface scale 1
COMPILING_LINES = ("Compiling the physics for this computer.", "This is needed once, and again after an update.")


class CompileFailed(UserError):
    """The worker that compiles the physics has failed; `str()` is its message."""

    exit_code = 1


class LoadingScreen:
    """A line of text and a progress bar, drawn with ImGui while the program gets ready.

    Attributes:
        text: the stage.
        share: share of the start that is done, 0..1.
        compiles: whether physics is compiled.
    """

    def __init__(self, base, ui, stages, compiles):
        self._base, self._ui = base, ui
        self._progress = Progress(stages, () if compiles else (COMPILING,))
        self.text, self.share, self.compiles = "", 0.0, compiles
        ui.add(self._draw)

    def show(self, stage, share=0.0, note=""):
        """Draw one frame with a stage, the share of that stage that is done (0..1), and a note; the scene is hidden."""
        self.text, self.share = f"{stage}: {note}" if note else stage, self._progress.at(stage, share)
        self._base.render.hide()
        self._base.taskMgr.step()
        self._base.render.show()

    def close(self) -> None:
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
        for k, text in enumerate((self.text, *(COMPILING_LINES if self.compiles else ()))):
            size = imgui.calc_text_size(text)
            color = imgui.get_color_u32((1, 1, 1, 0.9 if k == 0 else 0.5))
            position = imgui.ImVec2((width - size.x) / 2.0, bottom + line * (k + 1))
            draw.add_text(position, color, text)


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

    def __init__(self, vehicle, vehicle_path, world_path, trusted, on_terminal, needed):
        self._ready, self._on_terminal = partial(is_warm, vehicle, **needed), on_terminal
        self._started = perf_counter()
        self._worker = None if self._ready() else CompileWorker(vehicle_path, world_path, trusted=trusted)

    def wait(self, screen, done=0.0, span=1.0):
        """Block until driving can begin, and show the progress, from `done` to `done + span` of the stage (0..1).

        Raises CompileFailed if the worker fails; closing the window ends the worker.
        """
        worker, reported = self._worker, -1
        if worker is None:
            return
        try:
            while worker.poll() and not self._ready():
                share = min(1.0, worker.count / KERNEL_COUNT)
                with REQUEST.noted():  # an exception raised while imgui draws would be lost
                    screen.show(COMPILING, done + span * share, f"{worker.count} parts")
                if REQUEST.number is not None:
                    raise Ended
                sleep(FRAME_PAUSE)
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
