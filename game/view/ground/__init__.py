"""The ground as it is drawn, and what stands on it."""
