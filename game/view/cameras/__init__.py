"""Cameras: position, direction and field of view from which the scene is drawn."""
