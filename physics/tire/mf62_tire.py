"""A tire of Magic Formula 6.2 (mf62.py) on a vehicle, by size and class (mf62_family.py) or a .tir file (RC-TIRE-02).

Forces follow the deflection of the carcass, u along and v across (m), not the slip of the wheel:

    u' = vs - |vx| u / sigma_x      v' = -v_right - |vx| v / sigma_y      kappa = u / sigma_x,  a = v / sigma_y

with vs = omega R - vx, taken exactly over a step; without a relaxation length they are the slips. At speed this is the
formula with a lag of sigma of road; at rest it is a spring, without a division by speed and without creep. u and v are
kept within three times the slip of the peak, or the present slip where that is more. Below 1 m/s a share (1 + cos(pi
|vx|)) / 2 of a damper of 0.2 sqrt(m C) acts along the spring C of the carcass, m the mass on the wheel.

Loads beyond that of the largest peak force count as that. m is the road's friction for the tire's type over that of dry
asphalt, on which the formula's friction is measured. Rolling back, the trail lies ahead of the wheel's centre. The
tire rolls on the wheel's radius, which is that of the loaded tire. Moments M_x and M_z act on the body.

Missing values are estimated: width and radius from the wheel, the load index from the wheel load.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.ground.arrays import TIRE_TYPES
from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import vec3
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY, Block, Choice, Float, Int, Named, PerWheel, field
from driving_sandbox.physics.tick.component import Component
from driving_sandbox.physics.tire import mf62, mf62_plain
from driving_sandbox.physics.tire.combined_slip import ROLLING_SPEED, TireState, clear_contact, contact_motion
from driving_sandbox.physics.tire.magic_tire import mirror_of
from driving_sandbox.physics.tire.mf62_carcass import PEAKS_COVERED, SLOWEST, damped, followed, softer
from driving_sandbox.physics.tire.mf62_coefficients import COEFFICIENTS, NAMES, write_set
from driving_sandbox.physics.tire.mf62_family import CLASSES
from driving_sandbox.physics.tire.mf62_set import (
    PER_RESISTANCE_STEP,
    RESISTANCE_POINTS,
    derived_numbers,
    from_file,
    from_size,
    plain_numbers,
    set_of,
    set_problems,
    size_problems,
)

REVERSED_BELOW = 0.5  # m/s over which the trail changes sides
SLIDES_FROM = 1.5  # slips of the peak at F0, which moves by a quarter with load; the force has hardly fallen there
SCRATCH = np.dtype(
    [("g", np.float64, (WHEEL_CAPACITY,)), ("general", mf62.lanes(WHEEL_CAPACITY)),
     ("plain", mf62_plain.lanes(WHEEL_CAPACITY))],
    align=True,
)  # fmt: skip


def _factor(doc):
    return field(unit="1", gt=0, le=10, default=1.0, suggest=(0.5, 1.5), doc=doc)


class MF62Params(PerWheel):
    """Size and class of one tire, or the coefficients of a measured one, and factors on them."""

    presets = {"size": from_size, "file": from_file}

    tire_type: Choice = field(
        options=TIRE_TYPES, default="street", mechanic=True, doc="Column of the surfaces' friction table."
    )
    tire_class: Choice = field(
        options=tuple(CLASSES), default="touring", doc="Family of tires that the size is scaled in."
    )
    section_width: Float = field(
        unit="m",
        ge=0,
        le=2,
        default=0.0,
        suggest=(0.125, 0.385),
        doc="First number of the size, which `size: 205/55 R16 91V` gives with the next three; 0: the wheel's.",
    )
    aspect_ratio: Float = field(
        unit="1", ge=0, le=1.2, default=0.0, suggest=(0.3, 0.8), doc="Height of the section per width; 0: 0.55."
    )
    rim_radius: Float = field(
        unit="m", ge=0, le=2, default=0.0, suggest=(0.15, 0.3), doc="0: what the wheel's radius leaves."
    )
    load_index: Float = field(
        unit="1",
        ge=0,
        le=210,
        default=0.0,
        suggest=(70, 120),
        doc="Rated load as sizes name it; 0: that at which the weight on the wheel is 65 % of it.",
    )
    pressure: Float = field(
        unit="Pa", ge=0, le=2e6, default=0.0, suggest=(120e3, 350e3), doc="Inflation; 0: that of the set or class."
    )
    coefficients: Named = field(
        names=NAMES,
        unit="1",
        default={},
        doc="Of the formula, instead of those that size and class give; `file: name.tir` gives a whole set. A set with "
        "FNOMIN and UNLOADED_RADIUS is whole: what it leaves out is neutral.",
    )
    measured_on: Choice = field(
        options=("both", "left", "right"),
        default="both",
        doc="Side of the vehicle the coefficients are for: the other gets the tire's mirror image; both: all alike.",
    )
    longitudinal_grip: Float = _factor("Factor on longitudinal friction.")
    lateral_grip: Float = _factor("Factor on lateral friction.")
    slip_stiffness_factor: Float = _factor("Factor on the longitudinal slip stiffness.")
    cornering_stiffness_factor: Float = _factor("Factor on the cornering stiffness.")
    camber_factor: Float = _factor("Factor on the lateral force of camber.")
    trail_factor: Float = _factor("Factor on the pneumatic trail.")
    relaxation_factor: Float = _factor("Factor on the relaxation lengths.")
    rolling_factor: Float = _factor("Factor on the rolling resistance.")
    dry_friction: Float = field(
        unit="1",
        ge=0,
        le=5,
        default=0.0,
        suggest=(0.5, 1.5),
        doc="Friction that the surfaces give this tire type where the formula's friction was measured; 0: on asphalt.",
    )
    nominal_load: Float = field(unit="N", derived=True, doc="Weight the wheel carries at rest.")
    rated_load: Float = field(unit="N", derived=True, doc="Of the load index.")
    rolling_resistance: Float = field(unit="1", derived=True, doc="At rest, per load.")
    pressure_change: Float = field(unit="1", derived=True, doc="Pressure against the nominal one, e of mf62.py.")
    mirror: Float = field(
        unit="1", derived=True, doc="-1 on wheels with the mirror image of the measured tire; plain sets are their own."
    )
    largest_load: Float = field(unit="N", derived=True, doc="Load of the set's largest force; more counts as this.")
    per_dry_friction: Float = field(unit="1", derived=True, doc="1 over the friction of the surfaces that counts as 1.")
    per_fnomin: Float = field(unit="1/N", derived=True, doc="1 / F0.")
    spin_mass: Float = field(unit="kg", derived=True, doc="Inertia of the wheel's spin over its radius squared.")
    peak_slip: Float = field(unit="1", derived=True, doc="Longitudinal slip of the peak at F0.")
    peak_tangent: Float = field(unit="1", derived=True, doc="Tangent of the slip angle of the peak at F0.")
    damping_x: Float = field(unit="N*s/m", derived=True, doc="Of the carcass along, at rest.")
    damping_y: Float = field(unit="N*s/m", derived=True, doc="Of the carcass across, at rest.")
    resisting: Block = field(
        layout=np.dtype((np.float64, (RESISTANCE_POINTS,))),
        unit="N",
        derived=True,
        doc="Load that rolling resistance is proportional to, over load per F0.",
    )
    plain: Int = field(unit="1", derived=True, doc="1 where mf62_plain.py supports all terms of the set.")
    numbers: Block = field(layout=mf62_plain.COPIED, unit="1", derived=True, doc="Vector lane inputs of the set.")
    c: Block = field(layout=COEFFICIENTS, unit="1", derived=True, doc="Coefficients in use.")


class MF62State(TireState):
    """The standard tire's state, deflections of the carcass and moments."""

    aligning_moment: Float = field(unit="N*m", doc="About the road normal, > 0 turns the wheel to the right.")
    overturning_moment: Float = field(unit="N*m", doc="About the longitudinal direction, > 0 leans it to the right.")
    trail: Float = field(unit="m", doc="Pneumatic trail.")
    road_friction: Float = field(unit="1", doc="Friction of the road against dry asphalt.")
    longitudinal_deflection: Float = field(unit="m", doc="Of the carcass; > 0 when driving.")
    lateral_deflection: Float = field(unit="m", doc="Of the carcass; > 0 pushes to the right.")


