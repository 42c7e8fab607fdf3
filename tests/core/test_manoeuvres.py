"""Manoeuvres against theory: coasting, gearing, cornering, drops, symmetry and friction limits."""

import math

import numpy as np
import pytest
from drive_rig import GRAVITY, VEHICLES, Drive, carcass_work, slope_ground
from plain_tires import on_massless_wheels, on_plain_tires

from driving_sandbox.physics.maths.quat import from_axis_angle, rotate, rotate_inverse
from driving_sandbox.physics.tick.commands import FIRST, NEUTRAL

AIDS = {"abs", "traction_control", "brake_distribution", "stability_control"}
NO_AIR = {"aero.drag_area": 0.0, "aero.side_drag_area": 0.0, "aero.downforce_area": 0.0}


def for_all(drive, slot, **values):
    """{path: value} that sets parameters of a slot to the same values on every wheel."""
    return {f"{slot}.{w}.{key}": value for w in drive.vehicle.wheel_names for key, value in values.items()}


def at_speed(drive, speed):
    """Give a settled vehicle a forward speed with rolling wheels."""
    q = tuple(drive.body("orientation").tolist())
    drive.vehicle.state["body"][0]["velocity"] = rotate(q, (0.0, speed, 0.0))
    radius = drive.vehicle.params["wheel"][0]["radius"][:4]
    drive.vehicle.state["wheel"][0]["omega"][:4] = speed / radius
    return drive


def effective_mass(drive):
    """Mass that a force accelerates, kg: the vehicle's and I / R^2 of its four wheels."""
    wheel = drive.vehicle.params["wheel"][0][:4]
    return drive.vehicle.get("body.mass") + float((wheel["inertia"] / wheel["radius"] ** 2).sum())


@pytest.mark.parametrize("tick", [1 / 240, 1 / 480])
def test_coasting_down_follows_the_closed_form(tick):
    """v(t) = sqrt(B/A) tan(atan(v0 sqrt(A/B)) - t sqrt(AB)) with decelerations A v^2 by drag and B by rolling."""
    drive = Drive("roadster_simple", tick=tick)
    drive.vehicle.set_many({"aero.downforce_area": 0.0, "aero.drag_area": 0.65, **for_all(drive, "wheel", damping=0.0),
                            **for_all(drive, "compliance", camber=[])})  # fmt: skip
    at_speed(drive.run(3.0), 30.0)
    drive.run(0.5)
    start = drive.speed
    mass = effective_mass(drive)
    a = 0.5 * drive.world.context["air_density"][0] * 0.65 / mass
    b = drive.vehicle.get("tire.fl.rolling_resistance") * GRAVITY * drive.vehicle.get("body.mass") / mass
    for seconds, after in ((10.0, 10.0), (30.0, 20.0), (60.0, 30.0)):  # s: time, time since the one before
        drive.run(after)
        expected = math.sqrt(b / a) * math.tan(math.atan(start * math.sqrt(a / b)) - seconds * math.sqrt(a * b))
        assert drive.speed == pytest.approx(expected, rel=0.01)


def test_acceleration_in_gear_is_that_of_torque_and_ratio():
    """Constant torque T in second gear: a = T i / (R m_eff), i with the final drive, m_eff with engine inertia."""
    values = {"engine.torque_curve": [[0, 1], [1, 1]], "engine.peak_torque": 60.0, "engine.damping_full_throttle": 0.0,
              "clutch.strength": 100.0, "gearbox.switch_time": 0.0}  # fmt: skip
    drive = Drive("roadster_simple", values={**NO_AIR, **values})
    drive.vehicle.set_many({**for_all(drive, "tire", rolling_resistance=0.0), **for_all(drive, "wheel", damping=0.0)})
    gear = FIRST + 1
    ratio = drive.vehicle.get("gearbox.ratios")[gear] * drive.vehicle.get("gearbox.final_ratio")
    radius = drive.vehicle.get("wheel.rl.radius")
    at_speed(drive.run(3.0), 12.0)
    drive.vehicle.state["engine"][0]["omega"] = 12.0 / radius * ratio
    drive.run(1.5, gear=gear, throttle=1.0)
    before = drive.speed
    drive.run(1.0, gear=gear, throttle=1.0)
    mass = effective_mass(drive) + drive.vehicle.get("engine.inertia") * (ratio / radius) ** 2
    assert drive.speed - before == pytest.approx(60.0 * ratio / radius / mass, rel=0.03)


