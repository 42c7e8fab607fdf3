"""Compiles a vehicle's kernels in a worker process, so that the running program only has to load them.

Compiling holds the GIL and would freeze rendering. The worker process builds the vehicle and compiles its components as
parts (physics/tick/parts.py), with which it can be driven. It then steps the vehicle in a scratch world of its own,
which compiles the merged step and all else that driving needs, and leaves the machine code in the cache folder. It
writes empty marker files, named by a hash of all dependencies, so that `is_warm` quickly sees whether there is work to
do. With a second core a partner process compiles parts from the other end of the list.

    python -m driving_sandbox.physics.compile VEHICLE WORLD [--trust FILE.py]...

It prints `compiled` after every kernel.
"""

import argparse
import contextlib
import gc
import hashlib
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numba
import numpy as np

from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.base.worker import Worker
from driving_sandbox.physics.contact.chain import chain_of
from driving_sandbox.physics.kernel.cache_folder import cached
from driving_sandbox.physics.kernel.jit import JIT, closure_hash, inner, remove_unused_caches
from driving_sandbox.physics.kernel.numba_internals import host_processor
from driving_sandbox.physics.tick.binding import GROUND
from driving_sandbox.physics.tick.commands import neutral_command
from driving_sandbox.physics.tick.component import phases_of
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.tick.kernel_errors import readable_kernel_errors
from driving_sandbox.physics.tick.parts import MARKER_FOLDER, merge, parts_of, parts_ready
from driving_sandbox.physics.world.vehicle_contact import VehicleContact

if TYPE_CHECKING:
    from driving_sandbox.physics.ground.ground import Ground
    from driving_sandbox.physics.tick.parts import Part
    from driving_sandbox.physics.tick.sequence import Sequence
    from driving_sandbox.physics.vehicle.vehicle import Vehicle
    from driving_sandbox.physics.world.world import World
    from driving_sandbox.physics.world.world_file import WorldFile

# Modules whose kernels serve all vehicles: props, and contact between vehicles
PROPS, CONTACT = "driving_sandbox.physics.props.props", "driving_sandbox.physics.world.vehicle_contact"
_PROGRESS = "compiled"  # the line that is printed for every compiled kernel


def lists_of(vehicle: "Vehicle") -> "list[Sequence]":
    """The different component lists (Sequences) of a vehicle and its trailers, the vehicle's first."""
    return list(dict.fromkeys(member.sequence for member in (vehicle, *vehicle.trailers)))


def _digest(vehicle: "Vehicle") -> str:
    """Hash of everything cached machine code depends on: kernel sources, Python, numba, processor."""
    lists = lists_of(vehicle)
    modules = sorted({p.function.__module__ for sequence in lists for p in phases_of(sequence.entries)})
    parts: list[str | None] = [sequence.source for sequence in lists]
    if vehicle.trailers:
        parts += [chain_of(vehicle).source, closure_hash("driving_sandbox.physics.contact.hitch")]
    parts += [*(closure_hash(name) for name in modules), closure_hash("driving_sandbox.physics.ground.ground")]
    parts += [numba.__version__, platform.python_version(), host_processor()]
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:24]


def _marker(vehicle: "Vehicle", rerun: bool = False) -> Path:
    """File that exists once a vehicle's kernels are compiled, with `rerun` also those of reruns."""
    name = _digest(vehicle) + (f"-rerun-{closure_hash('driving_sandbox.physics.batch.trajectory')}" if rerun else "")
    return cached(MARKER_FOLDER, name)


def _shared_marker(module: str) -> Path:
    """File that exists once the kernels that a module compiles or has, which serve all vehicles, are compiled."""
    parts = [closure_hash(module), numba.__version__, platform.python_version(), host_processor()]
    return cached(MARKER_FOLDER, hashlib.sha256("\n".join(parts).encode()).hexdigest()[:24])


def is_compiled(module: str) -> bool:
    """Whether `note_compiled` was called for this module, with its present sources."""
    return _shared_marker(module).is_file()


def note_compiled(module: str) -> None:
    """Note that the kernels of a module that serve all vehicles are compiled."""
    marker = _shared_marker(module)
    marker.parent.mkdir(parents=True, exist_ok=True)
    marker.touch()


