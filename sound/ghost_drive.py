"""Engine and gears of a recorded drive, from its poses and commands (sound/ghost_frames.py)."""

from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.jit import entry
from driving_sandbox.physics.tick.commands import NEUTRAL
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.sound.base.frame import FRAME
from driving_sandbox.sound.engine.cycle import BOOST_SHARE
from driving_sandbox.sound.estimate import largest_torque
from driving_sandbox.sound.gather import records
from driving_sandbox.sound.state.drive import (
    AT_LIMIT,
    AXLE_RATIO,
    CUT_OFF,
    FADE_OUT,
    LIMITER_PERIOD,
    NEAR_IDLE,
    PASCAL_PER_BAR,
    SHUT,
    filling_of,
    load_of,
)
from driving_sandbox.sound.state.drive import largest_torque as largest_by_curve
from driving_sandbox.sound.state.words import MISSING, layout_of, words
from driving_sandbox.sound.vehicle_sound import VehicleSound

OVERRUN = -0.2  # torque of an engine that is turned with its throttle shut / its largest
IDLE_LOAD = 0.1  # torque that a governor supplies at idle against losses / the engine's largest
CREEP = 2.0  # m/s from which the clutch is closed


@entry
def loads_by_curve(
    frames: Any, layouts: Any, params: Any, params_int: Any, speeds: Any, throttles: Any, torques: Any,
    gear_torques: Any, loads: Any, naturals: Any,
) -> None:  # fmt: skip
    """Fill load and largest torque without boost of an engine at many moments, as `gather_engine` does for one.

    Args:
        frames: FRAME [1], overwritten.
        layouts: LAYOUT [1] of the vehicle.
        params, params_int: its parameters as words.
        speeds, throttles, torques, gear_torques: rad/s, 0..1, N m, N m; float64 [n].
        loads, naturals: float64 [n], written; -1..1, N m.
    """
    frame, layout = frames[0], layouts[0]
    for k in range(len(speeds)):
        frame.engine_speed, frame.throttle, frame.gear_torque = speeds[k], throttles[k], gear_torques[k]
        largest, naturals[k] = largest_by_curve(params, params_int, layout, speeds[k])
        loads[k] = load_of(frame, params, layout, torques[k], largest, speeds[k] > 0.0)


