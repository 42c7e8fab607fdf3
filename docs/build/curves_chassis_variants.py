"""Variants side by side: brakes, steering, springs, dampers, wheels with mass, anti-roll bars and compliance."""

from functools import cache

import numpy as np

from driving_sandbox.docs.build.concept import concept, joined, with_component
from driving_sandbox.docs.build.curve import DEGREES, KMH, MM, Figure, Line, call, line, parameters, span, vehicle
from driving_sandbox.physics.ground.arrays import ROUGHNESS_AMPLITUDE
from driving_sandbox.physics.ground.ground import Ground, Heightfield
from driving_sandbox.physics.ground.surfaces import default_surfaces
from driving_sandbox.physics.steering.ackermann import corrected_angles
from driving_sandbox.physics.tick.commands import neutral_command
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World

GRAVITY = 9.81  # m/s^2
DRAWN_TRAVEL = 0.86  # fraction of the travel drawn: towards its end, the buffer's force grows without bound
DAMPER_JOUNCE = 0.5  # fraction of the travel at which dampers are compared
MAX_BRAKE = 1.6  # brake force divided by weight that is drawn for a locking handbrake, whose force has no limit
BUMP = 0.03  # m, height of the bump
BUMP_LENGTH = 0.8  # m, length of the bump
BUMP_CELL = 0.05  # m, side of the heightfield's cells
BRAKED = {  # {component: vehicle that has it}
    "pedal_and_handbrake": "roadster_simple", "pedals_and_levers": "tank", "footbrake_and_lock": "patrol",
    "body_force": "planar_roadster", "clipped": "clubsport", "hydraulic": "mx5_na",
}  # fmt: skip


def braking(name: str, brake: float, handbrake: float) -> float:
    """Force of the brakes of all wheels divided by the vehicle's weight, at most MAX_BRAKE."""
    car = vehicle(name)
    state, pedals = car.state["brakes"][0].copy(), car.state["response"][0].copy()
    pedals["brake"], pedals["handbrake"] = brake, handbrake
    weight, count = float(car.params["body"][0]["mass"]) * GRAVITY, car.wheel_count
    if name == "planar_roadster":
        body = car.state["body"][0].copy()
        body["rear_load"], body["v_long"] = 2.0 * float(car.params["tire"][0]["nominal_load"][2]), 10.0
        call(car, "brakes", "brake", state, response=pedals, body=body)
        return float(state["force"]) / weight
    # dt in s, so long that the pressure of hydraulic brakes has built up.
    call(car, "brakes", "update", state, response=pedals, wheel_count=count, dt=10.0)
    force = float((state["torque"][:count] / car.params["wheel"][0]["radius"][:count]).sum())
    return min(MAX_BRAKE, force / weight)


@concept(
    "Brakes",
    "Force that the brakes of all wheels demand, over the vehicle's weight, with the handbrake released. The tires may "
    "transmit less.",
    brakes=tuple(BRAKED),
)  # fmt: skip
def variants_brakes() -> Figure:
    """Brake force per weight versus the pedal, for each brake component."""
    lines = [line(f"{kind}, {name}", span(0.0, 1.0), lambda b, n=name: braking(n, b, 0.0))
             for kind, name in BRAKED.items()]  # fmt: skip
    return Figure("brake pedal [1]", "brake force / weight [1]", joined(lines))


@concept(
    "Handbrake",
    "The same versus the handbrake, with the pedal at 0.6: the handbrake's torque is added; added but clipped at the "
    f"pedal's largest torque; or the wheel locks from half of the lever's travel on (drawn at {MAX_BRAKE:g}).",
    brakes=tuple(BRAKED),
)  # fmt: skip
def variants_handbrake() -> Figure:
    """Brake force per weight versus the handbrake, for each brake component."""
    lines = [line(f"{kind}, {name}", span(0.0, 1.0), lambda h, n=name: braking(n, 0.6, h))
             for kind, name in BRAKED.items()]  # fmt: skip
    return Figure("handbrake [1]", "brake force / weight [1]", joined(lines))


