"""Former names of slots and channels, and former default components, for older vehicle files, recordings and plots.

A recording contains the text of its vehicle's file, whose component list may have old names of slots, and may not name
components that were the default when it was written. Its states are stored as bytes without names, so that replays do
not depend on the names of fields.
"""

from typing import Any

from driving_sandbox.physics.schema.yaml_file import YamlMap

SLOTS = {"pressed": "wheel_reactions"}  # {former name of a slot: present name}
FIELDS = {  # {slot: {former name of a state's field: present name}}
    "suspension": {
        "felt": "specific_force",
        "steady": "external_force",
        "unfelt": "roll_damper_force",
        "weight": "specific_force_vector",
        "spring_push": "body_force",
        "hub_known": "hub_initialized",
    },
    "road": {
        "asked": "unlimited_jounce",
        "known": "sweep_phase",
        "climb": "compression_speed",
        "since": "sweep_age",
        "turned": "turn_phase",
        "border": "boundary_height",
    },
    "gearbox": {"handed_on": "clutch_share_sent"},
    "engine": {"begun": "initialized"},
    "driving_state": {"place": "sleep_position", "attitude": "sleep_orientation"},
}
# {type of a vehicle, or None for an own list: {slot: component that it had, until the default became another one}}
FORMER_DEFAULTS: dict[str | None, dict[str, str]] = {
    "engine_drive": {"tire": "combined_slip", "body": "rigid"},
    **{kind: {"tire": "combined_slip"} for kind in ("direct_drive", "trailer", "clutch_drive", None)},
}


def current_slot(slot: str) -> str:
    """The present name of a slot."""
    return SLOTS.get(slot, slot)


def current_channel(name: str) -> str:
    """The present name of a channel: slot.field or slot.wheel.field, with or without an axis."""
    words = name.split(".")
    words[0] = current_slot(words[0])
    renamed = FIELDS.get(words[0], {})
    return ".".join([words[0], *(renamed.get(word, word) for word in words[1:])])


def with_former_defaults(doc: Any) -> Any:
    """The parsed text of a recorded vehicle, in which components that it leaves out are the former defaults.

    Texts since the defaults changed name all components.
    """
    if not isinstance(doc, YamlMap):
        return doc
    chosen, kind = doc.get("components", YamlMap()), doc.get("type")
    former = FORMER_DEFAULTS.get(kind, {}) if kind is None or isinstance(kind, str) else {}
    if kind is None:
        listed = _slots(doc.get("sequence"))
        former = {slot: name for slot, name in former.items() if slot in listed}
    if isinstance(chosen, YamlMap):
        for slot, name in former.items():
            chosen.setdefault(slot, name)
        doc["components"] = chosen
    if isinstance(doc.get("trailers"), list):
        for trailer in doc["trailers"]:
            with_former_defaults(trailer)
    return doc


def _slots(entries: Any) -> set[str]:
    """Slots in a list of components, groups included; entries that are neither are left to the reader of the list."""
    slots: set[str] = set()
    if not isinstance(entries, list):
        return slots
    for entry in entries:
        if isinstance(entry, str):
            slots.add(entry.partition(".")[0])
        elif isinstance(entry, dict) and isinstance(entry.get("substeps"), dict):
            slots |= _slots(entry["substeps"].get("components"))
    return slots
