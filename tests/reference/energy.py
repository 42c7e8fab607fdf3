"""Energy of a drive, and the largest work of engine, wheel motors and external forces.

    E = m v^2 / 2 + w I w / 2 + m g z             body
      + sum I omega^2 / 2                         wheels and engine
      + sum k jounce^2 / 2 + sum b (jounce_a - jounce_b)^2 / 2      springs and bars
      + sum m w u.(v + o x r) + m w^2 / 2 + m g.u jounce + tires     hubs with mass m, see suspension/unsprung.py

A substep moves the pose by h v with the velocity after its forces, and springs act by the jounce at its start. That
velocity belongs to the middle of the substep, so `energy_at_one_instant` computes heights and jounces half a substep
before the resulting pose. With jounces of the start and heights of the end, energy would seem to vary by F v h / 2, up
to 0.8 % of a drop at 60 Hz with 3 substeps, which is an error of the measurement, not of the motion.

The bound of a tick's work is the larger of the powers at its start and end times its length, where positive. The idle
governor supplies the torque of clutch and friction.
"""

import numpy as np

from driving_sandbox.physics.maths.quat import rotate, rotate_inverse
from driving_sandbox.physics.suspension.hub_springs import RIM_STIFFNESS
from driving_sandbox.physics.tick.binding import argument_names

UP = np.array([0.0, 0.0, 1.0])
SMALLEST_COSINE = 1e-3  # of the angle between suspension and road normal; below, the road does not move the spring


def body_energy(vehicle, states, gravity):
    """Kinetic and potential energy of the body, J; gravity: vector, m/s^2."""
    body, mass = states["body"], vehicle.get("body.mass")
    if "yaw_inertia" in vehicle.params["body"].dtype.names:  # planar
        inertia = np.array([0.0, 0.0, vehicle.get("body.yaw_inertia")])
    else:
        inertia = vehicle.params["body"]["inertia"][0]
    rotations = zip(body["orientation"].tolist(), body["angular_velocity"].tolist(), strict=True)
    spin = np.array([rotate_inverse(tuple(q), tuple(w)) for q, w in rotations])
    kinetic = 0.5 * mass * (body["velocity"] ** 2).sum(axis=1) + 0.5 * (spin**2 @ inertia)
    return kinetic - mass * (body["position"] @ gravity)


def stored_energy(vehicle, states):
    """Energy of wheels, engine, springs and bars, J."""
    n = vehicle.wheel_count
    params = vehicle.params
    total = 0.5 * states["wheel"]["omega"][:, :n] ** 2 @ params["wheel"]["inertia"][0, :n]
    jounce = states["suspension"]["jounce"][:, :n]
    total = total + 0.5 * jounce**2 @ params["suspension"]["stiffness"][0, :n]
    bars = params["antiroll"][0]
    for k in range(int(bars["stiffness"]["count"])):
        a, b = int(bars["wheel_a"]["values"][k]), int(bars["wheel_b"]["values"][k])
        total = total + 0.5 * bars["stiffness"]["values"][k] * (jounce[:, a] - jounce[:, b]) ** 2
    if "engine" in states.dtype.names and "inertia" in params["engine"].dtype.names:
        total = total + 0.5 * params["engine"]["inertia"][0] * states["engine"]["omega"] ** 2
    return total


def energy_at_one_instant(vehicle, states, gravity, h):
    """Total energy half a substep of length h before the pose of the states, on level ground, J; see above.

    Includes springs with preload and bump stop, bars, wheels and engine; rams must not move. Of a planar vehicle,
    which has no springs, it is the energy of the body only.
    """
    body = states["body"]
    middle = states.copy()
    if "suspension" in states.dtype.names:
        s, p = middle["suspension"], vehicle.params["suspension"]
        find_jounces(vehicle, middle, h)
        if "hub_mass" in p.dtype.names:
            return energy_with_hubs(vehicle, middle, gravity, h)
        point_velocities = body["velocity"][:, None] + np.cross(body["angular_velocity"][:, None], s["force_arm"])
        closing = np.where(
            s["on_ground"] != 0, (point_velocities @ UP) / np.minimum(-SMALLEST_COSINE, s["direction"] @ UP), 0.0
        )
        s["jounce"] = np.clip(s["jounce"] - 0.5 * h * closing, 0.0, p["travel"])
    middle["body"]["position"] -= 0.5 * h * body["velocity"]
    total = body_energy(vehicle, middle, gravity)
    if "suspension" not in states.dtype.names:
        return total
    return total + stored_energy(vehicle, middle) + other_spring_energy(vehicle, middle)


