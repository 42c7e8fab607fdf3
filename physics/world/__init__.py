"""Vehicles on a ground, stepped together: ticks, snapshots, placing, parameters of the world."""
