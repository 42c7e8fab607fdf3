"""Components of a vehicle file, and their order.

    type: engine_drive                          # a list of physics/vehicle/types.py
    sequence:                                   # or, instead of `type`, the file's own list: slot, or slot.phase
      - body.begin
      - input
      - substeps:                               # nested groups, each at its own rate
          components:
            - suspension
            - substeps: {count: 3, below_speed: 5, components: [suspension.force, ...]}
    components: {differential: multi_wheel}     # component of a slot; default: the type's, or the first of VARIANTS
    components: {tire: {file: my_tire.py, name: MY_TIRE}}
    components: {abs: velocity_ratio}           # a slot of ADDED is inserted into a type's list that lacks it

A group runs `count` times a tick with equal shares of its time; the default is the world's number of substeps, and a
count like `driving_state.step_count` is read from the state. With `below_speed` (m/s) that holds only while the body is
slower; otherwise the group runs `above` times (default 1). Reading a vehicle file runs no code unless the caller's
`trust` allows a Python file that it names.
"""

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from driving_sandbox.physics.base.visible import brief
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.schema.yaml_file import ConfigError, YamlList, YamlMap, check_keys, key_hint
from driving_sandbox.physics.tick.binding import Binding, SequenceError
from driving_sandbox.physics.tick.component import (
    MAX_COUNT,
    Component,
    Phase,
    Substeps,
    added,
    as_phase,
    components_of,
    left_out,
    swapped,
)
from driving_sandbox.physics.tick.context import Context
from driving_sandbox.physics.tick.parts import MAX_DEPTH
from driving_sandbox.physics.tick.sequence import Sequence, sequence_of
from driving_sandbox.physics.vehicle.old_names import current_slot
from driving_sandbox.physics.vehicle.python_file import check_python_file, forget_user_modules, import_python_file
from driving_sandbox.physics.vehicle.trust import module_name
from driving_sandbox.physics.vehicle.types import ADDED, VARIANTS, VEHICLE_TYPES

USUAL_COUNT = Context.fields["substep_count"].default  # substeps of a world that does not say how many
MAX_ENTRIES = 500  # phases in a list, including those in groups; the longest list of the program has 39
_GROUP_KEYS = ("count", "below_speed", "above", "components")
# Of each phase of a file's own list: the YAML list and the index of its first mention there
Sources = dict[Phase, tuple[YamlList, int]]


class UntrustedCode(ConfigError):
    """The vehicle names a Python file that is not trusted."""

    def __init__(self, choice: YamlMap, slot: str, file: Path) -> None:
        text = f"wants to run {file}, which was not allowed"
        super().__init__(choice.path, choice.line("file"), f"components.{slot}", text)
        self.remedy = f"--trust {file} allows it"


def read_sequence(doc: YamlMap, trust: Callable[[Path], bool] | None) -> tuple[Sequence, dict[str, Any]]:
    """(Sequence, {slot: component as written in the file}) of a parsed vehicle file. Raises ConfigError."""
    if ("type" in doc) == ("sequence" in doc):
        text = "and sequence: give one of the two" if "type" in doc else "is missing, or a sequence of components"
        raise ConfigError(doc.path, doc.own_line, "type", text)
    if not isinstance(doc.get("components", {}), dict):
        raise doc.error("components", "must map slots to component names")
    table: Any = doc.get("components", YamlMap())
    components = {slot: choose(table, slot, choice, doc.path, trust) for slot, choice in table.items()}
    entries, sources = _type_list(doc, components) if "type" in doc else _own_list(doc, components)
    try:
        sequence = sequence_of(entries)
    except SequenceError as error:
        if error.phase in sources:
            source, index = sources[error.phase]
            raise source.error(index, str(error)) from None
        raise doc.error("components" if table else "type" if "type" in doc else "sequence", str(error)) from None
    for slot in table:
        if slot not in sequence.by_slot:
            owner = f"a vehicle of type {doc['type']}" if "type" in doc else "this vehicle's sequence"
            raise table.error(slot, f"{owner} has no such slot{key_hint(slot, sequence.by_slot)}")
    return sequence, {slot: dict(choice) if isinstance(choice, dict) else choice for slot, choice in table.items()}


