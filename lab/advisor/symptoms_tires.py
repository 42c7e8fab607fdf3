"""Detectors of faults between body, suspension, tires and ground.

Each takes a SampleHistory, `watch`, and returns Advice or None. The criteria, with the limits and lengths of time used
here, are in the table of lab/advisor/symptoms.py; the numbers in `watch.get` are seconds and samples per second.
"""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.lab.advisor.advice import Advice, advise
from driving_sandbox.lab.advisor.figures import gravity, has, tire_path, value, wheel_values
from driving_sandbox.lab.advisor.sample_history import SampleHistory
from driving_sandbox.lab.advisor.symptoms_driving import APPLIED, FORWARD, PRESSED, UP, body_axis, driven
from driving_sandbox.physics.maths.quat import rotate

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

SPINNING = 0.5  # longitudinal slip above which a wheel counts as spinning
CLIMBING_SLIP = 0.4  # longitudinal slip above which a wheel counts as spinning on a steep slope
LOAD_TOLERANCE = 0.05  # of the springs' force, as a fraction of the weight
UPRIGHT = 0.5  # vertical fraction of the contact impulse on the bodywork; with less it is contact with a wall
SMALL_IMPULSE = 1e-3  # N*s, added so that contacts without an impulse so far have equal weights
RIDGE = 0.05  # m above the plane of the wheel contacts; higher ground carries the body however stiff the springs
HARDLY_MOVES = 2.0  # m/s, speed up to which the vehicle counts as hardly moving
MAX_SLEW = 10.0  # 1/s, pedal rate
FLAT_FILTER = [[0.0, 0.6], [3.0, 1.8]]  # keeps the load at rest (1), passes 40 % of the fluctuations around it
TURNING = 0.1  # rad/s, yaw rate above which the vehicle counts as turning
YAW_DEVIATION = 0.05  # rad/s, deviation of the yaw rate that a driver feels


def _name(watch: SampleHistory, i: Any) -> str:
    """Name of a wheel."""
    return watch.vehicle.wheel_names[int(i)]


def _tire_path(watch: SampleHistory, i: Any, name: str) -> str:
    """Path of the parameter of a wheel's tire that is equivalent to `name` of a combined_slip tire."""
    return tire_path(watch.vehicle, _name(watch, i), name)


def bump_stops(watch: SampleHistory) -> Advice | None:
    """A wheel on the ground is at either end of its travel most of the time."""
    if not (watch.has("suspension.jounce") and watch.full(4.0)):
        return None
    travel, jounce = wheel_values(watch.vehicle, "suspension", "travel"), watch.get("suspension.jounce", 4.0, 15.0)
    ground = watch.get("suspension.on_ground", 4.0, 15.0) != 0
    share = (((jounce > 0.995 * travel) | (jounce < 0.002 * travel)) & ground).mean(axis=0)
    i = int(np.argmax(share))
    if share[i] > 0.5:
        at = f"jounce {jounce[-1, i]:.3f} m of {travel[i]:.3f} m"
        text = f"{_name(watch, i)}: at a limit for {100 * share[i]:.0f} % of 4 s, {at}"
        stop = jounce[-1, i] > 0.5 * travel[i]
        path = f"suspension.{_name(watch, i)}.{'stiffness' if stop else 'travel'}"
        return advise("travel_room", text, path, action="raise")
    return None


def _rests_on_hull(watch: SampleHistory) -> bool:
    """True if the contacts of the bodywork carry weight, unlike those with a wall."""
    solver = watch.vehicle.state["contact"][0]["solver"]
    contacts = solver["contacts"][: int(solver["contact_count"])]
    impulses = contacts["normal_impulse"] + SMALL_IMPULSE
    return float(impulses @ np.abs(contacts["normal"][:, 2])) > UPRIGHT * float(impulses.sum())


