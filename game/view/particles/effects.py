"""Visible effects of driving: tire marks, smoke, dust, spray, stones, sparks and exhaust.

All effects follow from `Traces` and from the surface: its name (wetness), colour, `mark`, `dust`, `sound` and rolling
drag. So a replay shows the same. A tread marks a hard surface when it slides with nearly all friction in use. A soft
surface is also marked by rolling, the more the softer it is (rolling drag). Soft ground gives dust at speed, wet hard
ground spray; on hard dry ground the tire smokes the more, the faster it slides and the more friction it uses. The pool
limits the number of particles by overwriting the oldest; no vertex memory is allocated while driving.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import hypot
from typing import Any

from panda3d.core import NodePath

from driving_sandbox.game.session.frame import Traces
from driving_sandbox.game.view.gl.surfaces import ground_look
from driving_sandbox.game.view.particles.marks import Marks
from driving_sandbox.game.view.particles.particles import (
    GRAIN,
    GRAVITY,
    SOFT,
    SPARK,
    STILL_AIR,
    ParticleKind,
    Particles,
)
from driving_sandbox.game.view.vehicle.rotations import rotate

# A pair holds the value at which an effect begins, and the one at which it is fully developed.
SOFT_DRAG = 0.03  # rolling drag from which ground counts as entirely soft, like gravel
FRICTION_USED = (0.90, 1.0)  # share of the friction in use, for a mark
SLIDING = (0.5, 3.0)  # m/s of sliding, for a mark
# Share of a mark's own hue; in full it would look red on grass, which is drawn yellower than its colour.
MARK_HUE = 0.35
ROLLING_MARK = 0.45  # strength of a mark that rolling presses into soft ground
SMOKE = (3.0, 12.0)  # m/s of sliding times share of the friction in use, for smoke
RUBBER = 0.6  # amount of a surface's mark above which a sliding tire smokes in full
SMOKE_COLOUR = (0.60, 0.60, 0.61)  # linear RGB, like the colours below
SPRAY_COLOUR, DROP_COLOUR = (0.72, 0.75, 0.79), (0.70, 0.74, 0.78)
SPARK_COLOUR = (1.0, 0.50, 0.14)
EXHAUST_COLOUR = (0.55, 0.56, 0.58)
SMOKE_PARTICLE = ParticleKind(SOFT, life=2.0, size=0.24, growth=1.5, alpha=0.17, drag=1.6, rise=0.25, spread=0.5)
DUST_PARTICLE = ParticleKind(SOFT, life=2.2, size=0.26, growth=1.6, alpha=0.24, drag=1.4, rise=0.05, spread=0.7)
SPRAY_PARTICLE = ParticleKind(SOFT, life=0.9, size=0.18, growth=1.1, alpha=0.16, drag=2.2, rise=-1.0, spread=0.9)
DROP = ParticleKind(GRAIN, life=0.6, size=0.006, growth=0.0, alpha=0.5, drag=0.8, rise=GRAVITY, spread=1.4)
STONE = ParticleKind(GRAIN, life=1.1, size=0.014, growth=0.0, alpha=1.0, drag=0.25, rise=GRAVITY, spread=0.9)
SCRAPED_PARTICLE = ParticleKind(SOFT, life=2.0, size=0.3, growth=1.6, alpha=0.24, drag=1.4, rise=0.05, spread=0.8)
GLOWING = ParticleKind(SPARK, life=0.55, size=0.006, growth=0.0, alpha=1.0, drag=0.9, rise=GRAVITY, spread=1.8)
EXHAUST_PARTICLE = ParticleKind(SOFT, life=1.1, size=0.035, growth=0.32, alpha=0.10, drag=2.2, rise=0.3, spread=0.12)
SCRAPE_SPEED = 3.0  # m/s of bodywork over the ground above which there are sparks or dust
RATES = {"smoke": 46.0, "dust": 60.0, "spray": 70.0, "grains": 34.0, "sparks": 120.0, "exhaust": 9.0}  # maximum, 1/s
EXHAUST_SPEED = (4.0, 14.0)  # m/s of the vehicle between which exhaust fades, because the airflow scatters it
TAIL_HEIGHT = 0.1  # m, height of an exhaust pipe above the lowest point of the body
MIN_NORMAL_Z = 0.1  # minimum upward part of the ground's normal; steeper ground is a wall
MAX_STEP = 0.1  # s; a longer step of time is a jump
LUMINANCE = (0.2126, 0.7152, 0.0722)  # luminance of linear red, green and blue (ITU-R BT.709)
GRAINS = ("gravel", "mud", "sand", "grass")  # rolling sounds of ground that is thrown up in lumps


@dataclass(frozen=True)
class Ground:
    """Effects of a surface; strengths are 0..1, colours linear.

    Attributes:
        factor: RGB factor on the surface's colour where it is marked.
        mark: strength of tire marks.
        soft: softness, from the rolling drag.
        wet: 1 for wet hard ground, else 0.
        dust: amount of dust, or on wet hard ground of spray.
        grains: amount of stones and lumps that wheels throw up.
    """

    factor: tuple
    mark: float
    soft: float
    wet: float
    dust: float
    dust_colour: tuple
    grains: float
    grain_colour: tuple

    @cached_property
    def rubber(self) -> float:
        """Strength of a sliding tire's smoke, which depends on the rubber that the tire leaves."""
        return (1.0 - self.soft) * (1.0 - self.wet) * min(1.0, self.mark / RUBBER)

    def stays_clean(self, slide: float) -> bool:
        """Whether a wheel that slides at `slide`, m/s, leaves no traces: it hardly slides, on hard dry ground."""
        return slide <= SLIDING[0] and not (self.soft or self.wet)


