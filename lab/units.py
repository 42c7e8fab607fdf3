"""Customary units in SI."""

KMH = 1.0 / 3.6  # m/s
MPH = 0.44704  # m/s
FOOT = 0.3048  # m
