"""Chooses the quality level by measured frame times, saves it, and then adapts the resolution to hold the frame rate.

This is done only in a window and only with the setting "auto". While a level is chosen, vertical sync is off, so that a
frame lasts as long as drawing takes, on the processor or the graphics card, whichever is slower. Software OpenGL stays
on the lowest level, because the next one takes several times as long; only its resolution is adapted.
"""

from __future__ import annotations

from time import thread_time
from typing import TYPE_CHECKING, Any

from driving_sandbox.game.platform.vsync import set_vsync
from driving_sandbox.game.platform.window import is_software, refresh_rate, renderer_name
from driving_sandbox.game.program.frame_rate import DynamicResolution, QualityChoice

if TYPE_CHECKING:
    from driving_sandbox.game.program.settings import Settings
    from driving_sandbox.game.view.scene import Scene

SOFTWARE_RATE = 20.0  # frames/s that software OpenGL shall hold; it reaches a display's rate at no resolution
INTERRUPTION = 1.0  # s; a longer frame was a dragged window or a file dialog, not drawing


class AdaptiveQuality:
    """Adapts a scene's quality level and resolution; call `step` once a frame.

    Args:
        base: ShowBase with a window.
        scene: game.view.scene.Scene.
        settings: game.program.settings.Settings.
    """

    def __init__(self, base: Any, scene: Scene, settings: Settings) -> None:
        self._base, self._scene, self._settings = base, scene, settings
        self._renderer = renderer_name(base)
        self._software = is_software(self._renderer)
        self._period = 1.0 / (SOFTWARE_RATE if self._software else refresh_rate(base))  # s, wanted length of a frame
        self._choice: QualityChoice | None = None  # None unless a level is being chosen
        self._processor = thread_time()  # s of processor time of this thread, at the last `step`
        self._follow_settings()

    @property
    def measuring(self) -> bool:
        """Whether a level is being chosen."""
        return self._choice is not None

    def set_quality(self, quality: str) -> None:
        """Follow the user's choice, which the settings have already: a level, or "auto", which measures again."""
        if self.measuring:
            self._end()
        self._settings.auto_quality = self._settings.auto_renderer = ""
        self._settings.save()
        self._scene.set_quality(quality)
        self._follow_settings()

    def step(self, seconds: float) -> None:
        """Count the last frame, `seconds` long, and change level or resolution if that is due."""
        processor, self._processor = thread_time() - self._processor, thread_time()
        if self._settings.quality != "auto" or seconds > INTERRUPTION:
            return
        choice = self._choice
        if choice is None:
            self._resolution.add(seconds, processor)
            self._scene.set_scale(self._resolution.scale)
            return
        choice.add(seconds)
        if choice.level != self._scene.quality:
            self._scene.set_quality(choice.level)
        if choice.done:
            self._settings.auto_quality, self._settings.auto_renderer = choice.level, self._renderer
            self._settings.save()
            self._end()

    def _follow_settings(self) -> None:
        """Start over at full resolution; measure the level if it is to be chosen on this renderer."""
        settings = self._settings
        self._resolution = DynamicResolution(self._period)
        self._scene.set_scale(1.0)
        if settings.quality == "auto" and not self._software and settings.level(self._renderer) == "auto":
            self._choice = QualityChoice(self._period, self._scene.quality)
            set_vsync(self._base, on=False, report=lambda obeyed: None)

    def _end(self) -> None:
        """End the choice of a level, and switch vertical sync back to the user's setting."""
        self._choice = None
        set_vsync(self._base, on=self._settings.vsync, report=lambda obeyed: None)