def test_speed_is_that_of_the_engine_divided_by_the_ratio():
    """v = omega R / (i i_final) in every forward gear, with negligible slip."""
    drive = Drive("roadster_simple")
    ratios = drive.vehicle.get("gearbox.ratios")
    for gear in range(FIRST, len(ratios)):
        ratio = ratios[gear] * drive.vehicle.get("gearbox.final_ratio")
        radius = drive.vehicle.get("wheel.rl.radius")
        speed = 400.0 / ratio * radius
        at_speed(drive, speed)
        drive.vehicle.state["engine"][0]["omega"] = 400.0
        drive.run(1.5, gear=gear, throttle=0.25)
        assert drive.vehicle.read("gearbox.current_gear") == gear
        assert drive.speed == pytest.approx(drive.vehicle.read("engine.omega") / ratio * radius, rel=0.01)


def test_engine_speed_in_neutral_balances_torque_and_damping():
    """The balance is where throttle times the torque curve equals damping times speed."""
    drive = Drive("roadster_simple").run(25.0, gear=NEUTRAL, throttle=0.1)
    v, omega = drive.vehicle, drive.vehicle.read("engine.omega")
    idle, top = v.get("engine.idle_omega"), v.get("engine.max_omega")
    assert idle < omega < top
    points = np.array(v.get("engine.torque_curve"))
    torque = 0.1 * v.get("engine.peak_torque") * np.interp(omega / top, points[:, 0], points[:, 1])
    closed, full = v.get("engine.damping_zero_throttle_clutch_disengaged"), v.get("engine.damping_full_throttle")
    assert torque == pytest.approx((closed + (full - closed) * 0.1) * omega, rel=0.01)


@pytest.mark.parametrize("name", VEHICLES)
def test_a_slow_circle_has_the_radius_of_its_steer_angles(name):
    """Forward speed over yaw rate is L times the mean cotangent of both steer angles, within 3 %, at low slip."""
    drive = Drive(on_plain_tires(name))
    drive.vehicle.set_many({**for_all(drive, "tire", rolling_resistance=0.0), **for_all(drive, "compliance", camber=[]),
                            "ackermann.strength": 1.0})  # fmt: skip
    at_speed(drive.run(3.0), 3.0)
    drive.run(2.0, steer=-0.4)
    rates = rotate_inverse(tuple(drive.body("orientation").tolist()), tuple(drive.body("angular_velocity").tolist()))
    angles = drive.wheels("steering", "angle")
    assert angles[0] > angles[1] > 0.0 and rates[2] > 0.0  # left turn, larger angle at the inner wheel
    base = np.diff(drive.vehicle.params["suspension"][0]["attachment"][[2, 0], 1])[0]
    cotangent = (1 / math.tan(angles[0]) + 1 / math.tan(angles[1])) / 2
    assert drive.speed / rates[2] == pytest.approx(base * cotangent, rel=0.03)


