"""A driver is a function: what the car does now (lab/maneuvers.py, Motion) -> what the pedals and the wheel do."""

from driving_sandbox import AUTOMATIC, load, neutral_command, simulate

SPEED = 12.0  # m/s
command = neutral_command()
command["gear"] = AUTOMATIC


def around_to_the_right(motion):
    """Holds a speed, and turns once it is reached."""
    command["throttle"] = min(1.0, max(0.0, 0.3 * (SPEED - motion.speed) + 0.15))
    command["steer"] = 0.2 if motion.speed > 0.9 * SPEED else 0.0
    return command


run = simulate(load("hatchback", "plane"), around_to_the_right, seconds=12.0)
speed, yaw_rate = (run.telemetry.columns[name][-1] for name in ("body.velocity.y", "body.angular_velocity.z"))
print(f"in the end turning at {yaw_rate:.3f} rad/s; events: {[str(event) for event in run.events]}")