@inline_kernel
def blended(speed, least):
    """Speed that the shown slips are shares of, m/s."""
    return math.sqrt(speed * speed + least * least)


@inline_kernel
def grips(t: Any) -> bool:
    """Whether load and friction are above 0, so that the carcass deflects."""
    return t.load > 0.0 and t.road_friction > 0.0


@kernel
def slip(
    params,
    state,
    scratch,
    suspension,
    suspension_params,
    compliance,
    road,
    wheel,
    wheel_params,
    steering,
    actuation,
    body,
    context,
    wheel_count,
):
    """Directions, speeds, slips, load and friction of every tire."""
    contact_motion(state, suspension, suspension_params, compliance, road, wheel_params, steering, body, wheel_count)
    for i in range(wheel_count):
        p, t, rim = params[i], state[i], wheel[i].omega * wheel_params[i].radius
        if suspension[i].on_ground == 0:
            clear_contact(t, rim, actuation[i], context)
            t.road_friction, t.longitudinal_deflection, t.lateral_deflection = 0.0, 0.0, 0.0
            continue
        scratch.g[i] = t.camber
        t.camber = elementary.asin(t.camber)
        active = actuation[i].brake_applied + actuation[i].drive_applied
        least = context.min_active_slip_speed if active != 0 else context.min_passive_slip_speed
        pace = abs(t.longitudinal_speed)
        t.longitudinal_slip = (rim - t.longitudinal_speed) / max(pace, least)
        t.lateral_slip = elementary.atan(t.lateral_speed / max(pace, context.min_lateral_slip_speed))
        t.load = suspension[i].force
        t.road_friction = road[i].friction * p.per_dry_friction
        t.friction = t.road_friction * peak_friction(p, min(t.load, p.largest_load), t.camber, scratch.g[i])


