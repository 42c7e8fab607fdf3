"""Swapping the component in a slot of a vehicle while it is being driven.

The list of components changes in one slot only. As the record layout may change, the result is another Vehicle. It
keeps parameters and state of all other slots, bit for bit, and in the slot itself every field that has the same name
and kind in both components, if the new one's limits allow its value. All other parameters are those of the component's
last use, else estimated as for a vehicle's file (physics/estimate), else its defaults. A towing vehicle keeps its
trailers (`World.swap`).

    swap = plan_swap(vehicle, "tire", "legacy")    # ConfigError, SequenceError, SchemaError
    other = swapped_vehicle(vehicle, swap)         # equal vehicles and swaps give bit-identical results
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from driving_sandbox.physics.base.record import field_names
from driving_sandbox.physics.contact.chain import split
from driving_sandbox.physics.estimate import Estimate
from driving_sandbox.physics.schema.schema import Schema, SchemaError
from driving_sandbox.physics.schema.yaml_file import parse_yaml
from driving_sandbox.physics.tick.binding import SequenceError
from driving_sandbox.physics.tick.component import left_out, phases_of, swapped
from driving_sandbox.physics.tick.sequence import Sequence, sequence_of
from driving_sandbox.physics.vehicle.component_file import choose, component_path
from driving_sandbox.physics.vehicle.trust import hash_that_ran
from driving_sandbox.physics.vehicle.types import VARIANTS
from driving_sandbox.physics.vehicle.understeer import CHARACTERISTIC_SPEED, estimated_characteristic_speed
from driving_sandbox.physics.vehicle.vehicle import Vehicle


@dataclass(frozen=True)
class Swap:
    """Another component for one slot.

    Attributes:
        slot: name of the slot.
        choice: the component: a name of VARIANTS, or {"file": ..., "name": ...}.
        sequence: list after the swap.
        values: {path: value} of every authored parameter of the slot.
        base: {path: value} of the same parameters for a reset (`Vehicle.base`).
        estimated: {path: Estimate} of the values that were estimated.
    """

    slot: str
    choice: str | dict
    sequence: Sequence
    values: dict
    base: dict
    estimated: dict[str, Estimate] = field(default_factory=dict)


def choice_of(vehicle: Vehicle, slot: str) -> Any:
    """The current choice of a slot, in the form of a vehicle file: a name, or {"file": ..., "name": ...}."""
    return vehicle.info.get("components", {}).get(slot, vehicle.sequence.by_slot[slot].name)


def label(choice: Any) -> str:
    """Name of a choice, for display."""
    return choice if isinstance(choice, str) else str(choice["name"]).lower()


def choices(vehicle: Vehicle, known: Iterable[tuple[str, Any]] = ()) -> dict[str, list[Any]]:
    """{slot: choices} of every slot with more than one choice.

    known: [(slot, choice)] in addition to the program's own components.
    """
    by_slot = {}
    for slot, component in vehicle.sequence.by_slot.items():
        phases = {p.phase for p in phases_of(vehicle.sequence.entries) if p.component.slot == slot}
        possible = phases | set(component.phases)  # further phases of another component would never run
        fitting = [name for name, c in VARIANTS.get(slot, {}).items() if phases <= set(c.phases) <= possible]
        further = [choice for s, choice in (*known, (slot, choice_of(vehicle, slot))) if s == slot]
        fitting += [choice for k, choice in enumerate(further) if choice not in fitting and choice not in further[:k]]
        if len(fitting) > 1:
            by_slot[slot] = fitting
    return by_slot


def swapped_sequence(vehicle: Vehicle, slot: str, choice: Any, trust: Callable[[Path], bool] | None = None) -> Sequence:
    """The sequence of a vehicle with one slot filled by `choice`. Raises ConfigError or SequenceError."""
    beside = vehicle.info.get("path") or "vehicle.yaml"
    table = parse_yaml(json.dumps({slot: choice}), beside)
    component = choose(table, slot, table[slot], beside, trust)
    entries = swapped(vehicle.sequence.entries, component)
    left_out_before = left_out(vehicle.sequence.entries, vehicle.sequence.by_slot[slot])
    newly_left_out = [phase for phase in left_out(entries, component) if phase not in left_out_before]
    if newly_left_out:
        text = f"{slot} {component.name} needs its phase {newly_left_out[0]}, which this vehicle's list does not run"
        raise SequenceError(text)
    return sequence_of(entries)


def plan_swap(
    vehicle: Vehicle, slot: str, choice: Any, trust: Callable[[Path], bool] | None = None,
    remembered: tuple[dict, dict] | None = None,
) -> Swap:  # fmt: skip
    """The Swap that fills a slot with `choice`.

    Args:
        trust: function(path) -> whether a Python file may run; None: none may.
        remembered: (values, base) of the component's last use, as in Swap.
    Raises:
        ConfigError, SequenceError: there is no such component, or nothing provides what it needs.
        SchemaError: there is no such slot, or a parameter without a default has no value.
    """
    if slot not in vehicle.sequence.by_slot:
        raise SchemaError(f"{slot}: this vehicle has no such slot")
    sequence = swapped_sequence(vehicle, slot, choice, trust)
    if vehicle.trailers:
        split(sequence)  # SequenceError if the list does not fit into a chain
    old_params, new_params = vehicle.sequence.by_slot[slot].params, sequence.by_slot[slot].params
    values, base = (dict(part) for part in remembered or ({}, {}))
    for path, name in _authored(vehicle, slot, new_params):
        old = None if old_params is None else old_params.fields.get(name)
        if old is not None and old.derived and (path in values or vehicle.get(path) == new_params.fields[name].default):
            continue  # the present component derives it: the value of the new one's last use, or a default, is kept
        if old is not None and old.kind == new_params.fields[name].kind:
            try:
                new_params.fields[name].parse(vehicle.get(path))
            except SchemaError:
                continue  # outside the limits of the new component: it takes the value of its last use or its default
            values[path], base[path] = vehicle.get(path), vehicle.base(path)
        if path not in values and new_params.fields[name].required:
            text = f"{path}: has no value, and {sequence.by_slot[slot].name} has no default for it"
            raise SchemaError(f"{text}; give it in the vehicle's file ({new_params.fields[name].doc})")
    for path, name in _authored(vehicle, slot, new_params):
        # a parameter without a value takes the magnitude of the one that it declares in `begins_like`
        source = path.removesuffix(name) + str(new_params.fields[name].begins_like)
        if path not in values and source in values:
            values[path], base[path] = abs(values[source]), abs(base[source])
    return _with_estimates(vehicle, Swap(slot, choice, sequence, values=values, base=base))


def _with_estimates(vehicle: Vehicle, swap: Swap) -> Swap:
    """The Swap with estimates of parameters that have no value, as far as there is an estimator."""
    paths = dict(_authored(vehicle, swap.slot, swap.sequence.by_slot[swap.slot].params))
    wheels = {name: i for i, name in enumerate(vehicle.wheel_names)}
    given = {(wheels[path.split(".")[1]], name) if path.count(".") > 1 else name
             for path, name in paths.items() if path in swap.values}  # fmt: skip
    estimated: dict[str, Estimate] = {}
    values: dict[str, Any] = {}
    if swap.sequence.by_slot[swap.slot].estimate is not None:
        trial = _with_values(vehicle, swap)
        estimated = trial.estimate({swap.slot: given})
        values = {path: trial.get(path) for path in estimated}
    if CHARACTERISTIC_SPEED in paths and CHARACTERISTIC_SPEED not in swap.values:
        estimate = estimated_characteristic_speed(vehicle)  # its inputs are in other slots
        if estimate is not None:
            estimated[CHARACTERISTIC_SPEED], values[CHARACTERISTIC_SPEED] = estimate, estimate.value
    return replace(swap, values=swap.values | values, base=swap.base | values, estimated=estimated)


def inverse_swap(vehicle: Vehicle, slot: str) -> Swap:
    """The Swap that restores the present component with its values."""
    params = vehicle.sequence.by_slot[slot].params
    paths = [path for path, _ in _authored(vehicle, slot, params)]
    values, base = {p: vehicle.get(p) for p in paths}, {p: vehicle.base(p) for p in paths}
    return Swap(slot, choice_of(vehicle, slot), vehicle.sequence, values, base, _estimated(vehicle, slot))


def _estimated(vehicle: Vehicle, slot: str, inside: bool = True) -> dict[str, Estimate]:
    """{path: Estimate} of a vehicle's estimated parameters in a slot, or in all others with inside=False."""
    estimated = vehicle.info.get("estimated", {})
    return {path: estimate for path, estimate in estimated.items() if path.startswith(f"{slot}.") == inside}