def full_steering(car: Vehicle, speed: float) -> float:
    """Final steer angle of the first wheel at a speed (m/s) for a constant full command to the right, rad."""
    commands, pedals, body = (car.state[slot][0].copy() for slot in ("input", "response", "body"))
    commands["steer"], body["velocity"][:] = 1.0, (0.0, speed, 0.0)
    call(car, "response", "update", pedals, input=commands, body=body)
    state = car.state["steering"][0].copy()
    # dt in s, so long that the rates of steering no longer matter.
    call(car, "steering", "update", state, response=pedals, dt=10.0)
    return -float(state["angle"][0])


@concept(
    "Steering over speed",
    "Angle of the outer front wheel at full steering: by a table over speed, or by a limit of its own.",
    steering=("angle_per_wheel", "ahead_of_mass", "inner_factor"),
)  # fmt: skip
def variants_steering() -> Figure:
    """Angle of the outer front wheel at full steering versus speed."""
    cars = (("angle_per_wheel", "roadster_simple"), ("angle_per_wheel", "truck"), ("ahead_of_mass", "patrol"),
            ("inner_factor", "clubsport"))  # fmt: skip
    lines = [line(f"{kind}, {name}", span(0.0, 50.0), lambda v, n=name: full_steering(vehicle(n), v), KMH, DEGREES)
             for kind, name in cars]  # fmt: skip
    return Figure("speed [km/h]", "steer angle [deg]", lines)


def inner_beyond(name: str, outer: float) -> float:
    """Inner less outer steer angle of the front wheels in a right turn by the `steering` component alone, rad."""
    car = vehicle(name)
    state, pedals = car.state["steering"][0].copy(), car.state["response"][0].copy()
    pedals["steer"] = outer / float(car.params["steering"][0]["max_angle"][0])
    call(car, "steering", "update", state, response=pedals, wheel_count=2)
    return float(state["angle"][0] - state["angle"][1])


def exact_inner(outer: float, strength: float) -> float:
    """Inner less outer angle of Ackermann geometry, wheelbase 2.6 m, track 1.5 m, rad."""
    inner = np.linspace(outer, outer + 0.4, 400)
    outers = [corrected_angles(float(a), strength, 2.6, 1.5)[1] for a in inner]
    return float(np.interp(outer, outers, inner)) - outer


@concept(
    "Inner wheel",
    "How much farther than the outer wheel the inner one turns: by exact Ackermann geometry (wheelbase 2.6 m, track "
    "1.5 m), by 0.8 of it, by the clubsport's factor of 1.12, and not at all.",
    ackermann=("ackermann",), steering=("angle_per_wheel", "inner_factor"),
)  # fmt: skip
def variants_inner_wheel() -> Figure:
    """How much farther the inner front wheel turns, versus the angle of the outer one."""
    outer = span(0.0, 0.5, 121)
    lines = [
        line("ackermann, strength 1", outer, lambda a: exact_inner(a, 1.0), DEGREES, DEGREES),
        line("ackermann, strength 0.8", outer, lambda a: exact_inner(a, 0.8), DEGREES, DEGREES),
        line("inner_factor", outer, lambda a: inner_beyond("clubsport", a), DEGREES, DEGREES),
        line("angle_per_wheel", outer, lambda a: inner_beyond("roadster_simple", a), DEGREES, DEGREES),
    ]
    return Figure("outer wheel [deg]", "inner wheel beyond it [deg]", lines)


@cache
def suspensions() -> dict[str, Vehicle]:
    """{label: vehicle}: the plain roadster with each suspension component, and the patrol car."""
    stop = 0.3 * float(parameters("roadster_simple", "suspension", 0)["travel"])
    changed = {
        "legacy, rest distance 60 mm": ("legacy", {"rest_distance": 0.06}),
        "bump_stop": ("bump_stop", {}),
        "hydraulic, ram 30 mm out": ("hydraulic", {"lift": 0.03}),
        "roll_centre": (
            "roll_centre",
            {"bump_stop_length": stop, "bump_stop_stiffness": 200e3, "bump_damping": 1500.0, "rebound_damping": 4000.0},
        ),
    }
    vehicles_of = {"standard": vehicle("roadster_simple")}
    for label, (choice, values) in changed.items():
        each = {f"suspension__{w}__{key}": value for w in ("fl", "fr", "rl", "rr") for key, value in values.items()}
        vehicles_of[label] = with_component("roadster_simple", "suspension", choice, **each)
    return {**vehicles_of, "authored_pose, patrol": vehicle("patrol")}


