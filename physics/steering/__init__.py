"""Steering: from the steering command to the steer angle of each wheel."""
