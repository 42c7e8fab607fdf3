"""Write one vehicle's step for another processor, with its data: `emit.py FOLDER TICKS GROUND VEHICLE`.

The intermediate code that numba hands to LLVM is optimized here a second time, for aarch64. Files written to FOLDER:

    native.s        the step in assembly for this processor
    step.s, step.o  the step in assembly and as an object file for aarch64
    start.bin       all arrays before the first tick and the commands, as drive.c reads them
    name.txt        symbol of the step

Run it with an empty SANDBOX_CACHE: the cache holds machine code only, without the intermediate code.
"""

import re
import sys
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np
from print_hashes import commands_of, started

from driving_sandbox.physics.ground.arrays import ARRAY_TYPES
from driving_sandbox.physics.kernel.jit_compiler import KernelLibrary
from driving_sandbox.physics.tick.commands import COMMAND
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.tick.machine_code import TICK_TYPES

STATE = 1  # index of the state among the arrays
TRIPLE = "aarch64-unknown-linux-gnu"
# numba's reference counting, which it has compiled for this processor already; drive.c has functions in its place
COUNTING = re.compile(r"^define [^\n]*@(NRT_incref|NRT_decref)\(.*?^}\n", re.MULTILINE | re.DOTALL)


def watch():
    """{name of numba's library: (intermediate code before optimization, assembly)} of steps.

    The dictionary is filled whenever a step is compiled.
    """
    libraries, optimize = {}, KernelLibrary._optimize_final_module

    def optimize_and_keep(library):
        text = str(library._final_module) if "bound" in library.name else None
        optimize(library)
        if text:
            libraries[library.name] = text, library._codegen._tm.emit_assembly(library._final_module)

    KernelLibrary._optimize_final_module = optimize_and_keep
    return libraries


def for_other_processor(text, name):
    """(assembly, object file) for aarch64 of the function `name` in a module of intermediate code.

    Other functions become internal, so that the optimizer removes those that nothing calls, such as numba's wrapper for
    calls from Python, which needs Python's own functions.
    """
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(opt=3, reloc="pic", codemodel="default")
    text = re.sub(r"^target (triple|datalayout) = .*$", "", text, flags=re.MULTILINE)
    text = COUNTING.sub(r"declare void @\1(ptr)\n", text)
    module = llvm.parse_assembly(f'target triple = "{TRIPLE}"\ntarget datalayout = "{machine.target_data}"\n{text}')
    for function in module.functions:
        if not function.is_declaration and function.name != name:
            function.linkage = "internal"
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.slp_vectorization = options.loop_vectorization = True
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    module.verify()
    return machine.emit_assembly(module), machine.emit_object(module)


def start_of(world, ticks):
    """Bytes for drive.c, one part after the other:

    1. the lengths of the other parts, the number of ticks and STATE,
    2. the table of addresses and shapes that `bound` takes; addresses are filled in by drive.c,
    3. for each array its place in the table, its place in the data, and its size in bytes,
    4. the tick, s,
    5. the data of all arrays,
    6. a record of external forces, all zero,
    7. the commands.
    """
    vehicle = world.vehicles[0]
    arrays = [vehicle.params, vehicle.state, vehicle.scratch, world.context, *world.ground.arrays]
    shapes = [()] * 4 + [array.shape for array in world.ground.arrays]
    assert [len(shape) for shape in shapes[4:]] == [dimensions for _, dimensions in ARRAY_TYPES]
    table, blobs, data = [], [], b""
    for array, shape in zip(arrays, shapes, strict=True):
        blobs.append((len(table), len(data), array.nbytes))
        table += [0, *shape]
        raw = np.ascontiguousarray(array).tobytes()
        data += raw + bytes(-len(raw) % 64)
    commands = np.concatenate([commands_of(tick, 1) for tick in range(ticks)])
    head = np.array([len(table), len(blobs), len(data), EXTERNAL.itemsize, COMMAND.itemsize, ticks, STATE], np.int64)
    parts = (head, np.array(table, np.int64), np.array(blobs, np.int64), np.array([world.tick_seconds]))
    return b"".join([*(part.tobytes() for part in parts), data, bytes(EXTERNAL.itemsize), commands.tobytes()])


def main(folder, ticks, ground, vehicle):
    """Write the code of the vehicle's step, the drive's first state and the step's name in the code into the folder."""
    libraries = watch()
    world = started(ground, [vehicle])
    bound = world.vehicles[0].sequence._module.bound
    if TICK_TYPES not in bound.overloads:
        bound.compile(TICK_TYPES)
    result = bound.overloads[TICK_TYPES]
    name = result.fndesc.llvm_func_name
    text, native = libraries[result.library.name]
    assembly, machine_code = for_other_processor(text, name)
    folder.mkdir(exist_ok=True)
    (folder / "native.s").write_text(native)
    (folder / "step.s").write_text(assembly)
    (folder / "step.o").write_bytes(machine_code)
    (folder / "start.bin").write_bytes(start_of(world, ticks))
    (folder / "name.txt").write_text(name)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:5])
