"""A tire of Magic Formula 6.2 (mf62.py) on a vehicle, by size and class (mf62_family.py) or a .tir file (RC-TIRE-02).

The slips in the formula follow from the carcass's deflections u (longitudinal) and v (lateral), m, not from the slips
of the wheel:

    u' = v_slip - |v_lon| u / sigma_x      v' = -v_lat - |v_lon| v / sigma_y      kappa = u / sigma_x,  a = v / sigma_y

with v_slip = omega R - v_lon and the relaxation lengths sigma, integrated exactly over a step. Without a relaxation
length kappa and a are the wheel's slips. At speed this is the formula with a lag over the distance sigma; at rest it is
a spring, without division by a speed and without creep.

Deflections are limited. From 2.5 m/s on, the limit is that of three times the slip of the largest force, or of the
wheel's present slip if that is larger. At rest, where a sliding tread stores no energy, it is that of the slip of the
largest force, and near it kappa and a change over to the wheel's present slips. In between both laws are blended.

Below 1 m/s a damper acts parallel to the spring C of the carcass. It has the share (1 + cos(pi |v_lon|)) / 2 of
0.2 sqrt(m C), with m the mass on the wheel.

The force caused by camber builds up over the same distance: its g is the transient camber c, with c = 0 at touchdown
and c' = |v_lon| (g - c) / sigma_y (Pacejka, Tire and Vehicle Dynamics, ch. 7.2); at rest it is constant. With the
wheel's g instead, a tire that lands inclined would push sideways at once, and so create energy.

Loads above the one at which a peak force is largest count as that load. The formula's m is the road's friction for the
tire's type divided by that of dry asphalt, on which sets are measured. When the tire rolls backwards, the trail lies
ahead of the wheel centre. The tire rolls on the wheel's radius, which is that of the loaded tire. The moments Mx and Mz
act on the body.

Missing parameters are estimated: width and rim radius from the wheel's size, the load index from the load at rest.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.estimate.tire import MAX_ASPECT_RATIO
from driving_sandbox.physics.ground.arrays import TIRE_TYPES
from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import vec3
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY, Block, Choice, Float, Int, Named, PerWheel, field
from driving_sandbox.physics.tick.component import Component
from driving_sandbox.physics.tire import mf62, mf62_plain
from driving_sandbox.physics.tire.combined_slip import FADE_SPEED, TireState, clear_contact, contact_motion
from driving_sandbox.physics.tire.magic_tire import mirror_of
from driving_sandbox.physics.tire.mf62_carcass import deflect, grips, store_deflection
from driving_sandbox.physics.tire.mf62_coefficients import COEFFICIENTS, NAMES, write_set
from driving_sandbox.physics.tire.mf62_family import CLASSES
from driving_sandbox.physics.tire.mf62_set import (
    RESISTANCE_POINTS,
    RESISTANCE_POINTS_PER_F0,
    derived_numbers,
    estimate,
    from_file,
    from_size,
    plain_numbers,
    pressure_problems,
    set_of,
    set_problems,
    size_problems,
)

REVERSAL_SPEED = 0.5  # m/s, from minus to plus this rolling speed the trail changes sign linearly
SLIDING_SLIP = 1.5  # slip / slip of the peak at F0 above which a tire counts as sliding; load shifts the peak by 1/4
SCRATCH = np.dtype(  # g: sine of each wheel's camber; lanes of mf62.py and of mf62_plain.py, one of which is in use
    [("g", np.float64, (WHEEL_CAPACITY,)), ("general", mf62.lanes(WHEEL_CAPACITY)),
     ("plain", mf62_plain.lanes(WHEEL_CAPACITY))],
    align=True,
)  # fmt: skip


def _factor(doc: str) -> Any:
    """Declaration of a parameter that is a factor on coefficients."""
    return field(unit="1", gt=0, le=10, default=1.0, suggest=(0.5, 1.5), doc=doc)


class MF62Params(PerWheel):
    """Size and class of one tire or coefficients of a measured one, and factors on them."""

    presets = {"size": from_size, "file": from_file}

    tire_type: Choice = field(
        options=TIRE_TYPES, default="street", mechanic=True, doc="Column of the surfaces' friction table."
    )
    tire_class: Choice = field(
        options=tuple(CLASSES),
        default="touring",
        doc="Class of tires; together with the size it determines the coefficients.",
    )
    section_width: Float = field(
        unit="m", ge=0, le=2, default=0.0, suggest=(0.125, 0.385),
        doc="Section width; 0: the wheel's width. `size: 205/55 R16 91V` sets this and the next three parameters.",
    )  # fmt: skip
    aspect_ratio: Float = field(
        unit="1", ge=0, le=MAX_ASPECT_RATIO, default=0.0, suggest=(0.3, 0.8),
        doc="Section height divided by width; 0: from the wheel's radius and `rim_radius`, 0.55 if that is 0 too.",
    )  # fmt: skip
    rim_radius: Float = field(
        unit="m", ge=0, le=2, default=0.0, suggest=(0.15, 0.3),
        doc="Radius of the rim; 0: the wheel's radius less the section's height.",
    )  # fmt: skip
    load_index: Float = field(
        unit="1", ge=0, le=210, default=0.0, suggest=(70, 120),
        doc="Load index, for the rated load; 0: such that the load at rest is 65 % of the rated load.",
    )  # fmt: skip
    pressure: Float = field(
        unit="Pa", ge=0, le=2e6, default=0.0, suggest=(120e3, 350e3),
        doc="Inflation pressure; 0: nominal pressure of the class or file.",
    )  # fmt: skip
    coefficients: Named = field(
        names=NAMES,
        unit="1",
        default={},
        doc="Coefficients of the formula that replace those by size and class; `file: name.tir` gives a complete set. "
        "A set with FNOMIN and UNLOADED_RADIUS is complete: coefficients that it lacks are neutral.",
    )
    measured_on: Choice = field(
        options=("both", "left", "right"),
        default="both",
        doc="Side of the vehicle that the coefficients are for; the other side gets the mirror image, unless `both`.",
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
        unit="1", ge=0, le=5, default=0.0, suggest=(0.5, 1.5),
        doc="Friction in the table of surfaces that counts as that of the measurement; 0: this type's on asphalt.",
    )  # fmt: skip
    nominal_load: Float = field(unit="N", derived=True, doc="Load at rest.")
    rated_load: Float = field(unit="N", derived=True, doc="Rated load of the load index.")
    rolling_resistance: Float = field(unit="1", derived=True, doc="Rolling resistance per load, at low speed.")
    pressure_change: Float = field(unit="1", derived=True, doc="Relative pressure change, e of mf62.py.")
    mirror: Float = field(
        unit="1", derived=True, doc="-1 on wheels with the mirror image of the measured tire; 1 for plain sets."
    )
    largest_load: Float = field(unit="N", derived=True, doc="Load of the largest force; larger loads count as this.")
    per_dry_friction: Float = field(unit="1", derived=True, doc="Inverse of the dry friction in use.")
    per_fnomin: Float = field(unit="1/N", derived=True, doc="1 / F0.")
    spin_mass: Float = field(unit="kg", derived=True, doc="Inertia of the wheel's spin divided by its radius squared.")
    peak_slip: Float = field(unit="1", derived=True, doc="Slip ratio of the longitudinal peak at F0.")
    peak_tangent: Float = field(unit="1", derived=True, doc="Tangent of the slip angle of the lateral peak at F0.")
    damping_x: Float = field(unit="N*s/m", derived=True, doc="Longitudinal damping of the carcass at rest.")
    damping_y: Float = field(unit="N*s/m", derived=True, doc="Lateral damping of the carcass at rest.")
    resisting_loads: Block = field(
        layout=np.dtype((np.float64, (RESISTANCE_POINTS,))),
        unit="N",
        derived=True,
        doc="Load to which rolling resistance is proportional, tabulated over the tire's load.",
    )
    plain: Int = field(unit="1", derived=True, doc="1 if the set is plain, in the sense of mf62_plain.py.")
    numbers: Block = field(layout=mf62_plain.LANE_RECORD, unit="1", derived=True, doc="Inputs of mf62_plain.py.")
    c: Block = field(layout=COEFFICIENTS, unit="1", derived=True, doc="Coefficients in use.")


class MF62State(TireState):
    """State of any tire, deflections of the carcass and moments."""

    aligning_moment: Float = field(unit="N*m", doc="Moment about the road normal, > 0 turns the wheel to the right.")
    overturning_moment: Float = field(
        unit="N*m", doc="Moment about the longitudinal direction, > 0 tilts the wheel's top to the right."
    )
    trail: Float = field(unit="m", doc="Pneumatic trail.")
    road_friction: Float = field(unit="1", doc="Friction of the road divided by that of dry asphalt.")
    longitudinal_deflection: Float = field(unit="m", doc="Longitudinal deflection of the carcass; > 0 when driving.")
    lateral_deflection: Float = field(unit="m", doc="Lateral deflection of the carcass; > 0 pushes to the right.")
    transient_camber: Float = field(
        unit="1", doc="Sine of the camber angle with a lag over the relaxation length; causes the camber force."
    )


@kernel
def slip(
    params: Any, state: Any, scratch: Any, suspension: Any, suspension_params: Any, compliance: Any, road: Any,
    wheel: Any, wheel_params: Any, steering: Any, actuation: Any, body: Any, context: Any, wheel_count: int,
) -> None:  # fmt: skip
    """Set directions, speeds, load, friction and the wheel's slips (for telemetry and `slides`) of every tire."""
    contact_motion(state, suspension, suspension_params, compliance, road, wheel_params, steering, body, wheel_count)
    for i in range(wheel_count):
        p, t, rim_speed = params[i], state[i], wheel[i].omega * wheel_params[i].radius
        if suspension[i].on_ground == 0:
            clear_contact(t, rim_speed, actuation[i], context)
            t.road_friction = 0.0
            t.longitudinal_deflection, t.lateral_deflection, t.transient_camber = 0.0, 0.0, 0.0
            continue
        scratch.g[i] = t.camber  # `contact_motion` has set the sine
        t.camber = elementary.asin(t.camber)
        active = actuation[i].brake_applied + actuation[i].drive_applied
        min_speed = context.min_active_slip_speed if active != 0 else context.min_passive_slip_speed
        speed = abs(t.longitudinal_speed)
        t.longitudinal_slip = (rim_speed - t.longitudinal_speed) / max(speed, min_speed)
        t.lateral_slip = elementary.atan(t.lateral_speed / max(speed, context.min_lateral_slip_speed))
        t.load = suspension[i].force
        t.road_friction = road[i].friction * p.per_dry_friction
        t.friction = t.road_friction * peak_friction(p, min(t.load, p.largest_load), t.camber, scratch.g[i])


