"""Figures of a vehicle that the tuning guide judges, computed from its parameters.

Spring (per wheel, rate k, damping c, sprung mass m): natural frequency sqrt(k / m) in rad/s, damping ratio
c / (2 sqrt(k m)), compression at rest m g / k (less with a preload), alpha = sqrt(m / k) / step.

Drive (engine torque T, overall ratio i, efficiency e, radius r of the driven wheels): F(v) = e T(omega) i / r in the
best gear, with omega = v i / r, limited by grip times the load on the driven wheels; effective mass
m + sum I / r^2 + I_engine (i / r)^2. At low speed the clutch slips and the engine turns at LAUNCH_SHARE of max_omega.

Losses at a speed v: air 1/2 rho A v^2 with the drag area A, rolling resistance times load, wheels sum d v / r^2, engine
(d omega + friction) i / r, with the damping d of each; axle friction and body damping where the vehicle has them.

Level ground and no slip are assumed; a launch's first tenths of a second are not modelled.
"""

import math
from typing import TYPE_CHECKING

import numpy as np

from driving_sandbox.physics.base.record import field_names
from driving_sandbox.physics.differential.geared import wheel_ratios
from driving_sandbox.physics.shape.hull import box_inertia as inertia_of_box

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

AXLE_GAP = 0.1  # m; wheels less far apart along the vehicle are on one axle (some cars have unequal wheelbases)
FASTEST = 250.0  # m/s, above the top speed of any car on the road
LAUNCH_SHARE = 0.4  # of the engine's max_omega, its speed while the clutch slips in a launch
REFERENCE_STEP = 1.0 / 240.0 / 4.0  # s, substep of a world with the default tick and substeps

FORMULA_NAMES = {  # {parameter of a combined_slip tire: its adjustable equivalent on an mf_62 tire}
    "lateral_stiffness": "cornering_stiffness_factor", "longitudinal_stiffness": "slip_stiffness_factor",
    "friction_versus_slip": "longitudinal_grip", "rolling_resistance": "rolling_factor",
}  # fmt: skip


def tire_path(vehicle: "Vehicle", wheel: str, name: str) -> str:
    """Path of the parameter of a wheel's tire that is equivalent to `name` of a combined_slip tire."""
    factor = FORMULA_NAMES[name]
    return f"tire.{wheel}.{factor if has(vehicle, 'tire', factor) else name}"


def has(vehicle: "Vehicle", slot: str, name: str | None = None) -> bool:
    """True if the vehicle has the slot and, where given, the parameter in it."""
    names = field_names(vehicle.params.dtype)
    return slot in names and (name is None or name in field_names(vehicle.params[slot].dtype))


def wheel_values(vehicle: "Vehicle", slot: str, name: str) -> np.ndarray:
    """[n] values of a per-wheel parameter."""
    return vehicle.params[slot][0][name][: vehicle.wheel_count]


def value(vehicle: "Vehicle", slot: str, name: str, default: float = 0.0) -> float:
    """Value of a parameter that is a number, or the default where the vehicle has no such parameter."""
    return float(vehicle.params[slot][0][name]) if has(vehicle, slot, name) else default


def gravity(vehicle: "Vehicle") -> float:
    """Gravitational acceleration, m/s^2."""
    return float(np.linalg.norm(vehicle.context["gravity"][0]))


def numbers(vehicle: "Vehicle", slot: str, name: str) -> np.ndarray:
    """[n] values of a parameter that is a list of numbers."""
    block = vehicle.params[slot][0][name]
    return block["values"][: int(block["count"])]


def curve(vehicle: "Vehicle", slot: str, name: str) -> tuple[np.ndarray, np.ndarray]:
    """(x, y) of a parameter that is a curve, [n] each."""
    block = vehicle.params[slot][0][name]
    return block["x"][: int(block["count"])], block["y"][: int(block["count"])]


def response_at(vehicle: "Vehicle", name: str, speed: float) -> float:
    """Factor on a full command at a speed (m/s), from the response table `name`; 1 without a table."""
    rows = vehicle.get(f"response.{name}") if has(vehicle, "response", name) else []
    if not rows:
        return 1.0
    points = np.array(rows[-1][1])  # [speed, response] of the largest command
    return float(np.interp(speed, points[:, 0], points[:, 1]))


# ---- suspension and body


