"""Recordings of the fake world for tests."""

import numpy as np
from fake_world import fake_world, push

from driving_sandbox.physics.recording import Recorder
from driving_sandbox.physics.tick.commands import COMMAND, FIRST

CREATED = "2026-01-02T03:04:05"


def commands_of(tick, vehicles=1):
    """Reproducible commands that change in every tick."""
    commands = np.zeros(vehicles, COMMAND)
    commands["throttle"] = 0.5 + 0.5 * np.sin(0.013 * tick)
    commands["steer"] = np.sin(0.031 * tick + np.arange(vehicles))
    commands["gear"] = FIRST + tick // 200
    return commands


def drive(path, ticks=1000, vehicles=1, setup_at=300, jump_at=500, push_at=123, fault_at=None, close=True):
    """Record a drive with a setup change, a jump and an external impulse, each at a tick.

    Returns (recorder, world, snapshots before every tick and after the last one).
    """
    world = fake_world(vehicles)
    world.break_at = fault_at
    recorder = Recorder(path, world, CREATED)
    states = []
    for tick in range(ticks):
        if tick == setup_at:
            world.vehicles[0].set_many({"mass": 1234.5})
            recorder.setup(0, {"mass": 1234.5})
        if tick == jump_at:
            world.recover(0)
            recorder.jump("recover")
        states.append(world.snapshot())
        commands = commands_of(tick, vehicles)
        external = push(vehicles, 50.0) if tick == push_at else None
        fault = world.step(commands, external)
        recorder.record(commands, external, fault is not None)
    states.append(world.snapshot())
    if close:
        recorder.close()
    return recorder, world, states
