"""The grid of samples: rate, and the block that all voices compute at a time."""

SAMPLE_RATE = 48000.0  # 1/s
BLOCK = 40  # samples; 1/1200 s, a fifth of a tick at 240 Hz
BLOCK_SECONDS = BLOCK / SAMPLE_RATE
SPEED_OF_SOUND = 343.0  # m/s, in air of 20 degrees Celsius

# Buses of a vehicle: rows of the array that its voices add to. Each has its own way to the listener's ears.
EXHAUST, ENGINE_BAY, FRONT_TIRES, REAR_TIRES, BODY = range(5)
BUS_COUNT = 5
