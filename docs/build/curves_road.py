"""Curves of suspension, tires, air and road."""

import math
from functools import partial

import numpy as np
import yaml

from docs.build.curve import DEGREES, EXAMPLES, KMH, KN, MM, Figure, Line, curve, line, parameters, span, vehicle
from physics.aero.drag import AERO
from physics.component import argument_names
from physics.curve import graph, vec_graph
from physics.road.roughness import wave_height
from physics.road.surfaces import default_surfaces
from physics.suspension.antiroll import ANTIROLL
from physics.suspension.bump_stop import buffer_force
from physics.suspension.hydraulic import TURN, wanted_piston
from physics.suspension.legacy import legacy_force
from physics.suspension.suspension import spring_damper_force
from physics.tire.combined_slip import filtered_load, friction_factor, lateral_stiffness
from physics.tire.legacy import legacy_longitudinal_slip
from physics.tire.slip import longitudinal_slip
from physics.vehicle_file import VEHICLE_FOLDER, load_vehicle_text

UP, DOWN = (0.0, 0.0, 1.0), (0.0, 0.0, -1.0)
LOADS = (0.5, 1.0, 1.5)  # of the rest load
MAGIC_FORMULA = EXAMPLES / "magic_formula_roadster.yaml"


@curve(
    "physics.suspension.suspension",
    "Spring and damper of the roadster's front suspension over jounce: at rest, compressing and extending at 0.5 m/s. "
    "A suspension never pulls its wheel down, whatever the line says below 0.",
)
def suspension_force():
    p, s = parameters("roadster", "suspension", 0), vehicle("roadster").state["suspension"][0][0].copy()

    def force(jounce, speed):
        s["jounce"], s["jounce_speed"] = jounce, speed
        return spring_damper_force(p, s)

    lines = [
        line(label, span(0.0, p["travel"]), lambda j, v=speed: force(j, v), MM, KN)
        for label, speed in (("at rest", 0.0), ("compressing, 0.5 m/s", 0.5), ("extending, 0.5 m/s", -0.5))
    ]
    return Figure("jounce [mm]", "force [kN]", lines)


@curve(
    "physics.suspension.legacy",
    "The older law on the roadster's front suspension, level ground, at rest: with `rest_distance` 0 it is the "
    "standard one, else it carries the wheel's share of the car as far below full compression as that distance says.",
)
def legacy_suspension():
    p = _swapped("roadster", "suspension", "legacy").params["suspension"][0][0]
    short = p.copy()
    short["used_rest_distance"] = 0.06
    gravity = tuple(float(g) for g in vehicle("roadster").context["gravity"][0])
    jounce = span(0.0, p["travel"])
    weight = p["supported_mass"] * -gravity[2]
    lines = [
        line(label, jounce, lambda j, p=p: max(0.0, legacy_force(p, j, 0.0, UP, DOWN, gravity)), MM, KN)
        for label, p in (("rest distance 0", p), ("rest distance 60 mm", short))
    ]
    lines.append(Line("carried at rest", jounce * MM, np.full_like(jounce, weight * KN), True))
    return Figure("jounce [mm]", "force [kN]", lines)


def _swapped(name, slot, choice):
    """A shipped vehicle with another component in a slot."""
    document = yaml.safe_load((VEHICLE_FOLDER / f"{name}.yaml").read_text(encoding="utf8"))
    document.setdefault("components", {})[slot] = choice
    return load_vehicle_text(yaml.safe_dump(document, sort_keys=False))


@curve(
    "physics.suspension.bump_stop",
    "The same suspension at rest with the buffer of the defaults: past 70 % of the travel it pushes too, without "
    "bound at the end.",
)
def bump_stop():
    p = _swapped("roadster", "suspension", "bump_stop").params["suspension"][0][0]
    s = vehicle("roadster").state["suspension"][0][0].copy()

    def spring(jounce):
        s["jounce"] = jounce
        return spring_damper_force(p, s)

    jounce = span(0.0, 0.95 * p["travel"])
    lines = [
        line("spring and buffer", jounce, lambda j: spring(j) + buffer_force(p, j), MM, KN),
        line("spring", jounce, spring, MM, KN),
    ]
    return Figure("jounce [mm]", "force [kN]", lines)


