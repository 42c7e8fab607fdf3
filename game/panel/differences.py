"""A table of the values that differ between several sets of values."""

from collections.abc import Sequence
from typing import Any

from imgui_bundle import imgui

from driving_sandbox.game.toolkit.theme import TEXT, TEXT_DIM
from driving_sandbox.game.toolkit.units import number_text

MAX_ROWS = 200  # largest number of rows; nobody reads more
MAX_LENGTH = 30  # largest number of characters of a value
DIGITS = 5  # significant digits of a number


def differing(*sets: dict[str, Any]) -> list[tuple[Any, ...]]:
    """[(path, value in each set ...)] for every path of the first set whose value is not equal in all sets."""
    rows = [(path, *(values.get(path) for values in sets)) for path in sets[0]]
    return [row for row in rows if any(value != row[1] for value in row[2:])]


def show_differences(titles: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    """Draw rows (path, value in each set ...) under `titles`; values equal to the first one of the row are dim."""
    if not imgui.begin_table("differences", 1 + len(titles), imgui.TableFlags_.row_bg.value):
        return
    for title in ("value", *titles):
        imgui.table_setup_column(title)
    imgui.table_headers_row()
    for path, *values in rows[:MAX_ROWS]:
        imgui.table_next_row()
        imgui.table_next_column()
        imgui.text_unformatted(path)
        for k, value in enumerate(values):
            imgui.table_next_column()
            same = k and value == values[0]
            imgui.text_colored(imgui.ImVec4(*(TEXT_DIM if same else TEXT)), brief(value))
    imgui.end_table()


def brief(value: Any) -> str:
    """A value as text; text of MAX_LENGTH or more characters is shortened."""
    if isinstance(value, float):
        return number_text(value, DIGITS)
    text = str(value)
    return text if len(text) < MAX_LENGTH else f"{text[: MAX_LENGTH - 3]}..."