def is_warm(vehicle: "Vehicle", rerun: bool = False, props: bool = False, contact: bool = False) -> bool:
    """Whether the kernels for driving the vehicle with its present components are compiled (True without JIT).

    Compiled parts are enough (physics/tick/parts.py), except for trains.

    Args:
        vehicle: the vehicle with its present components.
        rerun: also require the kernels of reruns (physics/batch/trajectory.py), which are compiled last.
        props: also require the kernels of props.
        contact: also require the kernels of contact between vehicles, if this one has bodywork.
    """
    if not JIT:
        return True
    if contact and "contact" in vehicle.sequence.by_slot and not is_compiled(CONTACT):
        return False
    if props and not is_compiled(PROPS):
        return False
    if _marker(vehicle, rerun).is_file():
        return True
    return not rerun and not vehicle.trailers and parts_ready(vehicle.sequence)


def argument_types(sequence: "Sequence", phase: Any, ground: "Ground") -> tuple[Any, ...]:
    """numba types that the step calls a phase's kernel with, from the record layouts and the ground's arrays."""
    others = {"dt": numba.types.float64, "ground": numba.typeof(ground.arrays)}
    types = []
    for binding in sequence.bindings(phase):
        kind = others.get(binding.record) or numba.from_dtype(sequence.dtypes[binding.record])
        for name in binding.path:
            kind = kind.typeof(name)
        types.append(kind)
    return tuple(types)


def compile_props(ground: "Ground") -> None:
    """Compile the kernels of props."""
    from driving_sandbox.physics.props.props import Props

    Props(placed=(), ground=ground, vehicles=()).prepare()
    note_compiled(PROPS)


def compile_contact(vehicle: "Vehicle", ground: "Ground") -> None:
    """Compile the kernels of contact between vehicles, which serve them all, if this one has bodywork."""
    if "contact" not in vehicle.sequence.by_slot:
        return
    VehicleContact([vehicle], trains=[range(1)], surfaces=ground.surfaces).prepare()
    note_compiled(CONTACT)


def longest_first(parts: "Iterable[Part]") -> "list[Part]":
    """Parts of a component list in the order in which they are compiled: ground queries, which take longest, first."""
    return sorted(parts, key=lambda part: GROUND not in part.arguments)


def compile_phases(
    vehicle: "Vehicle",
    ground: "Ground",
    claims: Path | str,
    backwards: bool = False,
    props: bool = False,
    contact: bool = False,
) -> None:
    """Compile kernels that no other process has claimed by a file in the folder `claims`.

    These are the parts of a vehicle's component list (for a train: the phases of its lists), the ray cast that places
    a vehicle on the ground, and, with `props` and `contact`, the kernels of props and of contact between vehicles.
    backwards: begin at the end of this list.
    """
    jobs: dict[str, Callable[[], object]] = {}
    jobs |= {"props": partial(compile_props, ground)} if props else {}  # first: they take longest of all
    jobs |= {"vehicle_contact": partial(compile_contact, vehicle, ground)} if contact else {}
    jobs |= {"ground.ray": partial(ground.cast, (0.0, 0.0, 0.0), (0.0, 0.0, -1.0), 1.0)}
    if not vehicle.trailers:
        jobs |= {part.module.__name__: part.code for part in longest_first(parts_of(vehicle.sequence).values())}
    for sequence in reversed(lists_of(vehicle)) if vehicle.trailers else ():
        for phase in phases_of(sequence.entries):
            name = f"{phase.component.slot}.{phase.component.name}.{phase.phase}"
            jobs[name] = partial(_compile, inner(phase.kernel), sequence, phase, ground)
    for name in reversed(jobs) if backwards else jobs:
        try:
            (Path(claims) / name).touch(exist_ok=False)
        except FileExistsError:
            continue
        jobs[name]()


def _compile(kernel: Any, sequence: "Sequence", phase: Any, ground: "Ground") -> None:
    with readable_kernel_errors():
        kernel.compile(argument_types(sequence, phase, ground))


def compile_vehicle(vehicle: "Vehicle", world_file: "WorldFile", with_trace: bool = True) -> None:
    """Fill the cache: step a vehicle in a scratch world in every way the program does.

    Kernels for driving come first, then their marker; those of contact between vehicles, of reruns and of fault
    diagnosis can wait.
    """
    from driving_sandbox.physics.batch.trajectory import Rerun, Segment

    if with_trace and not vehicle.trailers:  # no partner has compiled parts, and the merged step alone is quicker
        merge(vehicle.sequence)
    world = _scratch_world(vehicle, world_file)
    if world_file.props:
        compile_props(world.ground)
    command = neutral_command()
    world.step(command)
    for index in world.in_parts():
        world.merge(index)
    world.step(command)
    marker = _marker(vehicle)
    marker.parent.mkdir(parents=True, exist_ok=True)
    marker.touch()
    compile_contact(vehicle, world.ground)
    rerun = Rerun(vehicle, world)
    rerun.begin(Segment.ahead(world, command), rerun.parameters())
    rerun.advance(1)
    _marker(vehicle, rerun=True).touch()
    if with_trace:
        compile_trace(vehicle, world_file)


