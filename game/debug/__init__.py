"""The debug drawing: a vehicle's computed forces, contacts and limits, read from its records and drawn as lines."""
