"""Plots of channels over time and over a lap."""