def springs(vehicle: "Vehicle", step: float = REFERENCE_STEP) -> dict[str, np.ndarray]:
    """Spring figures, {name: [n] per wheel}.

    frequency  natural frequency, rad/s
    ratio      damping ratio
    load       weight of the sprung mass, N; without wheel and hub where they are a mass of their own
    rest       compression at rest, m; a preload carries its part of the load without compression
    alpha      1 / (natural frequency times `step`), dimensionless; `step`: substep of the world, s
    """
    stiffness = wheel_values(vehicle, "suspension", "stiffness")
    damping = wheel_values(vehicle, "suspension", "damping")
    hubs = wheel_values(vehicle, "suspension", "hub_mass") if has(vehicle, "suspension", "hub_mass") else 0.0
    mass = np.maximum(wheel_values(vehicle, "suspension", "supported_mass") - hubs, 1e-9)
    frequency = np.sqrt(stiffness / mass)
    ratio = damping / (2.0 * np.sqrt(stiffness * mass))
    preload = wheel_values(vehicle, "suspension", "preload") if has(vehicle, "suspension", "preload") else 0.0
    load = mass * gravity(vehicle)
    rest = np.maximum(load - preload, 0.0) / stiffness
    return {"frequency": frequency, "ratio": ratio, "load": load, "rest": rest, "alpha": 1.0 / (frequency * step)}


def box_inertia(vehicle: "Vehicle") -> np.ndarray:
    """Pitch, roll and yaw inertia of the vehicle's mass as a homogeneous box around its collision parts, kg m^2.

    Without collision parts, the box is `body.box_size`.
    """
    size = vehicle.params["body"][0]["box_size"]
    parts = vehicle.geometry.parts if vehicle.geometry is not None else {}
    if parts:
        points = np.concatenate(list(parts.values()))
        size = points.max(axis=0) - points.min(axis=0)
    return inertia_of_box(value(vehicle, "body", "mass"), size)


def rest_loads(vehicle: "Vehicle") -> np.ndarray:
    """[n] static wheel loads, N."""
    return wheel_values(vehicle, "suspension", "supported_mass") * gravity(vehicle)


def axles(vehicle: "Vehicle") -> list[np.ndarray]:
    """[indices of its wheels] of every axle, front axle first."""
    ahead = wheel_values(vehicle, "suspension", "attachment")[:, 1]
    order = np.argsort(-ahead, kind="stable")
    return np.split(order, np.flatnonzero(-np.diff(ahead[order]) > AXLE_GAP) + 1)


# ---- drive


def torque_shares(vehicle: "Vehicle") -> np.ndarray:
    """[n] share of the drive torque at each wheel, with a sum of 1; zeros when no wheel is driven."""
    if has(vehicle, "direct_drive", "max_torque"):
        raw = np.abs(wheel_values(vehicle, "direct_drive", "max_torque"))
    elif has(vehicle, "differential", "torque_ratio"):
        raw = np.abs(wheel_values(vehicle, "differential", "torque_ratio"))
    elif has(vehicle, "differential", "driving"):
        raw = wheel_values(vehicle, "differential", "driving").astype(float)
    elif has(vehicle, "differential", "rear_ratio"):
        raw = wheel_ratios(vehicle.params["differential"][0], vehicle.wheel_count)
    else:
        raw = np.zeros(vehicle.wheel_count)
    total = raw.sum()
    return raw / total if total > 0.0 else raw


def driven_radius(vehicle: "Vehicle") -> float:
    """Mean radius of the driven wheels, m, weighted by torque; of all wheels when none is driven."""
    radius, shares = wheel_values(vehicle, "wheel", "radius"), torque_shares(vehicle)
    return float(radius @ shares) if shares.sum() > 0.0 else float(radius.mean())


def forward_ratios(vehicle: "Vehicle") -> np.ndarray:
    """Overall ratios (engine speed divided by wheel speed) of the forward gears; [1] without a gearbox."""
    if not has(vehicle, "gearbox"):
        return np.array([1.0])
    ratios, neutral = numbers(vehicle, "gearbox", "ratios"), int(value(vehicle, "gearbox", "neutral_gear"))
    geared = has(vehicle, "differential", "rear_ratio")
    # The differential's input turns at the sum of wheel speeds times wheel ratios; here all wheel speeds are equal.
    axle = wheel_ratios(vehicle.params["differential"][0], vehicle.wheel_count).sum() if geared else 1.0
    return ratios[neutral + 1 :] * value(vehicle, "gearbox", "final_ratio") * axle


def forward_efficiencies(vehicle: "Vehicle") -> np.ndarray:
    """Driveline efficiency in each forward gear, in the order of `forward_ratios`."""
    count = len(forward_ratios(vehicle))
    if not has(vehicle, "gearbox", "efficiency"):
        return np.ones(count)
    gears = numbers(vehicle, "gearbox", "efficiency")  # one for all gears or one for each, reverse and neutral first
    return np.broadcast_to(gears[-count:], count) * value(vehicle, "gearbox", "final_efficiency")


