"""Drivetrain: gearbox, clutch, engine, differentials and the integration of wheel speeds."""