def _sits_on_ridge(watch: SampleHistory) -> bool:
    """True if the bodywork touches something above the plane of the wheel contacts: a verge, a crest, a kerb."""
    state, n = watch.vehicle.state, watch.vehicle.wheel_count
    wheel_contacts = state["road"]["point"][0, :n]
    solver = state["contact"][0]["solver"]
    anchors = solver["contacts"]["anchor"][: int(solver["contact_count"])]
    orientation, centre = tuple(state["body"]["orientation"][0].tolist()), state["body"]["position"][0]
    touched = np.array([rotate(orientation, tuple(anchor)) for anchor in anchors.tolist()]).reshape(-1, 3) + centre
    middle = wheel_contacts.mean(axis=0)
    spread = wheel_contacts - middle
    slopes = np.linalg.lstsq(spread[:, :2], spread[:, 2], rcond=None)[0]
    away = touched - middle
    return bool((away[:, 2] - away[:, :2] @ slopes > RIDGE).any())


def _blocked(watch: SampleHistory, seconds: float) -> bool:
    """True if the vehicle hardly moves while its bodywork touches something."""
    if not watch.has("contact.hull_contact_count") or watch.speeds(seconds).max() > HARDLY_MOVES:
        return False
    return watch.get("contact.hull_contact_count", seconds).max() > 0


def hull_contact(watch: SampleHistory) -> Advice | None:
    """The bodywork rests on the ground while all wheels are on it."""
    if not (watch.has("contact.hull_contact_count", "suspension.on_ground") and watch.full(1.0)):
        return None
    count = watch.get("contact.hull_contact_count", 1.0)
    stands = count.min() > 0 and watch.get("suspension.on_ground", 1.0).all()
    if stands and _rests_on_hull(watch) and not _sits_on_ridge(watch):
        impulse = watch.get("contact.hull_impulse", 1.0).mean()
        i = int(np.argmax(watch.now("suspension.jounce") / wheel_values(watch.vehicle, "suspension", "travel")))
        text = f"{int(count[-1])} contacts of bodywork, {impulse:.1f} N*s a substep, with every wheel on the ground"
        return advise("hull_contact", text, f"suspension.{_name(watch, i)}.stiffness")
    return None


def loads_at_rest(watch: SampleHistory) -> Advice | None:
    """The springs do not carry the weight at rest on level ground; not checked for vehicles with a rear hitch."""
    if not (watch.has("suspension.force", "input.throttle") and watch.full(2.0)) or body_axis(watch, UP)[2] < 0.98:
        return None
    if has(watch.vehicle, "contact", "hitch_rear") and watch.vehicle.params["contact"][0]["hitch_rear"].any():
        return None
    if watch.speeds(2.0).max() > 0.02 or not watch.get("suspension.on_ground", 2.0).all():
        return None
    carried = float(watch.get("suspension.force", 2.0).sum(axis=1).mean())
    weight = value(watch.vehicle, "body", "mass") * gravity(watch.vehicle) * body_axis(watch, UP)[2]
    if abs(carried - weight) > LOAD_TOLERANCE * weight:
        text = f"the springs carry {carried:.0f} N of {weight:.0f} N at rest"
        return advise("sprung_masses", text, f"suspension.{_name(watch, 0)}.stiffness", action="raise")
    return None


def jitter_at_rest(watch: SampleHistory) -> Advice | None:
    """The load of a wheel oscillates while the vehicle stands."""
    if not (watch.has("suspension.force", "input.throttle") and watch.full(2.0)) or watch.speeds(2.0).max() > 0.3:
        return None
    force = watch.get("suspension.force", 2.0, None)
    mean = force.mean(axis=0)
    if mean.min() <= 0.0:
        return None
    swing = np.ptp(force, axis=0) / mean
    i = int(np.argmax(swing))
    above = force[:, i] > mean[i]
    rate = 0.5 * np.count_nonzero(above[1:] != above[:-1]) / 2.0  # Hz: two crossings of the mean a period, in 2 s
    if swing[i] > 0.2 and rate > 4.0:
        text = f"{_name(watch, i)}: load varies by {100 * swing[i]:.0f} % at {rate:.0f} Hz while standing"
        return advise("jitter_at_rest", text, f"suspension.{_name(watch, i)}.stiffness")
    return None


