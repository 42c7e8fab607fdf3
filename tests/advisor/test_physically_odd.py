"""Advice on what is physically odd: reported beyond each limit with the figure found, silent short of it."""

import math

import numpy as np
import pytest
from watched import everywhere, fresh

from driving_sandbox.lab import tire_curves
from driving_sandbox.lab.advisor import check_vehicle
from driving_sandbox.lab.advisor.tire_peaks import peak_frictions, peak_slips
from driving_sandbox.lab.units import KMH
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER, load_vehicle

STEP = 1.0 / 960.0  # s, substep
G = 9.81  # m/s^2
STREET = 0.95  # friction of this type of tire on asphalt (configs/surfaces/default.yaml)
FRONT, REAR = ("fl", "fr"), ("rl", "rr")


def found(name, values=None, vehicle="roadster_simple"):
    """The first advice with an id about a vehicle with some values changed, or None.

    vehicle: name of a shipped one, or a vehicle that keeps the change.
    """
    car = fresh(vehicle) if isinstance(vehicle, str) else vehicle
    car.set_many(values or {})
    return next((advice for advice in check_vehicle(car, STEP) if advice.id == name), None)


def geometry(car):
    """(mass, kg; front and rear load, N; wheelbase and height of the centre of mass, m) of a roadster."""
    mass, centre = car.get("body.mass"), car.get("body.centre_of_mass")
    front, rear = car.get("suspension.fl.attachment"), car.get("suspension.rl.attachment")
    base = front[1] - rear[1]
    front_load = mass * G * (centre[1] - rear[1]) / base
    heights = []
    for wheel, (_, _, z), load in (("fl", front, front_load), ("rl", rear, mass * G - front_load)):
        stiffness, travel = car.get(f"suspension.{wheel}.stiffness"), car.get(f"suspension.{wheel}.travel")
        heights.append(z - travel + 0.5 * load / stiffness - car.get(f"wheel.{wheel}.radius"))
    return mass, front_load, mass * G - front_load, base, centre[2] - sum(heights) / 2.0


@pytest.mark.parametrize(("index", "action"), [(0.6, "raise"), (1.45, "lower"), (0.75, None), (1.35, None)])
def test_yaw_inertia_is_compared_with_the_distances_of_the_axles(index, action):
    mass, front, rear, base, _ = geometry(fresh())
    a, b = base * rear / (front + rear), base * front / (front + rear)
    yaw = index * mass * a * b
    advice = found("yaw_inertia_axles", {"body.principal_inertia": [0.95 * yaw, 0.4 * yaw, yaw]})
    assert (advice is None) == (action is None)
    if action:
        assert f"{index:.2f} times m a b = {mass * a * b:.0f} kg*m^2" in advice.evidence
        assert "usual are 0.9 to 1.05" in advice.evidence and advice.action == f"{action} the third number of"


def test_yaw_inertia_of_a_trailer_is_not_compared_with_its_axles():
    trailer = load_vehicle(
        VEHICLE_FOLDER / "trailers" / "central_axle_trailer.yaml"
    )  # its axles are close together: 8.7 times m a b
    assert found("yaw_inertia_axles", vehicle=trailer) is None


@pytest.mark.parametrize(("hertz", "action"), [(0.75, "raise"), (4.1, "lower"), (0.85, None), (3.9, None)])
def test_ride_frequencies_are_judged_in_hertz(hertz, action):
    mass, front, _, _, _ = geometry(fresh())
    stiffness = (2.0 * math.pi * hertz) ** 2 * 0.5 * front / G
    advice = found("spring_frequency", {f"suspension.{wheel}.stiffness": stiffness for wheel in FRONT})
    assert (advice is None) == (action is None)
    if action:
        assert f"fl: {2.0 * math.pi * hertz:.2f} rad/s ({hertz:.2f} Hz; usual are 1 to 2.5 Hz)" in advice.evidence
        assert (advice.path, advice.action) == ("suspension.fl.stiffness", action)


@pytest.mark.parametrize("ratio", [1.25, 1.35, 1.6])
def test_front_springs_much_harder_than_the_rear_ones_are_reported(ratio):
    _, front, rear, _, _ = geometry(fresh())
    hertz = 1.5
    stiffness = {**dict.fromkeys(FRONT, (2.0 * math.pi * ratio * hertz) ** 2 * 0.5 * front / G),
                 **dict.fromkeys(REAR, (2.0 * math.pi * hertz) ** 2 * 0.5 * rear / G)}  # fmt: skip
    advice = found("ride_balance", {f"suspension.{wheel}.stiffness": value for wheel, value in stiffness.items()})
    assert (advice is not None) == (ratio > 1.3)
    if advice:
        assert advice.evidence.startswith(f"front {ratio * hertz:.2f} Hz, rear 1.50 Hz; usual is a front 0.8 to 1.0")


