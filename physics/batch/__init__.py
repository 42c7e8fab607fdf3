"""Batches of vehicles, re-simulation of a segment of a drive, logs of states."""
