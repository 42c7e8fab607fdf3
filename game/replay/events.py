"""The timeline of a recording: its laps, impacts, gear shifts, setup changes, marks, faults and jumps.

Events stored in the file are shown at once. Laps (the first vehicle passes the gates of the world) and impacts (its
velocity changes faster than tires can change it) are found by a thread that goes through the stored poses section by
section, so that a recording of two hours opens as fast as one of two minutes.
"""

import math
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.game.recordings.source import neutral_gear_of
from driving_sandbox.game.toolkit.gears import gear_name
from driving_sandbox.lab.acceleration import G
from driving_sandbox.lab.timing import Lap, Stopwatch, clock_text
from driving_sandbox.physics.recording import Recording, RecordingError

if TYPE_CHECKING:
    from driving_sandbox.game.recordings.notes import TimedNote

KINDS = ("lap", "impact", "setup", "mark", "fault", "jump", "gear")  # most important first
IMPACT = 40.0  # m/s^2 between two stored poses, about three times the highest acceleration by tires
IMPACT_GAP = 0.5  # s between two impacts that count separately
SECTION = 60.0  # s of poses that are searched at a time
HIDDEN_JUMPS = ("start",)  # jumps for these reasons are not shown


@dataclass(frozen=True)
class TimelineEntry:
    """An entry of the timeline.

    Attributes:
        time: s from the recording's start.
        kind: one of KINDS.
        text: text on the screen.
    """

    time: float
    kind: str
    text: str


def stored_events(recording: Recording) -> list[TimelineEntry]:
    """[TimelineEntry] of the events stored in the file, by time."""
    entries, neutral_gear = [], neutral_gear_of(recording.header["vehicles"][0])
    for event in recording.events:
        text = _text_of(event, neutral_gear)
        if text:
            kind = "setup" if event["kind"] in ("swap", "world", "section") else event["kind"]
            entries.append(TimelineEntry(event["tick"] * recording.tick_seconds, kind, text))
    # not sorted yet: a note is stored later than the moment it belongs to
    return sorted(entries, key=lambda entry: entry.time)


def _text_of(event: dict[str, Any], neutral_gear: Any) -> str:
    """Text of an event, or "" for one that is not shown, such as a gear shift of a vehicle other than the first.

    neutral_gear: index of neutral in the first vehicle's gearbox.
    """
    kind = event["kind"]
    if kind == "gear" and not event.get("vehicle"):
        gear = event.get("gear")
        return f"gear {gear_name(gear, neutral_gear)}" if isinstance(gear, int) else ""
    if kind in ("setup", "world") and isinstance(event.get("values"), dict):
        values = [f"{path} = {value}" for path, value in event["values"].items()]
        return "; ".join(values[:3]) + (f" and {len(values) - 3} more" if len(values) > 3 else "")
    if kind == "swap":
        return f"{event.get('slot')}: {event.get('choice')}"
    if kind == "section":
        return f"{event.get('name')} changed"
    if kind == "mark":
        return f"mark {event.get('text', '')}".strip()
    if kind == "fault":
        return str(event.get("text", "fault"))
    if kind == "jump" and event.get("reason") not in HIDDEN_JUMPS:
        return str(event.get("reason", "jump"))
    return ""


def impacts(
    times: np.ndarray, jumps: np.ndarray, velocities: np.ndarray, last: float = -math.inf
) -> list[TimelineEntry]:
    """[TimelineEntry] of the impacts: times at which the velocity changes faster than IMPACT.

    Args:
        times: [n] s.
        jumps: [n] whether there was a jump since the sample before; such a change is no impact.
        velocities: [n, 3] m/s.
        last: time of an impact that is known, s; changes until IMPACT_GAP after it belong to it.
    """
    steps = np.diff(times)
    change = np.linalg.norm(np.diff(velocities, axis=0), axis=1)
    rate = np.where(jumps[1:] | (steps <= 0.0), 0.0, change / np.maximum(steps, 1e-9))
    peaks = [(last, 0.0)]  # (time, s; acceleration, g)
    for k in np.flatnonzero(rate > IMPACT):
        time, acceleration = float(times[k + 1]), float(rate[k] / G)
        if time - peaks[-1][0] < IMPACT_GAP:
            peaks[-1] = (peaks[-1][0], max(acceleration, peaks[-1][1]))
        else:
            peaks.append((time, acceleration))
    return [TimelineEntry(time, "impact", f"impact, {acceleration:.0f} g") for time, acceleration in peaks[1:]]