def engine_torque(vehicle: "Vehicle", omega: float | np.ndarray) -> float | np.ndarray:
    """Full-throttle torque before engine damping, N m, at an engine speed, rad/s."""
    x, y = curve(vehicle, "engine", "torque_curve")
    return value(vehicle, "engine", "peak_torque") * np.interp(omega / value(vehicle, "engine", "max_omega"), x, y)


def effective_mass(vehicle: "Vehicle", ratio: float) -> float:
    """Mass plus equivalent mass of the rotating parts, kg, in a gear with an overall ratio."""
    radius = wheel_values(vehicle, "wheel", "radius")
    rotating = float((wheel_values(vehicle, "wheel", "inertia") / radius**2).sum())
    engine = value(vehicle, "engine", "inertia") * (ratio / driven_radius(vehicle)) ** 2
    return value(vehicle, "body", "mass") + rotating + engine


def resistances(
    vehicle: "Vehicle", speed: float, omega: float = 0.0, ratio: float = 0.0, throttle: float = 0.0
) -> dict[str, float]:
    """{name: force in N} of the resistances to motion at a speed.

    Args:
        speed: speed, m/s.
        omega: engine speed, rad/s.
        ratio: overall ratio of the gear, 0 for none.
        throttle: 0..1.
    """
    radius, load = wheel_values(vehicle, "wheel", "radius"), rest_loads(vehicle)
    closed = value(vehicle, "engine", "damping_zero_throttle_clutch_engaged")
    damping = closed + (value(vehicle, "engine", "damping_full_throttle") - closed) * throttle
    damping += value(vehicle, "engine", "braking") * (1.0 - throttle)
    friction = value(vehicle, "engine", "friction")
    # of mf_62 tires a derived number, for low speed
    rolling = wheel_values(vehicle, "tire", "rolling_resistance") if has(vehicle, "tire", "rolling_resistance") else 0.0
    density = float(vehicle.context["air_density"][0])
    optional = {}
    if has(vehicle, "brakes", "axle_friction"):
        optional["axle friction"] = float((wheel_values(vehicle, "brakes", "axle_friction") / radius).sum())
    if has(vehicle, "driving_state", "damping_vehicle"):
        damped = value(vehicle, "driving_state", "damping_vehicle") * value(vehicle, "body", "mass")
        optional["body damping"] = damped * speed
    return {
        **optional,
        "engine damping": (damping * omega + friction) * ratio / driven_radius(vehicle),
        "wheel damping": float((wheel_values(vehicle, "wheel", "damping") / radius**2).sum()) * speed,
        "rolling resistance": float(np.sum(rolling * load)),
        "air drag": 0.5 * density * drag_area(vehicle) * speed * speed,
    }


def drag_area(vehicle: "Vehicle") -> float:
    """Frontal area times drag coefficient, m^2: the aero component's `drag_area`, or the product of the two."""
    area = value(vehicle, "aero", "area") or value(vehicle, "aero", "frontal_area")
    return value(vehicle, "aero", "drag_area", area * value(vehicle, "aero", "drag_coefficient"))


def motor_force(vehicle: "Vehicle", speed: float) -> float:
    """Force at the ground of the motors of a direct drive at full torque and a speed, m/s, without slip, N."""
    force = np.abs(wheel_values(vehicle, "direct_drive", "max_torque") / wheel_values(vehicle, "wheel", "radius"))
    if has(vehicle, "direct_drive", "power"):
        power = wheel_values(vehicle, "direct_drive", "power")
        force = np.where((power > 0.0) & (force * speed > power), power / max(speed, 1e-9), force)  # 1e-9: at rest
    return float(force.sum())


def best_acceleration(
    vehicle: "Vehicle", speed: float, gear: int | None = None, grip: float = 1.0
) -> tuple[float, int]:
    """(acceleration in m/s^2, gear) at full throttle, resistances subtracted, in the best gear or in `gear`.

    Gears are indices into `forward_ratios`. (-inf, 0) when no gear allows the speed, (0, 0) without engine or motors.
    `grip` is the friction coefficient of the driven wheels.
    """
    grip_limit = grip * float(rest_loads(vehicle)[torque_shares(vehicle) > 0.0].sum())
    radius = driven_radius(vehicle)
    if has(vehicle, "direct_drive", "max_torque"):
        force = motor_force(vehicle, speed) * response_at(vehicle, "throttle_table", speed)
        net = min(force, grip_limit) - sum(resistances(vehicle, speed).values())
        return net / effective_mass(vehicle, 0.0), 0
    if not has(vehicle, "engine", "peak_torque"):
        return 0.0, 0
    best = (-math.inf, 0)
    top = value(vehicle, "engine", "max_omega")
    efficiencies = forward_efficiencies(vehicle)
    for k, ratio in enumerate(forward_ratios(vehicle)):
        if gear not in (None, k) or speed * ratio / radius > top:
            continue
        omega = max(speed * ratio / radius, LAUNCH_SHARE * top)
        force = min(efficiencies[k] * engine_torque(vehicle, omega) * ratio / radius, grip_limit)
        net = force - sum(resistances(vehicle, speed, omega, ratio, throttle=1.0).values())
        best = max(best, (net / effective_mass(vehicle, ratio), k))
    return best


