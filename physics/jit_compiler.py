"""How numba's compiler is put to work on kernels: no step of it that a kernel does not need.

Only a vehicle's step and the few kernels that Python calls need machine code and a wrapper that unpacks Python's
arguments. The two hundred kernels that are merged into them are compiled as far as LLVM's intermediate code. And all
go through the optimizer once, instead of three times: numba's first two runs are for pruning reference counts, and
kernels have none. The first start compiles in half the time, to a step as fast.

This leans on numba's compiler classes, beyond what numba documents; requirements.txt pins the version.
"""

from numba.core import caching, codegen, compiler
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering


class KernelLibrary(codegen.JITCodeLibrary):
    """The code of one kernel that Python calls, optimized once."""

    def _optimize_functions(self, ll_module):
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self):
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)


class InnerLibrary(KernelLibrary):
    """The intermediate code of one kernel, to be linked into those that call it."""

    @property
    def codegen(self):
        return _NoMachineCode(self._codegen)

    def _finalize_final_module(self):
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name):
        return 0

    def serialize_using_object_code(self):
        return self.name, "bitcode", self._get_module_for_linking().as_bitcode()

    @classmethod
    def load(cls, generator, serialized):
        """What `serialize_using_object_code` wrote, as a library again."""
        name, _, bitcode = serialized
        library = cls(generator, name)
        library._final_module = codegen.ll.parse_bitcode(bitcode)
        library._finalize_final_module()
        return library


class _NoMachineCode:
    """numba's code generator, for a library without an address."""

    def __init__(self, generator):
        self._generator = generator

    def __getattr__(self, name):
        return getattr(self._generator, name)

    def set_env(self, name, environment):
        """The environment of a kernel without machine code is never read."""


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(NativeLowering):
    """numba's lowering, into a KernelLibrary."""

    _name = "kernel_lowering"
    library_class = KernelLibrary

    def run_pass(self, state):
        state.library = self.library_class(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().run_pass(state)


@register_pass(mutates_CFG=True, analysis_only=False)
class InnerLowering(KernelLowering):
    """numba's lowering, into an InnerLibrary."""

    _name = "inner_lowering"
    library_class = InnerLibrary


class KernelCompiler(compiler.CompilerBase):
    """numba's usual passes with the lowering above."""

    lowering = KernelLowering

    def define_pipelines(self):
        passes = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state, self.lowering._name)
        passes.passes = [(self.lowering if p is NativeLowering else p, text) for p, text in passes.passes]
        passes.finalize()
        return [passes]


class InnerCompiler(KernelCompiler):
    """The same for a kernel that kernels call."""

    lowering = InnerLowering


class InnerCacheImpl(caching.CompileResultCacheImpl):
    """Loads what an InnerLibrary has written."""

    def get_filename_base(self, fullname, abiflags):
        return "inner-" + super().get_filename_base(fullname, abiflags)

    def rebuild(self, target_context, payload):
        code, description, environment, signature, objectmode, lifted, annotation, reload_init, environments = payload
        library = InnerLibrary.load(target_context.codegen(), code)
        return compiler.CompileResult(
            target_context=target_context, typing_context=target_context.typing_context, library=library,
            environment=environment, entry_point=target_context.get_executable(library, description, environment),
            fndesc=description, type_annotation=annotation, signature=signature, objectmode=objectmode, lifted=lifted,
            typing_error=None, call_helper=None, metadata=None, reload_init=reload_init, referenced_envs=environments,
        )  # fmt: skip
