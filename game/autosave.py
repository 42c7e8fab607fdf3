"""Tuning that no crash loses: changed values are written within a second, and are back at the next start.

Each running program keeps one file per vehicle it tunes, named by its process, and removes it when it ends properly. A
file whose process is gone was left by one that did not. Its values become a setup named `recovered ...`, so they stay
whatever is done next, and are set as one step of undo.
"""

import logging
import os
import re
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from time import monotonic

import psutil

from game.user_folder import write_atomic
from physics.vehicle_file import own_text, setup_text
from physics.yaml_file import ConfigError

INTERVAL = 0.5  # s between two writes while values keep changing
_log = logging.getLogger(__name__)
_REFUSED = (ConfigError, ValueError, KeyError, OSError)


class Autosave:
    """Call `poll` once a frame and `close` at the end.

    Args:
        session: game.session.Session. folder: of the files. clock: gives seconds.
    """

    def __init__(self, session, folder, clock=monotonic):
        self._session, self._folder, self._clock = session, Path(folder), clock
        self._components = session.vehicle.info.get("components")
        self._pending, self._written, self._file = False, -INTERVAL, None
        session.on_change.append(self._changed)
        session.on_exchange.append(self._changed)

    def _changed(self):
        self._pending = True

    def poll(self):
        """Write what changed, unless that was done just now."""
        if self._pending and self._clock() - self._written >= INTERVAL:
            self._write()

    def _write(self):
        vehicle = self._session.vehicle
        same_parts = vehicle.info.get("components") == self._components
        kind, text = ("setup", setup_text(vehicle)) if same_parts else ("vehicle", own_text(vehicle, vehicle.name))
        path = self._folder / f"{_plain(vehicle.name)}.{kind}.{os.getpid()}.yaml"
        self._pending, self._written = False, self._clock()
        try:
            write_atomic(path, text)
        except OSError as error:
            _log.warning("%s: not saved: %s", path, error)
            return
        if self._file not in (None, path):
            self._file.unlink(missing_ok=True)
        self._file = path

    def restore(self):
        """Take up what a program that ended badly left for this vehicle; returns the new setup's path, or None."""
        left = []
        for path in self._folder.glob(f"{_plain(self._session.vehicle.name)}.*.yaml"):
            with suppress(FileNotFoundError):  # another program, started now as well, took it up
                if _ownerless(path):
                    left.append((path.stat().st_mtime, path))
        found = None
        for written, path in sorted(left):
            found = self._take_up(path, written) or found
        return found

    def _take_up(self, path, written):
        """Keep one file, `written` at that time, under a name of its own; a setup is also set."""
        say, tuning = self._session.say, self._session.tuning
        stamp = datetime.fromtimestamp(written).strftime("%Y-%m-%d %H-%M-%S")
        name = f"recovered {self._session.vehicle.name} {stamp}"
        is_setup = ".setup." in path.name
        kept = self._folder.parent / ("setups" if is_setup else "vehicles") / f"{name}.yaml"
        try:
            write_atomic(kept, path.read_text(encoding="utf-8"))
            path.unlink(missing_ok=True)
            if is_setup:
                tuning.load_setup(kept)
        except _REFUSED as error:
            say(f"tuning left by an earlier drive could not be set: {error}", "warning")
            return None
        if is_setup:
            say(f"the last drive did not end properly; its tuning is back and kept as setup {name!r} (undo drops it)")
        else:
            say(f"the last drive did not end properly; its vehicle with other components is kept: {kept}")
        return kept

    def close(self):
        """A proper end needs no recovery."""
        if self._file is not None:
            self._file.unlink(missing_ok=True)
            self._file = None


def _plain(name):
    """A vehicle's name as part of a file's name."""
    return re.sub(r"\W+", "_", name)


def _ownerless(path):
    """Whether the process in a file's name is gone; a process that began after the file took over its number."""
    number = path.name.split(".")[-2]
    if not number.isdigit() or int(number) == os.getpid():
        return False
    try:
        return psutil.Process(int(number)).create_time() > path.stat().st_mtime
    except psutil.NoSuchProcess:
        return True
    except psutil.Error:
        return False
