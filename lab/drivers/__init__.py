"""Drivers that need no person: each turns a vehicle's motion, or the time, into commands."""

from lab.drivers.command_file import CommandFile
from lab.drivers.line_follower import LineFollower

__all__ = ["CommandFile", "LineFollower"]