def geared_top_speed(vehicle: "Vehicle") -> float | None:
    """Speed at the engine's max_omega in top gear, m/s; None without an engine or forward gears."""
    ratios = forward_ratios(vehicle)
    if not has(vehicle, "engine", "max_omega") or len(ratios) == 0:
        return None
    return value(vehicle, "engine", "max_omega") * driven_radius(vehicle) / float(ratios.min())


def powered_top_speed(vehicle: "Vehicle") -> float | None:
    """Speed at which the resistances take the engine's peak power, m/s, with a gear that fits, less the gears' losses.

    None without an engine, without power, or above FASTEST.
    """
    if not has(vehicle, "engine", "torque_curve"):
        return None
    omega = np.linspace(0.05, 1.0, 96) * value(vehicle, "engine", "max_omega")
    power = engine_torque(vehicle, omega) * omega
    k, radius = int(np.argmax(power)), driven_radius(vehicle)
    available = float(power[k]) * float(forward_efficiencies(vehicle)[-1])

    def spare(speed: float) -> float:
        """Power that the resistances leave at a speed (m/s), W."""
        forces = resistances(vehicle, speed, float(omega[k]), float(omega[k]) * radius / speed, throttle=1.0)
        return available - sum(forces.values()) * speed

    low, high = 1.0, FASTEST
    if not spare(low) > 0.0 or spare(high) > 0.0:
        return None
    while high - low > 0.01:  # m/s
        middle = 0.5 * (low + high)
        low, high = (middle, high) if spare(middle) > 0.0 else (low, middle)
    return low


def time_to(vehicle: "Vehicle", speed: float, time_limit: float = 120.0) -> float:
    """Time from rest to a speed (m/s) at full throttle, gear changes included, s; inf beyond `time_limit`."""
    total, reached, gear, step = 0.0, 0.0, None, speed / 50.0
    while reached < speed:
        acceleration, best_gear = best_acceleration(vehicle, reached + 0.5 * step)
        if acceleration <= 1e-3:
            return math.inf
        if gear is not None and best_gear != gear:
            total += value(vehicle, "gearbox", "switch_time")
        gear, reached, total = best_gear, reached + step, total + step / acceleration
        if total > time_limit:
            return math.inf
    return total


def coasting(vehicle: "Vehicle", speed: float = 20.0) -> tuple[float, dict[str, float]]:
    """(deceleration in m/s^2, {name: force in N}) when coasting in gear at a speed, m/s.

    The gear is the one that brings the engine nearest to half of its max_omega.
    """
    radius, top = driven_radius(vehicle), value(vehicle, "engine", "max_omega")
    ratio = min(forward_ratios(vehicle), key=lambda r: abs(speed * r / radius - 0.5 * top)) if top > 0.0 else 0.0
    omega = max(min(speed * ratio / radius, top), value(vehicle, "engine", "idle_omega"))
    forces = resistances(vehicle, speed, omega, ratio)
    return sum(forces.values()) / effective_mass(vehicle, ratio), forces


def power_shares(vehicle: "Vehicle") -> dict[str, float]:
    """{name: share} of peak power that each resistance takes, at its engine speed with the median forward ratio."""
    omega = np.linspace(0.05, 1.0, 96) * value(vehicle, "engine", "max_omega")
    power = engine_torque(vehicle, omega) * omega
    peak, ratio = int(np.argmax(power)), float(np.median(forward_ratios(vehicle)))
    if power[peak] <= 0.0:
        return {}
    speed = omega[peak] / ratio * driven_radius(vehicle)
    forces = resistances(vehicle, speed, omega[peak], ratio, throttle=1.0)
    return {name: force * speed / power[peak] for name, force in forces.items()}


def spin_up_time(vehicle: "Vehicle") -> float:
    """Time from idle to 95 % of max_omega in neutral at full throttle, s; inf when it is never reached."""
    omega = np.linspace(value(vehicle, "engine", "idle_omega"), 0.95 * value(vehicle, "engine", "max_omega"), 200)
    net = engine_torque(vehicle, omega) - value(vehicle, "engine", "damping_full_throttle") * omega
    if np.any(net <= 0.0):
        return math.inf
    return float(np.trapezoid(value(vehicle, "engine", "inertia") / net, omega))
