"""Dear ImGui inside a Panda3D window or offscreen buffer.

    ui = ImGuiBackend(base)
    ui.add(panel.draw)         # called once a frame between new_frame and render
    if not ui.wants_keyboard:  # else keys belong to the interface, not to the game
        ...

One interface frame is built per step of Panda3D's task manager, after the game's own tasks (sort 45; Panda3D draws at
50), so that it shows this frame's state. The game's tasks therefore read the `wants_*` of the frame before, as is usual
with ImGui.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

from imgui_bundle import imgui, implot

from driving_sandbox.game.toolkit.clipboard import Clipboard
from driving_sandbox.game.toolkit.feed import InputFeed
from driving_sandbox.game.toolkit.painter import Painter, TextureStore
from driving_sandbox.game.toolkit.theme import SCALE_RANGE, Fonts, apply_theme, suggested_scale
from driving_sandbox.game.toolkit.widget_events import WidgetEvents

TASK = "imgui"  # name of the task that builds the interface
TASK_SORT = 45  # after game update (0 .. 40), before Panda3D's igLoop (50)
ANY_POPUP = imgui.PopupFlags_.any_popup.value
MIN_STEP = 1e-4  # s; ImGui refuses a time step of zero


class ItemLog:
    """Rectangles of widgets by name, so that tests can click on them. While disabled, it stores nothing."""

    def __init__(self) -> None:
        self.enabled = False
        # {name: (left, top, right, bottom), pixels}
        self._rectangles: dict[str, tuple[float, float, float, float]] = {}

    def note(self, name: str) -> None:
        """Store the rectangle of the widget drawn last under `name`."""
        if self.enabled and imgui.is_item_visible():
            low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
            self._rectangles[name] = (low.x, low.y, high.x, high.y)

    def put(self, name: str, rectangle: tuple[float, float, float, float]) -> None:
        """Store any rectangle (left, top, right, bottom), pixels, under `name`."""
        if self.enabled:
            self._rectangles[name] = rectangle

    def clear(self) -> None:
        """Forget all rectangles."""
        self._rectangles.clear()

    def names(self) -> list[str]:
        """Names of the widgets stored."""
        return list(self._rectangles)

    def __contains__(self, name: str) -> bool:
        return name in self._rectangles

    def rectangle(self, name: str) -> tuple[float, float, float, float]:
        """(left, top, right, bottom) of a widget in the latest frame, pixels. Raises KeyError if it was not visible."""
        return self._rectangles[name]

    def point(self, name: str, fraction: float = 0.5) -> tuple[float, float]:
        """A point on the widget, `fraction` of its width from the left."""
        left, top, right, bottom = self._rectangles[name]
        return left + (right - left) * fraction, (top + bottom) / 2.0


class ImGuiBackend:
    """One ImGui context bound to `base`. Only one may exist at a time; `close` frees it.

    Attributes:
        feed: InputFeed, which tests use as well.
        fonts: Fonts.
        items: ItemLog.
        events: WidgetEvents, to be read by the last drawer.
        seconds: time that building the last frame took, s.
    """

    def __init__(self, base: Any, scale: float = 1.0, clipboard: Clipboard | None = None) -> None:
        self._base = base
        self._drawers: list[Callable[[], object]] = []  # functions that draw the interface, in order
        self._context = imgui.create_context()
        self._plot_context = implot.create_context()
        self._io = imgui.get_io()
        self._io.set_ini_filename("")
        self._io.config_windows_move_from_title_bar_only = True
        flags = imgui.BackendFlags_
        self._io.backend_flags |= flags.renderer_has_textures.value | flags.renderer_has_vtx_offset.value
        self.clipboard = clipboard = clipboard or Clipboard()
        platform = imgui.get_platform_io()  # keeps its functions past `close`: they refer to the clipboard only
        platform.platform_set_clipboard_text_fn = lambda _context, text: clipboard.copy(text)
        platform.platform_get_clipboard_text_fn = lambda _context: clipboard.paste()
        self.fonts = Fonts(self._io.fonts)
        self._painter = Painter(base.render2d)
        self.feed = InputFeed(base)
        self.items, self.events = ItemLog(), WidgetEvents()
        self.seconds = 0.0
        self._scale = self._fixed_scale = 0.0  # scale of the present theme; scale that the user chose, 0 for none
        self._fitted_scale = suggested_scale(base.win.getYSize())
        self.set_scale(scale)
        # the task is not stored: the garbage collector cannot free a cycle through one
        base.taskMgr.add(self._frame, TASK, sort=TASK_SORT)

    @property
    def scale(self) -> float:
        """Scale of the interface: the one set, or else one that fits the frame's height."""
        return self._fixed_scale or self._fitted_scale

    def set_scale(self, scale: float) -> None:
        """Set the interface scale, within SCALE_RANGE, or 0 to follow the frame's height.

        It acts from the next frame on, so that a slider may call it.
        """
        low, high = SCALE_RANGE
        self._fixed_scale = min(high, max(low, scale)) if scale else 0.0

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the frame in pixels."""
        return self._base.win.getXSize(), self._base.win.getYSize()

    @property
    def textures(self) -> TextureStore:
        """The TextureStore, to which further images can be added."""
        return self._painter.textures

    @property
    def wants_keyboard(self) -> bool:
        """Whether keys are typed into a field and must not reach the game; false while a slider is dragged."""
        return self._io.want_text_input

    @property
    def awaits_answer(self) -> bool:
        """Whether `wants_keyboard` does not reflect the last click yet, which takes one or two frames."""
        return self.feed.awaits_answer

    @property
    def wants_mouse(self) -> bool:
        """Whether the mouse is over a window of the interface or drags one of its widgets."""
        return self._io.want_capture_mouse

    @property
    def popup_count(self) -> int:
        """Number of open popups: lists, menus and questions."""
        return imgui.get_current_context().open_popup_stack.size()

    def close_popup(self) -> bool:
        """Close the popup that was opened last; returns whether there was one.

        Dear ImGui closes it on Escape only while its navigation by keys is on.
        """
        depth = self.popup_count if imgui.is_popup_open("", ANY_POPUP) else 0
        if depth:
            imgui.internal.close_popup_to_level(depth - 1, restore_focus_to_window_under_popup=True)
        return depth > 0

    def add(self, drawer: Callable[[], object]) -> None:
        """Call `drawer()` in every frame, after those added before."""
        self._drawers.append(drawer)

    def remove(self, drawer: Callable[[], object]) -> None:
        """Call `drawer()` no more."""
        self._drawers.remove(drawer)

    def _frame(self, task: Any) -> Any:
        """Panda3D's task of the interface: build a frame unless the window is minimised."""
        start = perf_counter()
        width, height = self.size
        if width > 0 and height > 0:  # a minimised window has no pixels
            self.build_frame(width, height)
        self.seconds = perf_counter() - start
        return task.cont

    def build_frame(self, width: int, height: int) -> None:
        """Process input and draw all widgets of one frame."""
        self._fitted_scale = suggested_scale(height)
        if self._scale != self.scale:
            self._scale = self.scale
            apply_theme(self._scale)
        self._io.display_size = imgui.ImVec2(width, height)
        self._io.delta_time = max(MIN_STEP, self._base.clock.getDt())
        self.feed.poll()
        if self.items.enabled:
            self.items.clear()
        imgui.new_frame()
        self.feed.frame_began()
        try:
            for drawer in self._drawers:
                drawer()
        except BaseException:
            self._abandon_frame()
            raise
        imgui.render()
        self._painter.textures.update(imgui.get_platform_io().textures)
        self._painter.paint(imgui.get_draw_data())

    def _abandon_frame(self) -> None:
        """End a frame whose drawer failed and left windows open; otherwise the next frame could not begin."""
        self._io.config_error_recovery_enable_assert = False
        self._io.config_error_recovery_enable_debug_log = False
        imgui.end_frame()
        self._io.config_error_recovery_enable_assert = True
        self._io.config_error_recovery_enable_debug_log = True

    def close(self) -> None:
        """Release the node, the events and the ImGui contexts."""
        self._base.taskMgr.remove(TASK)
        self.feed.close()
        self._painter.close()
        implot.destroy_context(self._plot_context)
        imgui.destroy_context(self._context)
