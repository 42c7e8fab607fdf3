"""The driver: turns held keys and device axes into the command of one tick.

Automatic gears (and direct drive, which has only R, N, F): "throttle" and "brake" request driving forwards and
backwards. A request opposite to the motion brakes; at rest the brake, held for a moment, engages reverse and drives
backwards, and the throttle engages forward again. Both pressed at once keep the direction (line lock, left-foot
braking).
The brake pedal of a steering wheel never engages reverse (a foot rests on it at a stop): there the gear keys do it.

Manual gears: throttle and brake are pedals. Gear down stops at neutral; reverse needs one more press near standstill,
so no shift down while driving ends in R. An H-pattern shifter gives the gear while a gate is held, neutral between.

A command depends only on the inputs and motions given so far and on the aids for keys: equal inputs, equal commands.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from driving_sandbox.game.controls.bindings import HELD_ACTIONS, PEDALS, SHIFTS, SIDES, TWO_SIDED
from driving_sandbox.game.controls.devices import Devices
from driving_sandbox.game.controls.inputs import AnalogInput, merge
from driving_sandbox.game.controls.keyboard import Keyboard
from driving_sandbox.physics.gearbox.timed_gearbox import LEVER_HELD
from driving_sandbox.physics.tick.commands import AUTOMATIC, neutral_command

if TYPE_CHECKING:
    from driving_sandbox.game.controls.key_aids import KeyAids
    from driving_sandbox.game.controls.rim import RimSteering

REST_SPEED = 0.5  # m/s; slower counts as at rest: engaging the opposite direction is not felt then
# m/s; a vehicle that moves faster than this opposite to the chosen direction is braked. It is above REST_SPEED, so that
# a hill start, which rolls back a little while the clutch grips, does not flicker between brake and throttle.
ROLL_SPEED = 1.5
REVERSE_DWELL = 0.2  # s the brake is held at rest before reverse engages: a plain stop stays a stop
REVERSE_SHIFT_SPEED = 1.5  # m/s; faster than this the manual gearbox refuses reverse, as a real lock-out does
PRESSED = 0.05  # share of travel from which a pedal counts as pressed: above the noise of worn pedals


class Gearing(NamedTuple):
    """The properties of a gearbox that the driver needs. Direct drive has gear_count 3 and no automatic.

    Attributes:
        gear_count: number of gears, reverse and neutral included.
        neutral_gear: index of neutral; reverse is one below, first gear one above.
        automatic_available: whether the gearbox can shift by itself.
        reads_lever_time: whether it reads how long the shift key is held (physics/gearbox/timed_gearbox.py).
    """

    gear_count: int
    neutral_gear: int = 1
    automatic_available: bool = True
    reads_lever_time: bool = False

    @property
    def has_shifting(self) -> bool:
        """Whether there is more than one forward gear; only then is there a manual mode."""
        return self.gear_count > self.neutral_gear + 2


class SpeedAndGear(NamedTuple):
    """The vehicle's forward speed (m/s), engaged gear and gear being engaged, after the latest tick."""

    forward_speed: float
    gear: int
    target_gear: int


