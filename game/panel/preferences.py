"""What a person likes to see in the panel: favourite parameters and units, kept in the user folder."""

import logging
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from game.panel.units import DEFAULT, SYSTEMS
from game.user_folder import subfolder, write_atomic
from physics.yaml_file import ConfigError, YamlMap, check_keys, load_yaml

FILE = "panel.yaml"
_log = logging.getLogger(__name__)


@dataclass
class PanelPreferences:
    """`favourites` are names "slot.field"; `path` None keeps nothing on disk."""

    favourites: list = field(default_factory=list)
    units: str = DEFAULT
    path: Path | None = None

    def toggle(self, name):
        """Make a parameter a favourite, or no longer one."""
        if name in self.favourites:
            self.favourites.remove(name)
        else:
            self.favourites.append(name)
        self._save()

    def set_units(self, name):
        self.units = name
        self._save()

    def _save(self):
        if self.path is None:
            return
        try:
            doc = {"favourites": self.favourites, "units": self.units}
            write_atomic(self.path, yaml.safe_dump(doc, sort_keys=False, allow_unicode=True))
        except OSError as error:
            _log.warning("%s: not saved: %s", self.path, error)


def load_preferences():
    """(PanelPreferences of the user folder, message or None): a wrong file is reported and left as it is."""
    path = subfolder("settings") / FILE
    if not path.is_file():
        return PanelPreferences(path=path), None
    try:
        return PanelPreferences(**_checked(load_yaml(path)), path=path), None
    except ConfigError as error:
        _log.warning("%s", error)
        return PanelPreferences(), str(error)


def _checked(doc):
    if not isinstance(doc, YamlMap):
        raise ConfigError(doc, None, "", "the panel's preferences are a mapping of keys")
    check_keys(doc, ("favourites", "units"))
    names = doc.get("favourites", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise doc.error("favourites", "must be a list of names like suspension.stiffness")
    if doc.get("units", DEFAULT) not in SYSTEMS:
        raise doc.error("units", f"{doc['units']!r} must be one of {', '.join(SYSTEMS)}")
    return {"favourites": list(names), "units": doc.get("units", DEFAULT)}
