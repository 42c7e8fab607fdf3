"""Driving aids: they modify the driver's pedals on the path to engine and brakes."""
