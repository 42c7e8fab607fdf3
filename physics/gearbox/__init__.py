"""Gears and who shifts them."""
