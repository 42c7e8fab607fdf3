"""Checks at load time: brakes, thresholds of the anti-lock brakes, grip of the tires.

With two axles at the distance L, the height h of the centre of mass above the road and a deceleration z g (z: braking
rate), the front axle carries the load N_f = N_f0 + z W h / L and the rear one N_r = N_r0 - z W h / L, W: weight. An
axle with the brake force F uses the part F / (mu N) of its tires' grip; the axle that uses more locks first. Both use
the same if the front brakes have the share mu_f N_f / (mu_f N_f + mu_r N_r) of the force, which grows with z.
Aerodynamic loads and the engine's braking are left out.

Sources: UN Regulation 13-H, annex 5: the front axle uses more adhesion than the rear one at braking rates from 0.15 to
0.8; Limpert, Brake Design and Safety, ch. 7. Each check takes a vehicle and the substep (s) of its world, and yields
Advice.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from driving_sandbox.lab.advisor.advice import Advice, advise
from driving_sandbox.lab.advisor.figures import axles, gravity, has, rest_loads, tire_path, value, wheel_values
from driving_sandbox.lab.advisor.load_body import each, hitched
from driving_sandbox.lab.advisor.load_parts import ground_height
from driving_sandbox.lab.advisor.tire_peaks import peak_frictions, peak_slips
from driving_sandbox.physics.assists.wheel_speeds import AXLES
from driving_sandbox.physics.brakes.hydraulic import at_pedal

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

BRAKING_RATE = 0.8  # deceleration / gravity at which the balance is judged, the largest in the regulation
INVERSION = 0.05  # of its grip, by which the rear axle may use more; UN Regulation 13 allows as much at some rates
SPARE = 0.95  # proposed rear torque as a share of the largest one with which the front axle locks first
MIN_USE = 0.7  # smallest share of the tires' grip that full pedal uses without advice; 0.9 to 1 is usual
FULL_USE = 0.9  # the same if no wheel locks; with more, only the last tenth of the grip is missing
WINDOW = (0.5, 2.0)  # slip of the anti-lock thresholds / slip of the tires' peak; usual is about 1
GRIP = (0.6, 1.6)  # peak friction without advice; road tires 0.9 to 1.1 on dry asphalt, racing tires up to 1.6
ITERATIONS = 30  # of the braking rate, whose error shrinks to under a half in each


def axle_loads(vehicle: "Vehicle", wheels: list[np.ndarray], rate: float) -> np.ndarray:
    """[2] loads of the axles at a braking rate, N. wheels: indices of the wheels of the front and of the rear axle."""
    load, ahead = rest_loads(vehicle), wheel_values(vehicle, "suspension", "attachment")[:, 1]
    rest = np.array([load[axle].sum() for axle in wheels])
    base = float(ahead[wheels[0]].mean() - ahead[wheels[1]].mean())
    height = float(vehicle.params["body"][0]["centre_of_mass"][2]) - ground_height(vehicle)
    transfer = rate * float(load.sum()) * height / base
    return np.maximum(rest + np.array([transfer, -transfer]), 0.0)


def braked_axles(vehicle: "Vehicle") -> tuple[list[np.ndarray], np.ndarray] | None:
    """([indices of the wheels of each axle], [n] brake force of each wheel at full pedal, N).

    None without service brakes, two axles, gravity or known tires, or where a hitch at the front carries weight.
    """
    wheels = axles(vehicle)
    if not has(vehicle, "brakes", _strength_name(vehicle)) or len(wheels) != 2 or hitched(vehicle, "hitch_front"):
        return None
    if not gravity(vehicle) > 0.0 or not np.isfinite(peak_frictions(vehicle)).all():
        return None
    return wheels, brake_forces(vehicle, 1.0)


def brake_forces(vehicle: "Vehicle", pedal: float) -> np.ndarray:
    """[n] brake force of each wheel with the pedal at 0..1, N, once hydraulic lines have built up their pressure."""
    name = _strength_name(vehicle)
    if name == "piston_area":
        torque = at_pedal(vehicle.params["brakes"][0][: vehicle.wheel_count], pedal)[1]
    else:
        torque = pedal * wheel_values(vehicle, "brakes", name)
    return torque / wheel_values(vehicle, "wheel", "radius")


def _strength_name(vehicle: "Vehicle") -> str:
    """Name of the parameter of a wheel that its brake torque is in proportion to."""
    return next((name for name in ("piston_area", "max_torque") if has(vehicle, "brakes", name)), "brake_torque")


def _pedal_at(vehicle: "Vehicle", force: float) -> float:
    """Pedal position, 0..1, at which the brakes have a force, N; 1 if full pedal has less."""
    low, high = 0.0, 1.0
    if float(brake_forces(vehicle, high).sum()) <= force:
        return high
    for _ in range(ITERATIONS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if float(brake_forces(vehicle, middle).sum()) > force else (middle, high)
    return high


def _aided(vehicle: "Vehicle") -> bool:
    """Whether anti-lock brakes or electronic brakeforce distribution keep the rear wheels from locking."""
    return any(value(vehicle, slot, "enable") != 0.0 for slot in ("abs", "brake_distribution"))


def wheel_limits(vehicle: "Vehicle", wheels: list[np.ndarray], rate: float) -> np.ndarray:
    """[n] largest brake force that each tire transmits at a braking rate on dry asphalt, N. wheels: as `axle_loads`."""
    load = np.zeros(vehicle.wheel_count)
    for axle, total in zip(wheels, axle_loads(vehicle, wheels, rate), strict=True):
        load[axle] = total / len(axle)
    return load * peak_frictions(vehicle, load)[:, 0]


def brake_balance(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """The rear axle locks first at BRAKING_RATE, and no driving aid prevents that."""
    braked = braked_axles(vehicle)
    if braked is None or _aided(vehicle):
        return
    wheels, _ = braked
    wheel_force = brake_forces(vehicle, _pedal_at(vehicle, BRAKING_RATE * float(rest_loads(vehicle).sum())))
    front, rear = (float(wheel_force[axle].sum()) for axle in wheels)
    limits = wheel_limits(vehicle, wheels, BRAKING_RATE)
    front_limit, rear_limit = (max(float(limits[axle].sum()), 1.0) for axle in wheels)  # 1 N: finite without load
    if rear / rear_limit - front / front_limit <= INVERSION:
        return
    text = (
        f"the front brakes have {100.0 * front / (front + rear):.0f} % of the force; at {BRAKING_RATE:g} g both axles "
        f"would lock together with {100.0 * front_limit / (front_limit + rear_limit):.0f} %, usual are this or more"
    )
    name = _strength_name(vehicle)
    factor = SPARE * front * rear_limit / (front_limit * rear)
    changes = {f"brakes.{vehicle.wheel_names[i]}.{name}": float(f"{factor * strength:.5g}")
               for i, strength in enumerate(wheel_values(vehicle, "brakes", name)) if i in wheels[1]}  # fmt: skip
    yield advise("brake_balance", text, next(iter(changes)), changes if front > 0.0 else None)


def full_braking(vehicle: "Vehicle", wheels: list[np.ndarray], wheel_force: np.ndarray) -> tuple[float, np.ndarray]:
    """(braking rate at full pedal, [n] `wheel_limits` at that rate), steady, on dry asphalt.

    wheels, wheel_force: as `braked_axles` returns them.
    """
    weight, rate = float(rest_loads(vehicle).sum()), 0.0
    for _ in range(ITERATIONS):
        braking = np.minimum(wheel_force, wheel_limits(vehicle, wheels, rate))
        rate = 0.5 * (rate + float(braking.sum()) / weight)
    return rate, wheel_limits(vehicle, wheels, rate)


def brake_strength(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """Full pedal locks no wheel on dry asphalt, or uses little of the tires' grip."""
    braked = braked_axles(vehicle)
    if braked is None:
        return
    wheels, wheel_force = braked
    rate, limits = full_braking(vehicle, wheels, wheel_force)
    g, grip = gravity(vehicle), float(limits.sum()) / float(rest_loads(vehicle).sum())
    locks = bool((wheel_force >= limits).any())
    if rate >= (MIN_USE if locks else FULL_USE) * grip:
        return
    text = (
        f"full pedal gives {rate * g:.1f} m/s^2 and locks {'a' if locks else 'no'} wheel; the tires' grip allows "
        f"{grip * g:.1f} m/s^2 on dry asphalt, of which 90 to 100 % are usual"
    )
    weakest = int(np.argmin(wheel_force / np.maximum(limits, 1.0)))  # 1 N: finite without load
    yield advise("brake_strength", text, f"brakes.{vehicle.wheel_names[weakest]}.{_strength_name(vehicle)}")