def test_yaw_gain_of_the_single_track_model():
    """r / delta = V / (L + K V^2), K = m/L (b/Cf - a/Cr), at small angles, within 4 %."""
    drive = Drive("roadster_simple", values=NO_AIR)
    drive.vehicle.set_many({**for_all(drive, "tire", rolling_resistance=0.0), **for_all(drive, "compliance", camber=[]),
                            **for_all(drive, "wheel", damping=0.0)})  # fmt: skip
    v = drive.vehicle
    arms, mass = v.params["suspension"][0]["arm"][:4], v.get("body.mass")
    a, b = arms[0, 1], -arms[2, 1]
    load_factor = 1.5 - 0.33333 * 1.5**2 + 0.037037 * 1.5**3  # g(3 x / X) at rest load, x = 1, with X = 2
    front, rear = (2.0 * load_factor * v.get(f"tire.{w}.lateral_stiffness") for w in ("fl", "rl"))
    understeer = mass / (a + b) * (b / front - a / rear)
    for speed in (10.0, 20.0, 30.0):
        drive.world.place(0, (0.0, 0.0), 0.0)
        at_speed(drive.run(3.0), speed)
        drive.run(3.0, steer=-0.04)
        angles = drive.wheels("steering", "angle")[:2]
        q, rates = drive.body("orientation"), drive.body("angular_velocity")
        yaw_rate = rotate_inverse(tuple(q.tolist()), tuple(rates.tolist()))[2]
        v_x = drive.speed
        # the slip's denominator is |v| + 1 m/s, which reduces slip angles
        slip_reduction = (v_x + drive.world.context["min_lateral_slip_speed"][0]) / v_x
        gain = v_x / (a + b + understeer * slip_reduction * v_x**2)
        assert yaw_rate / angles.mean() == pytest.approx(gain, rel=0.04), speed


@pytest.mark.parametrize("name", VEHICLES)
def test_mirrored_steering_gives_the_mirrored_path(name):
    """A drive with launch, corners, a slide and hard braking, and its mirror image end within a millimetre.

    A crankshaft along the car turns the body to one side, so it is left out, as is toe, with which wheels push against
    each other at rest: sticky tires are solved in order, left first.
    """
    script = [(1.5, {"throttle": 1.0}), (1.5, {"throttle": 0.6, "steer": 0.5}), (1.0, {"throttle": 1.0, "steer": -0.8}),
              (1.0, {"handbrake": 1.0, "steer": 1.0}), (1.0, {"brake": 1.0, "steer": 0.3})]  # fmt: skip
    paths = []
    for side in (1.0, -1.0):
        drive, path = Drive(name), []
        for aid in AIDS & set(drive.vehicle.sequence.by_slot):
            drive.vehicle.set(f"{aid}.enable", False)  # its switching amplifies rounding
        if "crankshaft" in drive.vehicle.params["body"].dtype.names:
            drive.vehicle.set("body.crankshaft", [0.0, 0.0, 0.0])
        drive.vehicle.set_many(for_all(drive, "compliance", toe=[]))
        for seconds, values in script:
            values = {**values, "steer": side * values.get("steer", 0.0), "gear": FIRST}
            path.extend(drive.log(seconds, lambda d: [*d.position, d.body("angular_velocity")[2]], 0.1, **values))
        paths.append(np.array(path) * [side, 1.0, 1.0, side])
    assert np.ptp(paths[0][:, 0]) > 1.0
    differences = np.abs(paths[1] - paths[0])
    assert np.all(differences[:39, 3] < 1e-4) and np.all(differences[:, 3] < 3e-3)
    distances = differences[:, :3].max(axis=1)
    # until the handbrake starts a slide, after 4 s; spinning wheels amplify rounding, too
    assert np.all(distances[:39] < 3e-6 * np.abs(paths[0]).max())
    # a slide to rest amplifies the difference to a millimetre
    assert np.all(distances < 1e-3)


def drop(name, rotation):
    """Rows of (energy of the vehicle, energy in carcasses), J, in every tick after a drop.

    rotation: axis and angle, rad. The drop is from 2 m, or from 4 m if the angle exceeds 1 rad.
    """
    drive = Drive(on_massless_wheels(name))  # Drive.energy knows no other
    drive.vehicle.put((0.0, 0.0, 4.0 if rotation[1] > 1.0 else 2.0), from_axis_angle(*rotation))
    states = []
    energy = drive.log(5.0, lambda d: states.append(d.vehicle.state.copy()) or d.energy(), every=1 / 240)
    return np.column_stack([energy, carcass_work(np.concatenate(states))])


