"""From a vehicle's channels to what its tires, bodywork and engine leave in the world, for game/view/effects.py.

Lives beside the instruments: live views of the state's records, a handful of reads a frame. Vehicles without tires in
the ordinary slot, or shown from stored poses alone, leave nothing.
"""

from game.view.frame import Traces
from physics.contact.records import CONTACT_CAPACITY
from physics.quat import rotate

CHANNELS = ("longitudinal_speed", "lateral_speed", "load", "friction", "longitudinal_force", "lateral_force", "lateral")


SLOWEST = 0.5  # m/s; a vehicle nobody drives leaves nothing below it
NOTHING = Traces()


class TraceReader:
    """Fills one Traces again and again for one vehicle."""

    def __init__(self, vehicle):
        names, n = vehicle.state.dtype.names, vehicle.wheel_count
        self._vehicle, self.traces = vehicle, Traces()
        tires = {"tire", "road", "wheel"} <= set(names) and set(CHANNELS) <= set(vehicle.state.dtype["tire"].base.names)
        self._tire = vehicle.state["tire"][0, :n] if tires else None
        if tires:
            self._road, self._wheel = vehicle.state["road"][0, :n], vehicle.state["wheel"][0, :n]
            self._size = vehicle.params["wheel"][0, :n]
            self._rest = vehicle.params["tire"][0, :n]["nominal_load"]
        self._contact = vehicle.state["contact"] if "contact" in names else None
        self._engine = vehicle.state["engine"] if "engine" in names else None

    def read(self):
        """The Traces of this moment."""
        t = self.traces
        t.velocity = tuple(self._vehicle.state["body"]["velocity"][0].tolist())
        if self._tire is not None:
            self._read_wheels(t)
        t.scrapes = self._scrapes() if self._contact is not None else []
        if self._engine is not None:
            speed = float(self._engine["omega"][0]) / float(self._vehicle.params["engine"]["max_omega"][0])
            t.exhaust = -1.0 if speed <= 0.01 else min(1.0, 0.4 * speed + 0.6 * float(self._engine["throttle"][0]))
        return t

    def _read_wheels(self, t):
        tire, road = self._tire, self._road
        hits, surfaces = road["hit"].tolist(), road["surface"].tolist()
        t.surface = [s if h else -1 for s, h in zip(surfaces, hits, strict=True)]
        t.point, t.normal, t.across = road["point"].tolist(), road["normal"].tolist(), tire["lateral"].tolist()
        t.roll = tire["longitudinal_speed"].tolist()
        tread = (self._wheel["omega"] * self._size["radius"]).tolist()
        aside = tire["lateral_speed"].tolist()
        t.slide = [(w - v, s) for w, v, s in zip(tread, t.roll, aside, strict=True)]
        load = tire["load"]
        grip = (tire["friction"] * load).tolist()
        force = (tire["longitudinal_force"] ** 2 + tire["lateral_force"] ** 2).tolist()
        t.used = [f**0.5 / g if g > 0.0 else 0.0 for f, g in zip(force, grip, strict=True)]
        t.press = (load / self._rest).tolist()
        t.half_width = self._size["half_width"].tolist()

    @property
    def moving(self):
        """Fast enough to leave anything."""
        x, y, z = self._vehicle.state["body"]["velocity"][0].tolist()
        return x * x + y * y + z * z > SLOWEST * SLOWEST

    def _scrapes(self):
        """[(world point, normal, impulse)] of what presses on the bodywork."""
        solver = self._contact["solver"][0]
        count = min(int(solver["contact_count"]), CONTACT_CAPACITY)
        if not count:
            return []
        body = self._vehicle.state["body"]
        centre, turn = body["position"][0].tolist(), tuple(body["orientation"][0].tolist())
        found = []
        for contact in solver["contacts"][:count]:
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
