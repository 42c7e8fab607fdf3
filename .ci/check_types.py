"""Checks types with mypy: python .ci/check_types.py

The modules from which `driving_sandbox` exports names and the examples have no errors in strict mode, the others none
without the options that pyproject.toml switches off.
"""

import os
import re
import subprocess
import sys
import tomllib

from package_links import LINKS, ROOT, link_package

ERROR = re.compile(r"^(?P<file>[^:]+):\d+: error: ")


def errors() -> list[str]:
    """Error lines of mypy, with the files as in the clone."""
    examples = sorted(str(path) for path in (ROOT / "examples").glob("*.py"))
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml")]
    runs = [subprocess.run([*command, *what], cwd=LINKS, capture_output=True, text=True, check=False)
            for what in (["-p", "driving_sandbox"], ["--scripts-are-modules", *examples])]  # fmt: skip
    if any(run.returncode > 1 or run.stderr for run in runs):
        sys.exit("\n".join(run.stdout + run.stderr for run in runs))
    lines = [line for run in runs for line in run.stdout.splitlines() if ERROR.match(line)]
    return list(dict.fromkeys(line.removeprefix("driving_sandbox/").replace(str(ROOT) + os.sep, "") for line in lines))


def border() -> set[str]:
    """Files of the modules that the package exports names of."""
    sys.path.insert(0, str(ROOT))
    import driving_sandbox as package

    modules = set(package._MODULES.values())
    modules |= {getattr(getattr(package, name), "__module__", package.__name__) for name in package.__all__}
    names = {name.removeprefix("driving_sandbox.").replace(".", "/") for name in modules}
    return {f"{name}.py" for name in names} | {f"{name}/__init__.py" for name in names} | {"__init__.py"}


def not_strict(modules: set[str]) -> list[str]:
    """Those of the border's files that pyproject.toml does not list among the modules with every strict option."""
    options = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["tool"]["mypy"]["overrides"]
    listed = {name.removeprefix("driving_sandbox").removeprefix(".").replace(".", "/")
              for override in options if override.get("warn_return_any") for name in override["module"]}  # fmt: skip
    files = {file for name in listed for file in (f"{name}.py", f"{name}/__init__.py".removeprefix("/"))}
    return sorted(file for file in modules - files if (LINKS / "driving_sandbox" / file).exists())


def main() -> bool:
    """Print the errors; returns whether there are any."""
    link_package()
    found = errors() + [
        f"{file}: is public: add it to the strict modules in pyproject.toml" for file in not_strict(border())
    ]
    print("\n".join([*found, f"types: {len(found)} errors"]))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
