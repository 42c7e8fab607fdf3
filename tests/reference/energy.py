"""Energy of a drive, and what engine, wheel motors and outside forces can have put in.

    E = m v^2 / 2 + w I w / 2 + m g z             body
      + sum I omega^2 / 2                         wheels and engine
      + sum k jounce^2 / 2 + sum b (jounce_a - jounce_b)^2 / 2      springs and bars

Work of a tick, rounded up: the larger of the powers at its ends, times its length, where it is positive. The governor
that holds the engine at idle gives what clutch and friction take there.
"""

import numpy as np

from physics.quat import rotate_inverse


def body_energy(vehicle, states, gravity):
    """Of motion and height, J."""
    body, mass = states["body"], vehicle.get("body.mass")
    inertia = vehicle.params["body"]["inertia"][0]
    turns = zip(body["orientation"].tolist(), body["angular_velocity"].tolist(), strict=True)
    spin = np.array([rotate_inverse(tuple(q), tuple(w)) for q, w in turns])
    kinetic = 0.5 * mass * (body["velocity"] ** 2).sum(axis=1) + 0.5 * (spin**2 @ inertia)
    return kinetic - mass * (body["position"] @ gravity)


def stored_energy(vehicle, states):
    """Of wheels, engine, springs and bars, J."""
    n = vehicle.wheel_count
    params = vehicle.params
    total = 0.5 * states["wheel"]["omega"][:, :n] ** 2 @ params["wheel"]["inertia"][0, :n]
    jounce = states["suspension"]["jounce"][:, :n]
    total = total + 0.5 * jounce**2 @ params["suspension"]["stiffness"][0, :n]
    bars = params["antiroll"][0]
    for k in range(int(bars["stiffness"]["count"])):
        a, b = int(bars["wheel_a"]["values"][k]), int(bars["wheel_b"]["values"][k])
        total = total + 0.5 * bars["stiffness"]["values"][k] * (jounce[:, a] - jounce[:, b]) ** 2
    if "engine" in states.dtype.names:
        total = total + 0.5 * params["engine"]["inertia"][0] * states["engine"]["omega"] ** 2
    return total


def work_in(vehicle, states, external, dt):
    """What came in from outside in every tick, J: states are those before, between and after the ticks."""
    body = states["body"]
    power = np.maximum(*(np.einsum("ij,ij->i", external["force"], v) for v in _ends(body["velocity"])))
    power += np.maximum(*(np.einsum("ij,ij->i", external["torque"], w) for w in _ends(body["angular_velocity"])))
    if "engine" in states.dtype.names:
        power += _engine_power(vehicle, states)
    else:
        n = vehicle.wheel_count
        torque = states["direct_drive"]["torque"][1:, :n]
        given = [torque * omega for omega in _ends(states["wheel"]["omega"][:, :n])]
        power += np.maximum(0.0, np.maximum(*given)).sum(axis=1)
    return np.maximum(0.0, power) * dt


def _engine_power(vehicle, states):
    engine, p = states["engine"], vehicle.params["engine"][0]
    fired = np.maximum(*_ends(engine["torque"])) * np.maximum(*_ends(engine["omega"]))
    idling = np.minimum(*_ends(engine["omega"])) <= p["idle_omega"]
    friction = max(p[f"damping_{which}"] for which in (
        "full_throttle", "zero_throttle_clutch_engaged", "zero_throttle_clutch_disengaged"))  # fmt: skip
    taken = np.maximum(0.0, np.maximum(*_ends(states["drivetrain"]["clutch_torque"]))) + friction * p["idle_omega"]
    return fired + np.where(idling, taken * p["idle_omega"], 0.0)


def _ends(values):
    return values[:-1], values[1:]
