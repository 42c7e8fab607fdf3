"""Steering: from the steering wheel to the angle of each wheel."""
