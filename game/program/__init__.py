"""The open program: its parts, its frames, its actions and choices."""