def ramp(value: float, bounds: tuple[float, float]) -> float:
    """0 below the bounds (low, high), 1 above, linear in between."""
    low, high = bounds
    return 0.0 if value <= low else 1.0 if value >= high else (value - low) / (high - low)


def linear(colour: Sequence[float]) -> tuple:
    """Linear colour from an sRGB colour, approximately (exponent 2.2)."""
    return tuple(c**2.2 for c in colour)


def ground_of(surface: Any) -> Ground:
    """The Ground of a physics Surface."""
    soft = min(1.0, surface.rolling_drag / SOFT_DRAG)
    wet = 1.0 if ground_look(surface.name).wet > 0.5 and soft < 0.5 else 0.0
    shares = [min(1.0, m / max(c, 1e-3)) for m, c in zip(surface.mark.color, surface.color, strict=True)]
    grey = sum(share * component for share, component in zip(LUMINANCE, shares, strict=True))
    factor = tuple(grey + MARK_HUE * (component - grey) for component in shares)
    damp = ground_look(surface.name).wet  # water binds the dust of soft ground; on hard ground it is itself thrown up
    dust = surface.dust.amount * (1.0 if wet else 1.0 - damp)
    return Ground(
        factor=factor,
        mark=surface.mark.amount,
        soft=soft,
        wet=wet,
        dust=dust,
        dust_colour=linear(surface.dust.color),
        grains=soft if surface.sound in GRAINS else 0.0,
        grain_colour=linear(surface.mark.color),
    )


def _slope_and_tread(trace: Traces, wheel: int) -> tuple[tuple[float, float], tuple[float, float]]:
    """(slope of the ground along x and y; horizontal velocity of the tread over it, m/s) at a wheel's contact."""
    nx, ny, nz = trace.treads.normal[wheel]
    ax, ay, _ = trace.treads.across[wheel]
    forward, aside = trace.slide[wheel]  # forward > 0 (wheelspin): the tread moves backwards over the ground
    slope = -nx / max(nz, MIN_NORMAL_Z), -ny / max(nz, MIN_NORMAL_Z)
    return slope, (ay * forward + ax * aside, -ax * forward + ay * aside)