@curve(
    "physics.suspension.hydraulic",
    "Where the lowrider's rams want to be with the clutch pedal down: every wheel has a phase of its own.",
)
def hydraulic_strokes():
    lines = []
    for name, i in (("front", 0), ("rear", 2)):
        p = parameters("lowrider", "suspension", i)
        turn = TURN * float(p["stroke_frequency"])
        lines.append(line(name, span(0.0, 2.0), lambda t, p=p, w=turn: wanted_piston(p, w * t, 1.0), 1.0, MM))
    return Figure("time [s]", "ram [mm], + lifts the car", lines)


@curve(
    "physics.suspension.antiroll",
    "Torque of the roadster's front bar on the body over the difference in jounce, the wheels' mean as at rest. "
    "Once it would take more load than the lifted wheel has, it can do no more than that load allows; a bar that only "
    "turns the body (`loads_tires: false`) goes on.",
)
def antiroll_torque():
    car = vehicle("roadster")
    suspension, road, body = (car.state[slot][0].copy() for slot in ("suspension", "road", "body"))
    bars = {True: parameters("roadster", "antiroll").copy(), False: parameters("roadster", "antiroll").copy()}
    bars[False]["loads_tires"] = 0
    state, p = car.state["antiroll"][0].copy(), car.params["suspension"][0]
    rest = p["supported_mass"] * -car.context["gravity"][0][2] / p["stiffness"].clip(1.0)
    road["normal"][:4], suspension["direction"][:4], suspension["on_ground"][:4] = UP, DOWN, 1

    def torque(difference, loads_tires):
        suspension["jounce"][:4] = rest[:4] + np.array([0.5, -0.5, 0.0, 0.0]) * difference
        suspension["jounce"][3] = suspension["jounce"][2]  # the rear bar does nothing
        for i in range(4):
            suspension["force"][i] = max(0.0, spring_damper_force(p[i], suspension[i]))
        ANTIROLL.phases["update"](
            bars[loads_tires], state, suspension, p, car.state["compliance"][0], road, body
        )
        return state["torque"][1]

    lines = [
        line("moves load", span(0.0, 0.2), lambda d: torque(d, True), MM),
        line("turns the body only", span(0.0, 0.2), lambda d: torque(d, False), MM, faint=True),
    ]
    return Figure("jounce left - right [mm]", "torque about the forward axis [N m]", lines)


@curve("physics.suspension.compliance", "Camber of the right front wheel against the body, > 0: its top leans right.")
def compliance_camber():
    lines = [
        line(vehicle(n).name, span(0.0, 1.0), partial(graph, parameters(n, "compliance", 1)["camber"]), 1.0, DEGREES)
        for n in ("roadster", "coupe", "hatchback")
    ]
    return Figure("jounce / travel [1]", "camber [deg]", lines)


@curve(
    "physics.suspension.compliance",
    "Height of the point where suspension and tire force act, against the attachment: in these vehicles where the "
    "tire meets the road.",
)
def compliance_force_point():
    lines = []
    for name in ("roadster", "hatchback", "truck"):
        p = parameters(name, "compliance", 1)
        height = lambda x, p=p: vec_graph(p["suspension_force_point"], x)[2]  # noqa: E731
        lines.append(line(vehicle(name).name, span(0.0, 1.0), height, 1.0, MM))
    return Figure("jounce / travel [1]", "height [mm]", lines)


