"""Makes build/types/driving_sandbox, the package as one folder, of links to the folders of the clone.

In a clone the package extends its `__path__` to these folders. Programs that only read sources, as mypy and the
generator of the reference, do not follow that.
"""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINKS = ROOT / "build" / "types"
FOLDERS = ("benchmarks", "cli", "docs", "formats", "game", "lab", "physics", "sound")


def link_package() -> None:
    """Make the folder, or what is missing in it."""
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
