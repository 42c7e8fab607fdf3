"""Vehicles on a ground with one clock: stepping, snapshots, placing, parameters of the world."""