@pytest.mark.parametrize(("height", "action"), [(-0.15, "raise"), (0.35, "lower"), (-0.05, None), (0.25, None)])
def test_roll_centres_far_from_the_road_are_reported(height, action):
    values = {f"suspension.{wheel}.roll_centre_height": height for wheel in REAR}
    advice = found("roll_centre", values, "track_roadster")
    assert (advice is None) == (action is None)
    if action:
        assert advice.evidence.startswith(f"rl: {height:.2f} m above the road, usual are 0 to 0.15 m")
        assert (advice.path, advice.action) == ("suspension.rl.roll_centre_height", action)


@pytest.mark.parametrize("excess", [-0.05, 0.04, 0.06, 0.15])
def test_rear_wheels_that_lock_first_are_reported_with_the_share_of_the_front_brakes(excess):
    """`excess`: part of its grip that the rear axle uses more than the front one at 0.8 g; friction is 1.0 everywhere.

    Brake forces in the share s of the rear: 0.8 (s / n_r - (1 - s) / n_f) / mu = excess, n: shares of the load.
    """
    car = fresh()
    mass, front, _, base, height = geometry(car)
    mu = STREET * max(y for _, y in car.get("tire.fl.friction_versus_slip"))
    n_f = front / (mass * G) + 0.8 * height / base
    share = (excess * mu / 0.8 + 1.0 / n_f) / (1.0 / (1.0 - n_f) + 1.0 / n_f)
    radius = car.get("wheel.rl.radius") / car.get("wheel.fl.radius")
    torque = 1300.0 * radius * share / (1.0 - share)
    values = {"brakes.fl.max_torque": 1300.0, "brakes.fr.max_torque": 1300.0, "brakes.rl.max_torque": torque,
              "brakes.rr.max_torque": torque}  # fmt: skip
    advice = found("brake_balance", values)
    assert (advice is not None) == (excess > 0.05)
    if advice:
        assert f"have {100 * (1 - share):.0f} % of the force" in advice.evidence
        assert f"together with {100 * n_f:.0f} %" in advice.evidence and advice.path == "brakes.rl.max_torque"
        assert found("brake_balance", values | advice.changes) is None


@pytest.mark.parametrize(("slope", "locks_first"), [(1.0, True), (0.3, False)])
def test_a_proportioning_valve_excuses_large_rear_pistons(slope, locks_first):
    """At 0.8 g the valve holds back the rear pressure; the proposed pistons are small enough without it."""
    car = fresh()
    car = swapped_vehicle(car, plan_swap(car, "brakes", "hydraulic"))
    values = {f"brakes.{wheel}.piston_area": 1.9e-3 for wheel in FRONT}
    values |= {f"brakes.{wheel}.{key}": x for wheel in REAR
               for key, x in (("piston_area", 1.2e-3), ("knee", 2e6), ("slope", slope))}  # fmt: skip
    advice = found("brake_balance", values, car)
    assert (advice is not None) == locks_first
    if advice:
        assert advice.path == "brakes.rl.piston_area" and advice.changes["brakes.rl.piston_area"] < 1.2e-3
        assert found("brake_balance", values | advice.changes, car) is None


@pytest.mark.parametrize("enabled", [True, False])
def test_anti_lock_brakes_excuse_strong_rear_brakes(enabled):
    values = {"abs.enable": enabled, "brakes.rl.max_torque": 1700.0, "brakes.rr.max_torque": 1700.0}
    assert (found("brake_balance", values, "track_roadster") is None) == enabled


@pytest.mark.parametrize(("use", "rear"), [(0.5, 0.3), (0.85, 0.3), (0.95, 0.3)])
def test_brakes_that_lock_no_wheel_are_reported_with_both_decelerations(use, rear):
    """Full pedal uses the part `use` of the grip, with the part `rear` of the force on the rear axle."""
    car = fresh()
    mass, mu = car.get("body.mass"), STREET * max(y for _, y in car.get("tire.fl.friction_versus_slip"))
    force = use * mu * mass * G
    torques = {wheel: 0.5 * force * (1.0 - rear) * car.get(f"wheel.{wheel}.radius") for wheel in FRONT}
    torques |= {wheel: 0.5 * force * rear * car.get(f"wheel.{wheel}.radius") for wheel in REAR}
    advice = found("brake_strength", {f"brakes.{wheel}.max_torque": torque for wheel, torque in torques.items()})
    assert (advice is not None) == (use < 0.9)
    if advice:
        assert f"full pedal gives {use * mu * G:.1f} m/s^2 and locks no wheel" in advice.evidence
        assert f"allows {mu * G:.1f} m/s^2" in advice.evidence and advice.action == "raise"


