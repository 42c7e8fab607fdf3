"""The user's recordings: their list, their notes, and the state of a recording at a given time."""
