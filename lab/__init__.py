"""Drivers, manoeuvres, measurements and simulations without a window. Imports physics, never the game."""
