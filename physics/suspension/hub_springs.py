"""Spring, damper and bump stop of a hub, its tire as a spring, and the jounce that the road requires of it."""

from typing import Any

from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import vec3
from driving_sandbox.physics.suspension.roll_centre import bump_stop_force
from driving_sandbox.physics.suspension.suspension import (
    IN_AIR,
    MAX_DAMPER_SPEED,
    RAY,
    SHALLOWEST,
    ray_depth,
    sweep_depth,
)
from driving_sandbox.physics.wheel.wheel import hub_axes, wheel_centre

RIM_STIFFNESS = 10.0  # stiffness of the rim on the road, per tire stiffness: stops a hub of 40 kg at 4 m/s in 20 mm
MIN_PATH = 1e-7  # m, shortest path with a difference of energies; on shorter ones rounding would be felt
AIR, TIRE, RIM = 0, 1, 2  # what carries a wheel at some deflection


@inline_kernel
def limited_rate(rate: float, speed: float) -> Any:
    """A damper's rate, N s/m, reduced above MAX_DAMPER_SPEED so that its force no longer grows. speed: m/s."""
    return rate * MAX_DAMPER_SPEED / abs(speed) if abs(speed) > MAX_DAMPER_SPEED else rate


@inline_kernel
def damping_rate(p: Any, speed: float) -> Any:
    """Rate of the suspension's damper at a jounce speed (m/s), N s/m."""
    rate = p.bump_damping if speed > 0.0 else p.rebound_damping
    return limited_rate(rate if rate > 0.0 else p.damping, speed)


@kernel
def linear_spring(p: Any, jounce: float, speed: float) -> Any:
    """(force at zero jounce, stiffness, damping) of the suspension, linearised about a jounce and its speed."""
    stiffness = p.stiffness
    depth = jounce - p.travel + p.bump_stop_length
    if depth > 0.0 and p.bump_stop_length > 0.0:
        stiffness += p.bump_stop_stiffness * depth / p.bump_stop_length
    static = p.preload + p.stiffness * jounce + bump_stop_force(p, jounce)
    return static - stiffness * jounce, stiffness, damping_rate(p, speed)


@kernel
def required_jounce(p: Any, wheel_p: Any, steer: float, road: Any, origin: Any, m: Any, direction: Any) -> Any:
    """(whether the road can carry the wheel, J in m, n.u of unsprung.py). m: matrix of the body's orientation.

    A hub that moves sideways is under its attachment at its rest jounce.
    """
    normal = vec3.load(road.normal)
    sideways = p.lateral_ratio * vec3.dot(normal, (m[0][0], m[1][0], m[2][0]))
    along = sideways - vec3.dot(normal, direction)
    if road.hit == 0 or along < SHALLOWEST:
        return False, -IN_AIR, 1.0
    centre = vec3.add(origin, vec3.transform(m, wheel_centre(p, wheel_p, p.travel, 0.0, steer)))
    if p.jounce_query == RAY:
        depth = ray_depth(normal, road.offset, centre, direction, p.used_free_radius)
    else:
        axle, _ = hub_axes(p, wheel_p, 0.0, steer)
        axle = vec3.transform(m, axle)
        depth = sweep_depth(normal, road.offset, centre, axle, p.used_free_radius, wheel_p.half_width)
    return True, (p.rest_jounce * sideways - depth) / along, along


@kernel
def balance(p: Any, required: float, along: float, load: float) -> Any:
    """Jounce of a hub at rest between its springs, m. required, along: of `required_jounce`. load: on the hub, N."""
    tire = p.tire_rate * along * along if required > 0.0 else 0.0
    static, stiffness, _ = linear_spring(p, 0.0, 0.0)
    jounce = (tire * required + load - static) / (tire + stiffness)
    return min(max(jounce, 0.0), min(p.travel, max(required, 0.0)))


@inline_kernel
def stays_attached(p: Any, deflection: float) -> Any:
    """Whether a tire with `tire_pulls` still pulls on the road. deflection: m, negative for a gap."""
    return p.tire_pulls != 0 and deflection > -p.tire_depth


@kernel
def update_deflection(p: Any, s: Any, required: float, rate: float, along: float) -> None:
    """Update a tire's deflection between its hub's new position and the road's `required` jounce."""
    s.road_jounce = required
    s.tire_deflection = (required - s.jounce) * along
    s.deflection_speed = (rate - s.jounce_speed) * along
    s.on_ground = 1 if s.tire_deflection > 0.0 or stays_attached(p, s.tire_deflection) else 0
    s.separation = 0.0
    if s.on_ground == 0:
        s.separation = -s.tire_deflection
    elif s.jounce >= p.travel:
        s.separation = min(0.0, p.tire_depth - s.tire_deflection)
    s.limit_gap = s.separation if s.separation < 0.0 else p.travel  # the hub's own stop takes precedence
    s.jounce_known = 1


