"""The driver's signals in a recording: horn and turn signals of the first vehicle, and the driver's held keys.

They do not affect the simulation: signals are only heard and seen, and keys have their effect through the commands,
beside which they show what the aids for keys changed. An event stores horn and turn signals, another one the keys,
whenever one changes; it is valid from its tick on. A recording without such events was driven without them, or is
older than they are.
"""

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driving_sandbox.physics.recording.writer import Recorder

EVENT_KIND, KEYS_KIND = "signals", "keys"
MAX_TURN = 3  # both turn signals


@dataclass
class Signals:
    """What the driver signals in the coming tick; whoever drives or replays sets it, others follow.

    Attributes:
        horn: whether the horn is pressed.
        turn: turn signals that are switched on: 0, 1 left, 2 right, 3 both.
        keys: actions of the held keys and buttons that drive, by name.
    """

    horn: bool = False
    turn: int = 0
    keys: tuple[str, ...] = ()


class SignalLog:
    """Records Signals; call `note` before every tick."""

    def __init__(self) -> None:
        self._recorder: Recorder | None = None
        self._noted: tuple[bool, int] = (False, 0)  # as in a file without events
        self._noted_keys: tuple[str, ...] = ()

    def note(self, recorder: "Recorder", signals: Signals) -> None:
        """Add an event if the signals differ from those that the recorder's file has so far."""
        if recorder is not self._recorder:
            self._recorder, self._noted, self._noted_keys = recorder, (False, 0), ()
        present = (bool(signals.horn), int(signals.turn))
        if present != self._noted:
            self._noted = present
            recorder.event(EVENT_KIND, horn=present[0], turn=present[1])
        if signals.keys != self._noted_keys:
            self._noted_keys = signals.keys
            recorder.event(KEYS_KIND, held=list(signals.keys))


class RecordedSignals:
    """The signals of a recording, by tick.

    Args:
        events: those of the Recording; values that no signal can have count as switched off.
    """

    def __init__(self, events: list[dict[str, Any]]) -> None:
        changes = sorted((e for e in events if e["kind"] == EVENT_KIND), key=lambda e: (e["tick"], e["sequence"]))
        self._ticks = [event["tick"] for event in changes]
        self._values = [(False, 0), *(_values_of(event) for event in changes)]

    def at(self, tick: int) -> tuple[bool, int]:
        """(horn, turn) during a tick, as in Signals."""
        return self._values[bisect_right(self._ticks, tick)]


def _values_of(event: dict[str, Any]) -> tuple[bool, int]:
    """(horn, turn) of an event, whose values may be any JSON."""
    turn = event.get("turn")
    return event.get("horn") is True, turn if type(turn) is int and 0 <= turn <= MAX_TURN else 0
