"""Former names of slots and channels, for older vehicle files, recordings and plots.

A recording contains the text of its vehicle's file, whose component list may have old names of slots. Its states are
stored as bytes without names, so that replays do not depend on the names of fields.
"""

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


def current_slot(slot: str) -> str:
    """The present name of a slot."""
    return SLOTS.get(slot, slot)


def current_channel(name: str) -> str:
    """The present name of a channel: slot.field or slot.wheel.field, with or without an axis."""
    words = name.split(".")
    words[0] = current_slot(words[0])
    renamed = FIELDS.get(words[0], {})
    return ".".join([words[0], *(renamed.get(word, word) for word in words[1:])])