class Timeline:
    """The entries of a recording's timeline, which a thread completes.

    Args:
        recording: physics.recording.Recording.
        tracks: timed tracks of its world, for laps.
    Attributes:
        entries: list of the TimelineEntries found so far, by time.
        laps: list of the complete Laps found so far.
        done: whether the thread has ended, because all are found or the file cannot be read.
        checked: the Recording as opened by the thread, with every checksum compared; None until then.
    """

    def __init__(self, recording: Recording, tracks: Iterable[Any] = ()) -> None:
        self.entries, self.done = stored_events(recording), False
        self.laps: list[Lap] = []
        self.checked: Recording | None = None
        self._notes: list[TimelineEntry] = []  # of the user's notes
        self._new: list[TimelineEntry] = []  # found by the thread since the last `poll`
        self._ended = False  # whether the thread has ended
        self._thread = threading.Thread(
            target=self._search, args=(recording.path, list(tracks)), name="looking for laps", daemon=True
        )
        self._thread.start()

    def poll(self) -> None:
        """Add what the thread has found."""
        ended, new = self._ended, len(self._new)  # in this order: what is found after `_ended` was read is not lost
        if new:
            added, self._new[:new] = self._new[:new], []
            self.entries = sorted([*self.entries, *added], key=lambda entry: entry.time)
        self.done = ended

    def note(self, timed_notes: "Iterable[TimedNote]") -> None:
        """Show the user's notes (list of game.recordings.notes.TimedNote) in place of those shown before."""
        others = [entry for entry in self.entries if entry not in self._notes]
        self._notes = [TimelineEntry(timed_note.time, "mark", timed_note.text) for timed_note in timed_notes]
        self.entries = sorted([*others, *self._notes], key=lambda entry: entry.time)

    def wait(self) -> None:
        """Block until everything is found."""
        self._thread.join()
        self.poll()

    def after(self, time: float) -> TimelineEntry | None:
        """The first entry after `time`, gear shifts left out, or None."""
        return next((entry for entry in self.entries if entry.time > time + 1e-6 and entry.kind != "gear"), None)

    def before(self, time: float) -> TimelineEntry | None:
        """The last entry before `time`, gear shifts left out, or None."""
        return next(
            (entry for entry in reversed(self.entries) if entry.time < time - 1e-6 and entry.kind != "gear"), None
        )

    def _search(self, path: Path, tracks: list[Any]) -> None:
        """Find laps and impacts, in the thread; it opens its own Recording, because each caches one decoded block."""
        try:
            recording = Recording.open(path)
            self.checked = recording
            self._walk(recording, Stopwatch(tracks))
        except RecordingError:
            pass  # the viewer has said what is wrong with the file
        finally:
            self._ended = True

    def _walk(self, recording: Recording, watch: Stopwatch) -> None:
        """Go through the poses of the whole recording, find impacts and time laps with the Stopwatch `watch`."""
        lap_count, start, jump_ticks = 0, 0.0, recording.jump_ticks(0)
        stepped = last_impact = -math.inf  # s; `stepped`: time up to which the stopwatch has run
        while start < recording.seconds:
            end = start + SECTION
            # the poses reach IMPACT_GAP beyond both ends: back to the last pose before `start`, and forth so that an
            # impact at `end` gets its highest acceleration
            times, jumps, vehicles = recording.poses(start - IMPACT_GAP, end + IMPACT_GAP)
            first = vehicles[0]
            if len(times) > 1 and "velocity" in first:
                for entry in impacts(times, jumps, first["velocity"], last_impact):
                    if entry.time <= end:
                        self._new.append(entry)
                        last_impact = entry.time
            for time, jump, position in zip(times.tolist(), jumps.tolist(), first["model_position"], strict=True):
                if not stepped < time <= end:
                    continue
                if jump and round(time / recording.tick_seconds) in jump_ticks:
                    watch.jumped()
                watch.step(position, time)
            for lap in watch.laps[lap_count:]:
                self._new.append(TimelineEntry(lap.begin + lap.time, "lap", f"{lap.track}: {clock_text(lap.time)}"))
            self.laps = list(watch.laps)
            lap_count, start, stepped = len(watch.laps), end, end
