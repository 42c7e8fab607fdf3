"""Curves of suspension, wheels, air and road."""

from functools import partial
from typing import Any

import numpy as np
import yaml

from driving_sandbox.docs.build.curve import (
    DEGREES,
    EXAMPLES,
    KMH,
    KN,
    MM,
    Figure,
    Line,
    call,
    curve,
    line,
    parameters,
    span,
    vehicle,
)
from driving_sandbox.physics.aero.drag import AERO
from driving_sandbox.physics.ground.ground import Ground, Plane, cast_ray
from driving_sandbox.physics.ground.roughness import wave_height
from driving_sandbox.physics.ground.surfaces import default_surfaces
from driving_sandbox.physics.ground.world_mesh import Mesh
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths.curve import graph, vec_graph
from driving_sandbox.physics.road.sweep import sweep_wheel
from driving_sandbox.physics.suspension.antiroll import ANTIROLL
from driving_sandbox.physics.suspension.hydraulic import TURN, target_piston
from driving_sandbox.physics.suspension.suspension import spring_damper_force
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER, load_vehicle_text
from driving_sandbox.physics.wheel.wheel import advance_angle

UP, DOWN = (0.0, 0.0, 1.0), (0.0, 0.0, -1.0)


def suspension_line(label: str, car: Vehicle, jounce: np.ndarray, speed: float = 0.0, faint: bool = False) -> Line:
    """Line of the left front suspension's force on level ground versus jounce, by the vehicle's component."""
    state, road, body = (car.state[slot][0].copy() for slot in ("suspension", "road", "body"))
    state["on_ground"], state["direction"], road["normal"] = 1, DOWN, UP

    def force(value: float) -> float:
        state["jounce"], state["jounce_speed"] = value, speed
        call(car, "suspension", "line_force", state)
        call(car, "suspension", "force", state, road=road, body=body)
        return state["force"][0]

    return line(label, jounce, force, MM, KN, faint)


@curve(
    "driving_sandbox.physics.suspension.suspension",
    "Force of the roadster's front suspension versus jounce: at rest, compressing and extending at 0.5 m/s.",
)
def suspension_force() -> Figure:
    """Force of the roadster's front suspension versus jounce, at three jounce speeds."""
    car = vehicle("roadster_simple")
    jounce = span(0.0, parameters("roadster_simple", "suspension", 0)["travel"])
    speeds = (("at rest", 0.0), ("compressing, 0.5 m/s", 0.5), ("extending, 0.5 m/s", -0.5))
    lines = [suspension_line(label, car, jounce, speed) for label, speed in speeds]
    return Figure("jounce [mm]", "force [kN]", lines)


@curve(
    "driving_sandbox.physics.suspension.legacy",
    "Static force of the legacy law on the roadster's front suspension on level ground: with `rest_distance` 0 it is "
    "the standard one; otherwise it carries the wheel's share of the car at that distance below full compression.",
)
def legacy_suspension() -> Figure:
    """Static force of the legacy suspension versus jounce, for two rest distances."""
    car, short = (
        _swapped("roadster_simple", "suspension", "legacy"),
        _swapped("roadster_simple", "suspension", "legacy"),
    )
    short.set("suspension.fl.rest_distance", 0.06)
    p = car.params["suspension"][0][0]
    jounce = span(0.0, p["travel"])
    weight = p["supported_mass"] * -car.context["gravity"][0][2]
    return Figure("jounce [mm]", "force [kN]", [
        suspension_line("rest distance 0", car, jounce),
        suspension_line("rest distance 60 mm", short, jounce),
        Line("carried at rest", jounce * MM, np.full_like(jounce, weight * KN), faint=True),
    ])  # fmt: skip


def _swapped(name: str, slot: str, choice: str) -> Vehicle:
    """A shipped vehicle with another component in a slot."""
    document = yaml.safe_load((VEHICLE_FOLDER / f"{name}.yaml").read_text(encoding="utf8"))
    document.setdefault("components", {})[slot] = choice
    return load_vehicle_text(yaml.safe_dump(document, sort_keys=False))


@curve(
    "driving_sandbox.physics.suspension.bump_stop",
    "The same suspension with the default buffer: beyond 70 % of the travel it adds a force that grows without bound "
    "towards the end.",
)
def bump_stop() -> Figure:
    """Force of the front suspension versus jounce, with and without the bump stop."""
    jounce = span(0.0, 0.95 * parameters("roadster_simple", "suspension", 0)["travel"])
    return Figure("jounce [mm]", "force [kN]", [
        suspension_line("with the buffer", _swapped("roadster_simple", "suspension", "bump_stop"), jounce),
        suspension_line("without", vehicle("roadster_simple"), jounce, faint=True),
    ])  # fmt: skip


