"""What happened in a recording, for its timeline: laps, impacts, gear shifts, setup changes, marks, faults, jumps.

Events stored in the file are shown at once. Laps (the first vehicle passes the gates of the world) and impacts (its
velocity changes faster than tires can change it) are found by a thread that goes through the stored poses, a stretch at
a time, so that two hours open as fast as two minutes.
"""

import threading
from dataclasses import dataclass

import numpy as np

from driving_sandbox.lab.acceleration import G
from driving_sandbox.lab.timing import Stopwatch, clock_text
from driving_sandbox.physics.recording import Recording, RecordingError

KINDS = ("lap", "impact", "setup", "mark", "fault", "jump", "gear")  # most important first
IMPACT = 40.0  # m/s^2 between two stored poses: three times what tires do
IMPACT_GAP = 0.5  # s between two impacts that count separately
STRETCH = 60.0  # s of poses decoded at a time
HIDDEN_JUMPS = ("start",)  # reasons of jumps that are not shown


@dataclass(frozen=True)
class Happening:
    """Something that happened. time: s from the start. kind: one of KINDS. text: on screen."""

    time: float
    kind: str
    text: str


def stored_events(recording):
    """Happenings that are events of the file, in order of time."""
    happenings = []
    for event in recording.events:
        text = _words(event)
        if text:
            kind = "setup" if event["kind"] in ("swap", "world") else event["kind"]
            happenings.append(Happening(event["tick"] * recording.tick_seconds, kind, text))
    return sorted(
        happenings, key=lambda happening: happening.time
    )  # a note is stored later than the moment it belongs to


def _words(event):
    """Text of an event, or "" for one that is not shown."""
    kind = event["kind"]
    if kind == "gear" and not event.get("vehicle"):
        gear = event.get("gear")
        return f"gear {('R', 'N')[gear] if gear in (0, 1) else gear - 1}" if isinstance(gear, int) else ""
    if kind in ("setup", "world") and isinstance(event.get("values"), dict):
        values = [f"{path} = {value}" for path, value in event["values"].items()]
        return "; ".join(values[:3]) + (f" and {len(values) - 3} more" if len(values) > 3 else "")
    if kind == "swap":
        return f"{event.get('slot')}: {event.get('choice')}"
    if kind == "mark":
        return f"mark {event.get('text', '')}".strip()
    if kind == "fault":
        return str(event.get("text", "fault"))
    if kind == "jump" and event.get("reason") not in HIDDEN_JUMPS:
        return str(event.get("reason", "jump"))
    return ""


def impacts(times, jumps, velocities):
    """Happenings at the times, s, where a velocity [n, 3], m/s, changes faster than IMPACT; jumps [n] tells where there
    was a jump since the sample before, across which nothing is found."""
    steps = np.diff(times)
    change = np.linalg.norm(np.diff(velocities, axis=0), axis=1)
    rate = np.where(jumps[1:] | (steps <= 0.0), 0.0, change / np.maximum(steps, 1e-9))
    impacts_at = []
    for k in np.flatnonzero(rate > IMPACT):
        time, size = float(times[k + 1]), float(rate[k] / G)
        if impacts_at and time - impacts_at[-1][0] < IMPACT_GAP:
            impacts_at[-1] = (impacts_at[-1][0], max(size, impacts_at[-1][1]))
        else:
            impacts_at.append((time, size))
    return [Happening(time, "impact", f"impact, {size:.0f} g") for time, size in impacts_at]


class Timeline:
    """The happenings of a recording.

    Args:
        recording: physics.recording.Recording. tracks: of its world, for laps.
    Attributes:
        happenings: those known so far, by time. laps: complete Laps known so far. done: whether all are known.
        checked: the Recording as opened by the thread, with every checksum compared; None before.
    """

    def __init__(self, recording, tracks=()):
        self.happenings, self.laps, self.done = stored_events(recording), [], False
        self._new, self._ended, self._noted, self.checked = [], False, [], None
        self._thread = threading.Thread(
            target=self._search, args=(recording.path, tuple(tracks)), name="looking for laps", daemon=True
        )
        self._thread.start()

    def poll(self) -> None:
        """Add what the thread has found."""
        ended, new = self._ended, len(self._new)
        if new:
            fresh, self._new[:new] = self._new[:new], []
            self.happenings = sorted([*self.happenings, *fresh], key=lambda h: h.time)
        self.done = ended

    def note(self, moments):
        """Show these of the user's notes (game.recordings.notes.Moment) instead of the former ones."""
        rest = [happening for happening in self.happenings if happening not in self._noted]
        self._noted = [Happening(moment.time, "mark", moment.text) for moment in moments]
        self.happenings = sorted([*rest, *self._noted], key=lambda happening: happening.time)

    def wait(self) -> None:
        """Block until everything is found."""
        self._thread.join()
        self.poll()

    def after(self, time):
        """The next happening that is no gear shift, or None."""
        return next((h for h in self.happenings if h.time > time + 1e-6 and h.kind != "gear"), None)

    def before(self, time):
        """The last one that is no gear shift, or None."""
        return next((h for h in reversed(self.happenings) if h.time < time - 1e-6 and h.kind != "gear"), None)

    def _search(self, path, tracks):
        """Run in the thread, with a Recording of its own: each keeps the block that it decoded last."""
        try:
            recording = Recording.open(path)
            self.checked = recording
            self._walk(recording, Stopwatch(tracks))
        except RecordingError:
            pass  # the viewer has said what is wrong with the file
        finally:
            self._ended = True

    def _walk(self, recording, watch):
        """In the thread: go through the poses of the whole recording, find impacts and time laps."""
        laps, start, jump_ticks = 0, 0.0, recording.jump_ticks(0)
        while start < recording.seconds:
            end = start + STRETCH
            times, jumps, vehicles = recording.poses(start, end + IMPACT_GAP)
            first = vehicles[0]
            if len(times) > 1 and "velocity" in first:
                self._new += [h for h in impacts(times, jumps, first["velocity"]) if start < h.time <= end]
            for time, jump, position in zip(times.tolist(), jumps.tolist(), first["model_position"], strict=True):
                if time > end:
                    break
                if jump and round(time / recording.tick_seconds) in jump_ticks:
                    watch.jumped()
                watch.step(position, time)
            for lap in watch.laps[laps:]:
                self._new.append(Happening(lap.begin + lap.time, "lap", f"{lap.track}: {clock_text(lap.time)}"))
            self.laps = list(watch.laps)
            laps, start = len(watch.laps), end
