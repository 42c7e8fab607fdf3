"""Reads from a vehicle's state the traces that its tires, bodywork and engine leave: marks, smoke, sparks, exhaust.

game/view/particles/effects.py draws them. Vehicles that lack a slot of `tire`, `road` and `wheel`, or a tire's field of
FIELDS, leave no traces of tires.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from driving_sandbox.game.session.frame import Traces, Treads
from driving_sandbox.physics.base.record import field_names
from driving_sandbox.physics.contact.records import CONTACT_CAPACITY
from driving_sandbox.physics.maths.quat import rotate

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

# fields of a tire's state that are read here
FIELDS = ("longitudinal_speed", "lateral_speed", "load", "friction", "longitudinal_force", "lateral_force", "lateral")
MIN_SPEED = 0.5  # m/s; a slower parked vehicle leaves no traces
NO_TRACES = Traces()


class TraceReader:
    """Fills the Traces of one vehicle anew for each frame."""

    def __init__(self, vehicle: "Vehicle") -> None:
        names, n = field_names(vehicle.state.dtype), vehicle.wheel_count
        self._vehicle, self.traces = vehicle, Traces(read_treads=self._read_treads)
        self._velocity = vehicle.state["body"]["velocity"][0]  # view [3], m/s
        has_wheels = {"tire", "road", "wheel"} <= set(names)
        self._fields = {}  # {name: view [wheels]}, looked up only once: the look-up takes as long as reading the value
        if has_wheels and set(FIELDS) <= set(field_names(vehicle.state.dtype["tire"].base)):
            state, params = vehicle.state, vehicle.params
            records = state["tire"], state["road"], state["wheel"], params["wheel"], params["tire"]
            tire, road, wheel, wheel_params, tire_params = (record[0, :n] for record in records)
            self._fields = {name: tire[name] for name in FIELDS}
            self._fields |= {name: road[name] for name in ("hit", "surface", "point", "normal")}
            self._fields |= {"radius": wheel_params["radius"], "half_width": wheel_params["half_width"],
                             "omega": wheel["omega"], "nominal_load": tire_params["nominal_load"]}  # fmt: skip
        self._contact: Any = vehicle.state["contact"] if "contact" in names else None  # record of the hull's contacts
        if self._contact is not None:
            self._contact_count = self._contact["solver"]["contact_count"]
        self._engine = None  # views of (omega in rad/s, throttle, max_omega in rad/s), or None
        if "engine" in names:
            engine = vehicle.state["engine"]
            self._engine = engine["omega"], engine["throttle"], vehicle.params["engine"]["max_omega"]

    def read(self) -> Traces:
        """The Traces of this moment."""
        traces = self.traces
        traces.renew()
        traces.velocity = tuple(self._velocity.tolist())
        if self._fields:
            self._read_wheels(traces)
        traces.scrapes = self._scrapes() if self._contact is not None else []
        if self._engine is not None:
            omega, throttle, max_omega = (field.item() for field in self._engine)
            speed = omega / max_omega  # share of the engine's highest speed
            # up to 0.01 the engine counts as off, which is -1; weights chosen by eye
            traces.exhaust = -1.0 if speed <= 0.01 else min(1.0, 0.4 * speed + 0.6 * throttle)
        return traces

    def _read(self, *names: str) -> list[list[Any]]:
        """Values of fields, each a list with an entry for each wheel."""
        return [self._fields[name].tolist() for name in names]

    def _read_wheels(self, traces: Traces) -> None:
        """Read the surface under each wheel, and its rolling and sliding speeds."""
        hits, surfaces, traces.roll, lateral_speed, omega, radius = self._read(
            "hit", "surface", "longitudinal_speed", "lateral_speed", "omega", "radius")  # fmt: skip
        traces.surface = [surface if hit else -1 for surface, hit in zip(surfaces, hits, strict=True)]
        speeds = zip(omega, radius, traces.roll, lateral_speed, strict=True)
        traces.slide = [(w * r - roll, lateral) for w, r, roll, lateral in speeds]

    def _read_treads(self) -> Treads:
        """The Treads of this moment."""
        if not self._fields:
            return Treads()
        point, normal, across, half_width = self._read("point", "normal", "lateral", "half_width")
        load, nominal_load, friction, longitudinal, lateral = self._read(
            "load", "nominal_load", "friction", "longitudinal_force", "lateral_force")  # fmt: skip
        forces = zip(longitudinal, lateral, friction, load, strict=True)
        saturation = [(x * x + y * y) ** 0.5 / (mu * n) if mu * n > 0.0 else 0.0 for x, y, mu, n in forces]
        relative_load = [n / rest if rest > 0.0 else 0.0 for n, rest in zip(load, nominal_load, strict=True)]
        return Treads(point, normal, across, half_width, saturation, relative_load)

    @property
    def moving(self) -> bool:
        """Whether the vehicle is fast enough to leave traces."""
        x, y, z = self._velocity.tolist()
        return x * x + y * y + z * z > MIN_SPEED * MIN_SPEED

    def _scrapes(self) -> list[Any]:
        """[(point in m, normal, impulse in N s)], world axes, of the hull's contacts that press on the hull."""
        count = min(self._contact_count.item(), CONTACT_CAPACITY)
        if not count:
            return []
        body = self._vehicle.state["body"]
        centre, orientation = body["position"][0].tolist(), tuple(body["orientation"][0].tolist())
        scrapes = []
        for contact in self._contact["solver"][0]["contacts"][:count]:
            impulse = float(contact["normal_impulse"])
            if impulse > 0.0:
                arm = rotate(orientation, tuple(contact["anchor"].tolist()))
                point = tuple(c + a for c, a in zip(centre, arm, strict=True))
                scrapes.append((point, contact["normal"].tolist(), impulse))
        return scrapes


class Traced:
    """TraceReaders of all drawn vehicles.

    Args:
        always_read: number of vehicles, the first ones, that are read even at rest; others leave no traces then.
    """

    def __init__(self, vehicles: "Sequence[Vehicle]", always_read: int) -> None:
        self._readers, self._always_read = [TraceReader(v) for v in vehicles], always_read

    def read(self) -> list[Traces]:
        """[Traces] of the vehicles at this moment."""
        return [
            reader.read() if k < self._always_read or reader.moving else NO_TRACES
            for k, reader in enumerate(self._readers)
        ]
