"""A step of the steering wheel (ISO 7401) with two cars, and every channel of it as CSV."""

import tempfile
from pathlib import Path

from driving_sandbox import MANEUVERS, load, simulate

for name in ("roadster", "hatchback"):
    world = load(name, "plane")
    maneuver = MANEUVERS["step_steer"](world.vehicles[0], world, world.tick_seconds)
    run = simulate(world, maneuver, seconds=10.0)
    path = Path(tempfile.mkdtemp(), f"{name}.csv")
    run.telemetry.write(path, {})  # the information {} about the run is for .npz only
    yaw_rate = run.telemetry.columns["body.angular_velocity.z"]
    print(f"{name}: at most {abs(yaw_rate).max():.3f} rad/s, {path.stat().st_size} bytes in {path.name}")