@inline_kernel
def peak_friction(p: Any, load: float, camber: float, g: float) -> float:
    """Smaller of longitudinal and lateral peak friction on a road of friction 1. load: N. camber: rad. g: its sine."""
    d, e = load * p.per_fnomin - 1.0, p.pressure_change
    return min(mf62.friction_x(p.c, d, camber, e), mf62.friction_y(p.c, d, g, e))


@kernel
def load_tire(p: Any, t: Any, w: Any, i: int) -> None:
    """Write load, camber, stiffnesses and relaxation lengths of tire i into the lanes w."""
    w.load[i] = min(t.load, p.largest_load)
    w.camber[i] = p.mirror * t.camber
    w.e[i] = p.pressure_change
    w.m[i] = t.road_friction
    mf62.stiffness(p.c, w, i)


@inline_kernel
def resisting_load(p: Any, load: float) -> float:
    """Load to which rolling resistance is proportional, N, from the table over load (N)."""
    x = max(load, 0.0) * p.per_fnomin * RESISTANCE_POINTS_PER_F0
    k = min(int(x), RESISTANCE_POINTS - 2)
    return p.resisting_loads[k] + (x - k) * (p.resisting_loads[k + 1] - p.resisting_loads[k])


@inline_kernel
def resistance(p: Any, t: Any, fx: float, drag: float) -> float:
    """Magnitude of the torque of rolling resistance, N m. fx: N. drag: the ground's coefficient times radius, m."""
    size = mf62.resistance(p.c, t.load * p.per_fnomin, fx * p.per_fnomin, t.camber, t.longitudinal_speed)
    return p.c.unloaded_radius * max(0.0, size) * resisting_load(p, t.load) + drag * t.load


