"""One wheel under force: its effects, its stream of torques, and the timer that sends them.

SDL's timer calls the compiled callback of stream.py. Without compiled code (SANDBOX_JIT=0, or the first drive with a
wheel, until the worker is done) the wheel stays without force.
"""

import time
from typing import Any

import numpy as np

from driving_sandbox.game.force_feedback.haptic import CONDITIONS, HapticDevice, address_of, haptic_library
from driving_sandbox.game.force_feedback.response import Outcome, ResponseSweep
from driving_sandbox.game.force_feedback.setup import ForceSetup
from driving_sandbox.game.force_feedback.stream import INTERVAL, POINTS, TIMER_CALLBACK, ForceStream
from driving_sandbox.game.force_feedback.torque import Resistances

EVEN = np.linspace(0.0, 1.0, POINTS)  # response of a wheel whose force is proportional to the level
LAST_UPDATE = 0.1  # s that `close` waits for the callback: thirty updates
SWEEP_TICKS = 4  # torques that a frame of a sweep gives, as many as a frame of a drive
# What a condition's coefficient 1 counts as; SDL has no units. Estimated: what belt-driven wheels give at full
FULL_FRICTION, FULL_DAMPING, FULL_INERTIA = 1.0, 1.0, 0.01  # N m, N m s/rad, kg m^2 at a condition's coefficient 1


class ForceWheel:
    """Gives an open wheel its torques until `close`.

    Args:
        haptic: HapticDevice, which it closes.
        setup: ForceSetup.
        tick_seconds: length of a tick, s.
    Attributes:
        stream: its ForceStream.
        sweep: ResponseSweep that gives the levels in place of the torques, or None.
    """

    def __init__(self, haptic: HapticDevice, setup: ForceSetup, tick_seconds: float) -> None:
        self.haptic = haptic
        self.stream = ForceStream(tick_seconds, setup.strength, setup.slew)
        self._conditions: dict[str, float] = {}  # {condition: coefficient sent last}
        self._timer = 0
        self.sweep: ResponseSweep | None = None
        self.set_up(setup)
        sdl, record = haptic_library(), self.stream.record
        record["counter"] = address_of(sdl.SDL_GetPerformanceCounter)
        record["frequency"] = sdl.SDL_GetPerformanceFrequency()
        record["device"], record["number"] = haptic.handle, haptic.constant_number
        effect = haptic.effect_address
        record["effect"], record["effect_level"] = effect
        record["update"] = address_of(sdl.SDL_HapticUpdateEffect)

    @property
    def started(self) -> bool:
        """Whether the timer runs."""
        return self._timer != 0

    def start(self) -> bool:
        """Start the timer if the callback is compiled; whether it runs."""
        callback = TIMER_CALLBACK.load()
        if callback and not self._timer:
            self._timer = haptic_library().SDL_AddTimer(INTERVAL, callback, self.stream.address)
        return self.started

    def set_up(self, setup: ForceSetup) -> None:
        """Take another setup."""
        self.setup = setup
        self.stream.set_strength(-setup.strength if setup.inverted else setup.strength, setup.slew)
        self.stream.set_response(setup.response or EVEN)
        self.own_effects = setup.own_effects and all(self.haptic.has(name) for name in CONDITIONS if name != "spring")
        if not self.own_effects:
            self._send(Resistances(0.0, 0.0, 0.0), gain=0.0)

    def begin_sweep(self) -> None:
        """Measure the wheel's response from now on; `follow_sweep` gives it the levels."""
        self.sweep = ResponseSweep()
        self.stream.set_response(EVEN)

    def follow_sweep(self, sweep: ResponseSweep, position: float) -> bool:
        """Give the wheel its next level; whether the sweep goes on. position: of the steering axis, -1..1."""
        self.stream.active = True
        level = sweep.step(time.monotonic(), position)
        for _ in range(SWEEP_TICKS):
            self.stream.feed(level * self.setup.strength)
        if sweep.outcome is not Outcome.RUNNING:
            self.sweep = None
            self.stream.set_response(self.setup.response or EVEN)
        return self.sweep is not None

    def resist(self, resistances: Resistances, gain: float) -> None:
        """Have the wheel itself resist with these coefficients times the gain, if it computes its own effects."""
        if self.own_effects:
            self._send(resistances, gain if self.stream.active else 0.0)

    def _send(self, resistances: Resistances, gain: float) -> None:
        full = {"friction": FULL_FRICTION, "damper": FULL_DAMPING, "inertia": FULL_INERTIA}
        for (name, largest), amount in zip(full.items(), resistances, strict=True):
            coefficient = min(1.0, gain * amount / largest)
            if coefficient != self._conditions.get(name, 0.0) and self.haptic.set_condition(name, coefficient):
                self._conditions[name] = coefficient

    @property
    def counts(self) -> dict[str, Any]:
        """Numbers of updates, of updates that the device refused, and of updates beyond the strength, so far."""
        return {name: int(self.stream.record[name]) for name in ("updates", "failures", "clipped")}

    def close(self) -> None:
        """Set the force to 0 and close the device. Safe to call twice."""
        timer, self._timer = self._timer, 0
        if timer:
            self.stream.stop()
            end = time.monotonic() + LAST_UPDATE
            while not self.stream.stopped and time.monotonic() < end:
                time.sleep(0.001)
            haptic_library().SDL_RemoveTimer(timer)
        self.haptic.close()
