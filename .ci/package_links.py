"""Makes build/types/driving_sandbox: the whole package in one folder, of links to the clone's folders.

In a clone the package finds these folders through its `__path__`. Tools that only read the sources, such as mypy and
the generator of the API reference, do not follow this.
"""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINKS = ROOT / "build" / "types"
FOLDERS = ("benchmarks", "cli", "docs", "formats", "game", "lab", "physics", "sound")


def link_package() -> None:
    """Create the folder and any missing link; the three files beside the links are always copied."""
    package = LINKS / "driving_sandbox"
    package.mkdir(parents=True, exist_ok=True)
    for folder in FOLDERS:
        if not (package / folder).exists():
            _link(ROOT / folder, package / folder)
    for name in ("__init__.py", "__main__.py", "py.typed"):
        (package / name).write_bytes((ROOT / "driving_sandbox" / name).read_bytes())


def _link(folder: Path, link: Path) -> None:
    """Make a link to a folder."""
    if os.name == "nt":  # a junction: symbolic links need a special permission
        subprocess.run(["cmd", "/c", "mklink", "/J", str(link), str(folder)], check=True, capture_output=True)
    else:
        link.symlink_to(os.path.relpath(folder, link.parent), target_is_directory=True)


if __name__ == "__main__":
    link_package()
