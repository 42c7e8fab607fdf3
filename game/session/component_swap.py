"""Swapping components of the player's vehicle while it drives on.

Choosing a component makes a Swap (physics/vehicle/swap.py); incompatible components are refused at once. If the machine
code of the kernels is not in the cache, a worker process compiles it in the background. Then a thread loads the code
and tries it for one tick on a copy, and between two ticks the changed vehicle replaces the present one. Each swap is
one step of undo, which needs no compiling.

A vehicle may run from a table of kernels (physics/tick/parts.py) at first. Its step is merged into one function in the
background: a worker compiles the function, a thread loads it, and between two ticks it replaces the table, with
bit-identical results.
"""

import logging
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, sleep
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.physics.base.user_error import UserError, WrongValue
from driving_sandbox.physics.batch.batch import copy_vehicle
from driving_sandbox.physics.compile import CompileWorker, is_warm
from driving_sandbox.physics.contact.chain import chain_of
from driving_sandbox.physics.estimate import sentences
from driving_sandbox.physics.kernel.jit import JIT
from driving_sandbox.physics.tick.commands import neutral_command
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.tick.parts import bind_soonest, is_merged
from driving_sandbox.physics.vehicle.swap import (
    Swap,
    candidate_text,
    choice_of,
    choices,
    component_files,
    inverse_swap,
    label,
    plan_swap,
    swapped_vehicle,
)
from driving_sandbox.physics.vehicle.trust import has_run
from driving_sandbox.physics.world.world_file import WORLD_FOLDER

if TYPE_CHECKING:
    from driving_sandbox.game.session.changes import Changes
    from driving_sandbox.game.session.tuning import Tuning
    from driving_sandbox.physics.vehicle.vehicle import Vehicle
    from driving_sandbox.physics.world.world import World

MERGE_INTERVAL = 1.0  # s between checks whether a merged step is compiled
POLL_INTERVAL = 0.05  # s between polls of the worker
LOADING_INTERVAL = 5e-4  # s, Python's switch interval while code is loaded: a tenth of the usual, so frames wait less
NICENESS = 10  # increment of the worker's niceness, so that frames take precedence
FOLDER_PREFIX = "sandbox-parts-"  # prefix of the temporary folder of the worker's files
_log = logging.getLogger(__name__)


