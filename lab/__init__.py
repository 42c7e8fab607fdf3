"""Headless work with the core: drivers, manoeuvres, simulations. Imports physics, never the game."""