@inline_kernel
def slides(p: Any, t: Any) -> bool:
    """Whether a tire slips well beyond its peak.

    Its slips, each divided by that of its peak, are the components of a vector; the vector's length decides.
    """
    along, across = t.longitudinal_slip * p.peak_tangent, t.lateral_slip * p.peak_slip
    limit = SLIDING_SLIP * t.road_friction * p.peak_slip * p.peak_tangent
    return along * along + across * across > limit * limit


@kernel
def store(p: Any, t: Any, results: Any, road_s: Any, omega: float, radius: float) -> None:
    """Store forces and moments of one tire; those in directions held by the contact solver are 0.

    The `friction` of a sliding tire becomes its force divided by its load.

    Args:
        results: (fx, fy, mz, mx, trail) of the formula, N, N m, m.
        omega: spin rate, rad/s.
        radius: m.
    """
    fx, fy, mz, mx, trail = results
    fx = fx if t.sticky_longitudinal == 0 else 0.0
    free = t.sticky_lateral == 0
    heading = min(max(t.longitudinal_speed / REVERSAL_SPEED, -1.0), 1.0)
    t.longitudinal_force = fx
    t.lateral_force = p.mirror * fy if free else 0.0
    if slides(p, t) and grips(t):
        t.friction = math.sqrt(fx * fx + fy * fy) / t.load
    t.aligning_moment = p.mirror * heading * mz if free else 0.0
    t.overturning_moment = p.mirror * mx if free else 0.0
    t.trail = heading * trail
    overturning = vec3.scale(vec3.load(t.longitudinal), t.overturning_moment)
    vec3.store(t.moment, vec3.add_scaled(overturning, vec3.load(road_s.normal), -t.aligning_moment))
    rim_speed = omega * radius
    rolling_torque = resistance(p, t, fx, road_s.rolling_drag * radius)
    t.wheel_torque = -fx * radius - rolling_torque * rim_speed / (abs(rim_speed) + FADE_SPEED)


