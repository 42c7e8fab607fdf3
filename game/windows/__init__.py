"""One file per window or menu of the interface; importing the folder registers all of its windows (window.py)."""

import importlib
import pkgutil

for _module in sorted(module.name for module in pkgutil.iter_modules(__path__)):
    importlib.import_module(f"{__name__}.{_module}")
