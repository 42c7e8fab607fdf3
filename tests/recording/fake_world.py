"""A small deterministic world with the interface of physics.world.world.World, for tests of the file format.

A "vehicle" is a point with four spinning wheels. Its state depends on every bit of the latest command, so that any
changed input changes the next state; the motion is not meant to be realistic.
"""

import hashlib
from dataclasses import dataclass

import numpy as np

from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.tick.context import EXTERNAL, new_context

_BODY = np.dtype(
    [("position", "f8", 3), ("orientation", "f8", 4), ("velocity", "f8", 3), ("angular_velocity", "f8", 3)]
)
_WHEEL = np.dtype([("position", "f8", 3), ("orientation", "f8", 4), ("hub_orientation", "f8", 4), ("omega", "f8")])
# with as many wheels as the states of vehicles; memory: hash of the latest command
STATE = np.dtype([("tick", "i8"), ("body", _BODY), ("wheel", _WHEEL, (20,)), ("memory", "u8")], align=True)
PARAMS = np.dtype([("mass", "f8"), ("grip", "f8")])


@dataclass
class Channel:
    """The fields of a vehicle's channel."""

    name: str
    unit: str


class FakeVehicle:
    """A point with four wheels; its text has a line for each parameter."""

    def __init__(self, text="mass: 1000.0\ngrip: 1.0\n"):
        self.name = "Fake"
        self.wheel_names, self.wheel_count = ("fl", "fr", "rl", "rr"), 4
        self.params, self.state = np.zeros(1, PARAMS), np.zeros(1, STATE)
        self.state_bytes = self.state.view(np.uint8)
        self.state["body"]["orientation"][:, 3] = 1.0
        for line in text.splitlines():
            name, value = line.split(": ")
            self.params[name] = float(value)
        self.base = self.values()

    def values(self):
        return {name: float(self.params[name][0]) for name in PARAMS.names}

    def base_values(self):
        return dict(self.base)

    @property
    def config_text(self):
        return "".join(f"{name}: {value!r}\n" for name, value in self.values().items())

    def get(self, path):
        return float(self.params[path][0])

    def set_many(self, values):
        """Set parameters, all of which must be positive."""
        for path, value in values.items():
            if path not in PARAMS.names or not value > 0.0:
                raise SchemaError(f"{path}: {value!r}: must be > 0")
        for path, value in values.items():
            self.params[path] = value

    def channels(self):
        return [Channel("body.position.x", "m"), Channel("wheel.fl.omega", "rad/s")]

    def channel_view(self, name, state=None):
        state = self.state if state is None else state
        return state["body"]["position"][:, 0] if name.startswith("body") else state["wheel"]["omega"][:, 0]

    def model_position(self):
        return tuple((self.state["body"]["position"][0] - (0.0, 0.0, 0.4)).tolist())

    def model_orientation(self):
        return tuple(self.state["body"]["orientation"][0].tolist())


@dataclass
class FakeFault:
    """The fields of a world's fault."""

    vehicle: int
    component: str
    wheel: str | None
    tick: int
    text: str


class FakeWorld:
    """The fake vehicles and their steps, snapshots and hash."""

    def __init__(self, vehicles, tick_seconds=1 / 240, substeps=4):
        self.vehicles, self.tick_seconds, self.tick = list(vehicles), tick_seconds, 0
        self.context = new_context(substep_count=substeps)
        self.break_at = None  # tick at which vehicle 0 faults

    def step(self, commands, external=None):
        """One tick; returns its fault or None."""
        dt, fault = self.tick_seconds, None
        for i, vehicle in enumerate(self.vehicles):
            before = vehicle.state_bytes.copy()
            u, s = commands[i], vehicle.state[0]
            body = s["body"]
            push = 0.0 if external is None else float(external[i]["impulse"][0])
            body["velocity"][1] += (u["throttle"] - u["brake"]) * 4000.0 / vehicle.params["mass"][0] * dt
            body["velocity"][0] += push / vehicle.params["mass"][0] + u["steer"] * vehicle.params["grip"][0] * dt
            body["position"] += body["velocity"] * dt
            angle = 0.2 * np.sin(0.01 * s["tick"])
            body["orientation"] = (0.0, 0.0, np.sin(angle / 2), np.cos(angle / 2))
            for w in range(4):
                wheel = s["wheel"][w]
                wheel["omega"] = body["velocity"][1] / 0.3
                wheel["position"] = body["position"] + (w % 2 - 0.5, 1.5 - w // 2 * 3.0, -0.1)
                rotation_angle = wheel["omega"] * s["tick"] * dt
                wheel["orientation"] = (-np.sin(rotation_angle / 2), 0.0, 0.0, np.cos(rotation_angle / 2))
                wheel["hub_orientation"] = body["orientation"]
            s["memory"] = int.from_bytes(hashlib.blake2b(commands[i].tobytes(), digest_size=8).digest(), "little")
            s["tick"] += 1
            if i == 0 and self.break_at == self.tick:
                vehicle.state_bytes[:] = before
                fault = FakeFault(0, "tire", "fl", self.tick, "Fake: tire.fl.load is not a number; put back")
        self.tick += 1
        return fault

    def snapshot(self):
        return self.tick.to_bytes(8, "little") + b"".join(v.state_bytes.tobytes() for v in self.vehicles)

    def restore(self, data):
        """Restore tick and states from a snapshot."""
        if len(data) != 8 + sum(v.state.nbytes for v in self.vehicles):
            raise ValueError("another world's snapshot")
        self.tick = int.from_bytes(data[:8], "little")
        for i, v in enumerate(self.vehicles):
            v.state_bytes[:] = np.frombuffer(data, np.uint8)[8 + i * STATE.itemsize : 8 + (i + 1) * STATE.itemsize]

    def state_hash(self):
        return int.from_bytes(hashlib.blake2b(self.snapshot(), digest_size=8).digest(), "little")

    def recover(self, index=0):
        body = self.vehicles[index].state[0]["body"]
        body["velocity"] = 0.0
        body["angular_velocity"] = 0.0


def fake_world(vehicles=1, **arguments):
    return FakeWorld([FakeVehicle() for _ in range(vehicles)], **arguments)


def rebuild(recording, trust=None):
    """What `build_world` does, for fakes."""
    vehicles = [FakeVehicle(v["config"]) for v in recording.header["vehicles"]]
    return FakeWorld(vehicles, recording.tick_seconds, recording.header["substeps"])


def push(vehicles, x):
    """External records with an impulse on vehicle 0 only."""
    external = np.zeros(vehicles, EXTERNAL)
    external["impulse"][0] = (x, 0.0, 0.0)
    return external