def _authored(vehicle: Vehicle, slot: str, params: type[Schema] | None) -> Iterator[tuple[str, str]]:
    """Yield (path, field name) of every authored parameter of a slot, whose component has the Schema `params`."""
    if params is None:
        return
    prefixes = [f"{slot}.{wheel}" for wheel in vehicle.wheel_names] if params.per_wheel else [slot]
    for prefix in prefixes:
        yield from ((f"{prefix}.{f.name}", f.name) for f in params.fields.values() if not f.derived)


def swapped_vehicle(vehicle: Vehicle, swap: Swap) -> Vehicle:
    """The vehicle after a swap, with the same pose and motion. Raises UserError for values that are rejected."""
    new_vehicle = _with_values(vehicle, swap)
    problems = new_vehicle.problems()
    if problems:
        raise SchemaError("; ".join(f"{path}: {text}" for path, text in problems))
    new_vehicle.derive()
    carry_state(vehicle.state, new_vehicle.state)
    return new_vehicle


def _with_values(vehicle: Vehicle, swap: Swap) -> Vehicle:
    """The vehicle with the components and parameters after a swap, not derived. Raises UserError as `parse`."""
    info = {**vehicle.info, "components": {**vehicle.info.get("components", {}), swap.slot: swap.choice}}
    info["estimated"] = {**_estimated(vehicle, swap.slot, inside=False), **swap.estimated}
    new_vehicle = Vehicle(swap.sequence, vehicle.wheel_names, vehicle.axles, vehicle.geometry, info)
    new_vehicle.context = vehicle.context
    _copy_params(vehicle, new_vehicle, swap.slot)
    for values, records in ((swap.base, new_vehicle.base_params), (swap.values, new_vehicle.params)):
        for path, value in values.items():
            parameter = new_vehicle.parameter(path)
            checked = parameter.field.parse(value)
            parameter.field.kind.write(new_vehicle._record(records, parameter), parameter.field.name, checked)
    return new_vehicle


