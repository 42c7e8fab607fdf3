"""Cameras: where the picture is taken from."""
