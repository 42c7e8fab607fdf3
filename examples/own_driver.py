"""A driver of your own: from the motion of the car (driving_sandbox.Motion) to its commands.

In the program: driving-sandbox drive --driver own_driver.py
"""

import numpy as np

from driving_sandbox import AUTOMATIC, Driver, Motion, Vehicle, WorldFile, load, neutral_command, simulate

SPEED = 12.0  # m/s


def driver(vehicle: Vehicle, world: WorldFile | None) -> Driver:
    """Holds a speed, and steers to the right once it is nearly reached."""
    command = neutral_command()
    command["gear"] = AUTOMATIC

    def drive(motion: Motion) -> np.ndarray:
        command["throttle"] = min(1.0, max(0.0, 0.3 * (SPEED - motion.speed) + 0.15))  # 0.15 about holds the speed
        command["steer"] = 0.2 if motion.speed > 0.9 * SPEED else 0.0
        return command

    return drive


if __name__ == "__main__":
    world = load("hatchback", "plane")
    run = simulate(world, driver(world.vehicles[0], world.file), seconds=12.0)
    speed, yaw_rate = (run.telemetry.columns[name][-1] for name in ("body.velocity.y", "body.angular_velocity.z"))
    print(f"in the end turning at {yaw_rate:.3f} rad/s; events: {[str(event) for event in run.events]}")
