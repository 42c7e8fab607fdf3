"""Voices that the driver switches: the horn."""