def compile_trace(vehicle: "Vehicle", world_file: "WorldFile") -> None:
    """Compile the fault diagnosis of a vehicle and its trailers."""
    world = _scratch_world(vehicle, world_file)
    for sequence in lists_of(vehicle):
        member = next(m for m in world.vehicles if m.sequence is sequence)
        words = member.state_bytes.view(np.float64)
        sequence.trace(
            words, sequence.float_words, member.params, member.state, member.scratch, world.context,
            np.zeros(1, EXTERNAL), neutral_command(), world.tick_seconds, *world.ground.arrays,
        )  # fmt: skip


def _scratch_world(vehicle: "Vehicle", world_file: "WorldFile") -> "World":
    """A temporary world with the vehicle alone, on the first spawn point."""
    from driving_sandbox.physics.world.world import World

    world = World(world_file, [vehicle])
    world.spawn()
    return world


class CountingWorker(Worker):
    """Worker process that reports every kernel it compiles; if it is cancelled these stay in the cache.

    Attributes (and those of Worker):
        count: kernels compiled so far.
    """

    count = 0

    def _take(self, line: str) -> None:
        self.count += line.startswith(_PROGRESS)


class CompileWorker(CountingWorker):
    """Worker process that compiles for a vehicle and a world.

    Args:
        vehicle: name or path.
        world: name or path.
        trusted: component files that may run: paths, or results of `trust.pinned`.
        niceness: as for Worker.
    """

    def __init__(
        self, vehicle: Path | str, world: Path | str, trusted: Iterable[Path | str] = (), niceness: int = 0
    ) -> None:
        trust = [word for path in trusted for word in ("--trust", path)]
        super().__init__("driving_sandbox.physics.compile", vehicle, world, *trust, niceness=niceness)


class _Partner(Worker):
    """Second process of a worker; its lines of progress are printed as the worker's own."""

    def _take(self, line: str) -> None:
        sys.stdout.write(line)
        sys.stdout.flush()


def report_progress() -> None:
    """Print a line after every kernel that had to be compiled; cached ones are silent."""
    from driving_sandbox.physics.kernel.numba_internals import event

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            pass

        def on_end(self, event: Any) -> None:
            sys.stdout.write(f"{_PROGRESS}\n")  # one call: the partner's thread writes too
            sys.stdout.flush()

    event.register("numba:compile", Listener())


@contextlib.contextmanager
def _partner(arguments: list[str]) -> Iterator[tuple[str | None, _Partner | None]]:
    """Run a partner process: yields (folder of claims, _Partner); (None, None) on a single core or without JIT."""
    if (os.cpu_count() or 1) == 1 or not JIT:
        yield None, None
        return
    with tempfile.TemporaryDirectory() as claims:
        partner = _Partner("driving_sandbox.physics.compile", *arguments, "--claims", claims)
        try:
            yield claims, partner
        finally:
            partner.cancel()


def main(arguments: list[str]) -> int:
    """Run the worker process; returns the exit code."""
    from driving_sandbox.physics.vehicle.trust import Allowed
    from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
    from driving_sandbox.physics.world.world_file import load_world

    parser = argparse.ArgumentParser(
        prog="python -m driving_sandbox.physics.compile", description="Compile a vehicle's kernels."
    )
    parser.add_argument("vehicle", help="name or .yaml file")
    parser.add_argument("world", help="name or .yaml file")
    parser.add_argument("--trust", action="append", default=[], help="a component file that may run")
    parser.add_argument("--claims", help="folder of claims, shared with the process whose partner this is")
    options = parser.parse_args(arguments)
    report_progress()
    gc.disable()  # the compiler's memory, some 600 MB, is freed with the process
    pair = contextlib.nullcontext((options.claims, None)) if options.claims else _partner(arguments)
    try:
        with pair as (claims, partner):  # the partner starts while this process loads the vehicle
            vehicle = load_vehicle(options.vehicle, trust=Allowed(options.trust))
            world_file = load_world(options.world)
            if claims is not None:
                ground = world_file.ground()
                props, contact = bool(world_file.props), bool(world_file.parked)
                compile_phases(vehicle, ground, claims, backwards=partner is None, props=props, contact=contact)
            if options.claims:
                compile_trace(vehicle, world_file)
                return 0
            compile_vehicle(vehicle, world_file, with_trace=partner is None)
            if partner is not None:
                partner.wait()
        remove_unused_caches()
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
