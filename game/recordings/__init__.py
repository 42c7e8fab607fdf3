"""The recordings of a person: their list, notes, and what there is to see of one at a time."""
