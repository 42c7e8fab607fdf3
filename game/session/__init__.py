"""A drive without its drawing: world, clock, drivers, tuning, undo, setups, autosave."""
