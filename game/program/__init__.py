"""The open program: what it is made of, its frames, its actions and choices."""