class GhostDriveline:
    """Engine and gears of a recorded drive.

    Args:
        vehicle, times, poses, commands: as of GhostFrames.
        sound: VehicleSound of the vehicle.
    Attributes:
        gear: as in a FRAME, [n].
    """

    def __init__(self, vehicle: Vehicle, times: Any, poses: Any, commands: Any, sound: VehicleSound) -> None:
        self._layouts = layout_of(vehicle)
        self._layout, self._params = self._layouts[0], words(vehicle.params, np.float64)
        self._times, self._torque, self._poses = times, largest_torque(vehicle), poses
        self._assumed_boost, self._usual_torque = sound.assumed_boost, sound.usual_torque
        self._throttle = np.clip(poses.get("engine_throttle", commands["throttle"]), 0.0, 1.0)  # assists close it
        self._brake = np.clip(commands["brake"], 0.0, 1.0)
        self._speed = np.linalg.norm(poses.get("velocity", np.zeros((len(times), 3))), axis=1)
        omega = poses.get("wheel_omega", np.zeros((len(times), vehicle.wheel_count)))
        self._wheel_omega = np.abs(omega).mean(axis=1)
        self._engine = np.abs(poses.get("engine_omega", np.zeros(len(times))))
        self.gear, self._ratio = np.full(len(times), NEUTRAL), np.zeros(len(times))
        if self._layout["axle_drive"]:  # one gear; as in `gather_axle_drive`
            self.gear, self._ratio = self.gear + 1, self._ratio + AXLE_RATIO
            self._engine, self._torque = self._wheel_omega * AXLE_RATIO, self._torque / AXLE_RATIO
        elif self._layout["omega"] != MISSING and not self._layout["curve_in_shares"]:
            self._engine = np.maximum(self._engine, self._number("idle_omega", 0.0))  # a model without clutch
        self._counts = words(vehicle.params, np.int64)
        self._read_gears(self._counts, poses)

    def _number(self, name: str, otherwise: float) -> float:
        """A number of the vehicle's parameters."""
        word = self._layout[name]
        return otherwise if word == MISSING else float(self._params[word])

    def _read_gears(self, counts: Any, poses: Any) -> None:
        """Gear and ratio of each pose."""
        layout = self._layout
        if layout["gear"] == MISSING or "gear" not in poses:
            return
        engaged, neutral = poses["gear"].astype(int), int(counts[layout["neutral_gear"]])
        ratios = self._params[layout["ratios"] + np.arange(int(counts[layout["ratio_count"]]))]
        in_gear = (engaged != neutral) & (engaged >= 0) & (engaged < len(ratios))
        self.gear = engaged - neutral + NEUTRAL
        self._ratio = np.where(in_gear, np.abs(ratios[np.clip(engaged, 0, len(ratios) - 1)]), 0.0)

    def columns(self) -> dict[str, Any]:
        """Numbers of the drive."""
        final, in_gear = self._number("final_ratio", 1.0), self._ratio > 0.0
        closed = np.minimum(1.0, self._speed / CREEP)
        gear_speeds = np.where(in_gear, self._engine * closed, self._engine)
        shaft = np.where(in_gear, gear_speeds / np.maximum(self._ratio, 1e-6), self._wheel_omega * abs(final))
        changed = np.diff(self.gear, prepend=self.gear[:1]) != 0
        return {
            **self._engine_columns(in_gear),
            "engine_speed": self._engine,
            "crank_angle": self._crank_angle(),
            "throttle": self._throttle,
            "gear_speed": gear_speeds,
            "shaft_speed": shaft,
            "brake": self._brake,
            "gear_step": np.abs(np.diff(gear_speeds, prepend=gear_speeds[:1])) * changed,
        }

    def _crank_angle(self) -> Any:
        """Angle by which the crankshaft has turned since the first pose, rad; its speed is linear between poses."""
        angles = 0.5 * (self._engine[1:] + self._engine[:-1]) * np.diff(self._times)
        return np.concatenate(([0.0], np.cumsum(angles)))

    def _engine_columns(self, in_gear: Any) -> dict[str, Any]:
        """Load, torque, filling and boost."""
        estimated = self._estimated_load()
        torque = self._poses.get("engine_torque")
        if self._layout["omega"] == MISSING:  # no engine, or a motor per wheel, whose torques are not stored
            load, natural, torque = estimated, None, estimated * self._torque
        elif torque is None:
            torque = estimated * self._torque
            load, natural = estimated, self._by_curve(torque, torque)[1]
        else:
            torque = np.where(in_gear, self._poses.get("clutch_torque", torque), 0.0)
            load, natural = self._by_curve(self._poses["engine_torque"], torque)
        share = np.minimum(1.0, self._engine / max(self._number("max_omega", 1.0), 1.0))
        full = self._assumed_boost * PASCAL_PER_BAR or self._number("wastegate_boost", 0.0)
        boost = self._poses.get("boost", full * np.maximum(load, 0.0) * share)
        columns = {"load": load, "boost": boost / PASCAL_PER_BAR, "gear_torque": np.where(in_gear, torque, 0.0)}
        if natural is not None:
            charged = natural / (1.0 + BOOST_SHARE * self._assumed_boost * share)
            columns["filling"] = np.array([filling_of(float(value), self._usual_torque) for value in charged])
        return columns

    def _by_curve(self, torque: Any, gear_torque: Any) -> tuple[Any, Any]:
        """(load, largest torque without boost, N m), both [n], by the engine's torque curve.

        torque, gear_torque: of engine and clutch, N m, [n].
        """
        numbers = [np.ascontiguousarray(x, float) for x in (self._engine, self._throttle, torque, gear_torque)]
        loads, natural = np.zeros(len(self._times)), np.zeros(len(self._times))
        frames, layouts = records(np.zeros(1, FRAME)), records(self._layouts)
        loads_by_curve(frames, layouts, self._params, self._counts, *numbers, loads, natural)
        return loads, natural

    def _estimated_load(self) -> Any:
        """Torque of the engine / its largest, -1..1, by the throttle."""
        if self._layout["electric"]:
            return self._throttle
        idle = self._number("idle_omega", 0.0)
        shut = np.maximum(0.0, 1.0 - self._throttle / FADE_OUT)
        idles = (self._engine > 0.0) & (self._engine < idle * (1.0 + NEAR_IDLE))
        return self._throttle + shut * np.where(idles, IDLE_LOAD, OVERRUN)

    def burning(self) -> Any:
        """Whether fuel is injected, [n]."""
        if self._layout["electric"]:
            return np.ones(len(self._times), int)
        idle, top = self._number("idle_omega", 0.0), self._number("max_omega", np.inf)
        cut = (self._throttle < SHUT) & (self._engine > CUT_OFF * idle) & (idle > 0.0)
        limited = (self._engine >= AT_LIMIT * top) & (np.mod(self._times / LIMITER_PERIOD, 1.0) >= 0.5)
        return (~cut & ~limited & (self._engine > 0.0)).astype(int)
