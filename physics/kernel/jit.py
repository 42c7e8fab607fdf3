"""The one `@kernel` decorator of the core, and how its machine code is cached.

A kernel is a small function of records and tuples, compiled by numba without fastmath, so that equal inputs give equal
results whether it was compiled just now or loaded from the cache. numba's own cache notices an edit only in the file of
the kernel itself; the cache used here depends on the *import closure*: a hash of the module and of every module of this
program that it imports, directly or not. An edit anywhere below a kernel recompiles it, an edit elsewhere does not.

`SANDBOX_JIT=0` leaves every kernel a plain Python function (slow, debuggable).
"""

# The caches inherit methods of numba's, which have no types.
# mypy: allow-untyped-calls

import contextlib
import hashlib
import os
import pickle
from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numba
from numba import extending

from driving_sandbox.physics.kernel.cache_folder import cache_folder, readable_folder, sealed, unsealed
from driving_sandbox.physics.kernel.import_closure import ROOT as ROOT
from driving_sandbox.physics.kernel.import_closure import ImportClosure
from driving_sandbox.physics.kernel.jit_compiler import InnerCacheImpl, InnerCompiler, KernelCompiler, LeanCacheImpl
from driving_sandbox.physics.kernel.numba_internals import caching, make_concrete_template, rtsys

JIT = os.environ.get("SANDBOX_JIT", "1") != "0"


closures = ImportClosure(cache_folder)


def closure_hash(module_name: str) -> str | None:
    """Hash of the sources of a module and its imports (import_closure.py); None without a source file."""
    return closures.hash(module_name)


class _ClosureLocator(caching._CacheLocator):
    """Places a kernel's cache in a folder named by its module's import closure."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        self._py_func = py_func
        self._stamp = py_func.closure_hash

    def get_cache_path(self) -> str:
        folder = cache_folder() / f"{self._py_func.__module__.rpartition('.')[2]}-{self._stamp}"
        with contextlib.suppress(OSError):
            os.utime(folder)  # marks it as in use for `remove_unused_caches`
        return str(folder)

    def get_source_stamp(self) -> Any:
        return self._stamp

    def get_disambiguator(self) -> str:
        return str(self._py_func.__code__.co_firstlineno)

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> Any:
        return cls(py_func, py_file)


class _ClosureCacheImpl(LeanCacheImpl):
    _locator_classes = [_ClosureLocator]


class _InnerCacheImpl(InnerCacheImpl):
    _locator_classes = [_ClosureLocator]


class _FilePerVersion(caching.IndexDataCacheFile):
    """Cache with one file per version of a function, named by the argument types it was compiled for.

    numba numbers versions in an index instead: two processes that compile two versions at the same moment give both the
    same number, and one version's machine code is later called for the other.
    """

    def _data_name(self, key: Any) -> str:
        return f"{Path(self._index_name).stem}-{hashlib.sha256(str(key).encode()).hexdigest()[:24]}.nbc"

    def save(self, key: Any, data: Any) -> None:
        path, data = self._data_path(self._data_name(key)), sealed(self._dump(data))
        with contextlib.suppress(OSError), self._open_for_write(path) as file:
            file.write(data)  # on a full disk it is compiled again next time

    def load(self, key: Any) -> Any:
        """What was saved; None if there is nothing or the file was altered, as its content is executed."""
        path = Path(self._data_path(self._data_name(key)))
        second = readable_folder()
        folders = [path.parent] if second is None else [path.parent, second / path.parent.name]
        for folder in folders:
            with contextlib.suppress(OSError):
                data = unsealed((folder / path.name).read_bytes())
                if data is not None:
                    return pickle.loads(data)
        return None


class _KernelCache(caching.FunctionCache):
    """numba's cache of a function, with a file per version."""

    def __init__(self, py_func: Callable[..., Any]) -> None:
        super().__init__(py_func)
        self._cache_file = _FilePerVersion(self.cache_path, self._impl.filename_base, None)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """numba's method, but without loading its implementations of Python's functions first.

        Only compiling needs them, and it loads them itself; here they would take 0.1 s of every start.
        """
        rtsys.initialize(target_context)  # reference counting, of `entry`
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


class _ClosureCache(_KernelCache):
    _impl_class: Any = _ClosureCacheImpl


class _InnerCache(_KernelCache):
    _impl_class: Any = _InnerCacheImpl


class _CacheOnDemand:
    """The cache of a function, made on first access.

    Most kernels are only parts of others, and making a thousand caches would take 0.1 s of every start.
    """

    def __init__(self, function: Callable[..., Any], cache_class: type) -> None:
        self._function = function
        self._cache_class = cache_class

    @cached_property
    def _cache(self) -> Any:
        return self._cache_class(self._function)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)


