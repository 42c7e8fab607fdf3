"""Write one vehicle's step for another processor, with all it works on: `emit.py FOLDER TICKS GROUND VEHICLE`.

The intermediate code that numba hands to LLVM is optimized here a second time, for aarch64. FOLDER gets

    native.s        what LLVM makes of the step for this processor (assembly)
    step.s, step.o  the same for aarch64
    start.bin       what the step works on before the first tick, as drive.c reads it
    name.txt        symbol of the step

To be run with an empty SANDBOX_CACHE: of code that comes out of the cache there is no intermediate code left.
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

STATE = 1  # which of the arrays is the state
TRIPLE = "aarch64-unknown-linux-gnu"
# numba's counting of references, whose code is made for this processor beforehand; drive.c has its own
COUNTING = re.compile(r"^define [^\n]*@(NRT_incref|NRT_decref)\(.*?^}\n", re.MULTILINE | re.DOTALL)


def watch():
    """Keep the intermediate code of every step before it is optimized, by its library's name, and after it the
    assembly."""
    libraries, optimize = {}, KernelLibrary._optimize_final_module

    def optimize_and_keep(library):
        text = str(library._final_module) if "bound" in library.name else None
        optimize(library)
        if text:
            libraries[library.name] = text, library._codegen._tm.emit_assembly(library._final_module)

    KernelLibrary._optimize_final_module = optimize_and_keep
    return libraries


def for_other_processor(text, name):
    """(assembly, object file) of a module's function `name` for aarch64. Everything else in it that nothing calls goes:
    numba's wrapper for Python calls Python."""
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
    """Bytes for drive.c: lengths, the table of addresses and shapes that `bound` takes, where each address' array lies
    (place in the table, place in the data, bytes), dt, the data, nothing from outside, the commands."""
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
