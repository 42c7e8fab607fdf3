"""Batches of vehicles, reruns of a segment of a drive, state logs."""
