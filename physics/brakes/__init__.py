"""Brakes: from pedal and handbrake to a torque on each wheel."""
