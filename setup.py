"""Packages of the Python wheel: the program's folders below one package, `driving_sandbox`.

Other settings: pyproject.toml.
"""

import tempfile

from setuptools import find_namespace_packages, setup

FOLDERS = ("assets", "benchmarks", "cli", "configs", "docs.examples", "formats", "game", "lab", "physics", "sound")
inside = find_namespace_packages(
    include=[*FOLDERS, *(f"{name}.*" for name in FOLDERS)], exclude=["assets.build*", "*.__pycache__*"]
)
setup(
    packages=["driving_sandbox", *(f"driving_sandbox.{name}" for name in inside)],
    package_dir={f"driving_sandbox.{name}": name.replace(".", "/") for name in inside},
    package_data={"": ["*"]},
    # A new folder, as setuptools would also ship removed modules that an earlier build copied into its folder.
    options={"build": {"build_base": tempfile.mkdtemp(prefix="driving-sandbox-")}},
)