@inline_kernel
def peak_friction(p, load, camber, g):
    """Smaller of the friction along and across at a load, N, on a road of friction 1."""
    d, e = load * p.per_fnomin - 1.0, p.pressure_change
    return min(mf62.friction_x(p.c, d, camber, e), mf62.friction_y(p.c, d, g, e))


@kernel
def load_tire(p, t, w, i):
    """Load, lean, stiffness and relaxation of a tire."""
    w.load[i] = min(t.load, p.largest_load)
    w.camber[i] = p.mirror * t.camber
    w.e[i] = p.pressure_change
    w.m[i] = t.road_friction
    mf62.stiffness(p.c, w, i)


@inline_kernel
def keep_deflection(t, u, v):
    """Store the carcass's deflections: none where it does not grip, or along what the contact solver holds."""
    gripping = grips(t)
    t.longitudinal_deflection = u if gripping and t.sticky_longitudinal == 0 else 0.0
    t.lateral_deflection = v if gripping and t.sticky_lateral == 0 else 0.0


@kernel
def deflect(p, t, w, i, rim, dt):
    """Deflections after a step and the slips that the formula gets."""
    pace = abs(t.longitudinal_speed)
    along = rim - t.longitudinal_speed if t.sticky_longitudinal == 0 else 0.0
    across = -t.lateral_speed if t.sticky_lateral == 0 else 0.0
    u, w.kappa[i] = 0.0, along / blended(pace, ROLLING_SPEED)
    if w.sigma_x[i] > 0.0:
        most = max(PEAKS_COVERED * p.peak_slip, abs(along) / max(pace, SLOWEST))
        u = followed(t.longitudinal_deflection, along, pace * dt, w.sigma_x[i], dt, most)
        w.kappa[i] = u / w.sigma_x[i]
    v, w.a[i] = 0.0, p.mirror * across / blended(pace, ROLLING_SPEED)
    if w.sigma_y[i] > 0.0:
        most = max(PEAKS_COVERED * p.peak_tangent, abs(across) / max(pace, SLOWEST))
        v = followed(t.lateral_deflection, across, pace * dt, w.sigma_y[i], dt, most)
        w.a[i] = p.mirror * v / w.sigma_y[i]
    keep_deflection(t, u, v)
    share, damper = damped(pace), softer(p.damping_x, p.spin_mass, dt)
    w.kappa[i] += share * damper * along / mf62.held(w.kx[i])
    w.a[i] += share * p.damping_y * p.mirror * across / mf62.held(w.ky[i])