def _spinning(watch: SampleHistory, seconds: float, slip: float) -> np.ndarray:
    """[k] indices of driven wheels whose slip exceeded `slip` on the ground for the last `seconds`, throttle pressed.

    Only slip in the direction in which the wheel turns counts: a tank brakes its inner track under throttle. Empty
    while contact of the bodywork with a wall or the ground keeps the vehicle from moving.
    """
    if not (watch.has("tire.longitudinal_slip", "input.throttle", "wheel.omega") and watch.full(seconds)):
        return np.empty(0, int)
    if watch.now("input.throttle") < PRESSED or watch.get("input.throttle", seconds).min() < PRESSED:
        return np.empty(0, int)
    if np.abs(watch.now("tire.longitudinal_slip")).max() < slip:
        return np.empty(0, int)
    if _blocked(watch, seconds):
        return np.empty(0, int)
    ground = watch.get("suspension.on_ground", seconds) != 0
    direction = np.sign(watch.get("wheel.omega", seconds))
    spinning = (direction * watch.get("tire.longitudinal_slip", seconds) > slip) & ground
    return np.array([i for i in driven(watch.vehicle) if spinning[:, i].all()], int)


def low_friction(watch: SampleHistory) -> Advice | None:
    """A spinning wheel has little friction while the vehicle hardly moves: crossing ice is no fault."""
    spinning = _spinning(watch, 1.0, SPINNING)
    if not len(spinning) or watch.speeds(1.0).max() > HARDLY_MOVES:
        return None
    friction = watch.now("tire.friction")
    i = spinning[int(np.argmin(friction[spinning]))]
    if watch.get("tire.friction", 1.0)[:, i].max() < 0.2:
        road = watch.now("road.friction") if watch.has("road.friction") else friction
        each = ", ".join(f"{_name(watch, k)} {f:.2f}" for k, f in enumerate(friction))
        path = _tire_path(watch, i, "friction_versus_slip") if road[i] >= 0.2 else f"tire.{_name(watch, i)}.tire_type"
        action = "raise" if road[i] >= 0.2 else "choose another"
        text = f"friction {each}; the ground gives {road[i]:.2f}"
        return advise("low_friction", text, path, action=action)
    return None


def no_longitudinal_force(watch: SampleHistory) -> Advice | None:
    """A spinning wheel gives hardly any longitudinal force."""
    for i in _spinning(watch, 0.5, SPINNING):
        limit = (watch.get("tire.friction", 0.5) * watch.get("tire.load", 0.5))[:, i]
        force = np.abs(watch.get("tire.longitudinal_force", 0.5)[:, i])
        if limit.min() > 100.0 and (force < 0.05 * limit).all():
            slip = watch.now("tire.longitudinal_slip")[i]
            text = f"{_name(watch, i)}: slip {slip:.2f}, {force[-1]:.0f} N of {limit[-1]:.0f} N"
            return advise("no_longitudinal_force", text, _tire_path(watch, i, "longitudinal_stiffness"))
    return None


def no_lateral_slip(watch: SampleHistory) -> Advice | None:
    """Steered wheels show no slip angle."""
    if not (watch.has("steering.angle", "tire.lateral_slip") and watch.full(0.5)):
        return None
    if np.abs(watch.now("steering.angle")).max() < math.radians(5.0) or watch.speeds(0.5).min() < 5.0:
        return None
    angle, slip = np.abs(watch.get("steering.angle", 0.5)), np.abs(watch.get("tire.lateral_slip", 0.5))
    ground = watch.get("suspension.on_ground", 0.5) != 0
    steered = (angle > math.radians(5.0)).all(axis=0) & ground.all(axis=0)
    without_slip = np.flatnonzero(steered & (slip < math.radians(0.1)).all(axis=0))
    if len(without_slip) and len(without_slip) == steered.sum():
        i = without_slip[0]
        steer, across = math.degrees(angle[-1, i]), math.degrees(slip[-1, i])
        text = f"{_name(watch, i)}: steered {steer:.1f} degrees, slips {across:.3f} degrees"
        return advise("no_lateral_slip", text, _tire_path(watch, i, "lateral_stiffness"))
    return None


