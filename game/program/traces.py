"""From a vehicle's channels to what its tires, bodywork and engine leave in the world, for
game/view/particles/effects.py.

Live views of the state's records, a handful of reads a frame. Vehicles without tires in
the ordinary slot, or shown from stored poses alone, leave nothing.
"""

from typing import TYPE_CHECKING

from driving_sandbox.game.session.frame import Traces, Treads
from driving_sandbox.physics.contact.records import CONTACT_CAPACITY
from driving_sandbox.physics.maths.quat import rotate

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

CHANNELS = ("longitudinal_speed", "lateral_speed", "load", "friction", "longitudinal_force", "lateral_force", "lateral")


SLOWEST = 0.5  # m/s; a parked vehicle leaves nothing below it
NOTHING = Traces()


class TraceReader:
    """Fills one Traces again and again for one vehicle."""

    def __init__(self, vehicle: "Vehicle") -> None:
        names, n = vehicle.state.dtype.names, vehicle.wheel_count
        self._vehicle, self.traces = vehicle, Traces(read_treads=self._read_treads)
        self._velocity = vehicle.state["body"]["velocity"][0]
        tires = {"tire", "road", "wheel"} <= set(names) and set(CHANNELS) <= set(vehicle.state.dtype["tire"].base.names)
        self._fields = {}
        if tires:  # looking a field up costs as much as reading it, so each is looked up once
            state, params = vehicle.state, vehicle.params
            records = state["tire"], state["road"], state["wheel"], params["wheel"], params["tire"]
            tire, road, wheel, size, rest = (record[0, :n] for record in records)
            self._fields = {name: tire[name] for name in CHANNELS}
            self._fields |= {name: road[name] for name in ("hit", "surface", "point", "normal")}
            self._fields |= {"radius": size["radius"], "half_width": size["half_width"], "omega": wheel["omega"],
                             "nominal_load": rest["nominal_load"]}  # fmt: skip
        self._contact = vehicle.state["contact"] if "contact" in names else None
        if self._contact is not None:
            self._contact_count = self._contact["solver"]["contact_count"]
        self._engine = None
        if "engine" in names:
            engine = vehicle.state["engine"]
            self._engine = engine["omega"], engine["throttle"], vehicle.params["engine"]["max_omega"]

    def read(self):
        """The Traces of this moment."""
        t = self.traces
        t.renew()
        t.velocity = tuple(self._velocity.tolist())
        if self._fields:
            self._read_wheels(t)
        t.scrapes = self._scrapes() if self._contact is not None else []
        if self._engine is not None:
            omega, throttle, most = (field.item() for field in self._engine)
            speed = omega / most
            t.exhaust = -1.0 if speed <= 0.01 else min(1.0, 0.4 * speed + 0.6 * throttle)
        return t

    def _read(self, *names):
        """Lists with an entry for each wheel."""
        return [self._fields[name].tolist() for name in names]

    def _read_wheels(self, t):
        hits, surfaces, t.roll, aside, omega, radius = self._read(
            "hit", "surface", "longitudinal_speed", "lateral_speed", "omega", "radius")  # fmt: skip
        t.surface = [s if h else -1 for s, h in zip(surfaces, hits, strict=True)]
        t.slide = [(w * r - v, s) for w, r, v, s in zip(omega, radius, t.roll, aside, strict=True)]

    def _read_treads(self):
        """The Treads of this moment."""
        if not self._fields:
            return Treads()
        point, normal, across, half_width = self._read("point", "normal", "lateral", "half_width")
        load, rest, friction, ahead, aside = self._read(
            "load", "nominal_load", "friction", "longitudinal_force", "lateral_force")  # fmt: skip
        held = zip(ahead, aside, friction, load, strict=True)
        used = [(x * x + y * y) ** 0.5 / (f * n) if f * n > 0.0 else 0.0 for x, y, f, n in held]
        press = [n / r if r > 0.0 else 0.0 for n, r in zip(load, rest, strict=True)]
        return Treads(point, normal, across, half_width, used, press)

    @property
    def moving(self):
        """Fast enough to leave anything."""
        x, y, z = self._velocity.tolist()
        return x * x + y * y + z * z > SLOWEST * SLOWEST

    def _scrapes(self):
        """[(world point, normal, impulse)] of what presses on the bodywork."""
        count = min(self._contact_count.item(), CONTACT_CAPACITY)
        if not count:
            return []
        body = self._vehicle.state["body"]
        centre, turn = body["position"][0].tolist(), tuple(body["orientation"][0].tolist())
        found = []
        for contact in self._contact["solver"][0]["contacts"][:count]:
            impulse = float(contact["normal_impulse"])
            if impulse > 0.0:
                arm = rotate(turn, tuple(contact["anchor"].tolist()))
                point = tuple(c + a for c, a in zip(centre, arm, strict=True))
                found.append((point, contact["normal"].tolist(), impulse))
        return found


class Traced:
    """Readers of all drawn vehicles; those of the `driven` first ones are always read."""

    def __init__(self, vehicles, driven):
        self._readers, self._driven = [TraceReader(v) for v in vehicles], driven

    def read(self):
        """Traces of each."""
        return [r.read() if k < self._driven or r.moving else NOTHING for k, r in enumerate(self._readers)]
