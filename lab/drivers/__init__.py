"""Automatic drivers: each maps a vehicle's motion, or the time, to commands."""

from driving_sandbox.lab.drivers.command_file import CommandFile
from driving_sandbox.lab.drivers.line_follower import LineFollower

__all__ = ["CommandFile", "LineFollower"]