def _type_list(doc: YamlMap, components: dict[str, Component]) -> tuple[tuple, Sources]:
    """(entries, {}): the list of the vehicle's type with the file's components in their slots.

    {} stands for the `sources` of `_own_list`: the entries of a type have no lines in the file.
    """
    kind = doc["type"]
    if kind not in VEHICLE_TYPES:
        known = ", ".join(VEHICLE_TYPES)
        raise doc.error("type", f"{brief(kind)} is not a vehicle type{key_hint(kind, VEHICLE_TYPES)}; known: {known}")
    entries = VEHICLE_TYPES[kind]
    present = {component.slot for component in components_of(entries)}
    order = list(ADDED)
    # in reverse order of ADDED: of phases inserted after the same entry, the last inserted comes first
    for slot, component in sorted(
        components.items(), key=lambda item: -order.index(item[0]) if item[0] in order else 0
    ):
        extended = None if slot in present else _with_added(entries, component)
        entries = swapped(entries, component) if extended is None else extended
        not_run = left_out(entries, component) if slot in present else []
        if not_run:
            text = f"{component.name} needs its phase {not_run[0]}, which a vehicle of type {kind} does not run"
            raise doc["components"].error(slot, text)
    return entries, {}


def _with_added(entries: tuple | None, component: Component) -> tuple | None:
    """The list with the phases of a component for a slot of ADDED inserted.

    None for other slots, and if the list lacks an entry that a phase must follow.
    """
    if component.slot not in ADDED:
        return None
    for phase, after in ADDED[component.slot].items():
        entries = entries and added(entries, component.phase(phase), after)
    return entries


def _own_list(doc: YamlMap, components: dict[str, Component]) -> tuple[tuple, Sources]:
    """(entries, sources): the file's own list, and {phase: (YAML list, index) of its first mention there}."""
    fillers = {**{slot: next(iter(variants.values())) for slot, variants in VARIANTS.items()}, **components}
    sources: Sources = {}
    entries = _entries(doc, "sequence", fillers, sources)
    if _depth(entries) >= MAX_DEPTH:  # one level is the tick's own
        raise doc.error("sequence", f"groups are nested {_depth(entries)} deep; at most {MAX_DEPTH - 1} are possible")
    runs = list(_runs(entries))
    if len(runs) > MAX_ENTRIES:
        raise doc.error("sequence", f"{len(runs)} components in all; at most {MAX_ENTRIES} are possible")
    if max(runs) > MAX_COUNT:
        text = f"groups inside each other run {max(runs)} times a tick; at most {MAX_COUNT} are possible"
        raise doc.error("sequence", text)
    for component in components_of(entries):
        for phase in left_out(entries, component):
            if phase not in component.optional:
                text = f"component {component.name} also needs its phase {component.slot}.{phase} in the list"
                raise doc.error("sequence", text)
    return entries, sources


def _entries(source: YamlMap, key: str, fillers: dict[str, Component], sources: Sources) -> tuple:
    """The entries of the list under `key`, including groups; adds each phase's first mention to `sources`.

    fillers: {slot: Component}.
    """
    items = source[key]
    if not isinstance(items, YamlList) or not items:
        raise source.error(key, "must be a list of components: slot, slot.phase, or substeps: {...}")
    result: list[Phase | Substeps] = []
    for index, item in enumerate(items):
        if isinstance(item, YamlMap):
            check_keys(item, ("substeps",), required=("substeps",))
            result.append(_group(item, fillers, sources))
        elif isinstance(item, str):
            phase = _phase(items, index, fillers)
            sources.setdefault(phase, (items, index))
            result.append(phase)
        else:
            raise items.error(index, f"{brief(item)} must be a word like tire or tire.force, or substeps: {{...}}")
    return tuple(result)


def _depth(entries: Iterable[Any]) -> int:
    """Levels of groups inside each other, 0 without a group."""
    return max((1 + _depth(entry.entries) for entry in entries if isinstance(entry, Substeps)), default=0)


def _runs(entries: Iterable[Any], times: int = 1) -> Iterator[int]:
    """Yield for each phase its maximum number of runs per tick; counts that are not in the file are USUAL_COUNT."""
    for entry in entries:
        if isinstance(entry, Substeps):
            count = entry.count if type(entry.count) is int else USUAL_COUNT
            yield from _runs(entry.entries, times * max(count, entry.above))
        else:
            yield times


