"""Automatic drivers: each maps the motion of a vehicle, or the time, to commands."""

from driving_sandbox.lab.drivers.command_file import CommandFile
from driving_sandbox.lab.drivers.line_follower import LineFollower

__all__ = ["CommandFile", "LineFollower"]
