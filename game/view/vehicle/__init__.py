"""Vehicles as they are drawn: model, running gear, lamps, driver."""