def pedal_slew(watch: SampleHistory) -> Advice | None:
    """A fast pedal is followed by wheel spin that persists for 0.7 s on a surface with grip.

    Tracks steer by slipping, so only their spin in straight driving counts.
    """
    spinning = _spinning(watch, 0.7, SPINNING)
    if has(watch.vehicle, "levers") and np.abs(watch.get("body.angular_velocity", 0.7)[:, 2]).max() > TURNING:
        return None
    if not len(spinning) or not watch.full(1.5) or watch.now("road.friction")[spinning].min() < 0.6:
        return None
    throttle = watch.get("input.throttle", 3.0)
    # 3 samples at 60 Hz are 0.05 s.
    slew = float((throttle[3:] - throttle[:-3]).max()) / 0.05 if len(throttle) > 3 else 0.0
    if slew > MAX_SLEW:
        text = f"pedal at {slew:.0f} 1/s, then slip {watch.now('tire.longitudinal_slip')[spinning].max():.2f} for 0.7 s"
        path = "input.analog_throttle_rise"
        return advise("pedal_slew", text, path, {path: 3.0, "input.throttle_rise": 3.0})
    return None


def no_limited_slip(watch: SampleHistory) -> Advice | None:
    """The inner wheel of a driven axle spins in a bend while the outer one rolls."""
    if not (watch.has("tire.longitudinal_slip", "input.throttle") and watch.full(0.4)):
        return None
    if watch.get("input.throttle", 0.4).min() < 0.2 or watch.speeds(0.4).min() < 2.0:
        return None
    slip, yaw = watch.get("tire.longitudinal_slip", 0.4), float(watch.now("body.angular_velocity")[2])
    driven_wheels = set(driven(watch.vehicle).tolist())
    for axle, members in watch.vehicle.axles.items():
        if len(members) != 2 or not driven_wheels.issuperset(members) or abs(yaw) < TURNING:
            continue
        inner, outer = (members[0], members[1]) if yaw > 0.0 else (members[1], members[0])
        if slip[:, inner].min() > SPINNING and np.abs(slip[:, outer]).max() < 0.1:
            names = _name(watch, inner), _name(watch, outer)
            text = f"{names[0]} (inner): slip {slip[-1, inner]:.2f}, {names[1]}: {slip[-1, outer]:.2f}"
            return advise("no_limited_slip", text, **_limited_slip(watch.vehicle, axle, names[0]))
    return None


def _limited_slip(vehicle: "Vehicle", axle: str, wheel: str) -> dict[str, Any]:
    """Further arguments of `advise`: change the axle's bias, the differential, or the torque of the wheel's motor."""
    bias, target = f"limited_slip.{axle}_bias", f"limited_slip.{axle}_target"
    if has(vehicle, "limited_slip", f"{axle}_bias"):
        return {"path": bias, "changes": {bias: 1.3, target: 1.28}}
    if has(vehicle, "differential", "torque_ratio"):
        action = "choose a limited-slip differential with bias 1.3 instead of"
        return {"path": f"differential.{wheel}.torque_ratio", "action": action}
    return {"path": f"direct_drive.{wheel}.max_torque", "action": "lower"}


