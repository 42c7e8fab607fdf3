"""Numba's compiler pipeline for kernels, without the passes that they do not need.

Only a vehicle's step and the few kernels that Python calls need machine code and a wrapper that unpacks Python's
arguments. The two hundred kernels inlined into them are only compiled to LLVM's intermediate code. Each module passes
the optimizer once instead of three times: numba's first two runs prune reference counts, which kernels do not have.
This halves the compile time of the first start, and the step is as fast.

SLP vectorisation (of equal operations in straight-line code, such as for the axes of a vector or for two wheels), which
numba disables, is enabled: a tick is 7 % shorter, and results are bit-identical. Vectors have at most four lanes, even
on processors with eight: packing and unpacking eight numbers of records costs 4 % of a tick more than it saves.

This uses undocumented numba compiler classes (numba_internals.py).
"""

import copy
import platform
import uuid
from typing import Any

from numba import types

from driving_sandbox.physics.kernel.numba_internals import (
    NativeLowering,
    caching,
    codegen,
    compiler,
    config,
    register_pass,
    typing,
)

FOUR_LANES = "+prefer-256-bit"  # vectors of four float64; a preference that LLVM obeys, not a processor's feature
_CONFIG: Any = config  # numba sets its attributes when it is imported
if platform.machine().lower() in ("x86_64", "amd64") and _CONFIG.CPU_FEATURES is None:
    _CONFIG.CPU_FEATURES = f"{codegen.get_host_cpu_features()},{FOUR_LANES}"


class KernelLibrary(codegen.JITCodeLibrary):
    """The code of one kernel that Python calls, optimized once."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        passes, builder = self._codegen._module_pass_manager(slp_vectorize=True)
        passes.run(self._final_module, builder)


class InnerLibrary(KernelLibrary):
    """The intermediate code of one kernel, to be linked into its callers.

    No SLP vectorisation here: it would prevent loop vectorisation in the caller.
    """

    def _optimize_final_module(self) -> None:
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)

    @property
    def codegen(self) -> "_NoMachineCode":
        """numba's code generator, as for a library without machine code."""
        return _NoMachineCode(self._codegen)

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """0: there is no machine code to point to."""
        return 0

    def serialize_using_object_code(self) -> tuple[str, str, bytes]:
        """Bitcode in place of object code, under numba's name for the method."""
        return self.name, "bitcode", self._get_module_for_linking().as_bitcode()

    @classmethod
    def load(cls, generator: Any, serialized: tuple[str, str, bytes]) -> "InnerLibrary":
        """The library that `serialize_using_object_code` wrote."""
        name, _, bitcode = serialized
        library = cls(generator, name)
        library._final_module = codegen.ll.parse_bitcode(bitcode)
        library._finalize_final_module()
        return library


class _NoMachineCode:
    """numba's code generator for a library without machine code."""

    def __init__(self, generator: Any) -> None:
        self._generator = generator

    def __getattr__(self, name: str) -> Any:
        return getattr(self._generator, name)

    def set_env(self, name: str, environment: Any) -> None:
        """The environment of a kernel without machine code is never read."""


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(NativeLowering):
    """numba's lowering, into a KernelLibrary, under a unique name.

    numba names machine code by counters of functions and record types. Code that two processes have compiled for
    different records can get the same name, and a third process that loads both would call one for the other.
    """

    _name = "kernel_lowering"
    library_class = KernelLibrary

    def run_pass(self, state: Any) -> bool:
        """Lower a function; returns whether it was changed."""
        state.func_id.unique_id = uuid.uuid4().hex
        state.library = self.library_class(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().run_pass(state)


@register_pass(mutates_CFG=True, analysis_only=False)
class InnerLowering(KernelLowering):
    """numba's lowering, into an InnerLibrary."""

    _name = "inner_lowering"
    library_class = InnerLibrary


class KernelTyping(typing.Context):
    """numba's typing context, which remembers how it typed calls of built-in functions.

    For every `+` of two floats numba tries dozens of overloads, from strings to dates: a fifth of the compile time.
    """

    _known: dict[Any, Any]  # {(function, argument types): signature}
    # argument types for which the overload depends on the types alone
    _plain = (types.Number, types.Boolean, types.Record, types.Array, types.UniTuple)

    @classmethod
    def around(cls, context: Any) -> "KernelTyping":
        """The KernelTyping with the registered functions of another context."""
        if context not in _typings:
            fresh = _typings[context] = copy.copy(context)
            fresh.__class__ = cls
            fresh._known = {}
        return _typings[context]

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        """Signature of a call with these argument types, or None; calls of plain types are remembered."""
        if kws or not isinstance(func, types.Function) or not all(isinstance(a, self._plain) for a in args):
            return super().resolve_function_type(func, args, kws)
        key = (func, tuple(args))
        cached = self._known.get(key)
        if cached is None:
            cached = super().resolve_function_type(func, args, kws)
            if cached is not None:
                self._known[key] = cached
        return cached


_typings: dict[Any, KernelTyping] = {}  # {numba's typing context: the KernelTyping with its functions}


class KernelCompiler(compiler.CompilerBase):
    """numba's standard passes with the lowering and the typing above."""

    lowering = KernelLowering

    def __init__(self, typingctx: Any, *arguments: Any) -> None:
        super().__init__(typingctx, *arguments)
        self.state.typingctx = KernelTyping.around(typingctx)

    def define_pipelines(self) -> list[Any]:
        """numba's list of passes, with the lowering of this class."""
        passes = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state, self.lowering._name)
        passes.passes = [(self.lowering if p is NativeLowering else p, text) for p, text in passes.passes]
        passes.finalize()
        return [passes]


class InnerCompiler(KernelCompiler):
    """KernelCompiler for kernels that other kernels call."""

    lowering = InnerLowering


_CompileResult: Any = compiler.CompileResult  # a named tuple whose fields numba computes


class LeanCacheImpl(caching.CompileResultCacheImpl):
    """numba's cache without the source text annotated with types, which is not used."""

    def reduce(self, data: Any) -> Any:
        """What numba stores of a compiled kernel, without the annotated source text."""
        return super().reduce(data._replace(type_annotation=""))


class InnerCacheImpl(LeanCacheImpl):
    """Cache that rebuilds a compiled kernel from the intermediate code that an InnerLibrary has written."""

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        """Base of the names of the files in the cache, marked as those of an inner kernel."""
        return "inner-" + super().get_filename_base(fullname, abiflags)

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """The compiled kernel that `reduce` stored."""
        code, description, environment, signature, objectmode, lifted, annotation, reload_init, environments = payload
        library = InnerLibrary.load(target_context.codegen(), code)
        return _CompileResult(
            target_context=target_context, typing_context=target_context.typing_context, library=library,
            environment=environment, entry_point=target_context.get_executable(library, description, environment),
            fndesc=description, type_annotation=annotation, signature=signature, objectmode=objectmode, lifted=lifted,
            typing_error=None, call_helper=None, metadata=None, reload_init=reload_init, referenced_envs=environments,
        )  # fmt: skip