@curve(
    "physics.tire.combined_slip",
    "Load filter: the roadster's, which only ends at three rest loads, and one from [0, 0.2] to [2, 1.6] that flattens "
    "the changes of load a tire feels.",
)
def load_filter():
    p = parameters("roadster", "tire", 0)
    flat = p.copy()
    flat["load_filter"]["x"][:2], flat["load_filter"]["y"][:2] = (0.0, 2.0), (0.2, 1.6)
    force = span(0.0, 4.0 * p["nominal_load"])
    lines = [
        line("roadster", force, lambda f: filtered_load(p, f), KN, KN),
        line("flattened", force, lambda f: filtered_load(flat, f), KN, KN),
    ]
    return Figure("suspension force [kN]", "tire load [kN]", lines)


@curve("physics.tire.combined_slip", "Factor on the road's friction over longitudinal slip: at rest, peak, sliding.")
def friction_over_slip():
    lines = [
        line(vehicle(n).name, span(0.0, 1.2), partial(friction_factor, parameters(n, "tire", 0)))
        for n in ("roadster", "coupe", "offroader", "buggy")
    ]
    return Figure("|longitudinal slip| [1]", "factor [1]", lines)


@curve(
    "physics.tire.combined_slip",
    "Lateral stiffness of the roadster's tires over load: full from `lateral_stiffness_load` times the rest load on.",
)
def lateral_stiffness_over_load():
    lines = []
    for label, i in (("front", 0), ("rear", 2)):
        p = parameters("roadster", "tire", i)
        load = span(0.0, 3.0 * p["nominal_load"])
        lines.append(line(label, load, lambda n, p=p: lateral_stiffness(p, n), KN, KN))
    return Figure("load [kN]", "stiffness [kN/rad]", lines)


def forces(name, **values):
    """(longitudinal, lateral) force of a vehicle's left front tire on dry asphalt, by the tire component it has."""
    car = vehicle(name)
    records = {"params": car.params["tire"][0], "state": car.state["tire"][0].copy(), "wheel_count": 1}
    kernel = car.sequence.by_slot["tire"].phases["force"]
    for argument in argument_names(kernel):
        if argument == "scratch":
            records[argument] = car.scratch["tire"][0]
        elif argument.endswith("_params"):
            records[argument] = car.params[argument.removesuffix("_params")][0]
        elif argument not in records:
            records[argument] = car.state[argument][0]
    tire, p = records["state"][0], records["params"][0]
    surfaces = default_surfaces()
    dry = surfaces[surfaces.index("asphalt")].friction[car.get(f"tire.{car.wheel_names[0]}.tire_type")]
    for key, value in values.items():
        tire[key] = value
    tire["friction"] = dry * friction_factor(p, tire["longitudinal_slip"])
    kernel(*(records[argument] for argument in argument_names(kernel)))
    return float(tire["longitudinal_force"]), float(tire["lateral_force"])


def over_loads(name, x, key, axis, in_x):
    """One line for each of LOADS: a force over a slip or an angle."""
    rest = parameters(name, "tire", 0)["nominal_load"]
    return [
        line(f"load {share * rest * KN:.1f} kN", x,
             lambda v, n=share * rest: forces(name, load=n, **{key: v})[axis], in_x, KN)
        for share in LOADS
    ]  # fmt: skip


ANGLES = span(math.radians(-20.0), math.radians(20.0))


@curve(
    "physics.tire.combined_slip",
    "Lateral force of the roadster's left front tire over the slip angle at half, one and one and a half times its "
    "rest load, rolling freely on dry asphalt.",
)
def lateral_force():
    return Figure("slip angle [deg], + moves right", "lateral force [kN], + right",
                  over_loads("roadster", ANGLES, "lateral_slip", 1, DEGREES))  # fmt: skip


@curve("physics.tire.combined_slip", "The same tire's longitudinal force over the longitudinal slip.")
def longitudinal_force():
    return Figure("longitudinal slip [1], + drives", "longitudinal force [kN]",
                  over_loads("roadster", span(-0.6, 0.6), "longitudinal_slip", 0, 1.0))  # fmt: skip


