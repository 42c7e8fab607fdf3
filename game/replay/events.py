"""The happenings of a recording, for its timeline: laps, impacts, gear shifts, setup changes, marks, faults, jumps.

Events stored in the file are shown at once. Laps (the first vehicle passes the gates of the world) and impacts (its
velocity changes faster than tires can change it) are found by a thread that goes through the stored poses section by
section, so that a recording of two hours opens as fast as one of two minutes.
"""

import threading
from dataclasses import dataclass

import numpy as np

from driving_sandbox.lab.acceleration import G
from driving_sandbox.lab.timing import Stopwatch, clock_text
from driving_sandbox.physics.recording import Recording, RecordingError

KINDS = ("lap", "impact", "setup", "mark", "fault", "jump", "gear")  # most important first
IMPACT = 40.0  # m/s^2 between two stored poses, about three times the highest acceleration by tires
IMPACT_GAP = 0.5  # s between two impacts that count separately
SECTION = 60.0  # s of poses decoded at a time
HIDDEN_JUMPS = ("start",)  # jumps for these reasons are not shown


@dataclass(frozen=True)
class Happening:
    """An entry of the timeline.

    Attributes:
        time: s from the recording's start.
        kind: one of KINDS.
        text: text on the screen.
    """

    time: float
    kind: str
    text: str


def stored_events(recording):
    """[Happening] of the events stored in the file, by time."""
    happenings = []
    for event in recording.events:
        text = _text_of(event)
        if text:
            kind = "setup" if event["kind"] in ("swap", "world") else event["kind"]
            happenings.append(Happening(event["tick"] * recording.tick_seconds, kind, text))
    # not sorted yet: a note is stored later than the moment it belongs to
    return sorted(happenings, key=lambda happening: happening.time)


def _text_of(event):
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
    """[Happening] of the impacts: times at which the velocity changes faster than IMPACT.

    Args:
        times: [n] s.
        jumps: [n] whether there was a jump since the sample before; such a change is no impact.
        velocities: [n, 3] m/s.
    """
    steps = np.diff(times)
    change = np.linalg.norm(np.diff(velocities, axis=0), axis=1)
    rate = np.where(jumps[1:] | (steps <= 0.0), 0.0, change / np.maximum(steps, 1e-9))
    peaks = []  # (time, s; acceleration, g)
    for k in np.flatnonzero(rate > IMPACT):
        time, acceleration = float(times[k + 1]), float(rate[k] / G)
        if peaks and time - peaks[-1][0] < IMPACT_GAP:
            peaks[-1] = (peaks[-1][0], max(acceleration, peaks[-1][1]))
        else:
            peaks.append((time, acceleration))
    return [Happening(time, "impact", f"impact, {acceleration:.0f} g") for time, acceleration in peaks]


class Timeline:
    """The happenings of a recording, which a thread completes.

    Args:
        recording: physics.recording.Recording.
        tracks: timed tracks of its world, for laps.
    Attributes:
        happenings: list of the Happenings found so far, by time.
        laps: list of the complete Laps found so far.
        done: whether the thread has found all of them.
        checked: the Recording as opened by the thread, with every checksum compared; None before.
    """

    def __init__(self, recording, tracks=()):
        self.happenings, self.laps, self.done = stored_events(recording), [], False
        self._new, self._ended, self._notes, self.checked = [], False, [], None  # _new, _ended: written by the thread
        self._thread = threading.Thread(
            target=self._search, args=(recording.path, tuple(tracks)), name="looking for laps", daemon=True
        )
        self._thread.start()

    def poll(self) -> None:
        """Add what the thread has found."""
        ended, new = self._ended, len(self._new)
        if new:
            added, self._new[:new] = self._new[:new], []
            self.happenings = sorted([*self.happenings, *added], key=lambda h: h.time)
        self.done = ended

    def note(self, moments):
        """Show the user's notes (list of game.recordings.notes.Moment) in place of those shown before."""
        others = [happening for happening in self.happenings if happening not in self._notes]
        self._notes = [Happening(moment.time, "mark", moment.text) for moment in moments]
        self.happenings = sorted([*others, *self._notes], key=lambda happening: happening.time)

    def wait(self) -> None:
        """Block until everything is found."""
        self._thread.join()
        self.poll()

    def after(self, time):
        """The first happening after `time`, gear shifts left out, or None."""
        return next((h for h in self.happenings if h.time > time + 1e-6 and h.kind != "gear"), None)

    def before(self, time):
        """The last happening before `time`, gear shifts left out, or None."""
        return next((h for h in reversed(self.happenings) if h.time < time - 1e-6 and h.kind != "gear"), None)

    def _search(self, path, tracks):
        """Find laps and impacts, in the thread; it opens its own Recording, because each caches one decoded block."""
        try:
            recording = Recording.open(path)
            self.checked = recording
            self._walk(recording, Stopwatch(tracks))
        except RecordingError:
            pass  # the viewer has said what is wrong with the file
        finally:
            self._ended = True

    def _walk(self, recording, watch):
        """Go through the poses of the whole recording, find impacts and time laps with the Stopwatch `watch`."""
        lap_count, start, jump_ticks = 0, 0.0, recording.jump_ticks(0)
        while start < recording.seconds:
            end = start + SECTION
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
            for lap in watch.laps[lap_count:]:
                self._new.append(Happening(lap.begin + lap.time, "lap", f"{lap.track}: {clock_text(lap.time)}"))
            self.laps = list(watch.laps)
            lap_count, start = len(watch.laps), end
