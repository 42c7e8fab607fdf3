"""The effect of a parameter: speed for different masses after a second at rest and three at full throttle."""

import numpy as np

from driving_sandbox import MANEUVERS, load, simulate

for mass in np.linspace(900.0, 1500.0, 4):  # kg
    world = load("roadster", "plane")
    car = world.vehicles[0]
    car.set("body.mass", float(mass))
    run = simulate(world, MANEUVERS["launch"](car, world, world.tick_seconds), seconds=4.0)
    print(f"{mass:6.0f} kg: {run.telemetry.columns['body.velocity.y'][-1]:.2f} m/s")
