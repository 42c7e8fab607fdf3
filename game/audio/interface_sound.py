"""Chooses the sounds of the interface: once a frame, from what the user did and what has happened meanwhile.

Widgets report their own sounds (game/toolkit/widget_events.py); open pages, messages, laps and the recording are
compared with the frame before. A frame has one sound at most, that of what matters most: a button that opens a page
sounds as the page, a message that answers a press not at all.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

from driving_sandbox.lab.timing import Stopwatch
from driving_sandbox.sound.interface.kinds import Kind

BY_PRIORITY = (  # the most important first
    Kind.ERROR, Kind.WARNING, Kind.BEST_LAP, Kind.LAP, Kind.LAP_CANCELLED, Kind.RECORDING_ENDED, Kind.RECORDING,
    Kind.CHECKPOINT, Kind.OPENED, Kind.CLOSED, Kind.ON, Kind.OFF, Kind.PRESS, Kind.INFO, Kind.STEP, Kind.FOCUS,
)  # fmt: skip
PRESSES = (Kind.OPENED, Kind.CLOSED, Kind.ON, Kind.OFF, Kind.PRESS, Kind.RECORDING, Kind.RECORDING_ENDED)
ANSWER_TIME = 0.3  # s after one of PRESSES within which a message of the kind INFO answers it, and is not heard
GAPS = {Kind.STEP: 0.12, Kind.INFO: 0.3, Kind.WARNING: 0.5, Kind.ERROR: 0.5}  # s at least between two of a kind
GAP = 0.04  # s, the same for the other kinds: sounds closer together are heard as one
LEVELS = {"info": Kind.INFO, "good": Kind.INFO, "warning": Kind.WARNING, "error": Kind.ERROR}  # of messages


class LapEvents:
    """Notices gates, laps and cancelled laps of a Stopwatch."""

    def __init__(self) -> None:
        self._lap_count = 0  # number of laps that have ended
        # {name of a track: (start of the present lap or None, gates passed in it)}
        self._present: dict[str, tuple[float | None, int]] = {}

    def read(self, stopwatch: Stopwatch) -> list[Kind]:
        """What has happened since the last call; a lap that has ended hides everything else."""
        before, self._present = self._present, {t.track.name: (t.begin, len(t.splits)) for t in stopwatch.tracks}
        count, self._lap_count = self._lap_count, len(stopwatch.laps)
        if self._lap_count > count:
            ended = stopwatch.laps[-1]
            times = next(t for t in stopwatch.tracks if t.track.name == ended.track)
            return [Kind.BEST_LAP if times.count > 1 and times.best is ended else Kind.LAP]
        kinds = []
        for name, (begin, gates) in self._present.items():
            begin_before, gates_before = before.get(name, (None, 0))
            if begin_before is not None and begin is None:
                kinds.append(Kind.LAP_CANCELLED)
            elif begin is not None and (begin != begin_before or gates > gates_before):
                kinds.append(Kind.CHECKPOINT)
        return kinds


class InterfaceSound:
    """The sounds of a Screen.

    Args:
        screen: game.program.screen.Screen.
        clock: function() -> real time, s.
    """

    def __init__(self, screen: Any, clock: Callable[[], float] = monotonic) -> None:
        self._screen, self._clock, self._laps = screen, clock, LapEvents()
        # counts in the frame before; None before the first frame, as the state at the start makes no sound
        self._pages: int | None = None
        self._recording: int | None = None
        self._last: dict[Kind, float] = {}  # time of the last sound of each kind

    def step(self) -> None:
        """Let the sound of this frame be heard; to be called after its interface was drawn."""
        screen, now = self._screen, self._clock()
        kinds = [LEVELS[level] for level in screen.instruments.feed.take_new()]
        kinds += self._lap_events() + self._page_turns() + self._recordings()
        if (event := screen.ui.events.read()) is not None:
            kinds.append(event)
        kind = next((kind for kind in BY_PRIORITY if kind in kinds and self._is_due(kind, now)), None)
        if kind is not None:
            self._last[kind] = now
            screen.hearing.play_interface_sound(kind)

    def _lap_events(self) -> list[Kind]:
        """What has happened to laps; seeking in a replay cancels none."""
        session = self._screen.session
        kinds = self._laps.read((session or self._screen).stopwatch)
        return kinds if session else [kind for kind in kinds if kind != Kind.LAP_CANCELLED]

    def _page_turns(self) -> list[Kind]:
        """[OPENED] or [CLOSED] if more or fewer pages are open than in the frame before."""
        before, self._pages = self._pages, _page_count(self._screen)
        if before is None:
            return []
        return [Kind.OPENED] * (self._pages > before) + [Kind.CLOSED] * (self._pages < before)

    def _recordings(self) -> list[Kind]:
        """[RECORDING] or [RECORDING_ENDED] if more or less is recorded than in the frame before."""
        before, self._recording = self._recording, _recording_count(self._screen)
        if before is None or self._recording == before:
            return []
        return [Kind.RECORDING if self._recording > before else Kind.RECORDING_ENDED]

    def _is_due(self, kind: Kind, now: float) -> bool:
        """Whether enough time has passed since the last sounds."""
        if kind == Kind.INFO and any(now - self._last.get(press, -ANSWER_TIME) < ANSWER_TIME for press in PRESSES):
            return False
        return now - self._last.get(kind, -1.0) >= GAPS.get(kind, GAP)  # -1.0: longer ago than any gap


def _page_count(screen: Any) -> int:
    """Number of open windows, pages of the pause, and popups."""
    parts = (*screen.windows.values(), screen.panel, screen.plots)
    pages = 0 if screen.pause is None else screen.pause.page_count
    return screen.ui.popup_count + pages + sum(part is not None and bool(part.open) for part in parts)


def _recording_count(screen: Any) -> int:
    """Number that is larger the more is recorded: the drive, the drive for good, a lap as a line."""
    if screen.session is None:
        return 0
    return screen.session.recording_control.state + (screen.driver_switch.lap is not None)