def _phase(items: YamlList, index: int, fillers: dict[str, Component]) -> Phase:
    """The Phase that the entry `slot` or `slot.phase` at an index of a list names."""
    slot, _, name = items[index].partition(".")
    slot = current_slot(slot)
    if slot not in fillers:
        hint = f"{key_hint(slot, fillers)}; slots: {', '.join(fillers)}"
        raise items.error(index, f"{brief(slot)} is not a slot{hint}")
    component, name = fillers[slot], name or "update"
    if name not in component.phases:
        known = ", ".join(f"{slot}.{phase}" for phase in component.phases)
        hint = f"{key_hint(name, component.phases)}; it has: {known}"
        raise items.error(index, f"component {component.name} has no phase {brief(name)}{hint}")
    return Phase(component, name)


def _group(item: YamlMap, fillers: dict[str, Component], sources: Sources) -> Substeps:
    """The Substeps of an entry `substeps`."""
    group = item["substeps"]
    if not isinstance(group, YamlMap):
        raise item.error("substeps", "must be a mapping, e.g. {count: 3, components: [...]}")
    check_keys(group, _GROUP_KEYS, required=("components",))
    count = group.get("count")
    if isinstance(count, str):
        count = _count_in_state(group, count, fillers)
    for key in ("count", "above"):
        # a count in a state is not known yet
        value = 1 if key == "count" and isinstance(count, Binding) else group.get(key, 1)
        if type(value) is not int or not 1 <= value <= MAX_COUNT:
            raise group.error(key, f"{brief(value)} must be a whole number from 1 to {MAX_COUNT}")
    speed: Any = group.get("below_speed")
    if "below_speed" in group and (type(speed) not in (int, float) or speed <= 0):
        raise group.error("below_speed", f"{brief(speed)} must be a speed in m/s, more than 0")
    if "above" in group and speed is None:
        raise group.error("above", "is the number of runs from below_speed on, but below_speed is missing")
    entries = _entries(group, "components", fillers, sources)
    return Substeps(*entries, count=count, below_speed=speed, above=group.get("above", 1))


def _count_in_state(group: YamlMap, text: str, fillers: dict[str, Component]) -> Binding:
    """The Binding of a count of steps in a component's state, given as the text `slot.name`."""
    slot, _, name = text.partition(".")
    if slot not in fillers or name not in fillers[slot].step_counts:
        known = ", ".join(f"{c.slot}.{name}" for c in fillers.values() for name in c.step_counts)
        raise group.error("count", f"{brief(text)} must be a whole number, or one of these counts: {known}")
    return fillers[slot].steps(name)


def sequence_data(entries: Iterable[Any]) -> list[Any]:
    """A list of components as values for a vehicle file's `sequence`."""
    result: list[Any] = []
    for entry in entries:
        if isinstance(entry, Substeps):
            count = ".".join(entry.count.path) if isinstance(entry.count, Binding) else entry.count
            group = {"count": count, "below_speed": entry.below_speed}
            group = {key: value for key, value in group.items() if value is not None}
            if entry.above != 1:
                group["above"] = entry.above
            result.append({"substeps": {**group, "components": sequence_data(entry.entries)}})
        else:
            phase = as_phase(entry)
            slot = phase.component.slot
            result.append(slot if phase.phase == "update" else f"{slot}.{phase.phase}")
    return result


