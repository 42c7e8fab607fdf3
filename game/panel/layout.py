"""Arranges a vehicle's parameters in rows of the panel, without drawing them.

Parameters are grouped by slot. A field that every wheel has becomes one row with a cell per wheel. With left and right
linked, it has a cell per axle that writes both sides: the cell shows the right wheel's value, and the left wheel gets
the mirrored value (`Field.mirrored`). Wide kinds (vectors, curves, lists) take a row per cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from driving_sandbox.game.panel.linked import LinkedForm, linked_to
from driving_sandbox.game.toolkit.units import decimals_of, number_text, shown_unit
from driving_sandbox.physics.schema.schema import (
    Block,
    Bool,
    Choice,
    Curve,
    Field,
    Float,
    Floats,
    Int,
    Named,
    ResponseTable,
    VecCurve,
    WheelRef,
    Words,
)

COMPACT = (Float, Int, Bool, Choice, WheelRef)  # kinds whose widget fits into one cell
TABLES = (Floats, Named, Words, Curve, VecCurve, ResponseTable)  # kinds that are edited in a table below the row
CELLS_PER_ROW = 4
LOG_RATIO = 100.0  # smallest upper end / lower end of a range for which the slider is logarithmic
SURFACES = "Friction of surfaces"  # heading of the surfaces' group
SOUND = "Sound"  # before the name of a voice in its group's heading
ACRONYMS = {"abs": "ABS", "tcs": "TCS", "rpm": "rpm", "cg": "CG", "com": "CoM"}


@dataclass(frozen=True)
class Target:
    """One value that a cell writes: the one at `path`, mirrored if `mirror`."""

    path: str
    mirror: bool = False


@dataclass
class Cell:
    """One widget: it shows the value of `path` and writes all `targets`; `tag` names its wheel or axle, or is ""."""

    path: str
    tag: str
    targets: list


@dataclass
class Row:
    """One line of the panel.

    Attributes:
        slot: slot of the component.
        field: schema.Field that the cells show.
        title: title of the row, "" if it continues the row above.
        cells: list of Cell.
        words: text in which the search box looks for terms.
        linked: LinkedForm in which the cells show the values, or None.
        sweeps: False for parameters of the world and of sounds: manoeuvres have their own world and are silent.
    """

    slot: str
    field: Any
    title: str
    cells: list
    words: str
    linked: Any = None
    sweeps: bool = True

    @property
    def key(self) -> str:
        """Path of the first cell, which identifies the row."""
        return self.cells[0].path

    @cached_property
    def paths(self) -> list[str]:
        """Paths of all values that the row writes."""
        return [target.path for cell in self.cells for target in cell.targets]

    @property
    def is_table(self) -> bool:
        """Whether the value is edited in a table that opens."""
        return isinstance(self.field.kind, TABLES)


@dataclass
class Group:
    """The rows of one slot; `tags` are the column headings of a per-wheel slot."""

    slot: str
    title: str
    rows: list = field(default_factory=list)
    tags: list = field(default_factory=list)


def readable(name: str) -> str:
    """A name as text: "Roll center height" for `roll_center_height`."""
    words = [ACRONYMS.get(word, word) for word in name.split("_")]
    return words[0][:1].upper() + words[0][1:] + "".join(f" {word}" for word in words[1:])


def build_groups(vehicle: Any, linked: bool) -> list[Group]:
    """The Groups of a vehicle in the order of its components; if `linked`, left and right are edited together."""
    groups: dict[str, Group] = {}
    per_wheel: dict[tuple[str, str], dict[int, str]] = {}
    for parameter in vehicle.parameters():
        if isinstance(parameter.field.kind, Block):
            continue  # a table that a component computes; it has no value to show
        group = groups.setdefault(parameter.slot, Group(parameter.slot, readable(parameter.slot)))
        if parameter.wheel is None:
            cell = Cell(parameter.path, "", [Target(parameter.path)])
            group.rows.append(_row(parameter, [cell], readable(parameter.field.name)))
            continue
        wheels = per_wheel.setdefault((parameter.slot, parameter.field.name), {})
        if not wheels:
            group.rows.append((parameter, wheels))  # filled below, once all its wheels are known
        wheels[parameter.wheel] = parameter.path
    for group in groups.values():
        _expand_wheels(group, vehicle, linked)
    return list(groups.values())


def world_groups(world: Any) -> list[Group]:
    """The Groups of WorldParameters: the world's own, and one with a row for each surface; [] for a `world` of ()."""
    groups: dict[str, Group] = {}
    for parameter in world.parameters() if world else ():
        kind, _, surface = parameter.slot.partition(".")
        group = groups.setdefault(kind, Group(kind, SURFACES if surface else readable(kind)))
        if not surface:
            group.rows.append(_row(parameter, [_cell(parameter, "")], readable(parameter.field.name)))
        elif group.rows and group.rows[-1].slot == parameter.slot:
            group.rows[-1].cells.append(_cell(parameter, _tire(parameter)))
            group.rows[-1].words += f" {parameter.path}"
        else:
            group.rows.append(_row(parameter, [_cell(parameter, _tire(parameter))], readable(surface)))
    for group in groups.values():
        group.tags = [cell.tag for cell in group.rows[0].cells if cell.tag]
        for row in group.rows:
            row.sweeps = False
    return list(groups.values())


