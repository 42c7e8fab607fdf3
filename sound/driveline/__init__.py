"""Voices of the driveline: gears and clutch, turbocharger, starter, electric motor."""
