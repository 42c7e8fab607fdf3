"""Metadata of the package: version, dependencies and their pins, licences."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from driving_sandbox import VERSION

ROOT = Path(__file__).resolve().parent.parent
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))
PROJECT, TOOL = SETTINGS["project"], SETTINGS["tool"]
EXTRAS = PROJECT["optional-dependencies"]
LOCKS = {
    "requirements.lock": ["requirements.txt"],
    "requirements-dev.lock": ["requirements.txt", "requirements-dev.txt"],
}
LOCKED = re.compile(
    r"^(?P<name>[a-z0-9-]+)==(?P<version>[^ ;]+)(?: ; [^\\\n]+)? \\\n(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+",
    re.M,
)


def pins(*names):
    """{package: version} of requirement files, names as registries write them."""
    lines = [line for name in names for line in (ROOT / name).read_text(encoding="utf8").split()]
    return {name.lower(): version for name, version in (line.split("==") for line in lines)}


def locked(lock):
    """{package: its versions} of a lock file; several where the version depends on that of Python."""
    text = (ROOT / lock).read_text(encoding="utf8")
    entries = list(LOCKED.finditer(text))
    assert LOCKED.sub("", text).count("==") == 0  # every entry has hashes
    versions = {}
    for entry in entries:
        versions.setdefault(entry["name"], set()).add(entry["version"])
    return versions


def test_the_version_is_dynamic_and_has_three_numbers():
    assert "version" in PROJECT["dynamic"] and re.fullmatch(r"\d+\.\d+\.\d+", VERSION)


def test_pinned_versions_lie_in_the_ranges_of_the_package():
    ranges = [Requirement(text) for text in (*PROJECT["dependencies"], *EXTRAS["game"])]
    pinned = pins("requirements.txt")
    assert {requirement.name.lower() for requirement in ranges} == set(pinned)
    assert [
        requirement for requirement in ranges if not requirement.specifier.contains(pinned[requirement.name.lower()])
    ] == []


def test_pinned_tools_lie_in_the_ranges_of_the_extras():
    ranges = [Requirement(text) for extra in ("lab", "docs", "dev") for text in EXTRAS[extra]]
    pinned = pins("requirements-dev.txt")
    wrong = [r for r in ranges if not r.extras and not r.specifier.contains(pinned[r.name.lower()])]
    assert wrong == [] and len(ranges) > 10


def test_every_range_has_both_ends():
    """A lower and an upper end, or one exact version; `.ci/lowest` installs the lower ends."""
    extras = [text for extra in ("game", "lab", "video") for text in EXTRAS[extra]]
    ranges = [Requirement(text) for text in (*PROJECT["dependencies"], *extras)]
    open_ended = [r for r in ranges if {s.operator for s in r.specifier} not in ({">=", "<"}, {"=="})]
    assert open_ended == []


@pytest.mark.parametrize("lock", LOCKS)
def test_the_lock_holds_every_pin_with_hashes(lock):
    """A pin that changed without `.ci/lock` would leave ./drive and ./test with another version."""
    versions = locked(lock)
    pinned = pins(*LOCKS[lock])
    assert pinned and {name: version for name, version in pinned.items() if versions.get(name) != {version}} == {}


def test_both_locks_agree():
    small, large = (locked(lock) for lock in LOCKS)
    assert {name: large[name] for name in small} == small


def test_every_package_of_an_extra_is_on_the_licence_page():
    text = (ROOT / "docs" / "licenses.md").read_text(encoding="utf8").lower()
    names = [Requirement(text).name.lower() for extra in ("game", "lab", "video") for text in EXTRAS[extra]]
    assert [name for name in names if name not in text] == []


def test_no_module_is_imported_by_the_name_of_a_top_folder():
    """ruff refuses such imports: a clone's folders are found so, but an installed package's are not."""
    lint = TOOL["ruff"]["lint"]["flake8-tidy-imports"]["banned-api"]
    folders = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"driving_sandbox"}
    assert len(folders) >= 7 and folders <= set(lint)


def test_requirements_are_pinned():
    for name in ("requirements.txt", "requirements-dev.txt"):
        for line in (ROOT / name).read_text(encoding="utf8").splitlines():
            assert re.fullmatch(r"[A-Za-z0-9_-]+==[0-9][0-9A-Za-z.]*", line), f"{name}: {line}"


def test_the_licence_of_every_locked_package_is_listed():
    """Checked is that the package's name stands on the licence page."""
    text = (ROOT / "docs" / "licenses.md").read_text(encoding="utf8").lower()
    words = set(re.findall(r"[a-z0-9-]+", text))
    assert [name for name in locked("requirements-dev.lock") if name not in words] == []
