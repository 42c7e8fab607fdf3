"""Vibrations for shakers under seat and pedals, over UDP: a channel per wheel and one of the engine.

A packet has the last ROWS ticks, little-endian; docs/telemetry.md describes it. Wheel channels are the vertical
acceleration of the wheel on its spring; the engine's is a sine at its firing frequency whose size follows its torque.
"""

import math
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.game.session.stream import udp_socket
from driving_sandbox.physics.base.record import field_names

if TYPE_CHECKING:
    from driving_sandbox.game.session.session import Session
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

MAGIC, VERSION = b"DSSK", 1  # first letters of a packet, and version of its layout
HEADER = struct.Struct("<4sHHIIf")  # magic, version, length in bytes, tick of the first row, channels, tick in s
ROWS = 8  # ticks in a packet: 30 packets a second at 240 Hz
FIRINGS = 2.0  # a turn, of a four-stroke engine with four cylinders; others differ in pitch alone
IDLE = 0.15  # of full torque, how strongly an idling engine shakes


class Shakers:
    """Sends the player's vibrations after every ROWS ticks; `close` at the end.

    Args:
        session: game.session.session.Session.
        address: (host, port).
    Raises:
        ConfigError: the host's address cannot be found.
    """

    def __init__(self, session: "Session", address: tuple[str, int]) -> None:
        self._session = session
        self._socket, self._target = udp_socket(address)
        self._vehicle: Vehicle | None = None
        self._rows: list[np.ndarray] = []
        self._phase = 0.0  # of the engine's sine, turns
        session.on_tick.append(self.tick)

    def _follow(self, vehicle: "Vehicle") -> None:
        """Look up the records of a vehicle."""
        self._vehicle, state, n = vehicle, vehicle.state, vehicle.wheel_count
        slots = field_names(state.dtype)
        moves = "suspension" in slots and "jounce_speed" in field_names(state["suspension"].dtype)
        self._speeds: Any = state["suspension"]["jounce_speed"][0, :n] if moves else np.zeros(n)
        self._before = self._speeds.copy()
        self._engine: Any = state["engine"] if "engine" in slots else None
        has_torque = "engine" in slots and "torque" in field_names(state["engine"].dtype)
        self._torque: Any = state["engine"]["torque"] if has_torque else None
        params: Any = vehicle.params
        peak = "engine" in slots and "peak_torque" in field_names(params["engine"].dtype)
        self._peak: Any = params["engine"]["peak_torque"] if peak else None
        self._rows.clear()

    def tick(self) -> None:
        """Take a tick into account, and send the packet that it completes."""
        vehicle, dt = self._session.vehicle, self._session.world.tick_seconds
        if vehicle is not self._vehicle:
            self._follow(vehicle)
        row = np.append((self._speeds - self._before) / dt, self._engine_vibration(dt))
        self._before[:] = self._speeds
        self._rows.append(row)
        if len(self._rows) == ROWS:
            self._send(self._session.world.tick - ROWS, dt)

    def _engine_vibration(self, dt: float) -> float:
        """The engine's channel, -1..1."""
        if self._engine is None:
            return 0.0
        self._phase = (self._phase + FIRINGS * float(self._engine["omega"][0]) / (2.0 * math.pi) * dt) % 1.0
        return self._load() * math.sin(2.0 * math.pi * self._phase)

    def _load(self) -> float:
        """Share of the engine's torque, from IDLE to 1."""
        if self._torque is None or self._peak is None:
            return IDLE
        return max(IDLE, min(1.0, abs(float(self._torque[0])) / max(1.0, float(self._peak[0]))))

    def _send(self, first: int, dt: float) -> None:
        """Send the rows; a packet that the network refuses is dropped."""
        values = np.nan_to_num(np.array(self._rows, "<f4"), posinf=0.0, neginf=0.0)
        self._rows.clear()
        length = HEADER.size + values.nbytes
        packet = HEADER.pack(MAGIC, VERSION, length, max(first, 0), values.shape[1], dt) + values.tobytes()
        try:
            self._socket.sendto(packet, self._target)
        except OSError:
            return

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()