def sound_groups(sound: Any) -> list[Group]:
    """The Groups of SoundParameters, one for each voice; [] for a `sound` of ()."""
    groups: dict[str, Group] = {}
    for parameter in sound.parameters() if sound else ():
        voice = parameter.slot.partition(".")[2]
        group = groups.setdefault(parameter.slot, Group(parameter.slot, f"{SOUND}: {readable(voice).lower()}"))
        group.rows.append(_row(parameter, [_cell(parameter, "")], readable(parameter.field.name)))
        group.rows[-1].sweeps = False
    return list(groups.values())


def _cell(parameter: Any, tag: str) -> Cell:
    return Cell(parameter.path, tag, [Target(parameter.path)])


def _tire(parameter: Any) -> str:
    """The tire type for which a friction of a surface holds, or the name of the surface's own friction."""
    return parameter.field.name.removeprefix("friction_").removesuffix("_friction")


def _row(parameter: Any, cells: list[Cell], title: str) -> Row:
    """The Row of a parameter, with the text in which searches look for terms."""
    declared = parameter.field
    words = f"{parameter.slot} {declared.name} {readable(declared.name)} {declared.doc} {declared.unit}"
    paths = " ".join(target.path for cell in cells for target in cell.targets)
    return Row(parameter.slot, declared, title, cells, f"{words} {paths}".lower())


def _expand_wheels(group: Group, vehicle: Any, linked: bool) -> None:
    """Replace a group's (parameter, {wheel: path}) entries by Rows, and set its `tags`."""
    rows = []
    for entry in group.rows:
        if isinstance(entry, Row):
            rows.append(entry)
            continue
        parameter, paths = entry
        cells = _wheel_cells(vehicle, paths, linked and not parameter.field.derived)
        title = readable(parameter.field.name)
        if isinstance(parameter.field.kind, COMPACT):
            rows.extend(_row(parameter, part, title) for part, title in _parts(cells, title))
            linked_form = linked_to(vehicle, group.slot, parameter.field.name)
            if linked_form:
                rows.extend(
                    _linked_row(linked_form, part, title)
                    for part, title in _parts(cells, readable(linked_form.field.name))
                )
            if not (group.tags or parameter.field.derived):
                group.tags = [cell.tag for cell in cells[:CELLS_PER_ROW]]
        else:
            rows.extend(_row(parameter, [cell], f"{title}, {cell.tag}") for cell in cells)
    group.rows = rows


def _parts(cells: list[Cell], title: str) -> Iterator[tuple[list[Cell], str]]:
    """Yield (cells, title) of each row of a field with many cells; rows after the first have the title ""."""
    for first in range(0, len(cells), CELLS_PER_ROW):
        yield cells[first : first + CELLS_PER_ROW], "" if first else title


def _linked_row(linked: LinkedForm, cells: list[Cell], title: str) -> Row:
    """A Row that shows the values of `cells` in a LinkedForm."""
    linked_cells = [Cell(linked.path(cell.path), cell.tag, cell.targets) for cell in cells]
    words = f"{linked.slot} {linked.field.name} {title} {linked.field.doc} {linked.field.unit}"
    return Row(linked.slot, linked.field, title, linked_cells, words.lower(), linked)


def _wheel_cells(vehicle: Any, paths: dict[int, str], linked: bool) -> list[Cell]:
    """[Cell] of a field that wheels have: one for each wheel, or with `linked` one for each axle.

    Args:
        paths: {wheel index: path of the value}.
    """
    names = [str(name).upper() for name in vehicle.wheel_names]
    if not linked:
        return [Cell(path, names[wheel], [Target(path)]) for wheel, path in sorted(paths.items())]
    cells = []
    for axle, wheels in vehicle.axles.items():
        axle_wheels = [wheel for wheel in wheels if wheel in paths]
        if not axle_wheels:
            continue
        primary = axle_wheels[1 if len(axle_wheels) > 1 else 0]  # a right wheel: wheels are ordered left, right
        primary_side = axle_wheels.index(primary) % 2
        targets = [Target(paths[w], i % 2 != primary_side) for i, w in enumerate(axle_wheels)]
        cells.append(Cell(paths[primary], str(axle), targets))
    other_wheels = [wheel for wheel in paths if not any(wheel in wheels for wheels in vehicle.axles.values())]
    return cells + [Cell(paths[w], names[w], [Target(paths[w])]) for w in sorted(other_wheels)]