class Effects:
    """Marks and particles of all vehicles; call `step` once a frame with their traces.

    Args:
        scene: Scene.
        surfaces: the world's physics surfaces, in the order of their ids.
    """

    def __init__(self, scene: Any, surfaces: Iterable[Any]) -> None:
        self.root: NodePath = scene.root.attachNewNode("effects")
        self.marks = Marks(scene.quality, scene.level.particles)
        self.particles = Particles(scene.quality, scene.level.particles, scene.switches)
        self.marks.root.reparentTo(self.root)
        self.particles.root.reparentTo(self.root)
        self._grounds = [ground_of(surface) for surface in surfaces]
        self._due: dict = {}  # {(vehicle, wheel, effect): fraction of a particle that is due}
        self._tailpipes: dict = {}  # {vehicle: ends of its exhaust pipes}
        self._time: float | None = None  # simulated time of the last step, s

    def step(
        self, time: float, traces: list[Traces], views: Sequence[Any] = (), wind: Sequence[float] = STILL_AIR
    ) -> None:
        """Advance to a simulated time, s.

        Args:
            traces: Traces of each vehicle.
            views: VehicleViews of the same vehicles; vehicles without one have no exhaust.
            wind: velocity of the air, m/s.
        """
        dt = 0.0 if self._time is None else time - self._time
        if not -1e-9 <= dt <= MAX_STEP:
            self.jumped()
            dt = 0.0
        self._time = time
        if dt > 0.0:
            for index, trace in enumerate(traces):
                if not self._leaves_nothing(index, trace):
                    for wheel in range(len(trace.surface)):
                        self._wheel(index, wheel, trace, time, dt)
                if trace.scrapes:
                    self._scrape(index, trace, time, dt)
                if trace.exhaust >= 0.0 and index < len(views):
                    self._exhaust(index, trace, views[index], time, dt)
        self.particles.set_time(time, wind)
        if self.particles.pool.shown:
            self.particles.set_fade_boxes(views)
        self.marks.pool.flush(time)
        self.particles.pool.flush(time)

    def jumped(self) -> None:
        """To be called after a jump of time or position: remove all particles and end all marks, which stay drawn."""
        self.particles.pool.clear()
        self.marks.lift()
        self._due.clear()

    def _due_since(self, key: tuple, rate: float, dt: float) -> list[float]:
        """Ages, s, of the particles that became due in the last `dt`, s, at a rate, 1/s.

        With their ages, a fast car leaves particles along its path, not in clusters at each frame's position.
        """
        if rate <= 0.0:
            return []
        due = self._due.get(key, 0.0) + rate * dt
        count = int(due)
        self._due[key] = due - count
        return [(due - k) / rate for k in range(1, count + 1)]

    # ---- effects of a wheel

    def _leaves_nothing(self, index: int, trace: Traces) -> bool:
        """Whether no wheel leaves traces: each is in the air or rolls on hard dry ground, and no mark is unfinished."""
        for wheel, (surface, (forward, aside)) in enumerate(zip(trace.surface, trace.slide, strict=True)):
            if self.marks.lays((index, wheel)):
                return False
            if 0 <= surface < len(self._grounds) and not self._grounds[surface].stays_clean(hypot(forward, aside)):
                return False
        return True

    def _wheel(self, index: int, wheel: int, trace: Traces, time: float, dt: float) -> None:
        """Continue the tire mark of one wheel, and add particles if it slides or rolls on soft or wet ground."""
        surface = trace.surface[wheel]
        if not 0 <= surface < len(self._grounds):
            self.marks.end((index, wheel))
            return
        ground = self._grounds[surface]
        slide = hypot(*trace.slide[wheel])
        treads = trace.treads
        mark = (index, wheel), treads.point[wheel], treads.normal[wheel], treads.across[wheel], treads.half_width[wheel]
        if ground.stays_clean(slide):
            self.marks.lay(*mark, ground.factor, strength=0.0)
            return
        # relative load, limited because marks and most particles grow with it
        saturation, load = treads.saturation[wheel], min(1.3, treads.relative_load[wheel])
        roll = abs(trace.roll[wheel])
        skid = ramp(saturation, FRICTION_USED) * ramp(slide, SLIDING)
        strength = ground.mark * max(skid, ROLLING_MARK * ground.soft * ramp(roll + slide, (0.1, 0.5)))  # m/s
        self.marks.lay(*mark, ground.factor, strength=strength * max(0.3, load))
        if slide > SLIDING[0] or (roll > 1.5 and (ground.soft or ground.wet)):  # m/s
            self._throw((index, wheel), ground, trace, slide * saturation, slide, roll, load, time, dt)

    def _throw(self, key: tuple[int, int], ground: Ground, trace: Traces, power: float, slide: float, roll: float,
               load: float, time: float, dt: float) -> None:  # fmt: skip
        """Add smoke, dust, spray, drops and stones at a wheel's contact.

        Args:
            key: (vehicle, wheel).
            power: sliding speed times share of friction in use, m/s.
            slide, roll: sliding speed, and forward speed of the contact over the ground, m/s.
            load: load / load at rest, at most 1.3.
        """
        index, wheel = key
        (x, y, z), (vx, vy, _) = trace.treads.point[wheel], trace.velocity
        slope, tread_velocity = _slope_and_tread(trace, wheel)
        climb = vx * slope[0] + vy * slope[1]  # m/s

        def throw(kind: ParticleKind, colour: tuple, ago: float, height: float, up: float, along: float,
                  share: float = 0.0) -> None:  # fmt: skip
            """Add a particle at the tread's position `ago` seconds ago, `height` m above the ground.

            Its velocity is `up` m/s upwards plus shares of the velocities of the vehicle (`along`) and of the tread
            over the ground (`share`).
            """
            start = (x - vx * ago, y - vy * ago, z - climb * ago + height)
            velocity = (vx * along + tread_velocity[0] * share, vy * along + tread_velocity[1] * share, up)
            self.particles.add(time - ago, kind, start, velocity, start[2] - height, colour, slope=slope, owner=index)

        for ago in self._due_since((key, "smoke"), RATES["smoke"] * ground.rubber * ramp(power, SMOKE) * load, dt):
            throw(SMOKE_PARTICLE, SMOKE_COLOUR, ago, height=0.12, up=0.5, along=0.12, share=0.10)
        dusty = ground.dust * ground.soft * ramp(0.25 * roll + slide, (1.5, 9.0))  # m/s; rolling counts a quarter
        for ago in self._due_since((key, "dust"), RATES["dust"] * dusty * load, dt):
            throw(DUST_PARTICLE, ground.dust_colour, ago, height=0.10, up=0.8, along=0.25, share=0.08)
        wet = ground.dust * ground.wet * ramp(roll + slide, (6.0, 25.0))  # m/s
        for ago in self._due_since((key, "spray"), RATES["spray"] * wet, dt):
            throw(SPRAY_PARTICLE, SPRAY_COLOUR, ago, height=0.12, up=1.6, along=0.55)
            throw(DROP, DROP_COLOUR, ago, height=0.08, up=2.2, along=0.50)
        thrown = ground.grains * ramp(slide + 0.1 * roll, (1.5, 8.0))  # m/s
        for ago in self._due_since((key, "grains"), RATES["grains"] * thrown * load, dt):
            throw(STONE, ground.grain_colour, ago, height=0.05, up=1.2 + 0.22 * slide, along=0.35, share=0.45)

    # ---- hull and engine

    def _scrape(self, index: int, trace: Traces, time: float, dt: float) -> None:
        """Add particles at the bodywork's contacts that slide: dust on soft ground, otherwise sparks."""
        vx, vy, vz = trace.velocity
        below = [self._grounds[s] for s in trace.surface if 0 <= s < len(self._grounds)]
        soft = max((g.soft for g in below), default=0.0)
        for number, (point, normal, impulse) in enumerate(trace.scrapes):
            into = vx * normal[0] + vy * normal[1] + vz * normal[2]
            along = (vx - into * normal[0], vy - into * normal[1], vz - into * normal[2])
            speed = hypot(*along)
            if impulse <= 0.0 or speed < SCRAPE_SPEED:
                continue
            share = ramp(speed, (SCRAPE_SPEED, 15.0))  # m/s
            if soft > 0.3:
                dust = max(below, key=lambda g: g.soft)
                for ago in self._due_since((index, number, "scraped"), RATES["dust"] * share * dust.dust, dt):
                    start = [p - a * ago for p, a in zip(point, along, strict=True)]
                    self.particles.add(
                        time - ago,
                        SCRAPED_PARTICLE,
                        start,
                        (along[0] * 0.3, along[1] * 0.3, 1.0),
                        start[2],
                        dust.dust_colour,
                        owner=index,
                    )
                continue
            for ago in self._due_since((index, number, "sparks"), RATES["sparks"] * share, dt):
                start = [p - a * ago for p, a in zip(point, along, strict=True)]
                velocity = [0.7 * a + 1.6 * n for a, n in zip(along, normal, strict=True)]
                self.particles.add(time - ago, GLOWING, start, velocity, start[2] - 0.02, SPARK_COLOUR)

    def _exhaust(self, index: int, trace: Traces, view: Any, time: float, dt: float) -> None:
        """Add exhaust at every tailpipe: more with throttle, less with speed, none above EXHAUST_SPEED."""
        vx, vy, vz = trace.velocity
        slow = 1.0 - ramp(hypot(vx, vy), EXHAUST_SPEED)
        if slow <= 0.0 or view.frame is None:
            return
        rate, speed = RATES["exhaust"] * (0.35 + 0.65 * trace.exhaust) * slow, 0.8 + 2.0 * trace.exhaust
        orientation, origin = view.frame.body_orientation.tolist(), view.frame.body_position.tolist()
        for number, pipe in enumerate(self._pipes(index, view)):
            for ago in self._due_since((index, number, "exhaust"), rate, dt):
                components = zip(origin, rotate(orientation, pipe), trace.velocity, strict=True)
                point = tuple(o + p - v * ago for o, p, v in components)
                backwards = rotate(orientation, (0.0, -1.0, 0.0))
                self.particles.add(
                    time - ago,
                    EXHAUST_PARTICLE,
                    point,
                    (vx + backwards[0] * speed, vy + backwards[1] * speed, vz + 0.1),
                    point[2] - 0.3,
                    EXHAUST_COLOUR,
                    share=0.5 + 0.5 * trace.exhaust,
                )

    def _pipes(self, index: int, view: Any) -> list[tuple[float, ...]]:
        """Ends of the exhaust pipes in the model frame, m: nodes `exhaust1` and `exhaust2`, or one below the tail."""
        if index not in self._tailpipes:
            nodes = [view.model.node_position(f"exhaust{n}") for n in (1, 2)]
            below_tail = (0.5 * view.high[0], view.low[1], view.low[2] + TAIL_HEIGHT)
            self._tailpipes[index] = [tuple(p.tolist()) for p in nodes if p is not None] or [below_tail]
        return self._tailpipes[index]
