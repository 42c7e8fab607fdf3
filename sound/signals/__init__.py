"""Voices that the driver switches: horn, turn signals, and the air of the brakes."""