def matches(row: Row, terms: Sequence[str]) -> bool:
    """Whether every term of a search occurs in the name, path, unit or explanation of a row."""
    return all(term in row.words for term in terms)


@dataclass(frozen=True)
class NumberSpec:
    """How one number is displayed and dragged.

    Attributes:
        factor: displayed number / value.
        unit: displayed unit.
        low, high: ends of the slider in the displayed unit, or None for a drag field without ends.
        floor, ceiling: limits in the displayed unit, or None.
        logarithmic: whether the slider is logarithmic.
        integer: whether the number is an integer.
        speed: change of the displayed number per pixel of a drag.
        text: printf format.
    """

    factor: float
    unit: str
    low: float | None
    high: float | None
    floor: float | None
    ceiling: float | None
    logarithmic: bool
    integer: bool
    speed: float
    text: str


def number_spec(declared: Field, typical: float, unit: str | None = None, limited: bool = True) -> NumberSpec:
    """The NumberSpec of a field.

    Args:
        declared: schema.Field.
        typical: a typical value, on which decimals, the ends of the slider and the speed of a drag depend.
        unit: unit of the value instead of the field's, or None.
        limited: False for a curve's x, to which the field's limits do not apply.
    """
    factor, unit_text = shown_unit(declared.unit if unit is None else unit)
    integer = isinstance(declared.kind, Int)
    low: float | None = None
    high: float | None = None
    floor: float | None = None
    ceiling: float | None = None
    if limited:
        floor = _limit(declared.ge, declared.gt, 1, typical, integer)
        ceiling = _limit(declared.le, declared.lt, -1, typical, integer)
        low, high = _slider_ends(declared, floor, ceiling, typical)
    if low is None or high is None:
        size, span, logarithmic = abs(typical), abs(typical) or 1.0, False
    else:
        size, span, logarithmic = max(abs(low), abs(high)), high - low, low > 0.0 and high / low >= LOG_RATIO
    ends = (None if v is None else v * factor for v in (low, high, floor, ceiling))
    low, high, floor, ceiling = ends
    # a drag of 250 pixels passes the whole range
    return NumberSpec(
        factor, unit_text, low, high, floor, ceiling, logarithmic=logarithmic, integer=integer,
        speed=span * factor / 250.0, text="%d" if integer else text_format(size * factor),
    )  # fmt: skip


def _limit(closed: float | None, open_end: float | None, inward: int, typical: float, integer: bool) -> float | None:
    """The limit of a drag: a field's closed limit, or a number just inside its open limit, or None.

    `inward` is +1 for a lower limit and -1 for an upper one.
    """
    if closed is not None:
        return closed
    if open_end is None:
        return None
    return open_end + inward * (1 if integer else 1e-4 * max(abs(typical - open_end), 1e-6))


def _slider_ends(
    declared: Field, floor: float | None, ceiling: float | None, typical: float
) -> tuple[float | None, float | None]:
    """(low, high) of a field's slider, in SI units, so that it contains `typical`; (None, None) without a range."""
    low, high = declared.suggest or (floor, ceiling)
    if low is None or high is None:
        return None, None
    low, high = min(low, typical), max(high, typical)
    low = low if floor is None else max(low, floor)
    high = high if ceiling is None else min(high, ceiling)
    return (low, high) if high > low else (None, None)


def text_format(size: float) -> str:
    """The printf format for numbers about as large as `size`."""
    if size == 0.0:
        return "%.3f"
    return f"%.{decimals_of(size, 4 - (size < 1.0))}f"  # three decimals from 0.1 to 10, none from 1000 on


def range_text(declared: Field) -> str:
    """The rule of a field in words, e.g. "more than 0, at most 1"."""
    factor, unit = shown_unit(declared.unit)
    rules = []
    above = declared.gt if declared.ge is None else None  # `ge`, if there is one, is the narrower of the two
    for limit, words in ((above, "more than"), (declared.ge, "at least"), (declared.lt, "less than"),
                         (declared.le, "at most")):  # fmt: skip
        if limit is not None:
            rules.append(f"{words} {number_text(limit * factor, digits=4)}")
    text = ", ".join(rules) or "any number"
    if declared.suggest:
        low, high = (end * factor for end in declared.suggest)
        text += f"; usually {number_text(low, digits=4)} to {number_text(high, digits=4)}"
    return f"{text} {unit}".strip()
