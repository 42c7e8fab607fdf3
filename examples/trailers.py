"""A truck and its trailers: one train, driven by the commands of the truck."""

from driving_sandbox import AUTOMATIC, load, neutral_command

world = load("road_train", "plane")
commands = neutral_command(1200)  # five seconds of ticks
commands["throttle"], commands["gear"] = 1.0, AUTOMATIC
world.run(commands)
for member in world.vehicles:
    x, y, _ = member.model_position()
    print(f"{member.name:20} at {y:7.2f} m, {member.read('body.velocity.y'):.2f} m/s")