@curve(
    "physics.tire.combined_slip",
    "Combined slip: both forces of the same tire at its rest load, each line one slip angle while the longitudinal "
    "slip goes from -1 to 1.",
)
def combined_slip():
    rest = parameters("roadster", "tire", 0)["nominal_load"]
    kappa = np.sign(s := span(-1.0, 1.0, 601)) * s * s
    lines = []
    for angle in (1.0, 3.0, 6.0, 12.0):
        both = [
            forces("roadster", load=rest, longitudinal_slip=k, lateral_slip=-math.radians(angle)) for k in kappa
        ]
        along, across = np.array(both).T * KN
        lines.append(Line(f"slip angle {angle:g} deg", along, across))
    return Figure("longitudinal force [kN]", "lateral force [kN]", lines)


@curve(
    "physics.tire.combined_slip",
    "Camber thrust of the same tire, rolling straight ahead: the wheel pushes to the side its top leans to.",
)
def camber_thrust():
    return Figure("camber [deg], + top leans right", "lateral force [kN], + right",
                  over_loads("roadster", span(-0.26, 0.26), "camber", 1, DEGREES))  # fmt: skip


@curve(
    "physics.tire.legacy",
    "Longitudinal slip of a driven wheel over the speed of its rim, by both definitions, at two speeds. Forces over "
    "slip are those of the standard tire, and so is the lateral slip.",
)
def legacy_slip():
    context = vehicle("roadster").context[0]
    radius = float(parameters("roadster", "wheel", 0)["radius"])
    least = float(context["min_active_slip_speed"])
    lines = []
    for speed in (4.0, 10.0):
        rim = span(0.0, 3.0 * speed)
        legacy = lambda r, v=speed: legacy_longitudinal_slip(v, r, 1, context)  # noqa: E731
        standard = lambda r, v=speed: longitudinal_slip(v, r / radius, radius, least)  # noqa: E731
        lines.append(line(f"legacy, {speed:g} m/s", rim, legacy))
        lines.append(line(f"standard, {speed:g} m/s", rim, standard))
    return Figure("speed of the rim [m/s]", "longitudinal slip [1]", lines)


@curve(
    "docs.examples.magic_formula_tire",
    "The worked example's tire on the same car: lateral force over the slip angle at three loads. It has a peak of its "
    "own, and a load less than in proportion.",
)
def magic_formula_lateral():
    return Figure("slip angle [deg], + moves right", "lateral force [kN], + right",
                  over_loads(MAGIC_FORMULA, ANGLES, "lateral_slip", 1, DEGREES))  # fmt: skip


@curve("docs.examples.magic_formula_tire", "Its longitudinal force over the longitudinal slip.")
def magic_formula_longitudinal():
    return Figure("longitudinal slip [1], + drives", "longitudinal force [kN]",
                  over_loads(MAGIC_FORMULA, span(-0.6, 0.6), "longitudinal_slip", 0, 1.0))  # fmt: skip


@curve("physics.aero.drag", "Drag over speed, straight ahead in still air.")
def aero_drag():
    lines = []
    for name in ("roadster", "coupe", "buggy", "truck"):
        car = vehicle(name)
        state, body = car.state["aero"][0].copy(), car.state["body"][0].copy()

        def drag(speed, car=car, state=state, body=body):
            body["velocity"][:] = (0.0, speed, 0.0)
            AERO.phases["update"](car.params["aero"][0], state, body, car.context[0])
            return -state["force"][1]

        lines.append(line(car.name, span(0.0, 60.0), drag, KMH, KN))
    return Figure("speed [km/h]", "drag [kN]", lines)


@curve("physics.road.roughness", "Ten metres of four surfaces, as a point would feel them.")
def roughness():
    surfaces = default_surfaces()
    lines = []
    for name in ("asphalt", "concrete", "grass", "gravel"):
        s = surfaces[surfaces.index(name)]
        height = lambda x, s=s: wave_height(s.roughness_amplitude, s.roughness_wavelength, x, 0.0, 0.0)  # noqa: E731
        lines.append(line(name, span(0.0, 10.0, 801), height, 1.0, MM))
    return Figure("way [m]", "height [mm]", lines)
