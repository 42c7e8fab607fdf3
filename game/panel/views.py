"""Which parameters the panel shows: all, those of a set-up, favourites, or those changed last."""

ALL, SETUP, FAVOURITES, RECENT = "All", "Set-up", "Favourites", "Recently changed"
VIEWS = (ALL, SETUP, FAVOURITES, RECENT)


def name_of(row):
    """Key of a row for favourites: slot and field, the same for all wheels and vehicles."""
    return f"{row.slot}.{row.field.name}"


def in_view(view, favourites, recent):
    """The predicate (row) -> bool of a view; `favourites` are names, `recent` paths."""
    if view == SETUP:
        return lambda row: row.field.mechanic
    if view == FAVOURITES:
        return lambda row: name_of(row) in favourites
    if view == RECENT:
        return lambda row: not recent.isdisjoint(row.paths)
    return lambda row: True