@pytest.mark.parametrize("rear", [0.0, 40.0, 420.0])
def test_an_axle_whose_brakes_hardly_act_is_reported(rear):
    """The front wheels lock: z = mu (n_f + z h / L) + R / W."""
    car = fresh()
    mass, front, _, base, height = geometry(car)
    mu = STREET * max(y for _, y in car.get("tire.fl.friction_versus_slip"))
    values = {"brakes.fl.max_torque": 3000.0, "brakes.fr.max_torque": 3000.0, "brakes.rl.max_torque": rear,
              "brakes.rr.max_torque": rear}  # fmt: skip
    weight = mass * G
    force = 2.0 * rear / car.get("wheel.rl.radius")
    rate = (mu * front / weight + force / weight) / (1.0 - mu * height / base)
    advice = found("brake_strength", values)
    assert (advice is not None) == (rate < 0.7 * mu) == (rear < 100.0)
    if advice:
        assert f"gives {rate * G:.1f} m/s^2 and locks a wheel" in advice.evidence
        assert advice.path == "brakes.rl.max_torque"


def swept_peak(car):
    """(longitudinal friction on a road of friction 1, slip) of the peak of a car's first tire, by its kernels."""
    load = geometry(car)[1] / 2.0 if "fl" in car.wheel_names else 3000.0
    slips = np.linspace(0.0, 1.0, 401)
    forces = tire_curves.of_wheel(car).forces(load, slips, 0.0, 0.0)["fx"]
    return forces.max() / load, slips[np.argmax(forces >= 0.999 * forces.max())]


@pytest.mark.parametrize(
    ("values", "threshold", "action"),
    [
        ({"max_velocity_ratio": 1.3}, ("max_velocity_ratio", 1.3), "lower"),
        ({"max_velocity_ratio": 1.2}, None, None),
        ({"min_velocity_ratio": 1.03}, ("min_velocity_ratio", 1.03), "raise"),
        ({"min_velocity_ratio": 1.06}, None, None),
        ({"min_velocity_ratio": 1.0, "mode": "axles"}, None, None),
        ({"max_velocity_ratio": 1.3, "enable": False}, None, None),
    ],
)
def test_anti_lock_thresholds_far_from_the_peak_are_reported(values, threshold, action):
    advice = found("abs_window", {f"abs.{name}": value for name, value in values.items()}, "track_roadster")
    assert (advice is None) == (threshold is None)
    if advice:
        name, ratio = threshold
        slip, peak = 1.0 - 1.0 / ratio, float(advice.evidence.split("peak is at ")[1].split(",")[0])
        assert (advice.path, advice.action) == (f"abs.{name}", action)
        assert f"is a slip of {slip:.3f}" in advice.evidence
        assert peak == pytest.approx(swept_peak(fresh("track_roadster"))[1], abs=0.01)
        assert not 0.5 * peak <= slip <= 2.0 * peak


@pytest.mark.parametrize(("largest", "odd"), [(0.03, True), (0.045, True), (0.055, False), (0.35, False)])
def test_a_search_for_the_peak_that_ends_before_it_is_reported(largest, odd):
    advice = found("abs_window", {"abs.largest_slip": largest}, load_vehicle("hatchback"))  # its peak is at 0.1
    assert (advice is not None) == odd
    if odd:
        assert advice.path == "abs.largest_slip" and "peak is at 0.1" in advice.evidence


@pytest.mark.parametrize(("friction", "action"), [(0.55, "raise"), (1.7, "lower"), (0.65, None), (1.55, None)])
def test_unusual_grip_is_reported(friction, action):
    curve = [[0.0, friction / STREET], [0.1, friction / STREET], [1.0, 0.5]]
    advice = found("tire_grip", {"tire.rr.friction_versus_slip": curve})
    assert (advice is None) == (action is None)
    if action:
        assert advice.evidence.startswith(f"rr: {friction:.2f} along, {friction:.2f} across; usual are 0.9 to 1.1")
        assert (advice.path, advice.action) == ("tire.rr.friction_versus_slip", action)


@pytest.mark.parametrize(
    ("name", "factor", "odd"),
    [("longitudinal_grip", 0.45, True), ("lateral_grip", 1.6, True), ("longitudinal_grip", 0.6, False),
     ("lateral_grip", 1.3, False)],
)  # fmt: skip
def test_unusual_grip_of_formula_tires_names_the_factor_of_its_direction(name, factor, odd):
    car = load_vehicle("hatchback")
    advice = found("tire_grip", {f"tire.fl.{name}": factor}, car)
    assert (advice is not None) == odd
    if advice:
        assert advice.path == f"tire.fl.{name}"


