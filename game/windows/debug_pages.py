"""Pages of plain numbers on top of the frame: controls and driving aids, driveline, height of the centre of mass.

Each page is toggled by its own key and shows channels of the vehicle's state after the last tick, the same numbers as
in recordings and telemetry. A page lists every channel that matches one of its patterns; the page of the centre of mass
adds the height above the ground, which is not a channel.

Pages are drawn side by side; a list that is too long for a column continues in further columns, with smaller letters if
necessary.
"""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatch
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

from imgui_bundle import imgui

from driving_sandbox.game.toolkit.flags import BARE
from driving_sandbox.game.toolkit.theme import ACCENT, TEXT, TEXT_DIM
from driving_sandbox.game.windows.window import FreeArea, Key, Window

if TYPE_CHECKING:
    from driving_sandbox.game.session.session import Session
    from driving_sandbox.game.toolkit.backend import ImGuiBackend

GROUP = "Numbers and forces"
PAGES = {  # {action: (title, patterns of channels)}
    "page_aids": (
        "Controls and aids",
        ("input.*", "response.*", "autobox.throttle", "autobox.gear", "engine.throttle", "steering_wheel.angle",
         "brakes.*.torque", "abs.*", "traction_control.*", "brake_distribution.*",
         "stability_control.*", "hill_hold.*"),
    ),
    "page_driveline": (
        "Driveline",
        ("engine.omega", "engine.torque", "engine.running", "clutch.normalised", "drivetrain.*", "gearbox.*",
         "limited_slip.*", "wheel.*.omega", "suspension.*.jounce"),
    ),
    "page_height": ("Centre of mass", ("body.position.*", "body.velocity.*", "suspension.*.jounce")),
}  # fmt: skip
HEIGHT = "height above the ground"
GAP = 12.0  # pixels at scale 1 between pages and from the border
TOP = 70.0  # pixels at scale 1 from the frame's upper edge to the pages
FONT_SIZES = (15.0, 13.5, 12.0)  # pixels at scale 1; the largest size with which all pages fit is taken
CELL_GAP = 14.0  # pixels at scale 1 between name, value and unit
WIDEST_VALUE = "-00000.0000"  # text as wide as the column of values, so that the layout is stable while they change
_FLAGS = (
    BARE | imgui.WindowFlags_.no_scrollbar.value | imgui.WindowFlags_.no_focus_on_appearing.value
    | imgui.WindowFlags_.no_nav.value | imgui.WindowFlags_.no_inputs.value
)  # fmt: skip


