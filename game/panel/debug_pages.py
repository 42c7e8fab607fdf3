"""Pages of plain numbers over the picture: controls and driving aids, driveline, height of the centre of mass.

Each is toggled by a key of its own and shows channels of the vehicle's state as they are after the last tick, so they
are the numbers of the recording and of the telemetry. A page lists every channel of the vehicle that fits one of its
patterns, whatever components the vehicle has; the height page adds what no channel has, the height above the ground.
"""

from __future__ import annotations

from fnmatch import fnmatch

from imgui_bundle import imgui

from game.panel.theme import ACCENT, TEXT_DIM

PAGES = {  # action: (title, patterns of channels)
    "page_aids": (
        "Controls and aids",
        ("input.*", "response.*", "autobox.throttle", "autobox.gear", "engine.throttle", "steering_wheel.angle",
         "brakes.*.torque", "abs.*", "traction_control.*"),
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
TOP = 70.0  # pixels at scale 1, where they begin
_FLAGS = (
    imgui.WindowFlags_.no_saved_settings.value
    | imgui.WindowFlags_.always_auto_resize.value
    | imgui.WindowFlags_.no_focus_on_appearing.value
    | imgui.WindowFlags_.no_nav.value
    | imgui.WindowFlags_.no_inputs.value
    | imgui.WindowFlags_.no_decoration.value
)


class DebugPages:
    """The pages of a session's first vehicle.

    Args:
        ui: ImGuiBackend. session: with `vehicle` and `world`.
    Attributes:
        open: set of the actions whose pages are shown.
    """

    def __init__(self, ui, session):
        self._ui, self._session = ui, session
        self.open = set()
        self._vehicle, self._channels = None, {}

    def actions(self):
        """{action: what its key does}."""
        return {action: lambda a=action: self.toggle(a) for action in PAGES}

    def toggle(self, action):
        self.open ^= {action}

    def values(self, action):
        """[(name, value, unit)] of a page now."""
        vehicle = self._session.vehicle
        if vehicle is not self._vehicle:  # another one, or a component was changed
            self._vehicle = vehicle
            self._channels = {
                a: [c for c in vehicle.channels() if any(fnmatch(c.name, p) for p in patterns)]
                for a, (_, patterns) in PAGES.items()
            }
        found = [(c.name, vehicle.read(c.name), c.unit) for c in self._channels[action]]
        if action == "page_height":
            x, y, z = vehicle.state["body"]["position"][0].tolist()
            found.insert(0, (HEIGHT, z - float(self._session.world.ground.height(x, y)), "m"))
        return found

    def draw(self, left):
        """The open pages, from `left` (pixels) on."""
        scale = self._ui.scale
        x = left + GAP * scale
        for action in (a for a in PAGES if a in self.open):
            imgui.set_next_window_pos(imgui.ImVec2(x, TOP * scale), imgui.Cond_.always.value)
            imgui.begin(f"{PAGES[action][0]}###{action}", None, _FLAGS)
            imgui.text_colored(imgui.ImVec4(*ACCENT), PAGES[action][0])
            if imgui.begin_table(action, 3, imgui.TableFlags_.sizing_fixed_fit.value):
                for name, value, unit in self.values(action):
                    _row(name, f"{value:d}" if isinstance(value, int) else f"{value:.4f}", "" if unit == "1" else unit)
                imgui.end_table()
            x += imgui.get_window_width() + GAP * scale
            imgui.end()


def _row(name, value, unit):
    imgui.table_next_row()
    imgui.table_next_column()
    imgui.text_colored(imgui.ImVec4(*TEXT_DIM), name)
    imgui.table_next_column()
    imgui.text_unformatted(value)
    imgui.table_next_column()
    imgui.text_colored(imgui.ImVec4(*TEXT_DIM), unit)
