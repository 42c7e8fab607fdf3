"""Other components for the player's vehicle while it drives on.

Choosing a component makes a plan (physics/swap.py), which refuses at once what does not fit together. If its machine
code is not in the cache, a helper process compiles it meanwhile. Then the code is loaded and tried for one tick on a
copy, in a thread and a piece at a time, and between two ticks the vehicle is exchanged for the changed one. Each
change is one step of undo; the way back needs no compiling.
"""

import tempfile
import threading
from pathlib import Path
from time import monotonic

import numpy as np

from physics.command.commands import neutral_command
from physics.compile import CompileHelper, is_warm
from physics.context import EXTERNAL
from physics.jit import JIT
from physics.sequence import SequenceError
from physics.swap import candidate_text, choice_of, choices, component_files, label, planned, present, rebuilt
from physics.world_file import WORLD_FOLDER
from physics.yaml_file import ConfigError

REFUSED = (ValueError, KeyError, ConfigError, SequenceError)  # what a choice that does not fit raises
LOOK_INTERVAL = 0.2  # s between looks for the helper's mark
ASIDE = "sandbox-parts-"  # start of the folder of files for the helper


class Workshop:
    """Call `request` to change a component and `poll` once a frame.

    Args:
        session: game.session.Session. trust: function(path) -> bool, which Python files may run.
    Attributes:
        known: (slot, choice) of components from files, besides those of the program. status: {slot: (text, is a
        problem)} of the last thing asked for. job: the change being made, or None.
    """

    def __init__(self, session, trust=None):
        self._session, self.trust = session, trust
        self.known, self.status, self.job = [], {}, None
        self._remembered = {}  # (slot, label) -> (values, base) a component had when it was taken out

    def choices(self):
        """{slot: (choices, the present one)} of every slot with something to choose."""
        vehicle = self._session.vehicle
        self.note_components(vehicle)
        return {slot: (found, choice_of(vehicle, slot)) for slot, found in choices(vehicle, self.known).items()}

    def note_components(self, vehicle):
        """Keep in mind which components from files a vehicle has."""
        for slot, choice in vehicle.info.get("components", {}).items():
            if not isinstance(choice, str) and (slot, choice) not in self.known:
                self.known.append((slot, choice))

    def request(self, slot, choice):
        """Begin to change a component; a refusal stands in `status`. True when it began."""
        if self.job is not None:
            self.status[slot] = (f"wait: {self.job.slot} is being changed", True)
            return False
        vehicle = self._session.vehicle
        self.note_components(vehicle)
        if slot in vehicle.sequence.by_slot and choice == choice_of(vehicle, slot):
            self.status.pop(slot, None)
            return False
        try:
            self.job = _Job(self._session, slot, choice, self._plan)
        except REFUSED as error:
            self._refuse(slot, error)
            return False
        self.status[slot] = (f"{label(choice)}: being prepared", False)
        return True

    def _plan(self, slot, choice):
        """The plan for the vehicle as it is now."""
        remembered = self._remembered.get((slot, label(choice)))
        return planned(self._session.vehicle, slot, choice, self.trust, remembered)

    def poll(self):
        """Do the next piece of work."""
        job = self.job
        if job is None:
            return
        try:
            done = job.advance()
        except REFUSED as error:
            self.job = None
            job.close()
            self._refuse(job.slot, error)
            return
        self.status[job.slot] = (f"{label(job.choice)}: {job.doing}", False)
        if done:
            self.job = None
            self._fit(job)

    def _fit(self, job):
        """Put the changed vehicle into the world."""
        vehicle, slot = self._session.vehicle, job.slot
        before = present(vehicle, slot)
        self._remembered[(slot, label(before.choice))] = (before.values, before.base)
        try:
            plan = self._plan(slot, job.choice)  # parameters may have changed meanwhile
            self._session.tuning.fit(before, plan)
        except REFUSED as error:
            self._refuse(slot, error)
            return
        self.status[slot] = (f"{label(job.choice)}: fitted", False)
        self._session.say(f"{slot.replace('_', ' ')}: {label(job.choice)}")

    def _refuse(self, slot, error):
        text = error.args[0] if isinstance(error, KeyError) else str(error)
        self.status[slot] = (text, True)
        self._session.say(f"{slot}: {text}", "warning")

    def close(self):
        """Give up what is being prepared."""
        if self.job is not None:
            self.job.close()
            self.job = None


class _Job:
    """One change, prepared while the old component drives on."""

    def __init__(self, session, slot, choice, plan):
        self._session, self.slot, self.choice, self._plan = session, slot, choice, plan
        self.doing = "compiling"
        self._folder = self._helper = self._thread = None
        self._error, self._code = None, 0
        self._next_look = 0.0
        self._candidate = self._new_candidate()
        self._stages = self._work()

    def _new_candidate(self):
        return rebuilt(self._session.vehicle, self._plan(self.slot, self.choice))

    def advance(self):
        """One piece; True when the vehicle can be exchanged."""
        return next(self._stages, True)

    def _work(self):
        yield False
        if not is_warm(self._candidate):
            self._start_helper()
            while not self._compiled():
                yield False
        self.doing = "loading"
        self._thread = threading.Thread(target=self._try, name="loading a component", daemon=True)
        self._thread.start()
        while self._thread.is_alive():
            yield False
        if self._error is not None:
            raise ValueError(f"{type(self._error).__name__}: {self._error}".splitlines()[0])
        if self._code:
            raise ValueError(f"{label(self.choice)} would fail at once: the first tick gives no finite numbers")

    def _start_helper(self):
        self._folder = tempfile.TemporaryDirectory(prefix=ASIDE)
        path = Path(self._folder.name) / "candidate.yaml"
        path.write_text(candidate_text(self._candidate), encoding="utf8")
        place = self._session.world.file
        world = place.path if place else WORLD_FOLDER / "plane.yaml"  # any will do: all grounds have the same types
        self._helper = CompileHelper(path, world, trusted=component_files(self._candidate))

    def _compiled(self):
        running = self._helper.poll()
        self.doing = f"compiling, {self._helper.count} parts done"
        if self._helper.error:
            raise ValueError(f"cannot be compiled: {self._helper.error}")
        if not running:
            return True
        if monotonic() < self._next_look:
            return False
        self._next_look = monotonic() + LOOK_INTERVAL
        return is_warm(self._candidate)

    def _try(self):
        """Load the code and run a tick of the candidate, which nobody else knows; in a thread."""
        try:
            vehicle, world = self._candidate, self._session.world
            step = vehicle.sequence.bind(vehicle.params, vehicle.state, vehicle.scratch, world.context.copy(),
                                         world.ground.arrays)  # fmt: skip
            self._code = step(np.zeros(1, EXTERNAL), neutral_command(), world.tick_seconds) if JIT else 0
        except Exception as error:  # whatever a user's component does: the old one drives on
            self._error = error

    def close(self):
        if self._helper is not None:
            self._helper.cancel()
        if self._folder is not None:
            self._folder.cleanup()
