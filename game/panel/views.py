"""Views of the panel: all parameters, those of a set-up, favourites, or recently changed ones."""

from collections.abc import Callable, Collection

from driving_sandbox.game.panel.layout import Row

ALL, SETUP, FAVOURITES, RECENT = "All", "Set-up", "Favourites", "Recently changed"
VIEWS = (ALL, SETUP, FAVOURITES, RECENT)


def name_of(row: Row) -> str:
    """The name of a row among the favourites: slot and field, equal for all wheels and vehicles."""
    return f"{row.slot}.{row.field.name}"


def in_view(view: str, favourites: Collection[str], recent: set[str]) -> Callable[[Row], bool]:
    """A function(row) -> whether a view shows the row; `favourites` are names (`name_of`), `recent` paths."""
    if view == SETUP:
        return lambda row: row.field.mechanic
    if view == FAVOURITES:
        return lambda row: name_of(row) in favourites
    if view == RECENT:
        return lambda row: not recent.isdisjoint(row.paths)
    return lambda row: True
