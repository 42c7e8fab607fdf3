"""Carcass of a Magic Formula 6.2 tire: its deflections, and the slips that follow from them.

The equations are those of mf62_tire.py. The functions that take plain numbers are branch-free, so that mf62_plain.py
can use them in vectorised loops too.
"""

import math
from typing import Any

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.bits import pick
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.tire import mf62

SMALL_STEP = 1e-9  # z, rolled distance / relaxation length, below which rounding errors dominate (1 - e^-z) / z
MIN_SPEED = 0.1  # m/s, added to the denominator of a sliding tread's slip, so that its slip fades out smoothly at rest
DAMPED_BELOW = 1.0  # m/s, speed below which the carcass's damper acts
SLIP_SPEED_FLOOR = 0.1  # m/s, denominator at rest of slips without relaxation
MAX_DAMPING = 0.5  # share of the damping that would stop the wheel's spin within a step
MIN_SLIP = 1e-6  # slip of the largest deflection on a road without friction
PER_MAX_SLIDE = 0.1  # inverse of the largest slip of a sliding tread, reached where it slides without rolling
MAX_SLIP_PER_PEAK = 3.0  # largest slip by deflection of a rolling tire, divided by the slip of the force's peak
PER_ROLLING_SPEED = 0.4  # s/m, inverse of the speed from which a tire counts as rolling
SLIDE_RISE = 5.0  # the wheel's present slip fades in over the last 1 / SLIDE_RISE of the largest deflection


@inline_kernel
def present_slip(slip_speed: float, speed: float) -> float:
    """Magnitude of a wheel's present slip, limited at low speed.

    slip_speed: sliding speed of the tread in one direction, m/s. speed: |v_lon|, m/s.
    """
    slide_speed = abs(slip_speed)
    slowest = slide_speed * PER_MAX_SLIDE + MIN_SPEED
    return slide_speed / pick(speed > slowest, speed, slowest)


@inline_kernel
def rolling_share(speed: float) -> float:
    """Weight of the rolling tire's law, from 0 at rest to 1. speed: |v_lon|, m/s."""
    weight = speed * PER_ROLLING_SPEED
    return pick(weight < 1.0, weight, 1.0)


@inline_kernel
def slip_limit(peak: float, friction: float, present: float, rolling: float) -> float:
    """Largest slip that the carcass's deflection can cause, deflection / relaxation length.

    peak: slip of the largest force on dry asphalt.
    friction: m of mf62.py.
    present: result of `present_slip`.
    rolling: result of `rolling_share`.
    """
    at_rest = peak * friction + MIN_SLIP
    moving = MAX_SLIP_PER_PEAK * at_rest
    return at_rest + rolling * (pick(present > moving, present, moving) - at_rest)


@inline_kernel
def relaxed_deflection(
    deflection: float, slip_speed: float, z: float, decay: float, length: float, dt: float, max_slip: float
) -> float:
    """Deflection of the carcass after a step, m.

    deflection: before the step, m.
    slip_speed: sliding speed of the tread, m/s.
    z: distance rolled in the step divided by the relaxation length.
    decay: exp(-z).
    length: relaxation length, m.
    max_slip: limit of deflection / length.
    """
    mean_decay = pick(z > SMALL_STEP, (1.0 - decay) / (z + 1e-300), 1.0 - 0.5 * z)  # 1e-300: z may be 0
    next_deflection, limit = deflection * decay + slip_speed * dt * mean_decay, max_slip * length
    return pick(next_deflection > limit, limit, pick(next_deflection < -limit, -limit, next_deflection))


@inline_kernel
def tread_slip(slip: float, max_slip: float, slip_speed: float, present: float, rolling: float) -> float:
    """Slip for the formula: that of the carcass's deflection; near rest, at its limit, the wheel's present slip.

    slip: deflection / relaxation length.
    max_slip: result of `slip_limit`.
    slip_speed: sliding speed of the tread, m/s.
    present, rolling: as in `slip_limit`.
    """
    onset = SLIDE_RISE * (abs(slip) / max_slip - 1.0) + 1.0
    slides = pick(slip * slip_speed > 0.0, pick(onset > 0.0, onset, 0.0), 0.0)
    excess = (1.0 - rolling) * slides * pick(present > max_slip, present - max_slip, 0.0)
    return slip + pick(slip < 0.0, -excess, excess)


