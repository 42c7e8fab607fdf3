"""Views of the panel: all parameters, those of a set-up, favourites, or recently changed ones."""

ALL, SETUP, FAVOURITES, RECENT = "All", "Set-up", "Favourites", "Recently changed"
VIEWS = (ALL, SETUP, FAVOURITES, RECENT)


def name_of(row):
    """The name of a row among the favourites: slot and field, equal for all wheels and vehicles."""
    return f"{row.slot}.{row.field.name}"


def in_view(view, favourites, recent):
    """A function(row) -> whether a view shows the row; `favourites` are names (`name_of`), `recent` paths."""
    if view == SETUP:
        return lambda row: row.field.mechanic
    if view == FAVOURITES:
        return lambda row: name_of(row) in favourites
    if view == RECENT:
        return lambda row: not recent.isdisjoint(row.paths)
    return lambda row: True
