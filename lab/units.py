"""Other units in SI units: `value * KMH` converts from km/h, `value / KMH` to km/h."""

KMH = 1.0 / 3.6  # m/s per km/h
MPH = 0.44704  # m/s per mile per hour
FOOT = 0.3048  # m per foot
