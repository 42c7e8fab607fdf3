"""Changes of settings that a seek in a recording repeats; the sections of a vehicle that the physics does not read."""

from typing import Any

from driving_sandbox.physics.base.user_error import WrongValue
from driving_sandbox.physics.vehicle.vehicle_file import OTHERS_SECTIONS


def sections_of(vehicle: Any) -> dict[str, Any]:
    """{name: content} of a vehicle's sections that the physics does not read, None for those that it lacks."""
    return {name: getattr(vehicle, "info", {}).get(name) for name in OTHERS_SECTIONS}


def put_section(vehicle: Any, name: str, content: Any) -> None:
    """Set a section that the physics does not read; without content, remove it. Raises WrongValue."""
    if name not in OTHERS_SECTIONS:
        raise WrongValue(f"the section must be one of {', '.join(OTHERS_SECTIONS)}, not {name!r}")
    if not (content is None or isinstance(content, dict)):
        raise WrongValue(f"the content of section {name!r} must be a mapping")
    if content:
        vehicle.info[name] = content
    elif sections_of(vehicle)[name] is not None:
        del vehicle.info[name]


def note_setting(events: list[Any], event: Any) -> None:
    """Add a change to a list of events, and remove from it what the change supersedes.

    Of each parameter of a vehicle or the world the last value between two swaps remains: changes of the same vehicle,
    or of the world, are merged. Of each section the last content remains, swaps or not.
    """
    if event["kind"] == "swap" or not isinstance(event.get("values"), dict):
        events.append(event)
        return
    if event["kind"] == "section":  # has the section's whole content, so earlier ones are dropped
        key = ("kind", "vehicle", "name")
        events[:] = [e for e in events if [e.get(name) for name in key] != [event.get(name) for name in key]] + [event]
        return
    for k in range(len(events) - 1, -1, -1):
        if events[k]["kind"] == "swap" or not isinstance(events[k].get("values"), dict):
            break
        if (events[k]["kind"], events[k].get("vehicle")) == (event["kind"], event.get("vehicle")):
            remaining = {path: value for path, value in events[k]["values"].items() if path not in event["values"]}
            events[k] = {**event, "values": {**remaining, **event["values"]}}
            return
    events.append(event)