@pytest.mark.parametrize("tire", ["combined_slip", "pacejka_94", "mf_52", "mf_62"])
def test_peaks_are_those_of_the_tires_kernels(tire):
    car = fresh()
    if tire != "combined_slip":
        car = swapped_vehicle(car, plan_swap(car, "tire", tire))
    friction, slip = swept_peak(car)
    # the sweep leaves out the friction of road and tire type, and its factor over slip
    road = 1.0 if tire == "mf_62" else STREET * max(y for _, y in car.get("tire.fl.friction_versus_slip"))
    assert peak_frictions(car)[0, 0] == pytest.approx(road * friction, rel=0.02)
    assert peak_slips(car)[0] == pytest.approx(slip, abs=0.015)


def power_speed(car):
    """Top speed by power, m/s: the root of P - d omega^2 - Q omega = (W f + D v) v + k v^3, by np.roots."""
    top, torque = car.get("engine.max_omega"), car.get("engine.peak_torque")
    omega = np.linspace(0.0, top, 20001)
    power = torque * np.interp(omega / top, *np.transpose(car.get("engine.torque_curve"))) * omega
    k = power.argmax()
    lost = car.get("engine.damping_full_throttle") * omega[k] ** 2
    weight = car.get("body.mass") * G
    damping = sum(car.get(f"wheel.{w}.damping") / car.get(f"wheel.{w}.radius") ** 2 for w in FRONT + REAR)
    air = 0.5 * 1.204 * car.get("aero.drag_area")
    roots = np.roots([air, damping, weight * car.get("tire.fl.rolling_resistance"), lost - power[k]])
    return float(roots[np.isreal(roots)].real.max())


@pytest.mark.parametrize(("share", "action"), [(0.65, "lower"), (1.7, "raise"), (0.75, None), (1.5, None)])
def test_a_top_gear_that_does_not_fit_the_power_is_reported(share, action):
    """`share`: top speed by gearing / by power."""
    car = fresh()
    speed = power_speed(car)
    radius = car.get("wheel.rl.radius")
    final = car.get("engine.max_omega") * radius / (car.get("gearbox.ratios")[-1] * share * speed)
    advice = found("top_gear", {"gearbox.final_ratio": final})
    assert (advice is None) == (action is None)
    if action:
        assert advice.evidence.startswith(f"{share * speed / KMH:.0f} km/h at max_omega in top gear")
        assert f"{share:.2f} times, usual are 0.9 to 1.4" in advice.evidence
        assert (advice.path, advice.action) == ("gearbox.ratios", f"{action} the last number of")


def test_ratios_that_do_not_fall_are_reported():
    """Other gearboxes than the instant one refuse such ratios."""
    name = "patrol"
    ratios = fresh(name).get("gearbox.ratios")
    swapped = [*ratios[:-2], ratios[-1], ratios[-2]]
    equal = [*ratios[:-1], ratios[-2]]
    for odd in (swapped, equal):
        assert found("gear_order", {"gearbox.ratios": odd}, name).path == "gearbox.ratios"
    assert found("gear_order", {"gearbox.ratios": ratios}, name) is None


@pytest.mark.parametrize("share", [0.8, 0.95, 1.05, 1.3])
def test_a_first_gear_too_long_for_a_slope_is_reported(share):
    """`share`: force in first gear, at 0.4 of the engine's largest speed, over the 20 % of the weight that it lifts."""
    car = fresh()
    top, weight = car.get("engine.max_omega"), car.get("body.mass") * G
    torque = car.get("engine.peak_torque") * np.interp(0.4, *np.transpose(car.get("engine.torque_curve")))
    torque -= car.get("engine.damping_full_throttle") * 0.4 * top
    rolling = weight * car.get("tire.fl.rolling_resistance")
    final = (share * 0.2 * weight + rolling) * car.get("wheel.rl.radius") / (torque * car.get("gearbox.ratios")[2])
    advice = found("first_gear", {"gearbox.final_ratio": final})
    assert (advice is not None) == (share < 1.0)
    if advice:
        force = float(advice.evidence.split("gives ")[1].split()[0])
        assert force == pytest.approx(share * 0.2 * weight, rel=0.01)
        assert f"20 % needs {0.2 * weight:.0f} N; usual are 2 to 5 times" in advice.evidence


def test_planar_vehicles_and_vehicles_without_the_parts_get_no_such_advice():
    ids = {
        advice.id for name in ("planar_roadster", "buggy", "tank") for advice in check_vehicle(load_vehicle(name), STEP)
    }
    assert not ids


@pytest.mark.parametrize("share", [0.5, 0.2])
def test_tracked_vehicles_are_not_judged_by_the_balance_of_two_axles(share):
    car = load_vehicle("tank")
    torque = share * car.get("brakes.l1.max_torque")
    advice = found("brake_strength", everywhere(car, "brakes", max_torque=torque), car)
    assert advice is None
