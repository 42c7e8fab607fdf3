"""Two cars driven round the handling course by the AI: speed over distance as a plot, where matplotlib is installed."""

import tempfile
from pathlib import Path

import numpy as np

from driving_sandbox import MANEUVERS, load, simulate

CARS = ("roadster", "hatchback")
runs = {}
for name in CARS:
    world = load(name, "proving_ground", spawn="start")
    run = simulate(world, MANEUVERS["lap"](world.vehicles[0], world, world.tick_seconds), seconds=130.0)
    columns = run.telemetry.columns
    speed = np.hypot(columns["body.velocity.x"], columns["body.velocity.y"])  # m/s
    runs[name] = np.cumsum(speed) * world.tick_seconds, speed
    times = [f"{lap.track} {lap.time:.2f} s" for lap in run.laps]
    print(f"{name}: {runs[name][0][-1]:.0f} m, at most {speed.max():.1f} m/s; laps: {', '.join(times) or 'none'}")

try:
    from matplotlib.figure import Figure
except ImportError:
    print("matplotlib is not installed: no plot")
else:
    figure = Figure(figsize=(10, 4))
    axes = figure.subplots()
    for name, (distance, speed) in runs.items():
        axes.plot(distance, speed, label=name)
    axes.set(xlabel="distance (m)", ylabel="speed (m/s)")
    axes.legend()
    with tempfile.TemporaryDirectory() as folder:  # name a folder of your own to keep the plot
        path = Path(folder, "laps.png")
        figure.savefig(path)
        print(f"{path.stat().st_size} bytes in {path.name}")