def carry_state(source: np.ndarray, target: np.ndarray) -> None:
    """Copy every field that two state records have in common, from source to target."""
    for slot in field_names(target.dtype):
        if slot in field_names(source.dtype):
            _copy_common(source[slot], target[slot])


def _copy_params(vehicle: Vehicle, other: Vehicle, changed: str) -> None:
    """Copy the parameters of all slots to `other`, but write defaults into the slot `changed`."""
    for name in field_names(other.params.dtype):
        if name == changed:
            params = other.sequence.by_slot[name].params
            block = other.params[name][0]
            for record in block[: other.wheel_count] if params.per_wheel else [block]:
                params.defaults(record)
            other.base_params[name] = other.params[name]
        else:
            other.params[name] = vehicle.params[name]
            other.base_params[name] = vehicle.base_params[name]


def _copy_common(source: Any, target: Any) -> None:
    """Copy the fields that have the same name and type in both records."""
    if source.dtype == target.dtype:
        target[...] = source
        return
    for name in field_names(target.dtype):
        if name in field_names(source.dtype) and source.dtype[name] == target.dtype[name]:
            target[name] = source[name]


def swap_event(swap: Swap) -> dict[str, Any]:
    """A swap as JSON values for a recording."""
    return {"slot": swap.slot, "choice": swap.choice, "values": swap.values}


def swap_from_event(vehicle: Vehicle, event: dict[str, Any], trust: Callable[[Path], bool] | None = None) -> Swap:
    """The Swap of a recorded event; raises like `plan_swap`, and KeyError for a damaged event."""
    slot, choice, values = event["slot"], event["choice"], dict(event["values"])
    if slot not in vehicle.sequence.by_slot:
        raise SchemaError(f"{slot}: this vehicle has no such slot")
    sequence = swapped_sequence(vehicle, slot, choice, trust)
    allowed = dict(_authored(vehicle, slot, sequence.by_slot[slot].params))
    for path, value in values.items():
        if path not in allowed:
            raise SchemaError(f"{path}: no such parameter")
        values[path] = sequence.by_slot[slot].params.fields[allowed[path]].parse(value)
    return Swap(slot, choice, sequence, values=values, base=values)


def candidate_text(vehicle: Vehicle) -> str:
    """Text of a vehicle file, from which another process can build the vehicle with its present components and values.

    It is JSON, which is valid YAML and faster to write.
    """
    return json.dumps(_candidate_tree(vehicle), default=_plain)


def _candidate_tree(vehicle: Vehicle) -> dict[str, Any]:
    """Content of a vehicle file with the vehicle's present values, as nested dicts."""
    keys = ("name", "type", "sequence", "trailer_order")
    tree = {key: vehicle.info[key] for key in keys if key in vehicle.info}
    components = vehicle.info.get("components", {})
    tree["components"] = {slot: _absolute(vehicle, choice) for slot, choice in components.items()}
    if vehicle.geometry is not None:
        tree["model"] = str(vehicle.geometry.path.resolve())
    tree["axles"] = {axle: [vehicle.wheel_names[i] for i in wheels] for axle, wheels in vehicle.axles.items()}
    for path, value in vehicle.values().items():
        *sections, key = path.split(".")
        branch = tree
        for section in sections:
            branch = branch.setdefault(section, {})
        branch[key] = value
    if vehicle.trailers:
        tree["trailers"] = [_candidate_tree(trailer) for trailer in vehicle.trailers]
    return tree


def _absolute(vehicle: Vehicle, choice: Any) -> Any:
    """A choice with the path of its file made absolute."""
    if isinstance(choice, str):
        return choice
    return {**choice, "file": str(component_path(choice["file"], vehicle.info.get("path") or ".").resolve())}


def component_files(vehicle: Vehicle) -> list[str]:
    """[`hash:path`] of the Python files of a vehicle's components, with the hash of the content that was imported."""
    lines = []
    for member in (vehicle, *vehicle.trailers):
        for slot, choice in member.info.get("components", {}).items():
            if not isinstance(choice, str):
                path = Path(_absolute(member, choice)["file"]).resolve()
                lines.append(f"{hash_that_ran(path, member.sequence.by_slot[slot])}:{path}")
    return lines


def _plain(value: Any) -> Any:
    """A value that JSON can store: numpy values as numbers and lists, others as text."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else str(value)