@curve(
    "driving_sandbox.docs.examples.progressive_suspension",
    "The worked example's spring on the buggy, left front, and that of the buggy itself.",
)
def progressive_spring() -> Figure:
    """Force of the worked example's spring versus jounce, and that of the buggy."""
    jounce = span(0.0, parameters("buggy", "suspension", 0)["travel"])
    return Figure("jounce [mm]", "force [kN]", [
        suspension_line("progressive", vehicle(EXAMPLES / "progressive_buggy.yaml"), jounce),
        suspension_line("linear", vehicle("buggy"), jounce, faint=True),
    ])  # fmt: skip


@curve(
    "driving_sandbox.physics.suspension.hydraulic",
    "Target positions of the lowrider's rams with the clutch pedal pressed: every wheel has a phase of its own.",
)
def hydraulic_strokes() -> Figure:
    """Target positions of the lowrider's rams over time."""
    lines = []
    for name, i in (("front", 0), ("rear", 2)):
        p = parameters("lowrider", "suspension", i)
        turn = TURN * float(p["stroke_frequency"])
        lines.append(line(name, span(0.0, 2.0), lambda t, p=p, w=turn: target_piston(p, w * t, 1.0), in_y=MM))
    return Figure("time [s]", "ram [mm], + lifts the car", lines)


@curve(
    "driving_sandbox.physics.suspension.antiroll",
    "Torque of the roadster's front bar on the body versus the difference in jounce, with the wheels' mean jounce as "
    "at rest. It is limited by the load of the lifted wheel; the torque of a bar that only turns the body "
    "(`loads_tires: false`) keeps growing.",
)
def antiroll_torque() -> Figure:
    """Torque of the roadster's front bar on the body versus the difference in jounce."""
    car = vehicle("roadster_simple")
    suspension, road, body = (car.state[slot][0].copy() for slot in ("suspension", "road", "body"))
    bars = {
        True: parameters("roadster_simple", "antiroll").copy(),
        False: parameters("roadster_simple", "antiroll").copy(),
    }
    bars[False]["loads_tires"] = 0
    state, p = car.state["antiroll"][0].copy(), car.params["suspension"][0]
    rest = p["supported_mass"] * -car.context["gravity"][0][2] / p["stiffness"].clip(1.0)
    road["normal"][:4], suspension["direction"][:4], suspension["on_ground"][:4] = UP, DOWN, 1

    def torque(difference: float, loads_tires: bool) -> float:
        suspension["jounce"][:4] = rest[:4] + np.array([0.5, -0.5, 0.0, 0.0]) * difference
        suspension["jounce"][3] = suspension["jounce"][2]  # the rear bar does nothing
        for i in range(4):
            suspension["force"][i] = max(0.0, spring_damper_force(p[i], suspension[i]))
        ANTIROLL.phases["update"](bars[loads_tires], state, suspension, p, car.state["compliance"][0], road, body)
        return state["torque"][1]

    lines = [
        line("moves load", span(0.0, 0.2), lambda d: torque(d, True), MM),
        line("turns the body only", span(0.0, 0.2), lambda d: torque(d, False), MM, faint=True),
    ]
    return Figure("jounce left - right [mm]", "torque about the forward axis [N m]", lines)


@curve(
    "driving_sandbox.physics.suspension.compliance",
    "Camber of the right front wheel relative to the body, > 0: its top leans right.",
)
def compliance_camber() -> Figure:
    """Camber of the right front wheel versus jounce."""
    lines = [
        line(vehicle(n).name, span(0.0, 1.0), partial(graph, parameters(n, "compliance", 1)["camber"]), in_y=DEGREES)
        for n in ("roadster_simple", "coupe", "hatchback")
    ]
    return Figure("jounce / travel [1]", "camber [deg]", lines)


@curve(
    "driving_sandbox.physics.suspension.compliance",
    "Height of the application point of suspension and tire force relative to the attachment: in these vehicles the "
    "point where the tire meets the road.",
)
def compliance_force_point() -> Figure:
    """Height of the application point of the forces versus jounce."""
    lines = []
    for name in ("roadster_simple", "hatchback", "truck"):
        p = parameters(name, "compliance", 1)
        height = lambda x, p=p: vec_graph(p["suspension_force_point"], x)[2]  # noqa: E731
        lines.append(line(vehicle(name).name, span(0.0, 1.0), height, in_y=MM))
    return Figure("jounce / travel [1]", "height [mm]", lines)


