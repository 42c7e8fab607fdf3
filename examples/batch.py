"""Two hundred cars of different mass, launched on all processor cores."""

import numpy as np

from driving_sandbox import Batch, load_vehicle, load_world

COUNT = 200
car = load_vehicle("hatchback")
positions = np.column_stack([3.0 * np.arange(COUNT), np.zeros(COUNT)])  # m
masses = np.linspace(900.0, 1600.0, COUNT)  # kg
with Batch(car, load_world("plane"), COUNT, [{"body.mass": mass} for mass in masses]) as batch:
    batch.place(positions, np.zeros(COUNT))  # all with the heading 0, which faces +y
    commands = batch.neutral_commands()
    commands["throttle"], commands["gear"] = 1.0, 2  # first gear
    for _ in range(480):  # two seconds of ticks of 1/240 s
        batch.step(commands)
    speed = batch.read("body.velocity.y")
    print(f"lightest {speed[0]:.2f} m/s, heaviest {speed[-1]:.2f} m/s")