class HumanDriver:
    """Turns inputs into commands; holds the chosen direction, gear and mode.

    Call `take(keyboard, devices)` once per frame (or set `held_actions` and `analog` and call `press`), and `command`
    once per tick.

    Attributes:
        key_aids: KeyAids, which change what the keys ask for; None makes a key full lock and pedal.
        rim_steering: RimSteering for wheels whose rotation is known; None takes their travel as the car's lock.
        held_actions: actions whose key or button is down.
        analog: AnalogInput of the devices.
        automatic: whether gears are automatic.
        forward: whether automatic gears drive forwards; False for backwards.
        in_neutral: whether automatic gears are in neutral.
        gear: index of the gear selected in manual mode.
    """

    def __init__(self, gearing: Gearing) -> None:
        self._command = neutral_command()
        self.key_aids: KeyAids | None = None
        self.rim_steering: RimSteering | None = None
        self.set_gearing(gearing)
        self.release_all()

    def set_gearing(self, gearing: Gearing) -> None:
        """Take another vehicle's gearing and select forward: in first gear if it has manual gears only."""
        self.gearing = gearing
        self.automatic = gearing.automatic_available or not gearing.has_shifting
        self.forward = True
        self.in_neutral = False
        self.gear = gearing.neutral_gear + 1
        self._rest_time = 0.0  # s for which the brake has been held at rest
        self._braking_roll = False  # whether a roll opposite to the chosen direction is being braked
        self._digital = True  # whether keys were used last, not a device's axes
        self._pending: list[str] = []  # gear actions pressed since the last tick

    def follow_swap(self, gearing: Gearing, motion: SpeedAndGear) -> None:
        """Take the gearing after a component was swapped; direction, gear and mode stay as far as it has them."""
        was_automatic, self.gearing = self.automatic, gearing
        self.automatic = not gearing.has_shifting or (was_automatic and gearing.automatic_available)
        if was_automatic and not self.automatic:
            self.gear = motion.target_gear
        self.gear = min(self.gear, gearing.gear_count - 1)

    def release_all(self) -> None:
        """Treat all keys and axes as released and drop pending shifts; gear and mode stay."""
        self.held_actions: frozenset[str] = frozenset()
        self.analog = AnalogInput()
        self._in_gate = False  # whether the lever of an H-pattern shifter is in a gate
        self._rest_time = 0.0
        self._pending.clear()

    def resume_from(self, motion: SpeedAndGear, automatic: bool | None = None) -> None:
        """Take gear and direction from a restored state (rewind, restart, drive from a replay).

        Args:
            motion: the vehicle's SpeedAndGear in that state.
            automatic: whether gears were automatic; None keeps the present mode.
        """
        if automatic is not None and self.gearing.has_shifting:
            self.automatic = automatic and self.gearing.automatic_available
        self.gear = motion.target_gear
        self.forward = motion.target_gear >= self.gearing.neutral_gear
        self.in_neutral = False
        self._rest_time = 0.0
        self._braking_roll = False
        self._pending.clear()

    def press(self, action: str) -> bool:
        """Note a press; True if it is a gear action, which the next `command` carries out."""
        if action not in ("gear_up", "gear_down", "neutral", "toggle_automatic"):
            return False
        self._pending.append(action)
        return True

    def take(self, keyboard: Keyboard, devices: Devices | None = None, mouse: AnalogInput | None = None) -> list[str]:
        """Take this frame's input; returns the presses that other parts handle (camera, pause, panel ...)."""
        self.held_actions, self.analog = frozenset(keyboard.held_actions), mouse or AnalogInput()
        presses = keyboard.take_presses()
        if devices is not None:
            self.held_actions |= devices.held_actions
            self.analog = merge(devices.analog, self.analog)
            presses += devices.take_presses()
        return [action for action in presses if action not in HELD_ACTIONS and not self.press(action)]

    def command(self, motion: SpeedAndGear, dt: float) -> np.ndarray:
        """The command of one tick, a length-1 COMMAND array that the next call overwrites.

        Args:
            motion: SpeedAndGear in the state from which the tick starts.
            dt: length of the tick, s.
        """
        for action in self._pending:
            self._shift(action, motion)
        self._pending.clear()
        self._follow_shifter(motion)
        keys = self._key_input()
        if any(abs(value) > 0.0 for value in keys.channels):
            self._digital = True
        elif any(abs(value) > PRESSED for value in self.analog.channels):
            self._digital = False  # until then the inputs of released keys fall back at the vehicle's key rates
        request = merge(self._aided(keys, dt), self._at_rim(motion, dt))
        throttle, brake, gear = self._drive(request, motion, dt) if self.automatic else self._manual(request)
        if self._digital and self.key_aids is not None:
            throttle, brake = self.key_aids.pedals(throttle, brake)
        record = self._command[0]
        record["throttle"], record["brake"], record["gear"] = throttle, brake, gear
        record["handbrake"], record["clutch"], record["steer"] = request.handbrake, request.clutch, request.steer
        record["digital"] = int(self._digital)
        record["thrust_left"], record["thrust_right"] = request.thrust_left, request.thrust_right
        record["brake_left"], record["brake_right"] = request.brake_left, request.brake_right
        return self._command

    @property
    def uses_keys(self) -> bool:
        """Whether keys were used last, not a device's axes."""
        return self._digital

    @property
    def raw_keys(self) -> tuple[str, ...]:
        """The held actions that drive, by name, as no aid has changed them."""
        return tuple(sorted(self.held_actions.intersection((*PEDALS, *SIDES))))

    def _key_input(self) -> AnalogInput:
        """The AnalogInput of the held keys and buttons: each is all or nothing."""
        actions = self.held_actions
        sides: dict[str, Any] = {
            action: float(plus in actions) - float(minus in actions) for action, (minus, plus) in TWO_SIDED.items()
        }
        pedals: dict[str, Any] = {action: float(action in actions) for action in PEDALS}
        return AnalogInput(**pedals, **sides)

    def _aided(self, keys: AnalogInput, dt: float) -> AnalogInput:
        """The keys' input with the aids' steer command; the steering of a device is not aided."""
        if self.key_aids is None:
            return keys
        if not self._digital or (keys.steer == 0.0 and abs(self.analog.steer) > PRESSED):
            self.key_aids.release()
            return keys
        handbrake = keys.handbrake > 0.0
        self.key_aids.begin(handbrake, dt)
        return keys._replace(steer=self.key_aids.steer(keys.steer, handbrake, dt))

    def _at_rim(self, motion: SpeedAndGear, dt: float) -> AnalogInput:
        """The devices' input; a wheel whose rotation is known turns the car's rim angle for angle."""
        if self.rim_steering is None or self.analog.rotation == 0.0:
            return self.analog
        angle = 0.5 * self.analog.rotation * self.analog.steer
        return self.analog._replace(steer=self.rim_steering.command(angle, motion.forward_speed, dt))

    def _manual(self, request: AnalogInput) -> tuple[float, float, int]:
        """(throttle, brake, gear) of manual gears; for a gearbox that reads it, a held shift key adds LEVER_HELD."""
        holds = self.gearing.reads_lever_time and not self.held_actions.isdisjoint(SHIFTS)
        return request.throttle, request.brake, self.gear + LEVER_HELD if holds else self.gear

    def _drive(self, request: AnalogInput, motion: SpeedAndGear, dt: float) -> tuple[float, float, int]:
        """(throttle, brake, gear) of automatic gears, by the direction rules in the module's docstring."""
        speed = motion.forward_speed
        throttle_pressed, brake_pressed = request.throttle > PRESSED, request.brake > PRESSED
        self._choose_direction(
            throttle_pressed and not brake_pressed,
            brake_pressed and not throttle_pressed,
            request.brake_reverses,
            speed,
            dt,
        )
        sign = 1.0 if self.forward else -1.0
        # With the pedals of a steering wheel, throttle and brake keep their meaning in reverse.
        swapped = not self.forward and request.brake_reverses
        drive, brake = (request.brake, request.throttle) if swapped else (request.throttle, request.brake)
        if drive > PRESSED and sign * speed < -ROLL_SPEED:
            self._braking_roll = True
        elif drive <= PRESSED or sign * speed > -REST_SPEED:
            self._braking_roll = False
        if self._braking_roll:
            drive, brake = 0.0, max(drive, brake)
        return drive, brake, self._automatic_gear()

    def _choose_direction(
        self, throttle_pressed: bool, brake_pressed: bool, brake_reverses: bool, speed: float, dt: float
    ) -> None:
        """Update `forward` for automatic gears, see the module's docstring."""
        if self.in_neutral or not brake_reverses:
            self._rest_time = 0.0
        elif self.forward:
            self._rest_time = self._rest_time + dt if brake_pressed and speed < REST_SPEED else 0.0
            if self._rest_time >= REVERSE_DWELL:
                self.forward, self._rest_time = False, 0.0
        elif throttle_pressed and speed > -REST_SPEED:
            self.forward = True

    def _automatic_gear(self) -> int:
        """The gear of the command with automatic gears."""
        neutral = self.gearing.neutral_gear
        if self.in_neutral:
            return neutral
        if not self.forward:
            return neutral - 1
        return AUTOMATIC if self.gearing.automatic_available else neutral + 1

    def _shift(self, action: str, motion: SpeedAndGear) -> None:
        """Carry out one press of a gear key; with automatic gears, up selects forward and down reverse."""
        if action == "toggle_automatic":
            self._toggle_automatic(motion)
        elif self.automatic:
            slow = abs(motion.forward_speed) < REVERSE_SHIFT_SPEED
            if action == "neutral":
                self.in_neutral = not self.in_neutral
            elif action == "gear_up" and (self.forward or motion.forward_speed > -REVERSE_SHIFT_SPEED):
                self.forward, self.in_neutral = True, False
            elif action == "gear_down" and slow:
                self.forward, self.in_neutral = False, False
        else:
            self._shift_manual(action, motion)

    def _shift_manual(self, action: str, motion: SpeedAndGear) -> None:
        """Select the gear for one press of a gear key in manual mode."""
        neutral = self.gearing.neutral_gear
        if action == "neutral":
            self.gear = neutral
        elif action == "gear_up":
            self.gear = min(self.gear + 1, self.gearing.gear_count - 1)
        elif self.gear > neutral or abs(motion.forward_speed) < REVERSE_SHIFT_SPEED:
            self.gear = max(self.gear - 1, neutral - 1)

    def _toggle_automatic(self, motion: SpeedAndGear) -> None:
        """Change between automatic and manual gears, if the gearbox has both."""
        if not (self.gearing.automatic_available and self.gearing.has_shifting):
            return
        self.automatic = not self.automatic
        if self.automatic:
            self.forward = self.gear >= self.gearing.neutral_gear
            self.in_neutral = False
        else:
            self.gear = motion.target_gear

    def _follow_shifter(self, motion: SpeedAndGear) -> None:
        """Select the gear of the H-pattern shifter's gate that is held, or neutral once the gate is left."""
        gates = sorted(action for action in self.held_actions if action.startswith("shifter_"))
        if gates and self.gearing.has_shifting:
            gate = gates[0].removeprefix("shifter_")
            neutral = self.gearing.neutral_gear
            gear = neutral - 1 if gate == "reverse" else neutral + int(gate)
            if not self._in_gate and gear < neutral and abs(motion.forward_speed) >= REVERSE_SHIFT_SPEED:
                return  # locked out: the lever does not enter the gate of reverse
            self.automatic, self._in_gate = False, True
            self.gear = min(gear, self.gearing.gear_count - 1)
        elif self._in_gate:
            self._in_gate = False
            self.gear = self.gearing.neutral_gear
