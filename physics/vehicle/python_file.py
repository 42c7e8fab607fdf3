"""Import of the user's Python files (components, drivers) under a given name, with other files of their folders."""

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

from driving_sandbox.physics.base.input_file import read_text
from driving_sandbox.physics.kernel.import_closure import LARGEST_SOURCE, imports_of
from driving_sandbox.physics.schema.yaml_file import ConfigError

# In a clone these can also be imported without the prefix driving_sandbox, which would create each class a second time.
OWN_PACKAGES = ("physics", "lab", "formats", "game", "sound", "cli", "benchmarks")
_user_modules: set[str] = set()  # names of modules that users' files have imported from their folders


def check_python_file(path: Path) -> None:
    """Raise ConfigError for a file that is not Python, cannot be read, or imports the program by a wrong name."""
    if path.suffix != ".py":
        raise ConfigError(path, None, "", "is not a Python file: its name must end in .py")
    try:
        text = read_text(path, LARGEST_SOURCE)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(path, None, "", f"cannot be read: {error}") from None
    folder = path.resolve().parent
    for _, module, _ in imports_of(text):
        top = module.split(".")[0]
        lies_beside = (folder / f"{top}.py").is_file() or (folder / top).is_dir()
        if top in OWN_PACKAGES and not lies_beside:
            raise ConfigError(path, None, "", f"imports {module!r}: use 'driving_sandbox.{module}'")


def import_python_file(path: Path, name: str) -> ModuleType:
    """Run a file as the module `name`; it may import files of its folder, which are loaded again for each such file.

    Raises whatever the file raises.
    """
    forget_user_modules()
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None  # a path that ends in .py has both
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    known, folder = set(sys.modules), str(path.resolve().parent)
    sys.path.append(folder)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    finally:
        sys.path.remove(folder)
        _user_modules.update(name for name in set(sys.modules) - known if _lies_in(sys.modules[name], name, folder))
    return module


def forget_user_modules() -> None:
    """Forget the modules imported from users' folders: their files may be edited, and names recur in other folders."""
    while _user_modules:
        sys.modules.pop(_user_modules.pop(), None)


def _lies_in(module: ModuleType, name: str, folder: str) -> bool:
    """Whether a module's file is the one that `import name` finds in a folder."""
    file = getattr(module, "__file__", None)
    stem = os.path.join(folder, *name.split("."))
    return file in (f"{stem}.py", os.path.join(stem, "__init__.py"))