def suspension_force(car: Vehicle, jounce: float, speed: float) -> float:
    """Force of the left front suspension divided by the weight it carries, at a jounce (m) and jounce speed (m/s)."""
    state, road, body = (car.state[slot][0].copy() for slot in ("suspension", "road", "body"))
    state["on_ground"], state["direction"], road["normal"] = 1, (0.0, 0.0, -1.0), (0.0, 0.0, 1.0)
    state["jounce"], state["jounce_speed"] = jounce, speed
    if "ram" in state.dtype.names:
        state["ram"] = car.params["suspension"][0]["lift"]
    call(car, "suspension", "line_force", state)
    call(car, "suspension", "force", state, road=road, body=body)
    return float(state["force"][0]) / (float(car.params["suspension"][0]["supported_mass"][0]) * GRAVITY)


@concept(
    "Springs",
    "Static force of the left front suspension versus jounce, divided by the weight it carries: the roadster's spring "
    "in every component that takes one, and the patrol car's, which is derived from the pose that the model has.",
    suspension=("standard", "legacy", "bump_stop", "hydraulic", "roll_centre", "authored_pose"),
)  # fmt: skip
def variants_springs() -> Figure:
    """Static suspension force per weight carried versus jounce, for each suspension."""
    travel = DRAWN_TRAVEL * float(parameters("roadster_simple", "suspension", 0)["travel"])
    lines = [line(label, span(0.0, travel), lambda j, car=car: suspension_force(car, j, 0.0), MM)
             for label, car in suspensions().items()]  # fmt: skip
    return Figure("jounce [mm]", "force / weight carried [1]", joined(lines))


@concept(
    "Dampers",
    "Damper force versus the speed of compression, divided by the same weight, at half of the travel: one rate, or one "
    "for each direction.",
    suspension=("standard", "legacy", "bump_stop", "hydraulic", "roll_centre", "authored_pose"),
)  # fmt: skip
def variants_dampers() -> Figure:
    """Damper force per weight carried versus the speed of compression, for each suspension."""

    def damping(car: Vehicle, speed: float) -> float:
        jounce = DAMPER_JOUNCE * float(car.params["suspension"][0]["travel"][0])
        return suspension_force(car, jounce, speed) - suspension_force(car, jounce, 0.0)

    lines = [line(label.partition(",")[0], span(-0.3, 0.3), lambda v, car=car: damping(car, v))
             for label, car in suspensions().items()]  # fmt: skip
    return Figure("speed of compression [m/s]", "force / weight carried [1]", joined(lines))


@cache
def over_bump(choice: str) -> tuple[np.ndarray, np.ndarray]:
    """(distances of the left front wheel past the foot of the bump, m, its load divided by that at rest) at 15 m/s."""
    y = np.arange(-12.0, 12.0, BUMP_CELL)
    heights = 0.5 * BUMP * (1.0 - np.cos(np.clip(y / BUMP_LENGTH, 0.0, 1.0) * 2.0 * np.pi))
    heights = np.repeat(heights[:, None], len(y), axis=1).astype(np.float32)
    surfaces = np.full((len(y) - 1, len(y) - 1), default_surfaces().index("asphalt"), np.uint8)
    ground = Ground(Heightfield(heights, surfaces, (y[0], y[0]), BUMP_CELL))
    ground.arrays.surfaces[:, ROUGHNESS_AMPLITUDE] = 0.0
    car = load_vehicle("roadster_simple")
    if choice != "standard":
        car = swapped_vehicle(car, plan_swap(car, "suspension", choice))
    world = World(ground, [car])
    world.place(0, (0.0, -6.0), 0.0)
    commands, samples = neutral_command(), []
    for _ in range(round(2.0 / world.tick_seconds)):
        world.step(commands)
    rest = float(car.state["suspension"][0]["force"][0])
    car.state["body"][0]["velocity"][1] = 15.0
    car.state["wheel"][0]["omega"][:4] = 15.0 / car.params["wheel"][0]["radius"][:4]
    for _ in range(round(0.52 / world.tick_seconds)):
        world.step(commands)
        samples.append((car.state["wheel"][0]["position"][0][1], car.state["suspension"][0]["force"][0] / rest))
    positions, load = np.array(samples).T
    return positions[positions > -0.5], load[positions > -0.5]