@curve("driving_sandbox.physics.aero.drag", "Drag versus speed, straight ahead in still air.")
def aero_drag() -> Figure:
    """Drag versus speed, straight ahead in still air."""
    lines = []
    for name in ("roadster_simple", "coupe", "truck", "buggy"):
        car = vehicle(name)
        state, body = car.state["aero"][0].copy(), car.state["body"][0].copy()

        def drag(speed: float, car: Vehicle = car, state: Any = state, body: Any = body) -> float:
            body["velocity"][:] = (0.0, speed, 0.0)
            AERO.phases["update"](car.params["aero"][0], state, body, car.context[0])
            return -state["force"][1]

        lines.append(line(car.name, span(0.0, 60.0), drag, KMH, KN))
    return Figure("speed [km/h]", "drag [kN]", lines)


@kernel
def lowered(ground: Any, centre: Any, radius: float, half_width: float, travel: float) -> float:
    """Jounce, m, of an upright wheel by a swept cylinder; `centre` is its position at full compression."""
    return sweep_wheel(ground, None, centre, DOWN, (1.0, 0.0, 0.0), radius, half_width, travel, 0)[1]


@kernel
def cast(ground: Any, centre: Any, radius: float, travel: float) -> float:
    """Jounce, m, of the same wheel by one ray of 2 m down from its centre."""
    return travel + radius - cast_ray(ground, centre, DOWN, 2.0)[1]


def block(near: float, far: float, top: float) -> Mesh:
    """A mesh of a box across the road, from y = `near` to `far`, up to z = `top`."""
    corners = np.array([(x, y, z) for x in (-5.0, 5.0) for y in (near, far) for z in (-1.0, top)])
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = np.array([t for a, b, c, d in faces for t in ((a, b, c), (a, c, d))])
    return Mesh(f"block at {near:g}", corners, triangles, np.zeros(len(triangles), np.int32))


@curve(
    "driving_sandbox.physics.road.sweep",
    "Jounce of a wheel of 0.3 m radius whose hub moves at constant height over a kerb of 0.1 m with a gap of 0.2 m, by "
    "both queries: the cylinder climbs along its own circle and bridges the gap, the ray sees steps and falls in.",
)
def sweep_and_ray() -> Figure:
    """Jounce of a wheel over a kerb with a gap, by the swept cylinder and by the ray."""
    radius, half_width, travel = 0.3, 0.1, 0.25
    ground = Ground(Plane(0.0), [block(0.0, 0.6, 0.1), block(0.8, 1.4, 0.1)]).arrays
    distances = span(-0.5, 1.9, 961)
    lines = [
        line("cylinder", distances, lambda y: lowered(ground, (0.0, y, 0.45), radius, half_width, travel), in_y=MM),
        line("ray", distances, lambda y: cast(ground, (0.0, y, 0.45), radius, travel), in_y=MM),
    ]
    return Figure("distance [m]", "jounce [mm]", lines)


@curve(
    "driving_sandbox.physics.wheel.wheel",
    "Drawn tread speed of a free wheel whose tread moves at 2 m/s, over the speed of the ground: at low speed it is "
    "drawn as if it rolled.",
)
def drawn_wheel() -> Figure:
    """Drawn tread speed of a free wheel versus the speed of the ground."""
    radius, threshold = 0.3, float(vehicle("roadster_simple").context[0]["wheel_angle_speed"])
    state = vehicle("roadster_simple").state["wheel"][0][0].copy()

    def drawn(speed: float) -> float:
        state["omega"] = 2.0 / radius
        advance_angle(state, radius, 0.1, 0, speed, threshold, 1e-3)  # jounce 0.1 m, neither driven nor braked, 1 ms
        return state["corrected_omega"] * radius

    speed = span(0.0, 8.0)
    lines = [line("drawn", speed, drawn), Line("ground", speed, speed, faint=True)]
    return Figure("speed of the ground [m/s]", "speed of the tread [m/s]", lines)


@curve(
    "driving_sandbox.physics.ground.roughness",
    "Roughness of four surfaces along ten metres, without joints.",
)
def roughness() -> Figure:
    """Heights of four surfaces along ten metres."""
    surfaces = default_surfaces()
    lines = []
    for name in ("asphalt", "concrete", "grass", "gravel"):
        s = surfaces[surfaces.index(name)]
        height = lambda x, s=s: wave_height(s.roughness_amplitude, s.roughness_wavelength, x, 0.0, 0.0)  # noqa: E731
        lines.append(line(name, span(0.0, 10.0, 801), height, in_y=MM))
    return Figure("distance [m]", "height [mm]", lines)
