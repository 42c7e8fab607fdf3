"""A car with a tire component from your own file, whose code runs only if you trust it."""

from pathlib import Path

from driving_sandbox import AUTOMATIC, UserError, load, neutral_command

vehicle = Path(__file__).resolve().parents[1] / "docs" / "examples" / "magic_formula_roadster.yaml"
try:  # without trust the program refuses to run code from a component file
    load(vehicle, "plane")
except UserError as error:
    print(f"refused: {error}")
world = load(vehicle, "plane", trust=lambda path: path.name == "magic_formula_tire.py")
commands = neutral_command(480)  # two seconds of ticks
commands["throttle"], commands["gear"] = 1.0, AUTOMATIC
speed = world.run(commands, ["body.velocity.y"])["body.velocity.y"][-1]  # y is forward
print(f"{speed:.2f} m/s after two seconds on these tires")
