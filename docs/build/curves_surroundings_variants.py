"""Variants side by side: air, rolling resistance, inertia, friction of the ground."""

from typing import Any

import numpy as np

from driving_sandbox.docs.build.concept import concept, joined, with_component
from driving_sandbox.docs.build.curve import KMH, Figure, Line, call, line, parameters, span, vehicle
from driving_sandbox.physics.body.euler import EULER_BODY
from driving_sandbox.physics.body.inertia import moments
from driving_sandbox.physics.body.rigid_body import BODY
from driving_sandbox.physics.estimate.inertia import axle_formula, rule_of_thumb
from driving_sandbox.physics.ground.arrays import TIRE_TYPES
from driving_sandbox.physics.ground.surfaces import default_surfaces
from driving_sandbox.physics.planar.resistance import FORMS
from driving_sandbox.physics.road.query import FRICTION_RULES, road_friction
from driving_sandbox.physics.tick.component import Component
from driving_sandbox.physics.tire.coulomb import rolling_drag
from driving_sandbox.physics.vehicle.vehicle import Vehicle

BOX = (1.8, 4.2, 1.3)  # m, width, length and height of the bodies compared
CROSSWIND_SPEED = 30.0  # m/s, speed of a car in crosswind


def air(car: Vehicle, velocity: tuple[float, float]) -> tuple[float, float, float]:
    """(drag, downforce, side force to the right) of a vehicle at a velocity in still air, N."""
    state, body = car.state["aero"][0].copy(), car.state["body"][0].copy()
    body["velocity"][:] = (*velocity, 0.0)
    if car.sequence.by_slot["aero"].name == "planar":
        body["v_lat"], body["v_long"] = velocity
        call(car, "aero", "drag", state, body=body)
        return -float(state["drag_long"]), 0.0, float(state["drag_lat"])
    call(car, "aero", "update", state, body=body)
    return -float(state["force"][1]), -float(state["force"][2]), float(state["force"][0])


def cars(*names: str) -> list[tuple[str, Vehicle]]:
    """(label, vehicle) of shipped vehicles by name, and of the plain roadster with the coefficients of a road car."""
    standard = [(f"{vehicle(name).sequence.by_slot['aero'].name}, {name}", vehicle(name)) for name in names]
    return [*standard, ("road_car, roadster_simple", with_component("roadster_simple", "aero", "road_car"))]


@concept(
    "Air drag", "Drag straight ahead in still air of three roadsters and the patrol car. The plain and the planar "
    "roadster have the same figures and coincide; with the default coefficients of a road car the plain one has less.",
    aero=("drag", "planar", "body_and_wings", "road_car"),
)  # fmt: skip
def variants_drag() -> Figure:
    """Drag versus speed of three roadsters and the patrol car."""
    cars_drawn = cars("roadster_simple", "planar_roadster", "track_roadster", "patrol")
    return Figure("speed [km/h]", "drag [N]", [over_speed(label, car, 0) for label, car in cars_drawn])


@concept(
    "Downforce",
    "Downforce straight ahead; below 0 it is lift. Each wing acts at its own position. The planar model has none.",
    aero=("drag", "planar", "body_and_wings", "road_car"),
)  # fmt: skip
def variants_downforce() -> Figure:
    """Downforce versus speed of the same vehicles."""
    cars_drawn = cars("roadster_simple", "clubsport", "track_roadster", "planar_roadster")
    return Figure("speed [km/h]", "downforce [N]", [over_speed(label, car, 1) for label, car in cars_drawn])


def over_speed(label: str, car: Vehicle, axis: int) -> Line:
    """Line of one of the forces of `air` over speed, straight ahead."""
    return line(label, span(0.0, 60.0), lambda v: air(car, (0.0, v))[axis], KMH)


@concept(
    "Crosswind", "Side force of three roadsters at 30 m/s in wind from the left. The components with an area for each "
    "axis use the square of the lateral speed alone; with coefficients by yaw angle the side force also grows "
    "with the forward speed, as wind tunnels measure.",
    aero=("drag", "planar", "body_and_wings", "road_car"),
)  # fmt: skip
def variants_crosswind() -> Figure:
    """Side force at constant speed versus the crosswind, for each component."""
    cars_drawn = cars("roadster_simple", "planar_roadster", "track_roadster")
    winds = span(0.0, 20.0)
    lines = [line(label, winds, lambda w, c=car: air(c, (-w, CROSSWIND_SPEED))[2]) for label, car in cars_drawn]
    return Figure("crosswind [m/s]", "side force to the right [N]", joined(lines))


@concept(
    "Rolling resistance",
    "Resistance of a rolling wheel divided by its load, on a road without rolling drag of its own: proportional to "
    "load, as a torque of the axle (the patrol car's brakes), and growing with speed.",
    rolling=("planar",), tire=("combined_slip", "coulomb", "pacejka_89"), brakes=("footbrake_and_lock",),
)  # fmt: skip
def variants_rolling() -> Figure:
    """Resistance of a rolling wheel per load versus speed, for each component."""
    speeds = span(0.0, 40.0)
    lines = []
    for name in ("roadster_simple", "track_roadster"):
        label = f"{vehicle(name).sequence.by_slot['tire'].name} of {name}"
        lines.append(line(label, speeds, lambda v, n=name: rolling_share(n, v), KMH))
    axle = "footbrake_and_lock with coulomb, patrol"
    lines.append(line(axle, speeds, dry_rolling_share, KMH))
    for form in FORMS:
        lines.append(line(f"planar, by {form}", speeds, lambda v, f=form: planar_rolling_share(f, v), KMH))
    return Figure("speed [km/h]", "resistance / load [1]", joined(lines))


