"""Motion of one wheel hub between the spring of its suspension and that of its tire.

While the tire touches the road,

    I z'' = k_t (J - z) + c_t (J' - z') - F - c z' + C

otherwise without the first two terms:

    z          jounce of the hub, upwards
    J          jounce at which the tire would be undeflected, so that its deflection is J - z
    I          effective mass of the hub along its travel
    k_t, c_t   stiffness and damping of the tire
    F          F_0 + k (z - z_0), force of the suspension spring, linearised about the present jounce z_0
    c          damping of the suspension
    C          sum of the constant forces along the travel

J is taken as linear over a step, so the equation has an exact solution, which `exact_step` uses: a hub of 10 kg on a
tire of 500 kN/m is stable at any step size and oscillates at its natural frequency. If the tire makes or loses contact
within a step, the step is split there.
"""

import math
from typing import Any

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.suspension.hub_springs import limited_rate, linear_spring, stays_attached


@inline_kernel
def free_response(stiffness: Any, damping: Any, inertia: Any, h: float) -> Any:
    """(C, S) of a free vibration y(h) = y(0) (C + g S) + y'(0) S, with g = damping / (2 inertia), for any damping.

    h: time, s.
    """
    g = 0.5 * damping / inertia
    square = stiffness / inertia - g * g
    if square > 0.0:
        rate, decay = math.sqrt(square), elementary.exp(-g * h)
        s, c = elementary.sincos(rate * h)
        return decay * c, decay * s / rate
    rate = math.sqrt(-square)
    slow, fast = elementary.exp((rate - g) * h), elementary.exp(-(rate + g) * h)
    if rate * h < 1e-6:  # near critical damping the difference of the exponentials would be all rounding error
        return slow, h * slow
    return 0.5 * (slow + fast), 0.5 * (slow - fast) / rate


@kernel
def exact_step(z: float, w: float, h: float, ramp: Any, tire: Any, spring: Any, inertia: Any) -> Any:
    """Jounce and its speed (z, w) after a time h.

    Args:
        z, w: jounce (m) and its speed (m/s) now.
        h: step, s.
        ramp: (J, J') now, m and m/s.
        tire: (k_t, c_t), N/m and N s/m; zeros in the air.
        spring: (C - F_0 + k z_0, k, c), N, N/m and N s/m.
        inertia: I, kg.
    """
    k, c = tire[0] + spring[1], tire[1] + spring[2]
    # particular solution start + slope t, then the free vibration about it
    slope = tire[0] * ramp[1] / k
    start = (tire[0] * ramp[0] + tire[1] * ramp[1] + spring[0] - c * slope) / k
    y, v = z - start, w - slope
    cosine, sine = free_response(k, c, inertia, h)
    g = 0.5 * c / inertia
    vibration = y * (cosine + g * sine) + v * sine
    speed = v * (cosine - g * sine) - k / inertia * y * sine
    return start + slope * h + vibration, slope + speed


@kernel
def advance(z: float, w: float, h: float, ramp: Any, tire: Any, spring: Any, inertia: Any, pulls: Any) -> Any:
    """(z, w) after a step in which the tire may meet or leave the road once. Arguments as in `exact_step`.

    pulls: whether the tire stays attached to the road even if stretched.
    """
    touches, air = pulls or ramp[0] > z, (0.0, 0.0)
    z1, w1 = exact_step(z, w, h, ramp, tire if touches else air, spring, inertia)
    deflection, end_deflection = ramp[0] - z, ramp[0] + ramp[1] * h - z1
    if pulls or (end_deflection > 0.0) == touches:
        return z1, w1
    time_to_change = h * deflection / (deflection - end_deflection)
    z, w = exact_step(z, w, time_to_change, ramp, tire if touches else air, spring, inertia)
    later_ramp = (ramp[0] + ramp[1] * time_to_change, ramp[1])
    return exact_step(z, w, h - time_to_change, later_ramp, air if touches else tire, spring, inertia)


@kernel
def move_hub(p: Any, s: Any, required: float, rate: float, along: float, dt: float) -> None:
    """Advance a hub by a step, within the ends of the travel and up to contact of the rim with the road.

    required: J at the end of the step, m. rate: J', m/s. along: cosine of the angle between road normal and suspension.
    The impulse of an impact at an end of the travel is left in `stop_impulse`, for the body in the next step.
    """
    if s.stop_impulse != 0.0:  # in this step the body took the hub's momentum, and the hub moved with it
        s.stop_impulse = 0.0
        return
    inertia = p.hub_mass * (1.0 + p.lateral_ratio * p.lateral_ratio)
    jounce_before, speed = s.jounce, s.jounce_speed
    static, stiffness, damping = linear_spring(p, jounce_before, speed)
    spring = (p.hub_mass * s.specific_force + s.external_force - static, stiffness, damping)
    along_squared = along * along
    tire = (p.tire_rate * along_squared, limited_rate(p.tire_damping, rate - speed) * along_squared)
    pulls = stays_attached(p, (required - jounce_before) * along)
    z, w = advance(jounce_before, speed, dt, (required - rate * dt, rate), tire, spring, inertia, pulls)
    depth = p.tire_depth / along
    if required - z > depth:  # the rim is on the road
        z, w = required - depth, max(w, rate)
    if z >= p.travel:
        # a hub that was at the stop before has no further impact
        s.stop_impulse = p.hub_mass * max(0.0, w) if jounce_before < p.travel else 0.0
        z, w = p.travel, min(w, 0.0)
    elif z <= 0.0:
        s.stop_impulse = p.hub_mass * min(0.0, w) if jounce_before > 0.0 else 0.0
        z, w = 0.0, max(w, 0.0)
    s.jounce, s.jounce_speed = z, w
