"""Driving aids: between the driver's pedals and what engine and brakes get."""
