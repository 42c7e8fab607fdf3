"""Which key, button or axis means which action, changeable while running; game/windows/bindings_file.py reads and saves
them.

Keys are *physical* keys named by the US layout ("w" is the key above "s" on every keyboard); only a `control+`
combination goes by the letter printed on the key.

An axis is read in four steps (`AxisBinding`): range -> inversion -> dead zone (rescaled: no jump at its edge) -> curve.
Device profiles are tried in order, the user's first: by GUID, by "vendor:product" id, by a part of the name, as a
gamepad known to SDL, or any.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from driving_sandbox.physics.schema.yaml_file import key_hint

KINDS = ("pad", "wheel", "stick")  # kinds of input devices
TWO_SIDED = {  # {analog action with values -1..1: (action of the key or button for -1, action of that for +1)}
    "steer": ("steer_left", "steer_right"),
    "thrust_left": ("left_track_back", "left_track_ahead"),
    "thrust_right": ("right_track_back", "right_track_ahead"),
}
SIDES = tuple(side for pair in TWO_SIDED.values() for side in pair)  # actions of keys and buttons for one side each
PEDALS = ("throttle", "brake", "handbrake", "clutch", "brake_left", "brake_right")  # analog actions, values 0..1
ANALOG_NAMES = {"steer": "Steering", "throttle": "Throttle", "brake": "Brake", "handbrake": "Handbrake",
                "clutch": "Clutch", "thrust_left": "Left track", "thrust_right": "Right track",
                "brake_left": "Left track brake", "brake_right": "Right track brake"}  # fmt: skip
ANALOG = tuple(ANALOG_NAMES)
SHIFTER = ("shifter_reverse", *(f"shifter_{n}" for n in range(1, 8)))
ACTIONS = {  # {action: text of the help screen}; windows add theirs by `declare_action`
    "throttle": "Throttle (brakes when rolling backwards)",
    "brake": "Brake (reverses when at rest)",
    "steer_left": "Steer left",
    "steer_right": "Steer right",
    "handbrake": "Handbrake",
    "clutch": "Clutch",
    "gear_up": "Gear up",
    "gear_down": "Gear down",
    "neutral": "Neutral",
    "toggle_automatic": "Automatic or manual gears",
    "left_track_ahead": "Lever of the left track ahead",
    "left_track_back": "Lever of the left track back",
    "right_track_ahead": "Lever of the right track ahead",
    "right_track_back": "Lever of the right track back",
    "brake_left": "Brake lever of the left track",
    "brake_right": "Brake lever of the right track",
    "recover": "Put the car back on its wheels",
    "rewind": "Rewind the last seconds",
    "reset_props": "Put cones, crates and everything else back",
    "keep_recording": "Keep the recording",
    "mark": "Put a mark into the recording",
    "camera": "Next camera",
    "look_back": "Look back",
    "pause": "Pause: menu",
    "choose": "Choose vehicle, world, spawn point and time of day",
    "restart": "Restart where the drive began",
    "slow_motion": "Slow motion: half, quarter, full speed",
    "panel": "Tuning panel",
    "hud": "Instruments on or off",
    "mouse_steering": "Steer by the mouse, on or off",
    "head_lamps": "Headlamps on or off",
    "horn": "Horn",
    "turn_left": "Turn signal to the left",
    "turn_right": "Turn signal to the right",
    "toggle_abs": "Anti-lock brakes on or off",
    "toggle_traction_control": "Traction control on or off",
    "toggle_stability_control": "Stability control on or off",
    "toggle_hill_hold": "Hill hold on or off",
    "fullscreen": "Full screen",
    "mute": "Sound on or off",
    "screenshot": "Save a picture",
    "interface_larger": "Larger interface",
    "interface_smaller": "Smaller interface",
    "undo": "Undo the last change of a parameter",
    "redo": "Redo the change",
    "what_if": "What if: the last seconds again with each change",
    "flip_setup": "Drive the other setup, A or B",
    "ghosts": "Ghosts on or off",
    "twin": "Twin on or off",
    "ai": "Hand the car to the AI, or take it back",
    "ai_faster": "AI faster",
    "ai_slower": "AI slower",
    "keep_lap": "Keep this lap as the AI's line",
    **{name: "Shifter gate " + ("R" if name == "shifter_reverse" else name[-1]) for name in SHIFTER},
}
GROUPS = {  # {heading of the help screen: its actions}, a beginner's actions first; every action is in one group
    "Driving": ("throttle", "brake", "steer_left", "steer_right", "handbrake", "recover", "rewind", "camera",
                "look_back", "pause", "restart", "choose", "slow_motion", "mouse_steering"),
    "Gears": ("toggle_automatic", "gear_up", "gear_down", "neutral", "clutch", *SHIFTER),
    "Driving aids": ("toggle_abs", "toggle_traction_control", "toggle_stability_control", "toggle_hill_hold"),
    "Lights and horn": ("head_lamps", "turn_left", "turn_right", "horn"),
    "Tuning": ("panel", "undo", "redo", "what_if", "flip_setup"),
    "AI and ghosts": ("ai", "ai_faster", "ai_slower", "keep_lap", "ghosts", "twin"),
    "Recording": ("keep_recording", "mark"),
    "Numbers and forces": (),  # windows declare its actions
    "Program": ("hud", "reset_props", "mute", "fullscreen", "screenshot", "interface_larger", "interface_smaller"),
    "Tanks": ("left_track_ahead", "left_track_back", "right_track_ahead", "right_track_back", "brake_left",
              "brake_right"),
}  # fmt: skip
MENU = {  # actions of pads and wheels in menus only: a button may mean one of these and something else while driving
    "menu_up": "Up in a menu",
    "menu_down": "Down in a menu",
    "menu_left": "Left in a menu",
    "menu_right": "Right in a menu",
    "menu_accept": "Choose in a menu",
    "menu_back": "Back in a menu",
}
# {action: keys} for actions that windows declared; default.yaml in configs/controls has the others
DECLARED_KEYS: dict[str, tuple[str, ...]] = {}
SHIFTS = ("gear_up", "gear_down")  # take effect when pressed; some gearboxes also read how long they are held
HELD_ACTIONS = (*PEDALS, *SIDES, "look_back", "horn", *SHIFTER)  # in effect only while the key or button is held


def declare_action(action: str, text: str, group: str, keys: Sequence[str] = (), after: str | None = None) -> None:
    """Add an action to ACTIONS and GROUPS, and its keys to DECLARED_KEYS.

    Args:
        action: name of the action, as in bindings files.
        text: its description on the help screen.
        group: its heading on the help screen, one of GROUPS.
        keys: its physical keys unless a bindings file says otherwise.
        after: action after which it is listed; None, or an action of another group, puts it at the end of its group.
    Raises:
        ValueError: the action exists already, or `group` or `after` is unknown.
    """
    if action in ACTIONS:
        raise ValueError(f"the action {action!r} is declared already")
    if group not in GROUPS:
        raise ValueError(f"action {action!r}: unknown group {group!r}{key_hint(group, GROUPS)}")
    if after is not None and after not in ACTIONS:
        raise ValueError(f"action {action!r}: listed after an unknown action {after!r}{key_hint(after, ACTIONS)}")
    names, members = list(ACTIONS), GROUPS[group]
    index = names.index(SHIFTER[0]) if after is None else names.index(after) + 1
    rows = [*list(ACTIONS.items())[:index], (action, text), *list(ACTIONS.items())[index:]]
    ACTIONS.clear()
    ACTIONS.update(rows)
    index = members.index(after) + 1 if after in members else len(members)
    GROUPS[group] = (*members[:index], action, *members[index:])
    DECLARED_KEYS[action] = tuple(keys)


@dataclass(frozen=True)
class AxisBinding:
    """How one axis of a device is read.

    Args:
        axis: number of the axis, or SDL's gamepad name for it ("leftx", "righttrigger").
        minimum, maximum: raw values -1..1 at the two ends of the travel, minimum < maximum.
        inverted: the raw value falls while the pedal is pressed, the wheel turns right or the thrust lever goes ahead.
        dead_zone: share of the travel without effect, 0..0.9: at rest (pedal) or around the centre.
        curve: exponent of the response; 1 is linear, 2 is finer near rest.
    """

    axis: int | str
    minimum: float = -1.0
    maximum: float = 1.0
    inverted: bool = False
    dead_zone: float = 0.0
    curve: float = 1.0

    def pedal(self, raw: float) -> float:
        """The value 0..1 of a pedal whose axis reads `raw`."""
        travel = min(max((raw - self.minimum) / (self.maximum - self.minimum), 0.0), 1.0)
        return self._shape(1.0 - travel if self.inverted else travel)

    def two_sided(self, raw: float) -> float:
        """The value -1..1 of the steering or a thrust lever whose axis reads `raw`: +1 right or ahead, 0 mid-range."""
        travel = 2.0 * (raw - self.minimum) / (self.maximum - self.minimum) - 1.0
        travel = min(max(-travel if self.inverted else travel, -1.0), 1.0)
        return self._shape(travel) if travel >= 0.0 else -self._shape(-travel)

    def _shape(self, travel: float) -> float:
        return max(0.0, (travel - self.dead_zone) / (1.0 - self.dead_zone)) ** self.curve


@dataclass(frozen=True)
class DeviceProfile:
    """The bindings of axes and buttons for all devices that `matches` accepts.

    Attributes:
        name: shown to the user.
        kind: one of KINDS.
        guid: SDL's GUID of the device; "" matches none.
        ids: "vendor:product" ids of the devices; () matches none.
        names: parts of device names, in upper or lower case; () matches none.
        gamepad: whether it matches every gamepad known to SDL.
        any_device: whether it matches every device.
        brake_reverses: whether holding the brake at rest engages reverse.
        rotation: angle of a steering wheel from stop to stop, degrees; 0: not known, its travel is the car's lock.
        axes: {analog action: AxisBinding}.
        buttons: {action: tuple of button numbers, SDL's gamepad names or "hatN.direction"}.
    """

    name: str
    kind: str = "stick"
    guid: str = ""
    ids: tuple = ()
    names: tuple = ()
    gamepad: bool = False
    any_device: bool = False
    brake_reverses: bool = True
    rotation: float = 0.0
    axes: dict = field(default_factory=dict)
    buttons: dict = field(default_factory=dict)

    def matches(self, guid: str, device_id: str, name: str, is_gamepad: bool) -> bool:
        """Whether the profile is for the device with this GUID, "vendor:product" id and name."""
        return (
            (bool(self.guid) and self.guid == guid)
            or device_id in self.ids
            or any(part.lower() in name.lower() for part in self.names)
            or (self.gamepad and is_gamepad)
            or self.any_device
        )


class Bindings:
    """All bindings in force: `keys` ({action: tuple of keys}) and `profiles`, the user's before the program's."""

    def __init__(
        self, keys: dict[str, tuple[str, ...]], profiles: "list[DeviceProfile]", user_profiles: tuple[Any, ...] = ()
    ) -> None:
        self.default_keys = dict(keys)
        self.keys = dict(keys)
        self.default_profiles = tuple(profiles)
        self.user_profiles = list(user_profiles)

    @property
    def profiles(self) -> tuple[DeviceProfile, ...]:
        """All profiles, the user's before the program's."""
        return (*self.user_profiles, *self.default_profiles)

    def profile_for(self, guid: str, device_id: str, name: str, is_gamepad: bool) -> DeviceProfile:
        """The first profile that matches a device, or an empty one."""
        for profile in self.profiles:
            if profile.matches(guid, device_id, name, is_gamepad):
                return profile
        return DeviceProfile("unknown device", any_device=True)

    def set_key(self, action: str, key: str) -> None:
        """Make `key` the only key of an action; any other action that had the key loses it.

        Raises ValueError for an unknown action.
        """
        _check_action(action)
        for other, keys in self.keys.items():
            self.keys[other] = tuple(k for k in keys if k != key)
        self.keys[action] = (key,)

    def set_axis(self, guid: str, profile: DeviceProfile, action: str, binding: AxisBinding) -> DeviceProfile:
        """Bind an axis of the device with this GUID, whose profile so far is `profile`. Returns the new profile.

        Raises ValueError if the action is not analog.
        """
        if action not in ANALOG:
            raise ValueError(f"{action!r} is no analog action; known: {', '.join(ANALOG)}")
        return self.set_profile(guid, replace(profile, axes={**profile.axes, action: binding}))

    def set_button(self, guid: str, profile: DeviceProfile, action: str, button: int | str) -> DeviceProfile:
        """Bind a button of the device with this GUID; other actions except MENU lose it. Returns the new profile.

        Raises ValueError for an unknown action, and for those of MENU.
        """
        _check_action(action)
        buttons = {
            a: sources if a in MENU else tuple(b for b in sources if b != button)
            for a, sources in profile.buttons.items()
        }
        return self.set_profile(guid, replace(profile, buttons={**buttons, action: (button,)}))

    def reset_keys(self) -> None:
        """Restore the program's own keys."""
        self.keys = dict(self.default_keys)

    def reset_device(self, guid: str) -> None:
        """Remove the user's profile of the device with this GUID; `profile_for` then finds the program's own."""
        self.user_profiles = [p for p in self.user_profiles if p.guid != guid]

    def set_profile(self, guid: str, profile: DeviceProfile) -> DeviceProfile:
        """Make this the user's profile of the device with this GUID alone. Returns the profile as stored."""
        profile = replace(profile, guid=guid, ids=(), names=(), gamepad=False, any_device=False)
        self.user_profiles = [profile, *(p for p in self.user_profiles if p.guid != guid)]
        return profile


def _check_action(action: str) -> None:
    """Raise ValueError if there is no such action."""
    if action not in ACTIONS:
        raise ValueError(f"unknown action {action!r}{key_hint(action, ACTIONS)}")