def named_components(sequence: Sequence, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """{slot: component} that a vehicle file must name to be independent of the default components of its list.

    chosen: {slot: component} as named by the vehicle's file; own components in Python files are among them.
    """
    choices = {slot: len(variants) for slot, variants in VARIANTS.items()}
    filled = {slot: c.name for slot, c in sequence.by_slot.items() if choices.get(slot, 0) > 1}
    return {**filled, **chosen}


def check_section_keys(section: YamlMap, component: Component, allowed: Collection[str]) -> None:
    """Raise ConfigError for an unknown key, naming the components of the same slot that know it.

    Of several, it proposes the one that knows most keys of the section.

    Args:
        section: values for all wheels, some wheels or, if the component's parameters are not per wheel, the vehicle.
        component: component that the vehicle has.
        allowed: keys that may be in the section.
    """
    for key in section:
        known_to = {} if key in allowed else _known_to(component, key)
        if known_to:
            best = max(known_to, key=lambda name: len(known_to[name].intersection(section)))
            text = f"{component.slot} {component.name} has no such key, but {' and '.join(known_to)}"
            remedy = f"`components: {{{component.slot}: {best}}}` in the vehicle's file chooses {best}"
            known = ", ".join(map(str, allowed))
            raise section.error(key, f"{text} {'have' if len(known_to) > 1 else 'has'}: {remedy}; known here: {known}")
    check_keys(section, allowed)


def _known_to(component: Component, key: str) -> dict[str, set[str]]:
    """{name: keys} of the components of the same slot that know a key.

    Only those that can take the component's place: with no other phases, and parameters per wheel as it has.
    """
    per_wheel = component.params is not None and component.params.per_wheel
    keys = {}
    for name, other in VARIANTS.get(component.slot, {}).items():
        fits = set(other.phases) <= set(component.phases)
        if fits and other.params is not None and other.params.per_wheel == per_wheel:
            names = {f.name for f in other.params.fields.values() if not f.derived}
            names |= {*getattr(other.params, "presets", {}), *getattr(other.params, "aliases", {})}
            if key in names:
                keys[name] = names
    return keys


def choose(
    table: YamlMap, slot: str, choice: Any, beside: Path | str, trust: Callable[[Path], bool] | None
) -> Component:
    """The Component that a vehicle file chooses for a slot.

    Args:
        table: section with the choice, for errors.
        slot: the slot.
        choice: a name of VARIANTS, or a mapping with `file` and `name`.
        beside: the vehicle's file, whose folder `file` is relative to.
        trust: function(path) -> whether a Python file may run; None: none may.
    Raises:
        ConfigError: there is no such component, or it must not run.
    """
    if isinstance(choice, YamlMap):
        check_keys(choice, ("file", "name"), required=("file", "name"))
        return _user_component(choice, slot, beside, trust)
    variants = VARIANTS.get(slot, {})
    if choice not in variants:
        hint = f"{key_hint(choice, variants)}; known: {', '.join(variants) or 'none'}"
        raise table.error(slot, f"{brief(choice)} is not a component for this slot{hint}")
    return variants[choice]


def component_path(file: Path | str, beside: Path | str) -> Path:
    """Path of a component's file: relative to the vehicle's file `beside`, else to the program's folder."""
    path = Path(file)
    if not path.is_absolute():
        sibling = Path(beside).resolve().parent / path
        path = sibling if sibling.is_file() else ROOT / path
    return path


def _user_component(choice: YamlMap, slot: str, beside: Path | str, trust: Callable[[Path], bool] | None) -> Component:
    """Load a component from a user's Python file, if trusted."""
    path = component_path(choice["file"], beside)
    if not path.is_file():
        raise choice.error("file", f"no such file: {path}")
    if trust is None or not trust(path):
        raise UntrustedCode(choice, slot, path)
    module = load_component_file(path, choice)
    component = getattr(module, choice["name"], None)
    if not isinstance(component, Component):
        known = [n for n, v in vars(module).items() if isinstance(v, Component)]
        raise choice.error("name", f"{path} has no component of this name; it has: {', '.join(known) or 'none'}")
    if component.slot != slot:
        raise choice.error("name", f"is a component for slot {component.slot}, not {slot}")
    return component


def load_component_file(path: Path, choice: YamlMap | None = None) -> ModuleType:
    """Import a user's component file, which may import files of its folder.

    The module's name contains a hash of all these files, so that an edit of any makes it a new module. Raises
    ConfigError, at the line of `choice`, the mapping that names the file, if it is given.
    """
    forget_user_modules()  # before `module_name`, which depends on the files of the folder
    try:
        check_python_file(path)
        name = module_name(path)
        return sys.modules[name] if name in sys.modules else import_python_file(path, name)
    except Exception as error:
        is_own_error = isinstance(error, ConfigError) and str(error.path) == str(path)
        problem = str(error) if is_own_error else f"{path} cannot be loaded: {type(error).__name__}: {error}"
        if choice is None:
            raise (error if is_own_error else ConfigError(path, None, "", problem)) from error
        raise choice.error("file", problem) from error
