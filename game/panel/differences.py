"""A table of values that differ between several sets of them."""

from imgui_bundle import imgui

from driving_sandbox.game.toolkit.theme import TEXT, TEXT_DIM
from driving_sandbox.game.toolkit.units import number_text

HOW_MANY = 200  # rows that are listed; more are not read
LONGEST = 30  # characters of a value
DIGITS = 5  # of a number, significant


def differing(*sets):
    """[(path, value in each set)] of every path of the first set whose value is not the same in all of them."""
    rows = [(path, *(values.get(path) for values in sets)) for path in sets[0]]
    return [row for row in rows if any(value != row[1] for value in row[2:])]


def show_differences(titles, rows):
    """Draw rows (path, value, value ...) under `titles`; what is as in the first set is dim."""
    if not imgui.begin_table("differences", 1 + len(titles), imgui.TableFlags_.row_bg.value):
        return
    for title in ("value", *titles):
        imgui.table_setup_column(title)
    imgui.table_headers_row()
    for path, *values in rows[:HOW_MANY]:
        imgui.table_next_row()
        imgui.table_next_column()
        imgui.text_unformatted(path)
        for k, value in enumerate(values):
            imgui.table_next_column()
            same = k and value == values[0]
            imgui.text_colored(imgui.ImVec4(*(TEXT_DIM if same else TEXT)), brief(value))
    imgui.end_table()


def brief(value):
    """A value in a few characters."""
    if isinstance(value, float):
        return number_text(value, DIGITS)
    text = str(value)
    return text if len(text) < LONGEST else f"{text[: LONGEST - 3]}..."
