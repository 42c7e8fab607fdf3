"""Drivetrain: engines, clutches, and the integration of engine and wheel speeds."""