@inline_kernel
def general_force(
    params: Any, state: Any, w: Any, road: Any, wheel: Any, wheel_params: Any, wheel_count: int, dt: float
) -> None:
    """Set forces and moments by mf62.py, in several loops over all wheels."""
    for i in range(wheel_count):
        load_tire(params[i], state[i], w, i)
    for i in range(wheel_count):
        deflect(params[i], state[i], w, i, wheel[i].omega * wheel_params[i].radius, dt)
        mf62.fill(params[i].c, w, i, wheel_count)
    mf62.evaluate_curves(w, wheel_count)
    for i in range(wheel_count):
        mf62.finish(params[i].c, w, i, wheel_count)
        results = (w.fx[i], w.fy[i], w.mz[i], w.mx[i], w.trail[i])
        store(params[i], state[i], results, road[i], wheel[i].omega, wheel_params[i].radius)


@inline_kernel
def fill_lane(p: Any, t: Any, w: Any, i: int, g: Any, rim_speed: float) -> None:
    """Write a tire's inputs into lane i; without grip, placeholders for load and friction. g: sine of the camber."""
    mf62_plain.copy_inputs(p.numbers, w, i)
    gripping = grips(t)
    w.load[i] = min(t.load, p.largest_load) if gripping else p.numbers.fnomin
    w.m[i] = t.road_friction if gripping else 1.0
    w.g[i], w.camber[i], w.speed[i] = g, t.camber, abs(t.longitudinal_speed)
    w.slip_speed_x[i] = rim_speed - t.longitudinal_speed if t.sticky_longitudinal == 0 else 0.0
    w.slip_speed_y[i] = -t.lateral_speed if t.sticky_lateral == 0 else 0.0
    w.u[i], w.v[i], w.transient[i] = t.longitudinal_deflection, t.lateral_deflection, t.transient_camber
    w.spin_mass[i] = p.spin_mass


