"""Undocumented features of numba and llvmlite that the core uses, all in this module.

No other module imports `numba.core` or `llvmlite`. requirements.txt pins the tested versions; `missing()` lists names
that another version lacks, for `./drive doctor` and a test.
"""

from typing import Any

import llvmlite.binding as llvm_binding
import llvmlite.ir as llvm_ir
from numba.core import caching, cgutils, codegen, compiler, config, event, typing
from numba.core.ccallback import CFunc
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import register_pass
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError
from numba.core.runtime import rtsys
from numba.core.typed_passes import NativeLowering
from numba.core.typing.templates import make_concrete_template

__all__ = [
    "CFunc",
    "caching",
    "cgutils",
    "codegen",
    "compiler",
    "config",
    "event",
    "global_compiler_lock",
    "host_processor",
    "llvm_ir",
    "make_concrete_template",
    "missing",
    "NativeLowering",
    "NumbaError",
    "register_pass",
    "rtsys",
    "typing",
]

INTERNALS = {  # module or class: names of its attributes, methods and fields that are called, replaced or read
    caching._CacheLocator: ("get_cache_path", "get_source_stamp", "get_disambiguator", "from_function"),
    caching.IndexDataCacheFile: ("save", "load", "_data_name", "_data_path", "_dump", "_open_for_write"),
    caching.FunctionCache: (
        "_impl_class", "cache_path", "load_overload", "save_overload", "_load_overload",
        "_guard_against_spurious_io_errors",
    ),
    caching.CompileResultCacheImpl: ("_locator_classes", "reduce", "rebuild", "get_filename_base"),
    cgutils: ("get_or_insert_function",),
    codegen: ("get_host_cpu_features", "ll"),
    codegen.ll: ("parse_bitcode",),
    codegen.CPUCodegen: ("_module_pass_manager",),
    codegen.JITCodeLibrary: (
        "codegen", "_optimize_functions", "_optimize_final_module", "_finalize_final_module",
        "_finalize_dynamic_globals", "_verify_declare_only_symbols", "_get_module_for_linking",
        "get_pointer_to_function", "serialize_using_object_code", "enable_object_caching",
    ),
    compiler: ("CompileResult",),
    compiler.CompilerBase: ("define_pipelines",),
    compiler.DefaultPassBuilder: ("define_nopython_pipeline",),
    compiler.CompileResult: (
        "target_context", "typing_context", "library", "environment", "entry_point", "fndesc", "type_annotation",
        "signature", "objectmode", "lifted", "typing_error", "call_helper", "metadata", "reload_init",
        "referenced_envs", "_replace",
    ),
    config: ("CPU_FEATURES",),
    CFunc: ("_compile_uncached",),
    Dispatcher: ("compile", "get_call_template", "get_overload", "enable_caching"),
    event: ("Listener", "register"),
    NativeLowering: ("_name", "run_pass"),
    type(rtsys): ("initialize",),
    typing.Context: ("resolve_function_type",),
    llvm_binding: ("get_host_cpu_name",),
}  # fmt: skip
OF_INSTANCES = {  # the same for objects of a compiled function: {path: (function that returns the object, names)}
    "function": (lambda function: function, ("py_func", "overloads", "targetoptions", "_cache", "_compiler")),
    "function._compiler": (lambda function: function._compiler, ("fold_argument_types",)),
    "function._cache": (lambda function: function._cache, ("_impl", "_cache_file")),
    "library": (lambda function: next(iter(function.overloads.values())).library, ("_codegen", "_final_module")),
    "library._codegen": (
        lambda function: next(iter(function.overloads.values())).library._codegen,
        ("_data_layout", "_module_pass_manager"),
    ),
    "file": (lambda function: caching.IndexDataCacheFile("", "", None), ("_index_name",)),
}


def host_processor() -> str:
    """LLVM's name of this machine's processor, for which kernels are compiled."""
    return llvm_binding.get_host_cpu_name()


def missing(function: Any = None) -> list[str]:
    """Required names that the installed numba and llvmlite lack.

    Args:
        function: a compiled kernel, whose objects are checked too.
    """
    absent = [f"{getattr(owner, '__module__', '')}.{owner.__name__}.{name}".lstrip(".")
             for owner, names in INTERNALS.items() for name in names if not hasattr(owner, name)]  # fmt: skip
    for path, (reach, names) in OF_INSTANCES.items() if function is not None else ():
        absent += [f"{path}.{name}" for name in names if not hasattr(reach(function), name)]
    return absent
