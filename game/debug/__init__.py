"""The debug drawing: what the simulation computes of a vehicle, read from its records."""
