"""Tracked vehicles: levers, tracks and the drivetrain that turns whole tracks."""