@concept(
    "Wheels with mass",
    "Load of the roadster's left front tire divided by that at rest, at 54 km/h across a bump 3 cm high and 0.8 m "
    "long: a wheel without mass passes on the whole damper force at once and leaves the road behind the crest; with a "
    "compliant tire the peaks are lower, and the wheel's mass delays them.",
    suspension=("standard", "unsprung"),
)  # fmt: skip
def variants_wheel_mass() -> Figure:
    """Load of a front tire across a bump, with and without the wheel's mass."""
    lines = [Line(name, *over_bump(name)) for name in ("standard", "unsprung")]
    return Figure("distance past the foot of the bump [m]", "load / load at rest [1]", lines)


def bar_force(name: str, loads_tires: int, difference: float) -> float:
    """Roll moment, N m, of a vehicle's anti-roll bars for a difference in jounce of the front wheels, m.

    loads_tires: 1, or 0 for bars that only turn the body.
    """
    car = vehicle(name)
    suspension, road, body = (car.state[slot][0].copy() for slot in ("suspension", "road", "body"))
    state, bars, p = car.state["antiroll"][0].copy(), car.params["antiroll"][0].copy(), car.params["suspension"][0]
    bars["loads_tires"] = loads_tires
    rest = p["supported_mass"][:4] * GRAVITY / p["stiffness"][:4]
    road["normal"][:4], suspension["direction"][:4], suspension["on_ground"][:4] = (0, 0, 1), (0, 0, -1), 1
    suspension["jounce"][:4] = rest + np.array([0.5, -0.5, 0.0, 0.0]) * difference
    suspension["jounce"][3] = suspension["jounce"][2]  # the rear bar does nothing
    suspension["force"][:4] = np.maximum(0.0, p["stiffness"][:4] * suspension["jounce"][:4])
    call(car, "antiroll", "update", state, params=bars, suspension=suspension, road=road, body=body)
    return float(state["torque"][1])


@concept(
    "Anti-roll bars",
    "Torque of the front bar on the body versus the difference in jounce: by a stiffness (the roadster's), and by a "
    "fraction of the springs' (the patrol car's 0.6). Both are limited by the load left on the lifted wheel, unless "
    "bars only turn the body (faint).",
    antiroll=("bars", "stabilizer"),
)  # fmt: skip
def variants_antiroll() -> Figure:
    """Torque of the front anti-roll bar on the body versus the difference in jounce."""
    kinds = (("bars", "roadster_simple"), ("stabilizer", "patrol"))
    lines = [line(f"{kind}, {name}{', body only' if body_only else ''}", span(0.0, 0.2),
                  lambda d, n=name, b=body_only: bar_force(n, int(not b), d), MM, faint=body_only)
             for body_only in (False, True) for kind, name in kinds]  # fmt: skip
    return Figure("jounce left - right [mm]", "torque about the forward axis [N m]", lines)


def toe_under(choice: str, force: float) -> float:
    """Toe of the right front wheel of the roadster under a side force to the left (N), rad."""
    bushes = {"compliance__fr__lateral_force_steer": -2.6e-6} if choice != "graphs" else {}
    car = with_component("roadster_simple", "compliance", choice, **bushes)
    state, tire = car.state["compliance"][0].copy(), car.state["tire"][0].copy()
    tire["lateral_force"][:2] = -force
    call(car, "compliance", "update", state, tire=tire, wheel_count=2, dt=1.0)
    return float(state["toe"][1])


@concept(
    "Compliance steer",
    "Toe of a right front wheel versus the side force on it: rigid links, and bushes of 0.15 degrees per kN.",
    compliance=("graphs", "graphs_and_bushes"),
)  # fmt: skip
def variants_compliance() -> Figure:
    """Toe of a front wheel versus its side force, with rigid links and with bushes."""
    lines = [line(kind, span(-4e3, 4e3, 61), lambda f, k=kind: toe_under(k, f), 1e-3, DEGREES)
             for kind in ("graphs", "graphs_and_bushes")]  # fmt: skip
    return Figure("side force to the left [kN]", "toe [deg], + left", lines)