class DebugPages(Window):
    """The pages about the player's vehicle.

    Args:
        ui: ImGuiBackend.
        session: Session.
    Attributes:
        shown: actions whose pages are shown.
        open: whether any page is shown.
    """

    name = "debug_pages"
    keys = (
        Key("page_aids", ("control+4",), "Numbers: controls and driving aids", GROUP, after="turn_right"),
        Key("page_driveline", ("control+8",), "Numbers: driveline and suspension", GROUP, after="page_aids"),
        Key("page_height", ("control+9",), "Numbers: height of the centre of mass", GROUP, after="page_driveline"),
    )
    order = 10

    def __init__(self, ui: ImGuiBackend, session: Session) -> None:
        self._ui, self._session = ui, session
        self.shown: set[str] = set()
        self._vehicle: Any = None  # that `_channels` belong to
        self._channels: dict[str, list[Any]] = {}  # {action: channels}

    @classmethod
    def make(cls, screen: Any) -> DebugPages | None:
        """The pages of a drive; None in a replay."""
        return cls(screen.ui, screen.session) if screen.session else None

    def actions(self) -> dict[str, Callable[[], object]]:
        """{action: function that shows or hides its page}."""
        return {action: partial(self.toggle, action) for action in PAGES}

    def toggle(self, action: str = "page_aids") -> None:
        """Show or hide the page of an action."""
        self.shown ^= {action}
        self.open = bool(self.shown)

    def values(self, action: str) -> list[tuple[str, Any, str]]:
        """[(name, value, unit)] of a page."""
        vehicle = self._session.vehicle
        if vehicle is not self._vehicle:  # another vehicle, or a component was swapped
            self._vehicle = vehicle
            self._channels = {
                a: [c for c in vehicle.channels() if any(fnmatch(c.name, p) for p in patterns)]
                for a, (_, patterns) in PAGES.items()
            }
        rows = [(c.name, vehicle.read(c.name), c.unit) for c in self._channels[action]]
        if action == "page_height":
            x, y, z = vehicle.state["body"]["position"][0].tolist()
            rows.insert(0, (HEIGHT, z - float(self._session.world.ground.height(x, y)), "m"))
        return rows

    def draw(self, free: FreeArea) -> None:
        """Draw the open pages in the free area, above the instruments, unless a window has the interface to itself."""
        contents = [] if free.alone else [(action, self.values(action)) for action in PAGES if action in self.shown]
        if not contents:
            return
        scale = self._ui.scale
        font_size, x, pages = self._arranged(contents, (free.left, free.right), free.bottom)
        imgui.push_font(self._ui.fonts.text, font_size)
        for page in pages:
            self._ui.items.put(page.action, page.draw(x, TOP * scale))
            x += page.width + GAP * scale
        imgui.pop_font()

    def _arranged(
        self, contents: list[tuple[str, list[tuple[str, Any, str]]]], area: tuple[float, float], low: float
    ) -> tuple[float, float, list[_Page]]:
        """(font size, left end, pages) of an arrangement that fits.

        The pages cover the instruments, and then also the panels, only if there is no other space.

        Args:
            contents: [(action, values)].
            area: left and right end of the free area, pixels.
            low: upper edge of the instruments, pixels.
        """
        scale, (width, height) = self._ui.scale, self._ui.size
        for (left, right, bottom), font_size in product(
            ((*area, low), (*area, height), (0.0, width, height)), FONT_SIZES
        ):
            imgui.push_font(self._ui.fonts.text, font_size)
            pages = [_Page(action, values, bottom - (TOP + GAP) * scale, scale) for action, values in contents]
            imgui.pop_font()
            left += GAP * scale
            if left + sum(page.width + GAP * scale for page in pages) <= right:
                break
        return font_size, left, pages


class _Page:
    """Layout and drawing of one page in the present font, at most `height` pixels high."""

    def __init__(self, action: str, values: list[tuple[str, Any, str]], height: float, scale: float) -> None:
        self.action = action
        style = imgui.get_style()
        self._texts = [(name, f"{value:d}" if isinstance(value, int) else f"{value:z.4f}", "" if unit == "1" else unit)
                       for name, value, unit in values]  # fmt: skip
        self._line = imgui.get_text_line_height_with_spacing()
        self._rows = max(1, int((height - 2.0 * style.window_padding.y) // self._line) - 1)  # the first is the title
        self._columns = max(1, -(-len(self._texts) // self._rows))  # rounded up, as the rows below
        self._rows = -(-len(self._texts) // self._columns)
        name, unit = (max((imgui.calc_text_size(texts[k]).x for texts in self._texts), default=0.0) for k in (0, 2))
        # widths of name, value and unit with the gaps after them, pixels
        self._steps = (
            name + CELL_GAP * scale,
            imgui.calc_text_size(WIDEST_VALUE).x + CELL_GAP * scale,
            unit + CELL_GAP * scale,
        )
        self.width = self._columns * sum(self._steps) - CELL_GAP * scale + 2.0 * style.window_padding.x
        self.height = (self._rows + 1) * self._line - style.item_spacing.y + 2.0 * style.window_padding.y

    def draw(self, x: float, y: float) -> tuple[float, float, float, float]:
        """Draw the page's window at a position; returns its (left, top, right, bottom), pixels."""
        imgui.set_next_window_pos(imgui.ImVec2(x, y), imgui.Cond_.always.value)
        imgui.set_next_window_size(imgui.ImVec2(self.width, self.height), imgui.Cond_.always.value)
        imgui.begin(f"{PAGES[self.action][0]}###{self.action}", None, _FLAGS)
        imgui.text_colored(imgui.ImVec4(*ACCENT), PAGES[self.action][0])
        start = imgui.get_cursor_pos()
        for number, texts in enumerate(self._texts):
            column, row = divmod(number, self._rows)
            left = start.x + column * sum(self._steps)
            for text, step, color in zip(texts, self._steps, (TEXT_DIM, TEXT, TEXT_DIM), strict=True):
                imgui.set_cursor_pos(imgui.ImVec2(left, start.y + row * self._line))
                imgui.text_colored(imgui.ImVec4(*color), text)
                left += step
        imgui.end()
        return x, y, x + self.width, y + self.height
