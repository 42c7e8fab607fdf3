"""Differentials: distribution of drive torque among the driven wheels."""