@inline_kernel
def resisting_load(p, load):
    """Load that rolling resistance is proportional to, N, from the table over load."""
    x = max(load, 0.0) * p.per_fnomin * PER_RESISTANCE_STEP
    k = min(int(x), RESISTANCE_POINTS - 2)
    return p.resisting[k] + (x - k) * (p.resisting[k + 1] - p.resisting[k])


@inline_kernel
def resistance(p, t, fx, drag):
    """Torque of rolling resistance, N m, without the sign of rolling. drag: of the ground, per load, and the radius."""
    size = mf62.resistance(p.c, t.load * p.per_fnomin, fx * p.per_fnomin, t.camber, t.longitudinal_speed)
    return p.c.unloaded_radius * max(0.0, size) * resisting_load(p, t.load) + drag * t.load


@inline_kernel
def slides(p: Any, t: Any) -> bool:
    """Whether a tire slips well beyond its peak."""
    along, across = t.longitudinal_slip * p.peak_tangent, t.lateral_slip * p.peak_slip
    peak = SLIDES_FROM * t.road_friction * p.peak_slip * p.peak_tangent
    return along * along + across * across > peak * peak


@kernel
def store(p, t, found, road_s, omega, radius):
    """Forces and moments of a tire as the vehicle gets them; none along what the contact solver holds."""
    fx, fy, mz, mx, trail = found
    fx = fx if t.sticky_longitudinal == 0 else 0.0
    free = t.sticky_lateral == 0
    heading = min(max(t.longitudinal_speed / REVERSED_BELOW, -1.0), 1.0)
    t.longitudinal_force = fx
    t.lateral_force = p.mirror * fy if free else 0.0
    if slides(p, t) and grips(t):
        t.friction = math.sqrt(fx * fx + fy * fy) / t.load
    t.aligning_moment = p.mirror * heading * mz if free else 0.0
    t.overturning_moment = p.mirror * mx if free else 0.0
    t.trail = heading * trail
    lean = vec3.scale(vec3.load(t.longitudinal), t.overturning_moment)
    vec3.store(t.moment, vec3.add_scaled(lean, vec3.load(road_s.normal), -t.aligning_moment))
    rim = omega * radius
    drag = resistance(p, t, fx, road_s.rolling_drag * radius)
    t.wheel_torque = -fx * radius - drag * rim / (abs(rim) + ROLLING_SPEED)


@inline_kernel
def general_force(params, state, w, road, wheel, wheel_params, wheel_count, dt):
    """Forces and moments by mf62.py, in rounds over all wheels."""
    for i in range(wheel_count):
        load_tire(params[i], state[i], w, i)
    for i in range(wheel_count):
        deflect(params[i], state[i], w, i, wheel[i].omega * wheel_params[i].radius, dt)
        mf62.fill(params[i].c, w, i, wheel_count)
    mf62.bend(w, wheel_count)
    for i in range(wheel_count):
        mf62.finish(params[i].c, w, i, wheel_count)
        found = (w.fx[i], w.fy[i], w.mz[i], w.mx[i], w.trail[i])
        store(params[i], state[i], found, road[i], wheel[i].omega, wheel_params[i].radius)


