"""From the buses of vehicles to the two ears of a listener: delay, distance, direction, cabin and limiter."""
