"""Vehicles on a ground under one clock: stepping, snapshots, placing, parameters of the world."""
