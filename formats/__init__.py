"""Vehicles of other programs, read into ours."""
