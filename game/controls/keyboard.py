"""Held keys and single presses, by physical key.

Panda3D reports every key twice: as the letter of its layout ("z" on a French keyboard) and as the *raw* key at that
position ("w", in US names). Keys for driving are bound by position, so only raw events are used, through one generic
event for down and one for up. `control+` combinations (undo) are bound by the letter.

The class itself is independent of windows: anything may call `key_down` and `key_up`; `attach` connects a window.
"""

import itertools
from collections.abc import Callable, Collection
from typing import Any

CONTROL_KEYS = ("lcontrol", "rcontrol")
_SIDED = ("shift", "control", "alt", "meta")  # keys on both sides of the keyboard; Panda3D's names begin with l or r
_SIDE_NAMES = {f"{side[0]}{key}": f"{side}_{key}" for side in ("left", "right") for key in _SIDED}  # lalt: left_alt
_instances = itertools.count()  # numbers in the names of events, so that each Keyboard gets only its own


class Keyboard:
    """Which actions are held, and which were pressed since the last `take_presses`.

    Args:
        keys: {action: keys}, as in `Bindings.keys`; `rebind` changes them while running.
    """

    def __init__(self, keys: dict[str, tuple[str, ...]]) -> None:
        self._down: set[str] = set()  # keys that are held
        self._presses: list[str] = []  # actions, see `take_presses`
        self._captured = False  # see `set_captured`
        self._passing: Collection[str] = ()
        self._recent: list[tuple[str, bool]] = []  # (key, whether it went down) since the last `hold_back`
        self._held_back: list[tuple[str, bool]] = []  # the same; waiting for the interface's answer
        self._labels: dict[str, str] = {}  # {US name of a physical key: its name in the present layout}
        self._receiver: Any = None  # DirectObject that receives the window's events
        self._key_waiter: Callable[[str], Any] | None = None  # gets the next key, see `wait_for_key`
        self.rebind(keys)

    def rebind(self, keys: dict[str, tuple[str, ...]]) -> None:
        """Take new bindings; keys held now are released first."""
        self._actions = {key: action for action, bound in keys.items() for key in bound}  # also of "control+" keys
        self.release_all()

    def key_down(self, key: str) -> None:
        """Note that a physical key went down, or hand it to the waiter; repeats of a held key do nothing."""
        if self._key_waiter is not None:
            waiter, self._key_waiter = self._key_waiter, None
            waiter(key)
            return
        if key in self._down or (self._captured and not (_is_function_key(key) or self._passes(key))):
            return
        self._recent.append((key, True))
        combination = "control+" + self._labels.get(key, key)
        if any(control in self._down for control in CONTROL_KEYS) and combination in self._actions:
            self._presses.append(self._actions[combination])
            return  # not held: control+z must not also press what z means alone
        self._down.add(key)
        if key in self._actions:
            self._presses.append(self._actions[key])

    def key_up(self, key: str) -> None:
        """Note that a key was released."""
        self._recent.append((key, False))
        self._down.discard(key)

    def held(self, action: str) -> bool:
        """Whether a key of the action is down."""
        return any(self._actions.get(key) == action for key in self._down)

    @property
    def held_actions(self) -> set[str]:
        """Actions of the keys that are down."""
        return {self._actions[key] for key in self._down if key in self._actions}

    def take_presses(self) -> list[str]:
        """Actions whose key went down since the last call, in order."""
        presses, self._presses = self._presses, []
        return presses

    def release_all(self) -> None:
        """Treat all keys as released and discard pending presses, as when the window loses the focus."""
        self._down.clear()
        self._presses.clear()
        self._recent.clear()
        self._held_back.clear()

    def set_captured(self, captured: bool, passing: Collection[str] = ()) -> None:
        """Say whether a text field or a menu has the keyboard.

        While captured, only function keys and the keys of the actions `passing` act. Keys held when the capture begins
        count as released.
        """
        if captured and not self._captured:
            self.release_all()
        self._captured, self._passing = captured, passing

    def hold_back(self, waiting: bool) -> None:
        """Delay keys that may be meant for a text field. Call once a frame, before presses are taken.

        While `waiting` for the interface's answer to a click, keys that went down since the last call do not act, as
        the click may have opened a field. Once the answer is there they act, unless the keyboard is then captured.
        """
        if waiting:
            for key, down in self._recent:
                if down:
                    self._down.discard(key)
            self._presses.clear()
            self._held_back += self._recent
        else:
            events, self._held_back = self._held_back, []
            for key, down in events:
                (self.key_down if down else self.key_up)(key)
        self._recent.clear()

    def _passes(self, key: str) -> bool:
        return self._actions.get(key) in self._passing

    def wait_for_key(self, waiter: Callable[[str], Any] | None) -> None:
        """Hand the next key to `waiter(key)` instead of acting on it (press-to-bind); None cancels."""
        self._key_waiter = waiter

    def label(self, key: str) -> str:
        """The name printed on a physical key of this keyboard, as far as the system knows it."""
        modifier, _, last = key.rpartition("+")
        name = self._labels.get(last, last) if not modifier else last  # with a modifier, the letter is the printed one
        name = _SIDE_NAMES.get(name, name)
        return " + ".join(part.replace("_", " ").capitalize() for part in (modifier, name) if part)

    def attach(self, base: Any) -> None:
        """Listen to the keys of Panda3D's window. Without a window (offscreen) there are no keys, and no error."""
        if not base.buttonThrowers or not hasattr(base.win, "get_keyboard_map"):
            return
        from direct.showbase.DirectObject import DirectObject

        thrower, number = base.buttonThrowers[0].node(), next(_instances)
        thrower.set_raw_button_down_event(f"raw-key-down-{number}")
        thrower.set_raw_button_up_event(f"raw-key-up-{number}")
        self._receiver = DirectObject()
        self._receiver.accept(f"raw-key-down-{number}", self.key_down)
        self._receiver.accept(f"raw-key-up-{number}", self.key_up)
        self.read_labels(base.win.get_keyboard_map())

    def read_labels(self, keyboard_map: Any) -> None:
        """Learn the letters of the present layout from Panda3D's ButtonMap."""
        for i in range(keyboard_map.get_num_buttons()):
            name = keyboard_map.get_mapped_button(i).name
            if name != "none":  # Panda3D has no name for some letters, such as the German u umlaut: the US name stays
                self._labels[keyboard_map.get_raw_button(i).name] = name

    def detach(self) -> None:
        """Stop listening to the window."""
        if self._receiver is not None:
            self._receiver.ignore_all()
            self._receiver = None
        self.release_all()


def _is_function_key(key: str) -> bool:
    return key[:1] == "f" and key[1:].isdigit()