@inline_kernel
def into_lane(p, t, w, i, g, rim):
    """Copy a tire's inputs to its lane; without load or friction with placeholder values."""
    mf62_plain.copy(p.numbers, w, i)
    gripping = grips(t)
    w.load[i] = min(t.load, p.largest_load) if gripping else p.numbers.fnomin
    w.m[i] = t.road_friction if gripping else 1.0
    w.g[i], w.camber[i], w.pace[i] = g, t.camber, abs(t.longitudinal_speed)
    w.along[i] = rim - t.longitudinal_speed if t.sticky_longitudinal == 0 else 0.0
    w.across[i] = -t.lateral_speed if t.sticky_lateral == 0 else 0.0
    w.u[i], w.v[i] = t.longitudinal_deflection, t.lateral_deflection
    w.spin[i] = p.spin_mass


@inline_kernel
def plain_force(params, state, scratch, road, wheel, wheel_params, wheel_count, dt):
    """Forces and moments by mf62_plain.py, whose symmetric sets need no mirroring."""
    w, filled = scratch.plain, (wheel_count + mf62_plain.LANES - 1) // mf62_plain.LANES * mf62_plain.LANES
    for i in range(filled):
        k = min(i, wheel_count - 1)  # lanes to spare repeat the last tire
        into_lane(params[k], state[k], w, i, scratch.g[k], wheel[k].omega * wheel_params[k].radius)
    mf62_plain.prepare(w, filled, dt)
    mf62_plain.combine(w, filled)
    for i in range(wheel_count):
        p, t = params[i], state[i]
        keep_deflection(t, w.u[i], w.v[i])
        found = (w.fx[i], w.fy[i], w.mz[i], w.mx[i], w.trail[i])
        if not grips(t):
            found = (0.0, 0.0, 0.0, 0.0, 0.0)
        store(p, t, found, road[i], wheel[i].omega, wheel_params[i].radius)


@kernel
def force(params, state, scratch, road, wheel, wheel_params, wheel_count, dt):
    """Forces and moments of every tire."""
    plain = True
    for i in range(wheel_count):
        plain = plain and params[i].plain != 0
    if plain:
        plain_force(params, state, scratch, road, wheel, wheel_params, wheel_count, dt)
    else:
        for i in range(wheel_count):
            scratch.general.g[i] = params[i].mirror * scratch.g[i]
        general_force(params, state, scratch.general, road, wheel, wheel_params, wheel_count, dt)


def derive(params, suspension_params, wheel_params, wheel_count, context):
    gravity = math.sqrt(sum(float(g) ** 2 for g in context["gravity"]))
    for p, s, wheel in zip(params[:wheel_count], suspension_params, wheel_params, strict=False):
        p["nominal_load"] = s["supported_mass"] * gravity
        coefficients = set_of(p, wheel)
        write_set(p["c"], coefficients)
        for name, value in derived_numbers(p, coefficients, float(s["supported_mass"]), wheel).items():
            p[name] = value
        p["plain"] = mf62_plain.is_plain(coefficients)
        if p["plain"]:
            write_set(p["numbers"], plain_numbers(p, coefficients))
        p["mirror"] = 1.0 if p["plain"] else mirror_of(p, s)


def check(params, wheel_params, wheel_count):
    """Check for valid curves, and sizes that fit their wheel."""
    problems = []
    for p, wheel in zip(params[:wheel_count], wheel_params, strict=False):
        c = set_of(p, wheel)
        problems += set_problems(c) or size_problems(p, wheel, c)
    return problems[:3]


MF_62 = Component(
    slot="tire", name="mf_62", params=MF62Params, state=MF62State, phases={"slip": slip, "force": force},
    derive=derive, check=check, scratch=SCRATCH,
    doc="Magic Formula 6.2 by size and class or from a tire property file, with moments and a carcass that deflects.",
)  # fmt: skip