@inline_kernel
def damper_share(speed: float) -> float:
    """Share of the carcass's damping that acts at a speed >= 0, m/s."""
    return pick(speed < DAMPED_BELOW, 0.5 + 0.5 * elementary.full_cos(math.pi * speed), 0.0)


@inline_kernel
def limited_damping(damping: float, spin_mass: float, dt: float) -> float:
    """A longitudinal damping, N s/m, limited to what keeps the wheel's spin stable. spin_mass: I / R^2, kg."""
    limit = MAX_DAMPING * spin_mass / dt
    return pick(damping > limit, limit, damping)


@inline_kernel
def slip_denominator(speed: float) -> float:
    """Denominator of slips without relaxation, m/s."""
    return math.sqrt(speed * speed + SLIP_SPEED_FLOOR * SLIP_SPEED_FLOOR)


@inline_kernel
def grips(t: Any) -> bool:
    """Whether load and friction are above 0."""
    return t.load > 0.0 and t.road_friction > 0.0


@inline_kernel
def store_deflection(t: Any, u: Any, v: Any, camber: Any) -> None:
    """Store the carcass's deflections, m, and the transient camber.

    Without grip all are 0; a deflection is also 0 in a direction held by the contact solver.
    """
    gripping = grips(t)
    t.transient_camber = camber if gripping else 0.0
    t.longitudinal_deflection = u if gripping and t.sticky_longitudinal == 0 else 0.0
    t.lateral_deflection = v if gripping and t.sticky_lateral == 0 else 0.0


@kernel
def deflect(p: Any, t: Any, w: Any, i: int, rim_speed: float, dt: float) -> None:
    """Advance deflections and transient camber of tire i by a step, and write the slips kappa and a.

    w.g[i] is the sine of the wheel's camber before the call, and that of the transient camber after it.
    """
    speed = abs(t.longitudinal_speed)
    rolling = rolling_share(speed)
    vx = rim_speed - t.longitudinal_speed if t.sticky_longitudinal == 0 else 0.0
    vy = -t.lateral_speed if t.sticky_lateral == 0 else 0.0
    u, w.kappa[i] = 0.0, vx / slip_denominator(speed)
    if w.sigma_x[i] > 0.0:
        present = present_slip(vx, speed)
        max_slip = slip_limit(p.peak_slip, w.m[i], present, rolling)
        z = speed * dt / w.sigma_x[i]
        u = relaxed_deflection(t.longitudinal_deflection, vx, z, elementary.exp(-z), w.sigma_x[i], dt, max_slip)
        w.kappa[i] = tread_slip(u / w.sigma_x[i], max_slip, vx, present, rolling)
    v, w.a[i] = 0.0, p.mirror * vy / slip_denominator(speed)
    if w.sigma_y[i] > 0.0:
        present = present_slip(vy, speed)
        max_slip = slip_limit(p.peak_tangent, w.m[i], present, rolling)
        z = speed * dt / w.sigma_y[i]
        decay = elementary.exp(-z)
        v = relaxed_deflection(t.lateral_deflection, vy, z, decay, w.sigma_y[i], dt, max_slip)
        w.g[i] += (p.mirror * t.transient_camber - w.g[i]) * decay
        w.a[i] = p.mirror * tread_slip(v / w.sigma_y[i], max_slip, vy, present, rolling)
    store_deflection(t, u, v, p.mirror * w.g[i])
    damping_share, damping = damper_share(speed), limited_damping(p.damping_x, p.spin_mass, dt)
    w.kappa[i] += damping_share * damping * vx / mf62.nonzero(w.kx[i])
    w.a[i] += damping_share * p.damping_y * p.mirror * vy / mf62.nonzero(w.ky[i])