@inline_kernel
def plain_force(
    params: Any, state: Any, scratch: Any, road: Any, wheel: Any, wheel_params: Any, wheel_count: int, dt: float
) -> None:
    """Set forces and moments by mf62_plain.py. Plain sets are symmetric, so they need no mirroring."""
    w, lane_count = scratch.plain, (wheel_count + mf62_plain.LANES - 1) // mf62_plain.LANES * mf62_plain.LANES
    for i in range(lane_count):
        k = min(i, wheel_count - 1)  # spare lanes repeat the last tire
        fill_lane(params[k], state[k], w, i, scratch.g[k], wheel[k].omega * wheel_params[k].radius)
    mf62_plain.prepare(w, lane_count, dt)
    mf62_plain.finish(w, lane_count)
    for i in range(wheel_count):
        p, t = params[i], state[i]
        store_deflection(t, w.u[i], w.v[i], w.transient[i])
        results = (w.fx[i], w.fy[i], w.mz[i], w.mx[i], w.trail[i])
        if not grips(t):
            results = (0.0, 0.0, 0.0, 0.0, 0.0)
        store(p, t, results, road[i], wheel[i].omega, wheel_params[i].radius)


@kernel
def force(
    params: Any, state: Any, scratch: Any, road: Any, wheel: Any, wheel_params: Any, wheel_count: int, dt: float
) -> None:
    """Set forces and moments of every tire, by mf62_plain.py if the sets of all tires are plain."""
    plain = True
    for i in range(wheel_count):
        plain = plain and params[i].plain != 0
    if plain:
        plain_force(params, state, scratch, road, wheel, wheel_params, wheel_count, dt)
    else:
        for i in range(wheel_count):
            scratch.general.g[i] = params[i].mirror * scratch.g[i]
        general_force(params, state, scratch.general, road, wheel, wheel_params, wheel_count, dt)


def derive(params: Any, suspension_params: Any, wheel_params: Any, wheel_count: int, context: Any) -> None:
    """Set the coefficients in use, and the numbers derived from them."""
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


def check(params: Any, wheel_params: Any, wheel_count: int) -> list[tuple[str, str]]:
    """[(parameter, problem)], at most three: of curves, of sizes that do not fit their wheel, of pressures."""
    problems = []
    for p, wheel in zip(params[:wheel_count], wheel_params, strict=False):
        c = set_of(p, wheel)
        problems += set_problems(c) or size_problems(p, wheel, c) or pressure_problems(p, c)
    return problems[:3]


MF_62 = Component(
    slot="tire", name="mf_62", params=MF62Params, state=MF62State, phases={"slip": slip, "force": force},
    derive=derive, check=check, estimate=estimate, scratch=SCRATCH,
    doc="Magic Formula 6.2 by size and class or from a tire property file, with moments and an elastic carcass.",
)  # fmt: skip