def bumpy_load(watch: SampleHistory) -> Advice | None:
    """All tire loads fluctuate and the yaw rate deviates to both sides; only checked for tires with a load filter."""
    if not has(watch.vehicle, "tire", "load_filter"):
        return None
    if not (watch.has("tire.load", "steering.angle") and watch.full(2.0)) or watch.speeds(2.0).min() < 8.0:
        return None
    load = watch.get("tire.load", 2.0)
    mean = np.maximum(load.mean(axis=0), 1.0)
    swing = 2.0 * load.std(axis=0) / mean  # two standard deviations; a sine's amplitude is 1.4 standard deviations
    i = int(np.argmin(swing))
    above = load[:, i] > mean[i]
    rate = 0.5 * np.count_nonzero(above[1:] != above[:-1]) / 2.0  # Hz: two crossings of the mean a period, in 2 s
    if not (swing[i] > 0.5 and rate > 2.0):
        return None
    yaw = watch.get("body.angular_velocity", 2.0)[:, 2]
    steady = np.ptp(watch.get("steering.angle", 2.0), axis=0).max() < math.radians(3.0)
    time = np.linspace(-1.0, 1.0, len(yaw))
    off = yaw - np.polyval(np.polyfit(time, yaw, 2), time)  # less its slow change, which steering and speed explain
    if steady and off.max() > YAW_DEVIATION and off.min() < -YAW_DEVIATION:
        variation = f"load varies {100 * swing[i]:.0f} % at {rate:.1f} Hz"
        text = f"{_name(watch, i)}: {variation}, yaw rate deviates by {off.max():.2f} and {off.min():.2f} rad/s"
        values = {f"tire.{name}.load_filter": FLAT_FILTER for name in watch.vehicle.wheel_names}
        return advise("bumpy_load", text, f"tire.{_name(watch, i)}.load_filter", values)
    return None


def slip_oscillation(watch: SampleHistory) -> Advice | None:
    """The longitudinal slip changes its sign in most ticks at low speed.

    Only checked while the vehicle coasts: locked and driven wheels slip for other reasons.
    """
    if not (watch.has("tire.longitudinal_slip", "input.throttle") and watch.full(0.5)):
        return None
    if max(watch.get(f"input.{pedal}", 0.5).max() for pedal in ("throttle", "brake", "handbrake")) > APPLIED:
        return None
    speed = watch.speeds(0.5, None)
    if speed.max() > 2.0 or speed.mean() < 0.05:
        return None
    slip = watch.get("tire.longitudinal_slip", 0.5, None)
    sign_changes = (slip[1:] * slip[:-1] < 0.0) & (np.abs(slip[1:] - slip[:-1]) > 0.005)
    share = sign_changes.mean(axis=0)
    i = int(np.argmax(share))
    if share[i] > 0.5:
        text = (
            f"{_name(watch, i)}: the slip changes its sign in {100 * share[i]:.0f} % of the steps at "
            f"{speed.mean():.1f} m/s, up to {np.abs(slip[:, i]).max():.2f}"
        )
        return advise("slip_oscillation", text, _tire_path(watch, i, "longitudinal_stiffness"))
    return None


def climbs_steep(watch: SampleHistory) -> Advice | None:
    """The vehicle climbs a steep slope on spinning wheels."""
    spinning = _spinning(watch, 1.0, CLIMBING_SLIP)
    if not len(spinning) or watch.get("body.velocity", 1.0)[:, 2].min() < 0.2:
        return None
    steep = math.asin(min(1.0, abs(body_axis(watch, FORWARD)[2])))
    if steep > math.radians(30.0):
        i = spinning[0]
        text = f"climbs {math.degrees(steep):.0f} degrees with slip {watch.now('tire.longitudinal_slip')[i]:.2f}"
        return advise("climbs_steep", text, _tire_path(watch, i, "friction_versus_slip"))
    return None


TIRE_DETECTORS = (
    bump_stops, hull_contact, loads_at_rest, jitter_at_rest, low_friction, no_longitudinal_force, no_lateral_slip,
    pedal_slew, no_limited_slip, bumpy_load, slip_oscillation, climbs_steep,
)  # fmt: skip
