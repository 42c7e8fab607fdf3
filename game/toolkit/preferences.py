"""Preferences of the panel: favourites, units, arrangement of windows; saved in the user folder."""

import logging
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import yaml

from driving_sandbox.game.platform.user_folder import UserFolderError, subfolder, write_atomic
from driving_sandbox.game.toolkit.units import DEFAULT, SYSTEMS
from driving_sandbox.physics.ground.surfaces import number
from driving_sandbox.physics.schema.yaml_file import ConfigError, YamlMap, check_keys, load_yaml

FILE = "panel.yaml"
MAX_SIZES = 20  # frame sizes whose arrangements are saved
SIDES = ("column", "right")  # places of the plots
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Arrangement:
    """Arrangement of the windows in a frame of one size; the program chooses values that are None.

    Attributes:
        width: width of the column as a share of the frame's width.
        panel: height of the panel, above the tabs, as a share of the column's height.
        plots: place of the plots, one of SIDES.
    """

    width: float | None = None
    panel: float | None = None
    plots: str | None = None


@dataclass
class PanelPreferences:
    """The user's preferences; each change is saved.

    Attributes:
        favourites: list of parameter names "slot.field".
        units: a key of game.toolkit.units.SYSTEMS.
        windows: {frame size such as "1280x720": Arrangement}.
        path: the file, or None if nothing is saved.
    """

    favourites: list = field(default_factory=list)
    units: str = DEFAULT
    windows: dict = field(default_factory=dict)
    path: Path | None = None

    def toggle(self, name: str) -> None:
        """Add a parameter to the favourites, or remove it."""
        if name in self.favourites:
            self.favourites.remove(name)
        else:
            self.favourites.append(name)
        self._save()

    def set_units(self, name: str) -> None:
        """Set and save the system of units."""
        self.units = name
        self._save()

    def arrange(self, size: str, arrangement: Arrangement) -> None:
        """Save the arrangement of the windows for a frame of this size."""
        self.windows.pop(size, None)
        self.windows[size] = arrangement  # the newest last
        for old in list(self.windows)[:-MAX_SIZES]:
            del self.windows[old]
        self._save()

    def _save(self) -> None:
        """Write the file, unless `path` is None; a failure is only logged."""
        if self.path is None:
            return
        try:
            windows = {size: {k: v for k, v in asdict(arrangement).items() if v is not None}
                       for size, arrangement in self.windows.items()}  # fmt: skip
            doc = {"favourites": self.favourites, "units": self.units, "windows": windows}
            write_atomic(self.path, yaml.safe_dump(doc, sort_keys=False, allow_unicode=True))
        except UserFolderError as error:
            _log.warning("not saved: %s", error)


def load_preferences() -> tuple[PanelPreferences, str | None]:
    """(PanelPreferences of the user folder, message or None).

    If the file has an error, the preferences are the defaults, the message says what is wrong, and nothing is saved.
    """
    path = subfolder("settings") / FILE
    if not path.is_file():
        return PanelPreferences(path=path), None
    try:
        return PanelPreferences(**_checked(load_yaml(path), path), path=path), None
    except ConfigError as error:
        _log.warning("%s", error)
        return PanelPreferences(), str(error)


def _checked(doc: Any, path: Path) -> dict[str, Any]:
    """Attributes of PanelPreferences from the content `doc` of the file `path`. Raises ConfigError."""
    if not isinstance(doc, YamlMap):
        raise ConfigError(path, None, "", "the panel's preferences are a mapping of keys")
    check_keys(doc, ("favourites", "units", "windows"))
    names = doc.get("favourites", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise doc.error("favourites", "must be a list of names like suspension.stiffness")
    if doc.get("units", DEFAULT) not in tuple(SYSTEMS):  # a tuple, as a list in the file is not hashable
        raise doc.error("units", f"{doc['units']!r} must be one of {', '.join(SYSTEMS)}")
    windows = _arrangements(doc) if "windows" in doc else {}
    return {"favourites": list(names), "units": doc.get("units", DEFAULT), "windows": windows}


def _arrangements(doc: YamlMap) -> dict[str, Arrangement]:
    """{size: Arrangement} from a file's content. Raises ConfigError."""
    windows = doc["windows"]
    if not isinstance(windows, YamlMap):
        raise doc.error("windows", "must map sizes like 1280x720 to window positions")
    arrangements = {}
    for size, entry in windows.items():
        if not isinstance(entry, YamlMap):
            raise windows.error(size, "must be like {width: 0.36, panel: 0.5, plots: column}")
        check_keys(entry, ("width", "panel", "plots"))
        shares = {key: number(entry, key, low=0.1, high=0.9) for key in ("width", "panel") if key in entry}
        if entry.get("plots", SIDES[0]) not in SIDES:
            raise entry.error("plots", f"{entry['plots']!r} must be one of {', '.join(SIDES)}")
        arrangements[str(size)] = Arrangement(**shares, plots=entry.get("plots"))
    return arrangements
