"""Change a parameter between two ticks: softer springs lower the body."""

from driving_sandbox import load, neutral_command

world = load("roadster", "plane")
car = world.vehicles[0]
for share in (1.0, 0.7):
    for wheel in car.wheel_names:
        path = f"suspension.{wheel}.stiffness"
        car.set(path, share * car.base(path))
    world.run(neutral_command(720))  # three seconds, for the springs to settle
    print(f"{share:.0%} of the stiffness: centre of mass {car.read('body.position.z'):.4f} m above the road")
