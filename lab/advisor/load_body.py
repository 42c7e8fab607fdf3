"""Checks at load time: body, suspension, wheels, tires, steering. Limits are the tuning guide's.

Each check takes a vehicle and the substep (s) of its world, and yields Advice.
"""

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from driving_sandbox.lab.advisor.advice import Advice, advise
from driving_sandbox.lab.advisor.figures import (
    axles,
    box_inertia,
    gravity,
    has,
    response_at,
    rest_loads,
    springs,
    value,
    wheel_values,
)
from driving_sandbox.physics.estimate.inertia import axle_distances
from driving_sandbox.physics.suspension.sprung_mass import sprung_masses
from driving_sandbox.physics.tick.context import GRAVITY

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

REFERENCE_RADIUS = 0.35  # m, a car's wheel
SCALE_FACTOR = 20.0  # tolerated ratio of vehicle scale to scene scale; inches (39) and smaller units exceed it
MIN_ALPHA = 5.0  # period of the spring's oscillation in substeps, divided by 2 pi
MIN_BUMP_TRAVEL = 0.01  # m of travel above the compression at rest
FREQUENCIES = (0.8, 4.0)  # Hz, natural frequencies without advice; road cars 1.0 to 2.5, racing cars up to 4
FRONT_OVER_REAR = 1.3  # largest front / rear natural frequency; usual is 0.8 to 1.0
DYNAMIC_INDEX = (0.7, 1.4)  # yaw inertia / (m a b) without advice; road cars 0.9 to 1.05 (physics/estimate/inertia.py)
ROLL_CENTRES = (-0.1, 0.3)  # m above the road, roll centres without advice; independent suspensions 0 to 0.15
RATIOS = (0.12, 2.0)  # damping ratios without advice
SUM_TOLERANCE = 0.05  # of the sum of the sprung masses, as a fraction of the mass
LOAD_TOLERANCE = 0.30  # of a wheel's sprung mass, as a fraction of the one that fits the centre of mass
MIN_LATERAL_CAR = 10.0  # 1/rad, lateral stiffness divided by rest load of a car's tire
MIN_LATERAL_HEAVY = 4.0  # 1/rad, the same of a lorry's tire; usually 5 to 7 (Pacejka, chapter 1)
HEAVY_LOAD = 15000.0  # N on a wheel, above which it has a lorry's tire
TEST_SPEED = 30.0  # m/s
STEER_MARGIN = 2.0  # times the angle that the front tires can use at the test speed
# A response.steer_table: rows of [command, [[speed in m/s, response]]].
STANDARD_TABLE = [[0.0, [[0.0, 0.0]]], [1.0, [[0.0, 1.0], [5.0, 1.0], [30.0, 0.125], [120.0, 0.1]]]]
GEOMETRY_FACTOR = 1.25  # tolerated ratio of the Ackermann correction's dimensions to the wheels'


def each(vehicle: "Vehicle", bad: np.ndarray, text: Callable[[int], str]) -> Iterator[tuple[str, str]]:
    """For the first wheel i with bad[i], if any: yield (name, text(i) with the number of further such wheels)."""
    indices = np.flatnonzero(bad)
    if len(indices):
        more = f" (and {len(indices) - 1} more wheels)" if len(indices) > 1 else ""
        yield vehicle.wheel_names[indices[0]], text(indices[0]) + more


def hitched(vehicle: "Vehicle", end: str) -> bool:
    """True if the vehicle has a hitch at an end: "hitch_front" or "hitch_rear"."""
    return bool(has(vehicle, "contact", end) and vehicle.params["contact"][0][end].any())