@pytest.mark.parametrize("name", VEHICLES)
@pytest.mark.parametrize("rotation", [((1, 0, 0), 0.0), ((0, 1, 0), 0.8), ((0, 1, 0), 1.5), ((0.6, 0.8, 0), 2.6)])
def test_a_dropped_vehicle_gains_no_energy(name, rotation):
    """On its wheels, inclined, on its side, nearly on its roof: springs, dampers, tires and hull dissipate energy.

    A suspension nearly parallel to the ground jumps when its wheel finds the ground, and its bump stop lifts the body.
    This adds at most 1 % of the energy that the drop dissipates.
    """
    energy = drop(name, rotation).sum(axis=1)
    floor = energy[0] * 1e-6 + 0.5
    rise = (energy - np.minimum.accumulate(energy)).max()
    assert energy[-1] < 0.8 * energy[0]
    assert rise < 0.01 * (energy[0] - energy[-1]) + floor, f"{rise} J of {energy[0]} J"


def test_carcasses_return_the_energy_of_an_inclined_drop():
    """A car that lands on two wheels slides sideways to a stop, and its carcasses push it back."""
    energy, carcass = drop("hatchback", ((0, 1, 0), 0.8)).T
    rise_without, rise = ((e - np.minimum.accumulate(e)).max() for e in (energy, energy + carcass))
    assert rise_without > 100.0 and rise < 20.0  # J, without and with the energy of the carcasses
    assert carcass.min() > -0.005 * (energy[0] - energy[-1])  # they return hardly more than they stored


@pytest.mark.parametrize("name", VEHICLES)
def test_coasting_gains_no_energy(name):
    """No interval of 10 ms adds 0.01 % of the initial energy."""
    drive = at_speed(Drive(name).run(3.0), 20.0)
    energy = np.concatenate([drive.log(2.0, Drive.energy, steer=s, gear=NEUTRAL) for s in (0.0, 0.3, -0.6, 0.0)])
    assert np.diff(energy).max() < 1e-4 * energy[0]
    assert energy[-1] < energy[0]


def test_impact_speed_and_undamped_jounce_of_a_drop_follow_theory():
    """Dropped 0.5 m: v = sqrt(2 g H); undamped peak jounce [m g + sqrt((m g)^2 + 2 k m g H)] / k."""
    drive = Drive("roadster_simple")
    drive.vehicle.set_many({**NO_AIR, **for_all(drive, "suspension", damping=0.0, travel=1.2, stiffness=20e3),
                            **for_all(drive, "compliance", camber=[]), "contact.suspension_limit": "none"})  # fmt: skip
    # wheels 1.2 m below the attachments, so that hulls are clear at a jounce of 0.6 m
    radius, attachment = drive.vehicle.get("wheel.fl.radius"), drive.vehicle.get("suspension.fl.attachment")[2]
    drive.world.place(0, (0.0, 0.0, radius + 1.2 - attachment + 0.5), 0.0)
    speeds, jounces = [], []
    for _ in range(480):
        drive.run(1 / 240)
        speeds.append(drive.body("velocity")[2])
        jounces.append(drive.wheels("suspension", "jounce").mean())
    first = next(i for i, jounce in enumerate(jounces) if jounce > 0.0)
    assert -speeds[first - 1] == pytest.approx(math.sqrt(2 * GRAVITY * 0.5), rel=0.02)
    weight, stiffness = drive.vehicle.get("body.mass") * GRAVITY, 80e3
    expected = (weight + math.sqrt(weight**2 + 2 * stiffness * weight * 0.5)) / stiffness
    assert max(jounces) == pytest.approx(expected, rel=0.02)


def test_heave_frequency_and_damping_follow_theory():
    """Released 20 mm below rest, the body heaves at sqrt(k/m) sqrt(1 - D^2).

    D is the damping ratio, c / (2 sqrt(k m)).
    """
    drive = Drive("roadster_simple", values=NO_AIR)
    # equal corners and a centred mass give pure heave
    drive.vehicle.set_many({**for_all(drive, "suspension", stiffness=25e3, damping=900.0),
                            **for_all(drive, "compliance", camber=[], tire_force_point=[]),
                            "body.centre_of_mass": [0.0, 0.0, 0.46]})  # fmt: skip
    drive.world.place(0, (0.0, 0.0), 0.0)
    drive.run(4.0)
    rest = drive.body("position")[2]
    drive.vehicle.state["body"][0]["position"][2] -= 0.02
    drive.vehicle.state["suspension"][0]["jounce"] += 0.02
    z = drive.log(3.0, lambda d: d.body("position")[2] - rest, every=1 / 240)
    mass = drive.vehicle.get("body.mass")
    # stiffness, N/m, and damping, N s/m, of all four corners
    natural, ratio = math.sqrt(100e3 / mass), 3600.0 / (2.0 * math.sqrt(100e3 * mass))
    peaks = [i for i in range(1, len(z) - 1) if z[i] > z[i - 1] and z[i] >= z[i + 1] and z[i] > 1e-4]
    period = (peaks[1] - peaks[0]) / 240
    assert 2 * math.pi / period == pytest.approx(natural * math.sqrt(1 - ratio**2), rel=0.03)
    decrement = math.log(z[peaks[0]] / z[peaks[1]])
    assert decrement == pytest.approx(2 * math.pi * ratio / math.sqrt(1 - ratio**2), rel=0.1)


