"""Live telemetry over UDP, for dashboards, motion platforms and users' own tools.

One packet is sent per drawn frame, little-endian; docs/telemetry.md describes it byte by byte. It begins with 4
letters, the packet's version and its length, so that a receiver can refuse versions that it does not know. Nothing is
sent unless `--stream` is given; without a host, packets go to this machine only.
"""

import socket
import struct
from typing import TYPE_CHECKING, Any

from driving_sandbox.physics.base.record import field_names
from driving_sandbox.physics.base.user_error import WrongValue
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.steering.force_feedback_settings import force_feedback_settings

if TYPE_CHECKING:
    from driving_sandbox.game.session.session import Session
    from driving_sandbox.game.session.situation import Situation
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

MAGIC, VERSION = b"DSTL", 1  # first letters of a packet, and version of its layout
LOOPBACK = "127.0.0.1"
HEADER = struct.Struct("<4sHHIId")  # magic, version, length in bytes, tick, wheel count, time in s
# (name, unit) of the 32-bit numbers after the header; vectors are in world axes, but the acceleration is in the
# vehicle's (right, forward, up)
CAR = (
    *((f"position.{axis}", "m") for axis in "xyz"),
    *((f"orientation.{axis}", "1") for axis in "xyzw"),
    *((f"velocity.{axis}", "m/s") for axis in "xyz"),
    *((f"angular_velocity.{axis}", "rad/s") for axis in "xyz"),
    *((f"acceleration.{axis}", "m/s^2") for axis in "xyz"),
    ("forward_speed", "m/s"), ("engine_speed", "rad/s"), ("engine_speed_limit", "rad/s"), ("gear", "1"),
    ("throttle", "1"), ("brake", "1"), ("clutch", "1"), ("handbrake", "1"), ("steer", "1"), ("paused", "1"),
)  # fmt: skip
# (name, unit) of the numbers of each wheel, which follow those of CAR; the attribute `telemetry` of a component's
# state field names its entry here
WHEEL = (
    ("load", "N"), ("longitudinal_slip", "1"), ("lateral_slip", "rad"), ("longitudinal_force", "N"),
    ("lateral_force", "N"), ("jounce", "m"), ("jounce_speed", "m/s"), ("angular_speed", "rad/s"),
    ("steer_angle", "rad"), ("surface", "1"),
)  # fmt: skip


def address_of(text: str) -> tuple[str, int]:
    """(host, port) from a text `PORT` or `HOST:PORT`. Raises WrongValue."""
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise WrongValue(f"{text!r} must be a port from 1 to 65535, or HOST:PORT")
    return host or LOOPBACK, int(port)


def udp_socket(address: tuple[str, int]) -> tuple[socket.socket, Any]:
    """(socket that does not block, target) for packets to (host, port).

    Raises ConfigError: the host's address cannot be found.
    """
    host, port = address
    try:
        family, kind, protocol, _, target = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
    except OSError as error:
        raise ConfigError(host, None, "", f"cannot be sent to: {error.strerror or error}") from None
    opened = socket.socket(family, kind, protocol)
    opened.setblocking(False)
    return opened, target


class Stream:
    """Sends the state of the player's vehicle; call `send` once a frame and `close` at the end.

    Args:
        session: game.session.session.Session.
        address: (host, port).
    Raises:
        ConfigError: the host's address cannot be found.
    """

    def __init__(self, session: "Session", address: tuple[str, int]) -> None:
        self._session = session
        self._socket, self._target = udp_socket(address)
        self._vehicle: Vehicle | None = None  # the vehicle whose records were looked up by `_follow`

    def _follow(self, vehicle: "Vehicle") -> None:
        """Look up the records of a vehicle from which values are sent."""
        self._vehicle, n = vehicle, vehicle.wheel_count
        self._acceleration_factor = force_feedback_settings(vehicle.info)["acceleration"]
        slots = field_names(vehicle.state.dtype)
        sources = {f.telemetry: (c.slot, f.name) for c in vehicle.sequence.components if c.state is not None
                   for f in c.state.fields.values() if f.telemetry}  # fmt: skip
        self._columns = [
            vehicle.state[sources[name][0]][sources[name][1]][0, :n] if name in sources else [0.0] * n
            for name, _ in WHEEL
        ]
        self._numbers = struct.Struct(f"<{len(CAR) + n * len(WHEEL)}f")  # all that follows the header
        self._engine = vehicle.state["engine"]["omega"] if "engine" in slots else [0.0]
        self._limit = vehicle.params["engine"]["max_omega"] if "engine" in slots else [0.0]

    def send(self) -> None:
        """Send a packet with the present state; one that the network refuses is dropped."""
        packet = self.packet()
        try:
            self._socket.sendto(packet, self._target)
        except OSError:
            return

    def packet(self) -> bytes:
        """The packet with the present state, bytes."""
        session = self._session
        vehicle, situation = session.vehicle, session.situation
        if vehicle is not self._vehicle:
            self._follow(vehicle)
        body = vehicle.state["body"][0]
        inputs = vehicle.state["input"][0] if "input" in field_names(vehicle.state.dtype) else session.command[0]
        car = [
            *vehicle.model_position(), *vehicle.model_orientation(), *body["velocity"].tolist(),
            *body["angular_velocity"].tolist(), *(self._acceleration_factor * body["acceleration"]),
            situation.forward_speed, self._engine[0], self._limit[0], self._gear(vehicle, situation),
            *(inputs[name] for name in ("throttle", "brake", "clutch", "handbrake", "steer")), session.paused,
        ]  # fmt: skip
        wheels = [value for wheel in zip(*self._columns, strict=True) for value in wheel]
        length = HEADER.size + self._numbers.size
        header = HEADER.pack(MAGIC, VERSION, length, session.world.tick, vehicle.wheel_count, session.world.time)
        return header + self._numbers.pack(*car, *wheels)

    def _gear(self, vehicle: "Vehicle", situation: "Situation") -> int:
        """Target gear: below 0 for reverse gears, 0 for neutral, 1 and up for the forward gears."""
        params = vehicle.params
        if "gearbox" in field_names(params.dtype) and "neutral_gear" in field_names(params["gearbox"].dtype):
            return situation.target_gear - int(params["gearbox"]["neutral_gear"][0])
        return situation.target_gear - 1

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()
