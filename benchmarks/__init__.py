"""Benchmarks, run by `./drive bench`. Ratios are measured within one run; no test asserts a time.

Each module has `measure()`, which returns a list of rows {what, value, unit, note}.
"""

BENCHMARKS = {
    "tick": "one tick on a 512 x 512 heightfield, compared with panda3d.bullet's vehicle",
    "components": "which components take a tick's time: every entry of the list in a hot loop",
    "sweep": "ticks with cylinder sweeps, compared with ticks with rays",
    "belly": "ticks of a car that slides on its belly, compared with one on its wheels",
    "throughput": "re-simulating, and ticks without Python in between",
    "what_if": "the last ten seconds again under changed parameters",
    "meeting": "two cars far apart, beside and upon each other, compared with two worlds of one",
    "batch": "a thousand varied cars in one call, on one thread and two",
    "frame": "processor time of a frame, and the start of the whole program",
    "graphics": "frames drawn by this computer's graphics card, compared with a plain Panda3D scene of as many nodes",
    "recording": "recording a frame, opening a recording, seeking in it",
    "swap": "another component while driving: how soon, and the longest frame",
    "start": "time from the command to the first tick",
    "props": "props at rest and in motion",
    "sound": "sound of one car and of eight, compared with loops played by OpenAL",
}
