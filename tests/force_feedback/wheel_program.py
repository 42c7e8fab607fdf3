"""A program for tests: drives nothing, but gives every wheel the torques of a script, as the open program does.

    python wheel_program.py '[["torque", 4.0, 1.0], ["hitch", 0.2], ["pause", 0.3], ["raise"]]'

Steps: `torque` N m for some seconds; `swing` amplitude in N m, frequency in Hz, seconds; `hitch` holds Python's lock
for some seconds; `pause` for some seconds; `unplug` pulls the wheel out and runs on; `raise` ends the program by an
exception; `kill` by SIGKILL. Prints a line of JSON per step: its name, the number of updates so far, of wheels, and the
time.
"""

import ctypes
import json
import math
import os
import signal
import sys
import time

import numpy as np

from driving_sandbox.game.controls.devices import Devices
from driving_sandbox.game.force_feedback.output import ForceFeedback
from driving_sandbox.game.force_feedback.setup import ForceSetup
from driving_sandbox.game.force_feedback.stream import TIMER_CALLBACK
from driving_sandbox.game.force_feedback.torque import Contributions, Resistances
from driving_sandbox.game.windows.bindings_file import load_bindings

TICK, FRAME, TICKS = 1.0 / 240.0, 1.0 / 60.0, 4  # s, s, ticks in a frame
SETUP = ForceSetup(strength=8.0, gain=1.0, slew=1000.0)


class GivenTorque:
    """In place of RimTorque: a torque that the script gives."""

    def __init__(self):
        self.lock = 10.0  # rad, never reached
        self.torque, self.time, self.contributions = lambda time: 0.0, 0.0, Contributions()

    def step(self, setup, own_effects=False, beyond_lock=0.0):
        self.time += TICK
        return self.torque(self.time)

    def resistances(self, setup):
        return Resistances(0.0, 0.0, 0.0)

    def gain(self, setup):
        return 1.0


class Program:
    """The part of the open program that deals with wheels."""

    def __init__(self):
        TIMER_CALLBACK.compile()
        self.devices = Devices(load_bindings())
        self.feedback = ForceFeedback(self.devices)
        self.devices.before_close = self.feedback.drop
        self.feedback.rim, self.feedback._tick_seconds = GivenTorque(), TICK
        self.feedback.setups.of = lambda guid, name: SETUP

    def run(self, seconds, paused=False):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.devices.poll()
            for _ in range(0 if paused else TICKS):
                self.feedback.tick()
            self.feedback.frame(not paused)
            time.sleep(FRAME)

    def torque(self, value, seconds):
        self.feedback.rim.torque = lambda time: value
        self.run(seconds)

    def swing(self, size, frequency, seconds):
        self.feedback.rim.torque = lambda time: size * math.sin(2.0 * math.pi * frequency * time)
        self.run(seconds)

    def hitch(self, seconds):
        ctypes.PyDLL(None).usleep(round(1e6 * seconds))  # a PyDLL keeps the lock

    def pause(self, seconds):
        self.run(seconds, paused=True)

    def unplug(self, seconds):
        with open(os.environ["REPORTS"], "w") as reports:
            reports.write("unplug\n")
        self.run(seconds)

    def kill(self):
        os.kill(os.getpid(), signal.SIGKILL)

    def report(self, step):
        updates = [wheel.counts["updates"] for wheel in self.feedback.wheels.values()]
        print(json.dumps([step, int(np.sum(updates)), len(updates), time.monotonic()]), flush=True)


def main():
    program = Program()
    program.run(0.3)  # until the wheel is found
    program.report("start")
    try:
        for name, *arguments in json.loads(sys.argv[1]):
            if name == "raise":
                raise SystemExit("as the script asks")
            getattr(program, name)(*arguments)
            program.report(name)
    finally:
        program.feedback.close()
        program.devices.close()


if __name__ == "__main__":
    main()