class ComponentSwap:
    """Swaps components of the player's vehicle; call `request` to swap one, and `poll` once a frame.

    Args:
        changes: game.session.changes.Changes.
        tuning: Tuning, whose undo includes the swaps.
        say: function(text, level), shows a message.
        trust: function(path) -> whether a Python file may run; files that have run already may run again.
    Attributes:
        known: list of (slot, choice) of components from files, in addition to the program's.
        status: {slot: (text, whether it is a problem)} of the last request.
        job: the swap being prepared, or None.
    """

    def __init__(
        self,
        changes: "Changes",
        tuning: "Tuning",
        say: Callable[..., object],
        trust: Callable[[Path], bool] | None = None,
    ) -> None:
        self._changes, self._tuning, self._say, self._trust = changes, tuning, say, trust
        self.known: list[tuple[str, Any]] = []
        self.status: dict[str, tuple[str, bool]] = {}
        self.job: _Job | None = None
        self._workers: list[CompileWorker] = []  # CompileWorkers of earlier swaps that still compile
        self._merging: _Merging | None = None  # the running one
        self._checked = 0.0  # time of the last check for one, s
        # {(slot, label): (values, values as loaded) that a component had when it was taken out}
        self._remembered: dict[tuple[str, str], tuple[dict, dict]] = {}

    def choices(self) -> dict[str, tuple[Any, Any]]:
        """{slot: (choices, present choice)} of every slot with more than one choice."""
        vehicle = self._changes.vehicle
        self.note_components(vehicle)
        return {slot: (names, choice_of(vehicle, slot)) for slot, names in choices(vehicle, self.known).items()}

    def note_components(self, vehicle: "Vehicle") -> None:
        """Add to `known` the components from files that a vehicle has."""
        for slot, choice in vehicle.info.get("components", {}).items():
            if not isinstance(choice, str) and (slot, choice) not in self.known:
                self.known.append((slot, choice))

    def memory(self) -> tuple[list, dict]:
        """(known components, values of components taken out), for a later drive of the same vehicle."""
        return self.known, self._remembered

    def take_over(self, memory: tuple[list, dict]) -> None:
        """Continue with the `memory` of an earlier drive of the same vehicle."""
        self.known, self._remembered = memory

    def trust(self, path: Path) -> bool:
        """Whether a component's file may run."""
        return has_run(path) or (self._trust is not None and self._trust(path))

    def request(self, slot: str, choice: Any) -> bool:
        """Begin to swap the component in a slot; returns whether the swap began. `status` says why it was refused.

        Args:
            choice: name of one of the program's components, or the entry {name, ...} of one from a file.
        """
        if self.job is not None:
            self.status[slot] = (f"wait: {self.job.slot} is being changed", True)
            return False
        vehicle = self._changes.vehicle
        self.note_components(vehicle)
        if slot in vehicle.sequence.by_slot and choice == choice_of(vehicle, slot):
            self.status.pop(slot, None)
            return False
        try:
            self.job = _Job(self._changes, slot, choice, self._planned)
        except UserError as error:
            self._refuse(slot, error)
            return False
        except Exception as error:  # any error of a user's component when it derives: the old one stays
            _log.exception("%s: %s", slot, label(choice))
            self._refuse(slot, f"{label(choice)}: {type(error).__name__}: {error}")
            return False
        self.status[slot] = (f"{label(choice)}: {self.job.doing}", False)
        return True

    def _planned(self, slot: str, choice: Any) -> Swap:
        """The Swap for the present vehicle."""
        remembered = self._remembered.get((slot, label(choice)))
        return plan_swap(self._changes.vehicle, slot, choice, self.trust, remembered)

    def poll(self) -> None:
        """Complete the requested swap once it is prepared; without a request, merge a step."""
        job = self.job
        if job is None:
            self._merge()
            return
        try:
            is_prepared = job.advance()
        except UserError as error:
            self._ended(job)
            self._refuse(job.slot, error)
            return
        self.status[job.slot] = (f"{label(job.choice)}: {job.doing}", False)
        if is_prepared:
            self._ended(job)
            self._swap_vehicle(job)

    def _merge(self) -> None:
        """Replace a vehicle's table of kernels by the merged step once that is compiled and loaded."""
        world = self._changes.world
        if self._merging is not None:
            if not self._merging.thread.is_alive():
                self._merging.close()
                self._merging.finish(world)
                self._merging = None
        elif perf_counter() - self._checked > MERGE_INTERVAL:
            self._checked = perf_counter()
            ready = [i for i in world.in_parts() if is_merged(world.vehicles[i].sequence)]
            if ready:
                self._merging = _Merging(world, ready[0])

    def _ended(self, job: "_Job") -> None:
        """Forget the job; a worker that still compiles stays in `_workers`."""
        self.job = None
        self._workers = [worker for worker in (*self._workers, job.worker) if worker is not None and worker.poll()]

    def _swap_vehicle(self, job: "_Job") -> None:
        """Carry out the swap that the job prepared."""
        vehicle, slot = self._changes.vehicle, job.slot
        before = inverse_swap(vehicle, slot)
        self._remembered[(slot, label(before.choice))] = (before.values, before.base)
        try:
            swap = self._planned(slot, job.choice)  # parameters may have changed since
            if swap.sequence is not job.sequence:  # undo changed another component meanwhile: prepare once more
                self.request(slot, job.choice)
                return
            self._tuning.swap(before, swap)
        except UserError as error:
            self._refuse(slot, error)
            return
        self.status[slot] = (f"{label(job.choice)}: in use", False)
        self._say(f"{slot.replace('_', ' ')}: {label(job.choice)}")
        for sentence in sentences(swap.estimated):
            self._say(sentence, "warning")

    def _refuse(self, slot: str, error: UserError | str) -> None:
        self.status[slot] = (str(error), True)
        self._say(f"{slot}: {error}", "warning")

    def close(self) -> None:
        """Cancel the swap being prepared and all compiling, and wait for the end of a merged step's loading."""
        if self.job is not None:
            self.job.close()
            self._ended(self.job)
        if self._merging is not None:
            self._merging.close()
        for worker in self._workers:
            worker.cancel()


class _Merging:
    """Loads a merged step in a thread. End it by `close`; `finish` then replaces the table of kernels by the step."""

    def __init__(self, world: "World", index: int) -> None:
        self._index, self._sequence = index, world.vehicles[index].sequence
        self._usual_interval = sys.getswitchinterval()
        sys.setswitchinterval(LOADING_INTERVAL)
        self.thread = threading.Thread(target=lambda: self._sequence.code, name="loading a step", daemon=True)
        self.thread.start()

    def close(self) -> None:
        """Wait until the thread has ended."""
        self.thread.join()
        sys.setswitchinterval(self._usual_interval)

    def finish(self, world: "World") -> None:
        """Replace the table between two ticks, unless the vehicle has other components by now."""
        if world.vehicles[self._index].sequence is self._sequence:
            world.merge(self._index)


