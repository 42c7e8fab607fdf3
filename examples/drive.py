"""Drive a car for four seconds and read two channels."""

from driving_sandbox import AUTOMATIC, load, neutral_command

world = load("roadster", "plane")
commands = neutral_command(960)  # ticks of 1/240 s
commands["throttle"], commands["gear"] = 1.0, AUTOMATIC
channels = world.run(commands, ["body.velocity.y", "engine.omega"])
print(f"{channels['body.velocity.y'][-1]:.1f} m/s at {channels['engine.omega'][-1]:.0f} rad/s of the engine")
