"""Generated modules (steps of vehicles and chains, parts), which are files in the cache folder."""

import hashlib
import importlib.util
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.cache_folder import cache_folder, write_whole
from driving_sandbox.physics.kernel.jit import closure_hash


def load_generated(kind: str, source: str, modules: set[str], layouts: dict[str, np.dtype]) -> ModuleType:
    """A generated module, loaded from its file in the cache folder, which is written if it is missing or differs.

    Args:
        kind: start of the module's name.
        source: text of the module.
        modules: names of the modules whose kernels it calls.
        layouts: {name: record type}, set as the module's globals before it runs.
    """
    hashes = [f"{name} {closure_hash(name)}" for name in sorted(modules)]
    stamp = "\n".join([source, *hashes, *map(str, layouts.values())])
    name = f"{kind}_{hashlib.sha256(stamp.encode()).hexdigest()[:16]}"
    if name in sys.modules:
        return sys.modules[name]
    path = cache_folder() / "steps" / f"{name}.py"
    if not path.is_file() or path.read_bytes() != source.encode():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, source.encode())
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    vars(module).update(layouts)
    sys.modules[name] = module
    try:
        # From the text that was compared, not by the loader: it would run bytecode beside the file unchecked.
        exec(compile(source, str(path), "exec"), vars(module))
    except BaseException:
        del sys.modules[name]
        raise
    return module


def with_attributes(function: Callable[..., Any]) -> Callable[..., Any]:
    """A wrapper that passes numpy records to a plain Python function as record arrays, so that `p.mass` works."""

    def call(*arguments: Any) -> Any:
        structured = [
            argument.view(np.recarray) if getattr(argument, "dtype", None) and argument.dtype.names else argument
            for argument in arguments
        ]
        return function(*structured)

    call.__module__ = function.__module__
    return call
