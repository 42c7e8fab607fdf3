"""The program with the window: its start, its frame loop, its actions, and changing the drive."""