def _cached(dispatcher: Any, cache_class: type) -> Any:
    """Cache what a dispatcher compiles, unless its sources are unknown, as for code typed into an interpreter."""
    cache = cache_of(dispatcher.py_func, cache_class)
    if cache is not None:
        dispatcher._cache = cache
    return dispatcher


def cache_of(function: Callable[..., Any], cache_class: type = _ClosureCache) -> Any:
    """The cache of a function to compile; None if its sources are unknown.

    The hash is taken when the function is made: by the time it is compiled, its sources may have been edited.
    """
    known: Any = function
    if not hasattr(known, "closure_hash"):
        known.closure_hash = closure_hash(known.__module__)
    return None if known.closure_hash is None else _CacheOnDemand(function, cache_class)


if TYPE_CHECKING:

    def pointer(address: int) -> Any: ...

else:

    @extending.intrinsic
    def pointer(typing_context: Any, address: Any) -> Any:
        """The memory at an int64 address, for `numba.carray`."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], context.get_value_type(numba.types.voidptr))

        return numba.types.voidptr(numba.types.int64), generate


@extending.intrinsic
def record_at(typing_context: Any, address: Any, kind: Any) -> Any:
    """The record of a numpy type at an int64 address.

    It is used instead of `numba.carray`, which would have to be compiled for every record type.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(kind.dtype))

    return kind.dtype(numba.types.int64, kind), generate


def entry(function: Callable[..., Any]) -> Any:
    """Compile a function that makes arrays from addresses: like `kernel`, but with reference counting."""
    if not JIT:
        return function
    options = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
    dispatcher = _NJIT(**options, pipeline_class=KernelCompiler)(function)
    return _cached(dispatcher, _ClosureCache)


def inlined(function: Callable[..., Any]) -> Any:
    """A section of an `entry`, compiled as if it stood there.

    An entry that called another entry would have that one compiled twice, with all its kernels: into the caller's code,
    and as a function of its own.
    """
    return _NJIT(inline="always", nogil=True, error_model="numpy")(function) if JIT else function


# _nrt: reference counting
_NJIT: Any = numba.njit  # whose types lack options of njit that are used here
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True}
# `kernel` keeps the type of the result, but not those of the parameters: compiled code also takes numpy's numbers, and
# arrays in place of tuples
_Result = TypeVar("_Result")


def kernel(function: Callable[..., _Result]) -> Callable[..., _Result]:
    """Compile a function of the core: GIL released, IEEE division, cached by import closure.

    There is no reference counting: passing arrays on needs no locked instructions, which would take a sixth of a tick,
    and an allocation in a kernel is an error at compile time. Strings and dictionaries are not possible either; pass
    vectors as tuples, and sub-records instead of whole records.
    """
    if not JIT:
        return function
    dispatcher = _NJIT(**_OPTIONS, pipeline_class=KernelCompiler)(function)
    _cached(dispatcher, _ClosureCache)
    dispatcher.merged = False
    dispatcher.get_call_template = partial(_call_template, dispatcher)
    dispatcher.get_overload = lambda signature: inner(dispatcher).get_overload(signature)
    return cast("Callable[..., _Result]", dispatcher)


def merge(dispatcher: Any) -> None:
    """Have a kernel inlined into its callers, however long it is."""
    dispatcher.merged = True


def inner(dispatcher: Any) -> Any:
    """The version of a kernel that other kernels call, made when the first of them is compiled."""
    if not hasattr(dispatcher, "inner"):
        compiled = _NJIT(
            **_OPTIONS, no_cpython_wrapper=True, forceinline=dispatcher.merged, pipeline_class=InnerCompiler
        )(dispatcher.py_func)
        dispatcher.inner = _cached(compiled, _InnerCache)
    return dispatcher.inner


def _call_template(dispatcher: Any, args: Any, kws: Any) -> Any:
    """Typing of a call: one version for all callers, where numba would make another for every constant argument.

    Only the version of exactly these types is offered: of all versions numba might choose one for another record that
    begins with the same fields.
    """
    callee = inner(dispatcher)
    kws = {name: numba.types.unliteral(kind) for name, kind in kws.items()}
    signature, args = callee._compiler.fold_argument_types(tuple(numba.types.unliteral(a) for a in args), kws)
    callee.compile(tuple(args))
    template = make_concrete_template(dispatcher.__name__, dispatcher, [callee.overloads[tuple(args)].signature])
    return template, signature, args, {}


def remove_unused_caches(days: float = 30.0) -> int:
    """Delete cache folders that were last used (of generated sources: written) over `days` ago; returns how many."""
    import shutil
    import time

    oldest = time.time() - days * 86400.0  # s per day
    removed = 0
    for folder in cache_folder().parent.glob("kernels-*/*"):
        if folder.is_dir() and folder.stat().st_mtime < oldest:
            shutil.rmtree(folder, ignore_errors=True)
            removed += 1
    return removed
