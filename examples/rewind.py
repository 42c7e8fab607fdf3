"""Determinism: rewind, drive again with the same commands, and compare the hashes of the end states."""

from driving_sandbox import AUTOMATIC, load, neutral_command

world = load("buggy")
commands = neutral_command(480)  # two seconds of ticks
commands["throttle"], commands["steer"], commands["gear"] = 0.8, 0.3, AUTOMATIC
start, ends = world.snapshot(), []
for _ in range(2):
    world.restore(start)
    world.run(commands)
    ends.append(world.state_hash())
print(f"{ends[0]:016x} and again {ends[1]:016x}")
assert ends[0] == ends[1]
