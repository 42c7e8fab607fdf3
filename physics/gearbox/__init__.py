"""Gearboxes and automatic gear selection."""
