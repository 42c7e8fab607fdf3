"""The table of recordings: name, world, vehicle, length, best lap, date; a click on a heading sorts by that column.

Only visible rows are drawn, so that hundreds of recordings take no longer than a dozen.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from imgui_bundle import imgui

from driving_sandbox.lab.timing import clock_text

if TYPE_CHECKING:
    from driving_sandbox.game.recordings.library import RecordingFile
    from driving_sandbox.game.toolkit.backend import ImGuiBackend

_FLAGS = (imgui.TableFlags_.sortable.value | imgui.TableFlags_.scroll_y.value | imgui.TableFlags_.row_bg.value
          | imgui.TableFlags_.resizable.value)  # fmt: skip
_FIXED, _STRETCH = imgui.TableColumnFlags_.width_fixed.value, imgui.TableColumnFlags_.width_stretch.value
_NEWEST_FIRST = imgui.TableColumnFlags_.default_sort.value | imgui.TableColumnFlags_.prefer_sort_descending.value
_SPAN = imgui.SelectableFlags_.span_all_columns.value
SORT_MARK = 1.4  # font sizes, width of the arrow after a heading that shows the sort order


@dataclass(frozen=True)
class Row:
    """A row of the table.

    Attributes:
        texts: texts of its cells, in the order of COLUMNS.
        values: values that the cells are sorted by, None if unknown.
    """

    texts: tuple
    values: tuple


COLUMNS = {  # {heading: widest text that must fit, or None for the remaining width}
    "Name": None, "World": "Proving ground", "Vehicle": "Track roadster", "Length": "888:88", "Best lap": "88:88.888",
    "Date": "8888-88-88 88:88",
}  # fmt: skip


def row_of(entry: RecordingFile) -> Row:
    """The Row of a game.recordings.library.RecordingFile."""
    date = datetime.fromtimestamp(entry.modified).strftime("%Y-%m-%d %H:%M")
    name, summary = entry.name.lower(), entry.summary
    if summary is None or summary.problem:
        state = "..." if summary is None else "cannot be read"
        return Row((entry.name, state, "", "", "", date), (name, None, None, None, None, entry.modified))
    vehicle, best_lap = summary.vehicles[0] if summary.vehicles else "", summary.best_lap
    lap = "" if best_lap is None else clock_text(best_lap)
    return Row((entry.name, summary.world, vehicle, length_text(summary.seconds), lap, date),
               (name, summary.world.lower(), vehicle.lower(), summary.seconds, best_lap, entry.modified))  # fmt: skip


def length_text(seconds: float) -> str:
    """A length of time as minutes and seconds, 12:34."""
    return f"{int(seconds // 60)}:{int(seconds % 60):02d}"


def in_order(
    rows: Collection[tuple[RecordingFile, Row]], column: int, descending: bool
) -> list[tuple[RecordingFile, Row]]:
    """(entry, Row) pairs sorted by the values of a column, given by its index; pairs without a value come last."""
    with_value = [pair for pair in rows if pair[1].values[column] is not None]
    without_value = [pair for pair in rows if pair[1].values[column] is None]
    return sorted(with_value, key=lambda pair: pair[1].values[column], reverse=descending) + without_value


class RecordingsTable:
    """Table of recordings, sorted by a click on a heading.

    Args:
        ui: ImGuiBackend.
    """

    def __init__(self, ui: ImGuiBackend) -> None:
        self._ui = ui
        self._rows: dict[Any, tuple[Any, Row]] = {}  # {RecordingFile.key: (Summary or None, Row)}

    def draw(self, entries: Collection[RecordingFile], chosen: Path | None, height: float) -> RecordingFile | None:
        """Draw the table, `height` pixels high; returns the clicked RecordingFile, or None.

        Args:
            entries: list of game.recordings.library.RecordingFile.
            chosen: path of the selected recording, or None.
        """
        if not imgui.begin_table("recordings", len(COLUMNS), _FLAGS, imgui.ImVec2(0.0, height)):
            return None
        self._headings()
        specs = imgui.table_get_sort_specs().get_specs(0)
        descending = specs.get_sort_direction() == imgui.SortDirection.descending
        rows = in_order([(entry, self._row_of(entry)) for entry in entries], specs.column_index, descending)
        clicked = None
        clipper = imgui.ListClipper()
        clipper.begin(len(rows))
        while clipper.step():
            for entry, row in rows[clipper.display_start : clipper.display_end]:
                if self._row(entry, row, entry.path == chosen):
                    clicked = entry
        imgui.end_table()
        return clicked

    def _row_of(self, entry: RecordingFile) -> Row:
        """The Row of an entry, cached until its summary changes."""
        summary, row = self._rows.get(entry.key, (None, None))
        if row is None or summary is not entry.summary:
            row = row_of(entry)
            self._rows[entry.key] = entry.summary, row
        return row

    def _headings(self) -> None:
        """Set up the columns and draw their headings."""
        mark = SORT_MARK * imgui.get_font_size()
        for heading, widest in COLUMNS.items():
            flags = _NEWEST_FIRST if heading == "Date" else 0
            if widest is None:
                imgui.table_setup_column(heading, flags | _STRETCH, 1.0)
            else:
                width = max(imgui.calc_text_size(widest).x, imgui.calc_text_size(heading).x + mark)
                imgui.table_setup_column(heading, flags | _FIXED, width)
        imgui.table_setup_scroll_freeze(0, 1)
        imgui.table_next_row(imgui.TableRowFlags_.headers.value)
        for heading in COLUMNS:
            imgui.table_next_column()
            imgui.table_header(heading)
            self._ui.items.note(f"recordings:{heading}")

    def _row(self, entry: RecordingFile, row: Row, is_selected: bool) -> bool:
        """Draw one row; returns whether it was clicked."""
        imgui.table_next_row()
        imgui.table_next_column()
        clicked = imgui.selectable(f"{row.texts[0]}##{entry.path}", is_selected, _SPAN)[0]
        self._ui.items.note(f"recording:{entry.name}")
        for heading, text in zip(list(COLUMNS)[1:], row.texts[1:], strict=True):
            imgui.table_next_column()
            imgui.text_unformatted(text)
            self._ui.items.note(f"recording:{entry.name}:{heading}")
        return clicked