def abs_window(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """A slip at which the anti-lock brakes act is far from that of the tires' peak.

    A ratio r of ground to rim speed is a slip of 1 - 1 / r. In the mode `axles` the ratio of both axles is 1 whenever
    they slip alike, so that its lower threshold says nothing.
    """
    if not value(vehicle, "abs", "enable") or not has(vehicle, "tire"):
        return
    peaks = peak_slips(vehicle)
    if not np.isfinite(peaks).all():
        return
    best = float(np.median(peaks))
    if has(vehicle, "abs", "largest_slip"):
        thresholds = {"largest_slip": value(vehicle, "abs", "largest_slip")}
    else:
        names = ["max_velocity_ratio"] + ["min_velocity_ratio"] * (value(vehicle, "abs", "mode") != AXLES)
        thresholds = {name: 1.0 - 1.0 / max(value(vehicle, "abs", name), 1.0) for name in names}
    for name, slip in thresholds.items():
        low = slip < WINDOW[0] * best
        if low or (slip > WINDOW[1] * best and name != "largest_slip"):  # a search may well extend beyond the peak
            number = value(vehicle, "abs", name)
            ratio = "" if name == "largest_slip" else f", a ratio of {1.0 / (1.0 - min(best, 0.9)):.2f}"
            text = f"{number:.3g} is a slip of {slip:.3f}; the tires' peak is at {best:.3f}{ratio}, usual is near it"
            yield advise("abs_window", text, f"abs.{name}", action="raise" if low else "lower")


def tire_grip(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """The peak friction of a tire at its load at rest is unusual."""
    if not any(has(vehicle, "tire", name) for name in ("longitudinal_grip", "friction_versus_slip")):
        return
    friction, names = peak_frictions(vehicle), vehicle.wheel_names
    shown = lambda i: f"{names[i]}: {friction[i, 0]:.2f} along, {friction[i, 1]:.2f} across; usual are 0.9 to 1.1"  # noqa: E731
    low, high = friction.min(axis=1) < GRIP[0], friction.max(axis=1) > GRIP[1]
    for bad, action in ((low, "raise"), (high, "lower")):
        for name, text in each(vehicle, bad, shown):
            i = names.index(name)
            across = has(vehicle, "tire", "lateral_grip") and (friction[i, 1] < friction[i, 0]) == (action == "raise")
            path = f"tire.{name}.lateral_grip" if across else tire_path(vehicle, name, "friction_versus_slip")
            yield advise("tire_grip", text, path, action=action)


BRAKE_CHECKS = (brake_balance, brake_strength, abs_window, tire_grip)