@kernel
def tire_spring_force(p: Any, s: Any) -> Any:
    """Force of the tire's spring and damper along the road normal, N."""
    if s.on_ground == 0:
        return 0.0
    damping = limited_rate(p.tire_damping, s.deflection_speed)
    push = p.tire_rate * min(s.tire_deflection, p.tire_depth) + damping * s.deflection_speed
    return push if p.tire_pulls != 0 else max(0.0, push)


@inline_kernel
def carrier(p: Any, deflection: float, pulls: Any) -> Any:
    """What carries a wheel at a deflection (m): AIR, TIRE or RIM. pulls: whether its tire may pull on the road."""
    if deflection > p.tire_depth:
        return RIM
    return TIRE if pulls or deflection > 0.0 else AIR


@kernel
def mean_tire_force(p: Any, start: float, end: float, pulls: Any) -> Any:
    """(mean force of the tire's spring and rim from deflection `start` to `end`, N; its change per metre of `end`).

    The mean is the difference of their energies per path, so that a step with it keeps the energy, also where the tire
    meets the road or the rim does.
    """
    first, last = carrier(p, start, pulls), carrier(p, end, pulls)
    if first == last and last != RIM:
        rate = p.tire_rate if last == TIRE else 0.0
        return 0.5 * rate * (start + end), 0.5 * rate
    if abs(end - start) < MIN_PATH:
        end = start + MIN_PATH
    energy, force = tire_energy(p, end, pulls)
    start_energy, _ = tire_energy(p, start, pulls)
    mean = (energy - start_energy) / (end - start)
    return mean, max(0.0, (force - mean) / (end - start))


@kernel
def tire_energy(p: Any, deflection: float, pulls: Any) -> Any:
    """(energy of tire and rim, J; their force, N) at a deflection, m."""
    carried_by = carrier(p, deflection, pulls)
    if carried_by == AIR:
        return 0.0, 0.0
    energy, force = 0.5 * p.tire_rate * deflection * deflection, p.tire_rate * deflection
    if carried_by == RIM:
        depth, rate = deflection - p.tire_depth, RIM_STIFFNESS * p.tire_rate
        energy, force = energy + 0.5 * rate * depth * depth, force + rate * depth
    return energy, force


@inline_kernel
def touching_share(start: float, end: float) -> Any:
    """Share of the path from deflection `start` to `end` on which the tire touches the road."""
    low, high = min(start, end), max(start, end)
    if low >= 0.0:
        return 1.0
    return 0.0 if high <= 0.0 else high / (high - low)


@inline_kernel
def bump_stop_depth(p: Any, jounce: float) -> Any:
    """Compression of the bump stop at a jounce, m."""
    return max(0.0, jounce - p.travel + p.bump_stop_length)


@kernel
def mean_spring_force(p: Any, start: float, end: float) -> Any:
    """(mean force of spring and bump stop from jounce `start` to `end`, N; its change per metre of `end`).

    As in `mean_tire_force`.
    """
    mean, slope = p.preload + 0.5 * p.stiffness * (start + end), 0.5 * p.stiffness
    if p.bump_stop_length <= 0.0:
        return mean, slope
    first, last = bump_stop_depth(p, start), bump_stop_depth(p, end)
    if first > 0.0 or last > 0.0:
        factor, path = p.bump_stop_stiffness / (6.0 * p.bump_stop_length), end - start
        if first > 0.0 and last > 0.0:
            mean += factor * (first * first + first * last + last * last)
            slope += factor * (first + 2.0 * last)
        else:
            stop = factor * (last * last * last - first * first * first) / path
            mean += stop
            slope += max(0.0, (3.0 * factor * last * last - stop) / path)
    return mean, slope


@inline_kernel
def damping_weight(damping: float, mass: float) -> Any:
    """Weight of the speed after a step in the mean speed of a damper, from 1/2 for slow decays to 1 for fast ones.

    damping: h c, kg. mass: m, kg. It is nearly that of an exact exponential decay, 1 / (1 - exp(-h c / m)) - m / (h c).
    """
    return (3.0 * mass + damping) / (6.0 * mass + damping)