def find_jounces(vehicle, states, h):
    """Change the jounces of the states, which are those before the last substep, to those at their pose."""
    update = vehicle.sequence.by_slot["suspension"].phases["update"]
    params, slots = vehicle.params, ("wheel", "steering", "road", "body")
    for k in range(len(states)):
        row = states[k : k + 1]
        records = {
            **{slot: row[slot][0] for slot in slots}, "params": params["suspension"][0], "state": row["suspension"][0],
            "wheel_params": params["wheel"][0], "antiroll_params": params["antiroll"][0],
            "context": vehicle.context[0], "wheel_count": vehicle.wheel_count, "dt": h,
        }  # fmt: skip
        update(*(records[name] for name in argument_names(update)))


def energy_with_hubs(vehicle, states, gravity, h):
    """Total energy half a substep before the pose of the states, whose jounces are those at that pose, J."""
    n, body = vehicle.wheel_count, states["body"]
    p, s = vehicle.params["suspension"][0, :n], states["suspension"][:, :n]
    speed, travel = s["jounce_speed"], -s["direction"]
    s["jounce"] -= 0.5 * h * speed
    body["position"] -= 0.5 * h * body["velocity"]
    deflection = np.maximum(0.0, s["tire_deflection"] - 0.5 * h * s["deflection_speed"])
    rim = np.maximum(0.0, deflection - p["tire_depth"])
    tires = 0.5 * (deflection**2 + RIM_STIFFNESS * rim**2) @ p["tire_rate"]
    rotations = [tuple(q) for q in body["orientation"].tolist()]
    arms = p["arm"] + p["direction"] * (p["travel"] - s["jounce"])[:, :, None]  # from the centre of mass, body axes
    arms = np.array([[rotate(q, tuple(arm)) for arm in row] for q, row in zip(rotations, arms.tolist(), strict=True)])
    point = body["velocity"][:, None] + np.cross(body["angular_velocity"][:, None], arms)
    moving = speed * np.einsum("ijk,ijk->ij", travel, point) + 0.5 * speed**2
    lifted = s["jounce"] * (travel @ gravity)
    total = body_energy(vehicle, states, gravity) + (moving - lifted) @ p["hub_mass"] + tires
    return total + stored_energy(vehicle, states) + other_spring_energy(vehicle, states)


def other_spring_energy(vehicle, states):
    """Spring energy beyond k jounce^2 / 2: preload, bump stop of the roll centre suspension, ram, J."""
    n = vehicle.wheel_count
    p, s = vehicle.params["suspension"][0, :n], states["suspension"][:, :n]
    jounce, total = s["jounce"], np.zeros(len(states))
    if "preload" in p.dtype.names:
        total += jounce @ p["preload"]
    if "bump_stop_length" in p.dtype.names:
        depth = np.maximum(0.0, jounce - p["travel"] + p["bump_stop_length"])
        total += depth**3 @ (p["bump_stop_stiffness"] / (6.0 * np.maximum(1e-9, p["bump_stop_length"])))
    if "ram" in s.dtype.names:
        total += ((jounce + 0.5 * s["ram"]) * s["ram"]) @ p["stiffness"]
    return total


def work_in(vehicle, states, external, dt):
    """Largest possible work on the vehicle in every tick, J; states: before, between and after the ticks."""
    body = states["body"]
    power = np.maximum(*(np.einsum("ij,ij->i", external["force"], v) for v in _ends(body["velocity"])))
    power += np.maximum(*(np.einsum("ij,ij->i", external["torque"], w) for w in _ends(body["angular_velocity"])))
    if "engine" in states.dtype.names:
        power += _engine_power(vehicle, states)
    else:
        n = vehicle.wheel_count
        torque = states["direct_drive"]["torque"][1:, :n]
        powers = [torque * omega for omega in _ends(states["wheel"]["omega"][:, :n])]
        power += np.maximum(0.0, np.maximum(*powers)).sum(axis=1)
    return np.maximum(0.0, power) * dt


def _engine_power(vehicle, states):
    """Upper limit of the power that the engine gives in each step, W."""
    engine, p = states["engine"], vehicle.params["engine"][0]
    firing_power = np.maximum(*_ends(engine["torque"])) * np.maximum(*_ends(engine["omega"]))
    idling = np.minimum(*_ends(engine["omega"])) <= p["idle_omega"]
    friction = max(p[f"damping_{which}"] for which in (
        "full_throttle", "zero_throttle_clutch_engaged", "zero_throttle_clutch_disengaged"))  # fmt: skip
    drag = np.maximum(0.0, np.maximum(*_ends(states["drivetrain"]["clutch_torque"]))) + friction * p["idle_omega"]
    return firing_power + np.where(idling, drag * p["idle_omega"], 0.0)


def _ends(values):
    """Values before and after each step."""
    return values[:-1], values[1:]