def test_angular_momentum_in_the_air_is_constant():
    """Angular momentum changes by less than 0.5 % in 3 s."""
    drive = Drive("roadster_simple", position=(0.0, 0.0, 100.0), values=NO_AIR)
    drive.vehicle.state["body"][0]["angular_velocity"] = (1.0, 2.0, 0.5)

    def momentum(d):
        q = tuple(d.body("orientation").tolist())
        local = np.array(rotate_inverse(q, tuple(d.body("angular_velocity").tolist())))
        return rotate(q, tuple((local * d.vehicle.params["body"]["inertia"][0]).tolist()))

    momenta = drive.log(3.0, momentum, every=0.05)
    assert np.linalg.norm(momenta - momenta[0], axis=1).max() < 0.005 * np.linalg.norm(momenta[0])


@pytest.mark.parametrize("name", VEHICLES)
def test_no_tire_exceeds_its_friction(name):
    """In 15 s of random commands no force exceeds friction times load by more than 1 %."""
    drive = Drive(on_plain_tires(name))
    rng, largest_ratio = np.random.default_rng(5), 0.0
    for _ in range(150):
        drive.run(0.1, throttle=rng.uniform(), brake=rng.choice([0.0, 0.0, 1.0]), steer=rng.uniform(-1, 1), gear=FIRST)
        force = np.hypot(drive.wheels("tire", "longitudinal_force"), drive.wheels("tire", "lateral_force"))
        limit = drive.wheels("tire", "friction") * drive.wheels("tire", "load")
        assert np.all(force <= 1.01 * limit + 1e-6)
        largest_ratio = max(largest_ratio, (force / (limit + 1.0)).max())
    assert largest_ratio > 0.9  # the limit was reached


@pytest.mark.parametrize("name", VEHICLES)
def test_braking_uses_the_available_friction(name):
    """From 25 m/s to rest in a straight line, mean deceleration is between 70 and 106 % of that by peak friction."""
    drive = at_speed(Drive(on_plain_tires(name)).run(3.0), 25.0)
    start = drive.position[1]
    for _ in range(1200):
        drive.run(0.01, brake=1.0, gear=NEUTRAL)
        if drive.speed < 0.05:
            break
    distance = drive.position[1] - start
    peak = drive.vehicle.params["tire"][0]["friction_versus_slip"]["y"][:4].max()
    friction = drive.vehicle.state["road"][0]["friction"][0] * peak
    ratio = 25.0**2 / (2.0 * distance * GRAVITY * friction)
    assert 0.7 < ratio < 1.06
    assert abs(drive.position[0]) < 0.05
    drive.run(3.0, brake=1.0)
    assert np.linalg.norm(drive.body("velocity")) < 1e-3  # at rest without jitter


def test_walking_pace_downhill_is_smooth():
    """Rolling off in neutral from 0.02 to over 0.3 m/s: in no tick does the speed fall by 1 mm/s."""
    drive = Drive("roadster_simple", slope_ground(1.5)).run(3.0, brake=1.0)
    speeds = -drive.log(4.0, lambda d: d.speed, every=1 / 240)
    moving = speeds[np.argmax(speeds > 0.02) :]
    assert moving[-1] > 0.3 and np.diff(moving).min() > -1e-3
