"""Import of vehicles from other programs, export of telemetry."""