class _CandidateWorker(CompileWorker):
    """Compiles a candidate whose file is in a temporary folder, removed when nothing refers to the worker."""

    folder: tempfile.TemporaryDirectory


class _Job:
    """One swap, prepared in a thread while the old component drives on.

    Args:
        changes: game.session.changes.Changes.
        slot, choice: as in `ComponentSwap.request`.
        plan_swap: function(slot, choice) -> Swap.

    Attributes:
        doing: progress, as text.
        sequence: the list of components that is prepared.
        worker: the CompileWorker, which continues with rarely needed functions, or None.
    """

    def __init__(self, changes: "Changes", slot: str, choice: Any, plan_swap: Callable[[str, Any], Swap]) -> None:
        self.slot, self.choice = slot, choice
        self.doing = "preparing"
        self._world = changes.world
        self._candidate = swapped_vehicle(changes.vehicle, plan_swap(slot, choice))  # not in the world yet
        self.sequence = self._candidate.sequence
        self._candidate.trailers = tuple(copy_vehicle(trailer) for trailer in changes.vehicle.trailers)
        self.worker: CompileWorker | None = None
        self._error: str | None = None  # text of a failure
        self._cancelled = False
        self._usual_interval = sys.getswitchinterval()
        self._thread = threading.Thread(target=self._prepare, name="preparing a component", daemon=True)
        self._thread.start()

    def advance(self) -> bool:
        """Whether the vehicle can be swapped now. Raises WrongValue with the reason if it never can."""
        if self._thread.is_alive():
            return False
        self._thread.join()
        sys.setswitchinterval(self._usual_interval)
        if self._error is not None:
            raise WrongValue(f"{label(self.choice)}: {self._error}")
        return True

    def close(self) -> None:
        """Cancel the swap, and wait until the thread has ended."""
        self._cancelled = True
        self._thread.join()
        sys.setswitchinterval(self._usual_interval)

    def _prepare(self) -> None:
        """Compile the vehicle with the new component and try it, in the thread; sets `_error` after a failure."""
        try:
            if not is_warm(self._candidate):
                self._compile()
            if not self._cancelled:
                self._try()
            can_merge = not self._candidate.trailers and not is_merged(self._candidate.sequence)
            if can_merge and not self._cancelled and self.worker is None:
                self.worker = self._started_worker()  # the table of kernels is used until the merged step is compiled
        except Exception as error:  # any error of a user's component: the old one stays
            self._error = (str(error) or type(error).__name__).strip().splitlines()[0]

    def _started_worker(self) -> CompileWorker:
        """A CompileWorker that compiles the candidate; the candidate's file is removed with the worker."""
        folder = tempfile.TemporaryDirectory(prefix=FOLDER_PREFIX)
        path = Path(folder.name) / "candidate.yaml"
        path.write_text(candidate_text(self._candidate), encoding="utf8")
        world_file = self._world.file
        world = world_file.path if world_file else WORLD_FOLDER / "plane.yaml"  # the kernels are the same in all worlds
        worker = _CandidateWorker(path, world, component_files(self._candidate), NICENESS)
        worker.folder = folder
        return worker

    def _compile(self) -> None:
        """Compile the code in a process of low priority, so that frames are not delayed."""
        worker = self.worker = self._started_worker()
        while worker.poll() and not self._cancelled and not is_warm(self._candidate):
            self.doing = f"compiling, {worker.count} parts done"
            sleep(POLL_INTERVAL)
        if worker.error:
            raise WrongValue(f"cannot be compiled: {worker.error}")

    def _try(self) -> None:
        """Load the code, and if it is compiled, run one tick of the candidate to check the result."""
        self.doing = "loading"
        sys.setswitchinterval(LOADING_INTERVAL)
        vehicle, world = self._candidate, self._world
        target = (world.context.copy(), world.ground.arrays)
        if vehicle.trailers:
            step = chain_of(vehicle).bind(*target)
        else:
            step, _ = bind_soonest(vehicle.sequence, vehicle.params, vehicle.state, vehicle.scratch, *target)
        external = np.zeros(1 + len(vehicle.trailers), EXTERNAL)
        if JIT and step(external, neutral_command(), world.tick_seconds):
            raise WrongValue("fails: its first tick leaves NaN or infinity")
