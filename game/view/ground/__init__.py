"""Rendering of the ground and the objects on it."""
