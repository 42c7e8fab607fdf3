"""The user's force setups, by device: `settings/force_feedback.yaml` in the user folder.

    030000006d0400004fc2000011010000:      # GUID of the device
      {strength: 2.2, gain: 0.5}           # differences from the preset of its class

A file with an error is refused with its line; presets are then used. It is renamed before a new one is written, so that
manual edits are not lost.
"""

import logging
from dataclasses import asdict
from pathlib import Path
from typing import Any

import yaml

from driving_sandbox.game.force_feedback.setup import LIMITS, NAMES, PRESETS, ForceSetup, preset_of
from driving_sandbox.game.force_feedback.stream import POINTS
from driving_sandbox.game.platform.user_folder import file_errors, subfolder, write_atomic
from driving_sandbox.physics.schema.yaml_file import ConfigError, YamlMap, check_keys, load_yaml

FILE = "force_feedback.yaml"
_log = logging.getLogger(__name__)


class ForceSetups:
    """Setups by GUID.

    Attributes:
        complaint: what is wrong with the file, "" if nothing is.
    """

    def __init__(self) -> None:
        self.path, self.complaint = subfolder("settings") / FILE, ""
        self._changed: dict[str, dict[str, Any]] = {}
        try:
            self._changed = read_setups(self.path) if self.path.is_file() else {}
        except ConfigError as error:
            self.complaint = str(error)
            _log.warning("%s", error)

    def of(self, guid: str, name: str) -> ForceSetup:
        """The setup of a device: the preset of its class with the user's changes."""
        values = {**asdict(PRESETS[preset_of(name)]), **self._changed.get(guid, {})}
        return ForceSetup(**{**values, "response": tuple(values["response"])})

    def save(self, guid: str, setup: ForceSetup) -> Path:
        """Keep a device's setup, and write all to the file; returns its path. Raises UserError."""
        if self.complaint and self.path.is_file():
            with file_errors(self.path):
                self.path.replace(self.path.with_suffix(".unreadable.yaml"))
            self.complaint = ""
        self._changed[guid] = {**asdict(setup), "response": [float(level) for level in setup.response]}
        return write_atomic(self.path, yaml.safe_dump(self._changed, sort_keys=False))


def read_setups(path: Path) -> dict[str, dict[str, Any]]:
    """{GUID: {setting: value}} of a file. Raises ConfigError."""
    document = load_yaml(path)
    if not isinstance(document, YamlMap):
        raise ConfigError(path, 1, "", "must map GUIDs of devices to settings")
    return {str(guid): _read_setup(document, guid) for guid in document}


def _read_setup(document: YamlMap, guid: str) -> dict[str, Any]:
    """{setting: value} of a device. Raises ConfigError."""
    doc = document[guid]
    if not isinstance(doc, YamlMap):
        raise document.error(guid, "must be a mapping of settings")
    check_keys(doc, NAMES)
    values = {}
    for name, value in doc.items():
        if name == "response":
            _check_response(doc, value)
        elif name not in LIMITS:
            if not isinstance(value, bool):
                raise doc.error(name, f"{value!r} must be true or false")
        elif isinstance(value, bool) or not isinstance(value, int | float):
            raise doc.error(name, f"{value!r} must be a number")
        elif not LIMITS[name][0] <= value <= LIMITS[name][1]:
            raise doc.error(name, f"{value:g} must be from {LIMITS[name][0]:g} to {LIMITS[name][1]:g}")
        values[name] = value
    return values


def _check_response(doc: YamlMap, value: Any) -> None:
    """Raise ConfigError unless a response is empty or has POINTS levels 0..1, none smaller than the one before."""
    levels = value if isinstance(value, list) else [None]
    numbers = all(isinstance(x, int | float) and not isinstance(x, bool) and 0.0 <= x <= 1.0 for x in levels)
    if levels and not (numbers and len(levels) == POINTS and sorted(levels) == levels):
        raise doc.error("response", f"must be {POINTS} numbers from 0 to 1, none smaller than the one before")
