"""Drive a car for four seconds and keep two channels."""

from driving_sandbox import AUTOMATIC, load, neutral_command

world = load("roadster", "plane")
commands = neutral_command(960)  # ticks of 1/240 s
commands["throttle"], commands["gear"] = 1.0, AUTOMATIC
kept = world.run(commands, ["body.velocity.y", "engine.omega"])
print(f"{kept['body.velocity.y'][-1]:.1f} m/s at {kept['engine.omega'][-1]:.0f} rad/s of the engine")
