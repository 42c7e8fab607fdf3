"""The recordings of a person: their list, notes, and the state of one at a time."""