def length_scale(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """The vehicle's length scale does not fit the scene's."""
    scene = gravity(vehicle) / GRAVITY
    scale = float(np.median(wheel_values(vehicle, "wheel", "radius"))) / REFERENCE_RADIUS
    if scene > 0.0 and not 1.0 / SCALE_FACTOR < scale / scene < SCALE_FACTOR:
        text = f"the scene's scale is {scene:.3g} (gravity {gravity(vehicle):.4g}), the vehicle's about {scale:.3g}"
        yield advise("length_scale", text, f"wheel.{vehicle.wheel_names[0]}.radius")


def spring_step(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """The substep is long for the natural frequency of a spring."""
    alpha = springs(vehicle, step)["alpha"]

    def text(i: int) -> str:
        more = math.ceil(MIN_ALPHA / alpha[i])
        return (
            f"{vehicle.wheel_names[i]}: alpha = {alpha[i]:.2f} with steps of {1e3 * step:.3g} ms; "
            f"{more} times as many substeps reach {alpha[i] * more:.1f}"
        )

    for name, evidence in each(vehicle, alpha < MIN_ALPHA, text):
        yield advise("spring_step", evidence, f"suspension.{name}.stiffness")


def travel_room(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """The travel leaves hardly any room beyond the compression at rest."""
    compression, travel = springs(vehicle)["rest"], wheel_values(vehicle, "suspension", "travel")
    text = lambda i: f"{vehicle.wheel_names[i]}: travel {travel[i]:.3f} m, compressed {compression[i]:.3f} m at rest"  # noqa: E731
    for name, evidence in each(vehicle, travel <= compression + MIN_BUMP_TRAVEL, text):
        yield advise("travel_room", evidence, f"suspension.{name}.travel")


def spring_feel(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """Natural frequency or damping ratio of a spring is outside the range of drivable cars."""
    spring, names = springs(vehicle), vehicle.wheel_names
    frequency, ratio = spring["frequency"], spring["ratio"]
    hertz = frequency / (2.0 * math.pi)
    shown = lambda i: f"{names[i]}: {frequency[i]:.2f} rad/s ({hertz[i]:.2f} Hz; usual are 1 to 2.5 Hz)"  # noqa: E731
    for name, text in each(vehicle, hertz < FREQUENCIES[0], shown):
        yield advise("spring_frequency", text, f"suspension.{name}.stiffness", action="raise")
    for name, text in each(vehicle, hertz > FREQUENCIES[1], shown):
        yield advise("spring_frequency", text, f"suspension.{name}.stiffness", action="lower")
    for name, text in each(vehicle, ratio < RATIOS[0], lambda i: f"{names[i]}: ratio {ratio[i]:.3f}"):
        yield advise("damping_ratio", text, f"suspension.{name}.damping", action="raise")
    for name, text in each(vehicle, ratio > RATIOS[1], lambda i: f"{names[i]}: ratio {ratio[i]:.2f}"):
        yield advise("damping_ratio", text, f"suspension.{name}.damping", action="lower")


def ride_balance(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """The front springs of a vehicle with two axles have a much higher natural frequency than the rear ones.

    The rear axle meets a bump later; with the higher frequency it catches up with the front one, and the pitching ends.
    """
    wheels, frequency = axles(vehicle), springs(vehicle)["frequency"] / (2.0 * math.pi)
    if len(wheels) != 2 or hitched(vehicle, "hitch_front"):
        return
    front, rear = (float(frequency[axle].mean()) for axle in wheels)
    if front > FRONT_OVER_REAR * rear:
        text = f"front {front:.2f} Hz, rear {rear:.2f} Hz; usual is a front 0.8 to 1.0 times the rear"
        yield advise("ride_balance", text, f"suspension.{vehicle.wheel_names[wheels[0][0]]}.stiffness")


def roll_centre(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """A roll centre is far below or above the road."""
    if not has(vehicle, "suspension", "roll_centre_height"):
        return
    height, names = wheel_values(vehicle, "suspension", "roll_centre_height"), vehicle.wheel_names
    shown = lambda i: f"{names[i]}: {height[i]:.2f} m above the road, usual are 0 to 0.15 m"  # noqa: E731
    for bad, action in ((height < ROLL_CENTRES[0], "raise"), (height > ROLL_CENTRES[1], "lower")):
        for name, text in each(vehicle, bad, shown):
            yield advise("roll_centre", text, f"suspension.{name}.roll_centre_height", action=action)


def masses_given(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """Sprung masses do not fit the mass and its centre; not checked where a hitch may carry the difference."""
    supported, mass = wheel_values(vehicle, "suspension", "supported_mass"), value(vehicle, "body", "mass")
    names, total = vehicle.wheel_names, float(supported.sum())
    if hitched(vehicle, "hitch_front") or (hitched(vehicle, "hitch_rear") and total >= mass):
        return
    if abs(total - mass) > SUM_TOLERANCE * mass:
        text = f"the wheels carry {total:.0f} kg of {mass:.0f} kg"
        yield advise("sprung_masses", text, f"suspension.{names[0]}.sprung_mass")
        return
    try:
        share = sprung_masses(mass, wheel_values(vehicle, "suspension", "arm")[:, :2])
    except ValueError:
        return
    off = np.abs(supported - share) > LOAD_TOLERANCE * np.abs(share)
    if np.any(wheel_values(vehicle, "suspension", "sprung_mass") > 0.0):
        shares = lambda i: f"{names[i]}: {supported[i]:.0f} kg, its share is {share[i]:.0f} kg"  # noqa: E731
        for name, evidence in each(vehicle, off, shares):
            yield advise("sprung_masses", evidence, f"suspension.{name}.sprung_mass")


def yaw_inertia(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """The yaw inertia is unusual for the vehicle's box."""
    inertia, box = float(vehicle.params["body"][0]["inertia"][2]), float(box_inertia(vehicle)[2])
    text = f"{inertia:.0f} kg*m^2, {inertia / box:.2f} times its box's {box:.0f} kg*m^2"
    if inertia > 3.0 * box:
        yield advise("yaw_inertia_high", text, "body.principal_inertia")
    elif inertia > 2.0 * box:
        yield advise("yaw_inertia", text, "body.principal_inertia", action="lower the third number of")
    elif inertia < 0.4 * box:
        yield advise("yaw_inertia", text, "body.principal_inertia", action="raise the third number of")
    else:
        yield from _dynamic_index(vehicle, inertia)


def _dynamic_index(vehicle: "Vehicle", inertia: float) -> Iterator[Advice]:
    """The yaw inertia (kg m^2) of a vehicle with two axles is unusual for the distances of its axles."""
    distances = axle_distances(wheel_values(vehicle, "suspension", "arm")[:, 1])
    if distances is None or len(axles(vehicle)) != 2 or hitched(vehicle, "hitch_front"):
        return
    front, rear = distances
    by_axles = value(vehicle, "body", "mass") * front * rear
    index = inertia / by_axles
    if not DYNAMIC_INDEX[0] <= index <= DYNAMIC_INDEX[1]:
        text = (
            f"{inertia:.0f} kg*m^2, {index:.2f} times m a b = {by_axles:.0f} kg*m^2 with a = {front:.2f} m and "
            f"b = {rear:.2f} m; usual are 0.9 to 1.05 times"
        )
        action = f"{'raise' if index < DYNAMIC_INDEX[0] else 'lower'} the third number of"
        yield advise("yaw_inertia_axles", text, "body.principal_inertia", action=action)


def wheel_inertia(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """The spin inertia does not fit mass and radius of a wheel, or all wheels are heavy relative to the vehicle."""
    names, inertia = vehicle.wheel_names, wheel_values(vehicle, "wheel", "inertia")
    ring = wheel_values(vehicle, "wheel", "mass") * wheel_values(vehicle, "wheel", "radius") ** 2
    text = lambda i: f"{names[i]}: {inertia[i]:.3g} kg*m^2, m r^2 is {ring[i]:.3g}"  # noqa: E731
    off = (inertia > 5.0 * ring) | (inertia < 0.05 * ring)
    for name, evidence in each(vehicle, off, text):
        yield advise("wheel_scale", evidence, f"wheel.{name}.spin_inertia")
    for name, evidence in each(vehicle, (inertia > 3.0 * ring) & ~off, text):
        yield advise("wheel_inertia_high", evidence, f"wheel.{name}.spin_inertia")
    for name, evidence in each(vehicle, (inertia < 0.2 * ring) & ~off, text):
        yield advise("wheel_inertia_low", evidence, f"wheel.{name}.spin_inertia")
    mass = value(vehicle, "body", "mass")
    rotating = float((inertia / wheel_values(vehicle, "wheel", "radius") ** 2).sum())
    if rotating > 0.2 * mass:
        total = f"equivalent to {rotating:.0f} kg, {100 * rotating / mass:.0f} % of {mass:.0f} kg"
        yield advise("wheel_inertia_heavy", total, f"wheel.{names[int(np.argmax(inertia))]}.spin_inertia")


def tire_stiffness(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """Longitudinal or cornering stiffness is small for the rest load, or saturates at an unusual load."""
    if not has(vehicle, "tire", "lateral_stiffness"):
        return
    names, load = vehicle.wheel_names, rest_loads(vehicle)
    along = wheel_values(vehicle, "tire", "longitudinal_stiffness")
    across = wheel_values(vehicle, "tire", "lateral_stiffness")
    saturation = wheel_values(vehicle, "tire", "lateral_stiffness_load")  # in rest loads
    text = lambda i: f"{names[i]}: {along[i]:.0f} N per unit slip, rest load {load[i]:.0f} N"  # noqa: E731
    for name, evidence in each(vehicle, along < load, text):
        yield advise("longitudinal_stiffness", evidence, f"tire.{name}.longitudinal_stiffness")
    minimum = np.where(load > HEAVY_LOAD, MIN_LATERAL_HEAVY, MIN_LATERAL_CAR) * load
    text = lambda i: f"{names[i]}: {across[i]:.0f} N/rad, {across[i] / load[i]:.1f} rest loads"  # noqa: E731
    for name, evidence in each(vehicle, across < minimum, text):
        yield advise("lateral_stiffness", evidence, f"tire.{name}.lateral_stiffness")
    text = lambda i: f"{names[i]}: saturates at {saturation[i]:.2g} rest loads"  # noqa: E731
    for name, evidence in each(vehicle, (saturation < 1.0) | (saturation > 5.0), text):
        yield advise("lateral_stiffness", evidence, f"tire.{name}.lateral_stiffness_load", action="bring into 2..3:")


def steer_at_speed(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """Full steer at TEST_SPEED is far more than a car can use with a friction coefficient of 1.

    It can use the bend's Ackermann angle L g / v^2 plus the slip angle at which a front tire saturates.
    """
    if not (has(vehicle, "steering", "max_angle") and has(vehicle, "tire", "lateral_stiffness")):
        return
    angle = np.abs(wheel_values(vehicle, "steering", "max_angle"))
    if not angle.max() > 0.0:
        return
    i = int(np.argmax(angle))
    steer = float(angle[i]) * response_at(vehicle, "steer_table", TEST_SPEED)
    y = wheel_values(vehicle, "suspension", "attachment")[:, 1]
    base = max(float(y.max() - y.min()), 0.5)
    # A tire saturates at about twice the slip angle at which a linear tire reaches a friction coefficient of 1.
    slip = 2.0 * rest_loads(vehicle)[i] / wheel_values(vehicle, "tire", "lateral_stiffness")[i]
    usable = base * GRAVITY / TEST_SPEED**2 + float(slip)
    if steer > STEER_MARGIN * usable:
        acceleration = TEST_SPEED**2 * steer / base
        text = (
            f"{math.degrees(steer):.1f} degrees at {TEST_SPEED:g} m/s ask for {acceleration:.0f} m/s^2, grip gives "
            f"{GRAVITY:.1f} m/s^2 with {math.degrees(usable):.1f} degrees"
        )
        yield advise("steer_at_speed", text, "response.steer_table", {"response.steer_table": STANDARD_TABLE})


def ackermann_geometry(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """Track or wheelbase of the Ackermann geometry differ from those of the wheels."""
    if not has(vehicle, "ackermann", "strength") or value(vehicle, "ackermann", "strength") == 0.0:
        return
    left, right = int(value(vehicle, "ackermann", "left")), int(value(vehicle, "ackermann", "right"))
    attachment = wheel_values(vehicle, "suspension", "attachment")
    if max(left, right) >= len(attachment) or left == right:
        return
    track = abs(attachment[left, 0] - attachment[right, 0])
    base = float(np.abs(attachment[:, 1] - attachment[left, 1]).max())
    for name, real in (("track", float(track)), ("wheelbase", base)):
        value_in_file = value(vehicle, "ackermann", name)
        if real > 0.0 and not 1.0 / GEOMETRY_FACTOR < value_in_file / real < GEOMETRY_FACTOR:
            text = f"{name} {value_in_file:.3g} m, the wheels have {real:.3g} m"
            yield advise("ackermann_geometry", text, f"ackermann.{name}", {f"ackermann.{name}": round(real, 3)})


BODY_CHECKS = (
    length_scale, spring_step, travel_room, spring_feel, ride_balance, roll_centre, masses_given, yaw_inertia,
    wheel_inertia, tire_stiffness, steer_at_speed, ackermann_geometry,
)  # fmt: skip