def rolling_share(name: str, speed: float) -> float:
    """Rolling resistance of a free tire, divided by its load, at a speed (m/s)."""
    car = vehicle(name)
    state, wheel = car.state["tire"][0].copy(), car.state["wheel"][0].copy()
    radius, load = float(car.params["wheel"][0]["radius"][0]), 3000.0
    state["load"], state["longitudinal_speed"], wheel["omega"] = load, speed, speed / radius
    call(car, "tire", "force", state, wheel=wheel)
    return -float(state["wheel_torque"][0]) / radius / load


def dry_rolling_share(speed: float) -> float:
    """Rolling resistance of a wheel with axle friction, divided by its load."""
    car = vehicle("patrol")
    state, tire = car.state["brakes"][0].copy(), car.params["tire"][0][0]
    call(car, "brakes", "update", state)
    radius, load = float(car.params["wheel"][0]["radius"][0]), float(tire["nominal_load"])
    drag = rolling_drag(tire, car.state["road"][0][0], load, radius, speed)
    axle = float(state["torque"][0]) if speed > 0.0 else 0.0
    return (axle - drag) / radius / load


def planar_rolling_share(form: str, speed: float) -> float:
    """Rolling resistance of a planar vehicle's wheel by a form of FORMS, divided by its load, at a speed (m/s)."""
    car = vehicle("planar_roadster")
    p, state, tire = car.params["rolling"][0].copy(), car.state["rolling"][0].copy(), car.state["tire"][0].copy()
    p["form"], tire["load"] = FORMS.index(form), car.params["tire"][0]["nominal_load"]
    body = car.state["body"][0].copy()
    body["v_long"] = speed
    call(car, "rolling", "roll", state, params=p, body=body, tire=tire)
    return float(state["force"][0]) / float(tire["load"][0])


def yaw_inertia(component: Component, name: str, mass: float) -> float:
    """Yaw inertia, kg m^2, that a body component derives for a solid box of this mass and size BOX.

    name: a vehicle with that component, whose other parameters are used.
    """
    p = vehicle(name).params["body"][0].copy()
    p["mass"], p["box_size"], p["principal_inertia"] = mass, BOX, 0.0
    assert component.derive is not None  # every body component derives its inertia
    component.derive(p)
    return float(p["inertia"][2])


@concept(
    "Inertia",
    "Yaw inertia versus mass: a homogeneous box of 1.8 x 4.2 x 1.3 m; the same by the default method with a "
    "responsiveness of 0.7, and as a cuboid scaled by 1.2; the axle formula with axles 1.3 m from the centre of mass; "
    "the rule of thumb; and a number that is given.",
    body=("rigid", "euler", "inertia_methods", "assembled", "planar"),
)  # fmt: skip
def variants_inertia() -> Figure:
    """Yaw inertia versus mass, for each body component."""
    mass = span(500.0, 2000.0)

    def by_method(m: float, **values: Any) -> float:
        params = {"mass": m, "box_size": BOX, "principal_inertia": np.zeros(3), "cuboid_mass_factor": 0.0,
                 "mass_factor": 1.0 / 12.0, "responsiveness": 1.0, "cuboid_scale": np.ones(3), **values}  # fmt: skip
        return float(moments(params)[1][2])

    scale = np.array([1.0, 1.0, 1.2])
    planar_inertia = float(parameters("planar_roadster", "body")["yaw_inertia"])
    lines = [
        line("rigid", mass, lambda m: yaw_inertia(BODY, "roadster_simple", m)),
        line("euler", mass, lambda m: yaw_inertia(EULER_BODY, "patrol", m)),
        line("inertia_methods, default", mass, lambda m: by_method(m, responsiveness=0.7)),
        line("inertia_methods, cuboid", mass, lambda m: by_method(m, cuboid_mass_factor=1 / 12, cuboid_scale=scale)),
        line("assembled, axle_formula", mass, lambda m: axle_formula(m / 2, m / 2, 1.3, 2.6)[2]),
        line("assembled, rule_of_thumb", mass, lambda m: rule_of_thumb(m)[2]),
        line("planar, given", mass, lambda m: planar_inertia),
    ]
    return Figure("mass [kg]", "yaw inertia [kg m^2]", joined(lines))


def surfaces() -> list[int]:
    """Indices of the standard surfaces that are no barriers, sorted by the friction of their materials."""
    table = default_surfaces()
    return sorted((k for k in range(len(table)) if not table[k].barrier), key=lambda k: table[k].material_friction)


@concept(
    "Friction of the ground",
    "Friction of a street tire on the standard surfaces: the entry of the table, and the mean of the tire's material "
    "(rubber) and the ground's own. Ground by a formula has one friction. The surfaces: "
    + ", ".join(f"{position + 1} {default_surfaces()[k].name}" for position, k in enumerate(surfaces())) + ".",
    road=("sweep", "ray", "formula"),
)  # fmt: skip
def variants_friction() -> Figure:
    """Friction of a street tire on each standard surface, by table and by material."""
    rows, street = default_surfaces().array(), TIRE_TYPES.index("street")
    x = np.arange(1.0, len(surfaces()) + 1.0)
    car, lines = vehicle("roadster_simple"), []
    for rule, name in enumerate(FRICTION_RULES):
        p = car.params["road"][0][0].copy()
        p["friction_rule"] = rule
        frictions = [road_friction(p, rows, k, street) for k in surfaces()]
        lines.append(Line(f"sweep, ray, {name}", x, np.array(frictions)))
    formula = with_component("roadster_simple", "road", "formula").params["road"][0]
    lines.append(Line("formula", x, np.full(len(x), float(formula["friction"]))))
    return Figure("surface, by its number below [1]", "friction of the tire on it [1]", lines)
