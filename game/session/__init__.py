"""A drive without a picture: world, clock, drivers, tuning, undo, setups, autosave."""
