"""Force law of every suspension along its line, and the resulting road force on an inclined road."""

import math

import numpy as np
import pytest

from driving_sandbox.physics.kernel.jit import JIT, ROOT
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.suspension.suspension import MAX_DAMPER_SPEED, SHALLOWEST
from driving_sandbox.physics.tick.binding import argument_names
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.vehicle.component_file import load_component_file
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.types import VARIANTS
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle, load_vehicle_text

EXAMPLES = ROOT / "docs" / "examples"
SEDAN = ROOT / "tests" / "reference" / "data" / "commonroad" / "sedan.yaml"  # with axle bodies
TRAVEL, JOUNCE, SPEED = 0.2, 0.19, 0.3  # m, m, m/s
STIFFNESS, DAMPING, SUPPORTED_MASS = 40e3, 3e3, 300.0  # N/m, N s/m, kg
GRAVITY = np.array([2.0, 0.0, -9.6])  # m/s^2, of an inclined car
DOWN = np.array([0.0, 0.0, -1.0])
TILT = math.radians(40.0)  # angle between the road normal and the suspension line
TIRE_RATE = 200e3  # N/m


# Each of these sets parameters of a suspension, and returns its force beyond that of spring and damper, N.


def hydraulic(p):
    p.update(lift=0.02, ram_speed=100.0)
    return STIFFNESS * 0.02


def bump_stop(p):
    p.update(bump_start=0.7, bump_force=20e3)
    s = (JOUNCE / TRAVEL - 0.7) / 0.3
    return 20e3 * s**3 / (1.0 - s)


def roll_centre(p):
    """The bump stop is compressed by 0.03 m, and damping in compression is 1 kN s/m above DAMPING."""
    p.update(preload=500.0, bump_damping=4e3, bump_stop_length=0.04, bump_stop_stiffness=200e3)
    return 500.0 + 1e3 * SPEED + 0.5 * 200e3 * 0.03**2 / 0.04


def legacy(p):
    """The spring is relaxed at a jounce of 0.05 m, and the force includes the weight along the line."""
    p.update(used_rest_distance=0.15)
    return STIFFNESS * -0.05 + SUPPORTED_MASS * 9.6


def progressive(p):
    p.update(progression=100e3)
    return 100e3 * JOUNCE**2


def lowrider(p):
    p.update(ram_force=2e3, ram_phase=0.5 * math.pi, ram_frequency=1e-9)
    return 2e3


LAWS = {"standard": lambda p: 0.0, "hydraulic": hydraulic, "bump_stop": bump_stop, "roll_centre": roll_centre,
        "legacy": legacy, "authored_pose": lambda p: 0.0, "progressive": progressive, "lowrider": lowrider}  # fmt: skip
HUBS = {"unsprung", "axle_bodies"}  # wheels with mass: the road acts on the tire's spring, not on the suspension line
FILES = {"progressive": "PROGRESSIVE", "lowrider": "LOWRIDER"}


def component(name):
    """A suspension by name, of the program or of an example."""
    if name in FILES:
        return getattr(load_component_file(EXAMPLES / f"{name}_suspension.py"), FILES[name])
    return VARIANTS["suspension"][name]


def run(phase, component, records):
    """Call a phase's kernel with records by argument name."""
    kernel = component.phases[phase]
    plain = {name: value if JIT or not hasattr(value, "dtype") else value.view(np.recarray)
             for name, value in records.items()}  # fmt: skip
    kernel(*(plain[name] for name in argument_names(kernel)))


def first_wheel_forces(name, application, tilt=TILT):
    """(line force, N; load, N; force vector, N; its arm, m; extra force of the law, N) of a roadster's first wheel.

    application: index of force_application, 0 at the attachment, 1 at the contact.
    tilt: of the road normal, rad.
    """
    tested = component(name)
    vehicle = load_vehicle("roadster_simple")
    params = np.zeros(20, tested.params.dtype)
    state = np.zeros(20, tested.state.dtype)
    values = {
        "travel": TRAVEL, "stiffness": STIFFNESS, "damping": DAMPING, "supported_mass": SUPPORTED_MASS,
        "force_application": application, "direction": DOWN, "attachment_rotation": (0.0, 0.0, 0.0, 1.0),
        "attachment": (-0.7, 1.2, 0.5), "arm": (-0.7, 1.2, 0.0),
    }  # fmt: skip
    if "hydraulics" in params.dtype.names:
        values["hydraulics"] = 1
    extra = LAWS[name](values)
    for key, value in values.items():
        params[key][0] = value
    road = vehicle.state["road"][0].copy()
    road["normal"][0] = (math.sin(tilt), 0.0, math.cos(tilt))
    s = state[0]
    s["jounce"], s["jounce_speed"], s["on_ground"], s["direction"] = JOUNCE, SPEED, 1, DOWN
    context = vehicle.context.copy()
    context["gravity"] = GRAVITY
    records = {
        "params": params, "state": state, "road": road, "wheel_params": vehicle.params["wheel"][0],
        "steering": vehicle.state["steering"][0], "compliance": np.zeros_like(vehicle.state["compliance"][0]),
        "tire": np.zeros_like(vehicle.state["tire"][0]), "body": vehicle.state["body"][0],
        "body_params": vehicle.params["body"][0], "external": np.zeros(1, EXTERNAL)[0], "context": context[0],
        "input": vehicle.state["input"][0], "wheel_count": 1, "dt": 1e-3,
    }  # fmt: skip
    run("line_force", tested, records)
    run("force", tested, records)
    return float(s["line_force"]), float(s["force"]), np.array(s["force_vector"]), np.array(s["force_arm"]), extra


def hub_forces(name, application, tilt):
    """(line force, N; load, N; force vector, N; its arm, m) of a wheel with mass, at 25 mm of tire deflection."""
    vehicle = load_vehicle("roadster_simple")
    tested = component(name)
    params, state = np.zeros(20, tested.params.dtype), np.zeros(20, tested.state.dtype)
    s = state[0]
    for key, value in {
        "travel": TRAVEL, "stiffness": STIFFNESS, "damping": DAMPING, "force_application": application,
        "direction": DOWN, "attachment_rotation": (0.0, 0.0, 0.0, 1.0), "attachment": (-0.7, 1.2, 0.5),
        "arm": (-0.7, 1.2, 0.0), "hub_mass": 40.0, "tire_rate": TIRE_RATE, "tire_depth": 0.1,
    }.items():  # fmt: skip
        params[key][0] = value
    road = vehicle.state["road"][0].copy()
    road["normal"][0] = (math.sin(tilt), 0.0, math.cos(tilt))
    s["jounce"], s["jounce_speed"], s["on_ground"], s["direction"] = 0.5 * TRAVEL, SPEED, 1, DOWN
    s["tire_deflection"], s["hub_initialized"] = 0.025, 1
    body, context = vehicle.params["body"][0].copy(), vehicle.context.copy()
    body["mass"] = body["inertia"] = 1e12  # neither the body nor, with it, the hub is accelerated
    context["gravity"] = 0.0
    if "orientation_before" in s.dtype.names:
        s["orientation_before"] = (0.0, 0.0, 0.0, 1.0)
    records = {
        "params": params, "state": state, "road": road, "wheel_params": vehicle.params["wheel"][0],
        "steering": vehicle.state["steering"][0], "compliance": np.zeros_like(vehicle.state["compliance"][0]),
        "tire": np.zeros_like(vehicle.state["tire"][0]), "body": vehicle.state["body"][0], "body_params": body,
        "antiroll_params": vehicle.params["antiroll"][0], "aero": vehicle.state["aero"][0],
        "external": np.zeros(1, EXTERNAL)[0], "context": context[0], "wheel_count": 1, "dt": 1e-7,
    }  # fmt: skip
    if tested.scratch is not None:
        records["scratch"] = np.zeros(1, tested.scratch)[0]
    run("line_force", tested, records)
    run("force", tested, records)
    return float(s["line_force"]), float(s["force"]), np.array(s["force_vector"]), np.array(s["force_arm"])


@pytest.mark.parametrize("name", sorted(HUBS))
@pytest.mark.parametrize("degrees", [0.0, 40.0])
def test_a_wheel_with_mass_passes_line_force_to_the_body_and_tire_force_to_the_road(name, degrees):
    """The line force follows the law for any tire; the load is the tire's rate times its deflection."""
    line, load, force, _ = hub_forces(name, application=0, tilt=math.radians(degrees))
    assert line == pytest.approx(STIFFNESS * 0.5 * TRAVEL + DAMPING * SPEED)
    assert -force @ DOWN == pytest.approx(line, rel=1e-4)
    assert load == pytest.approx(TIRE_RATE * 0.025)


def test_a_tire_of_a_wheel_with_mass_can_act_at_the_contact():
    at_attachment, at_contact = (hub_forces("unsprung", application, TILT) for application in (0, 1))
    assert at_attachment[2] == pytest.approx(at_contact[2])
    assert at_attachment[3] == pytest.approx((-0.7, 1.2, 0.0)) and at_contact[3][2] < -0.25


def test_axle_bodies_refuse_force_application_at_the_contact():
    """The tires of an axle body act on the axle, springs and joint on the body."""
    text = SEDAN.read_text(encoding="utf8")
    changed = text.replace("all: {travel: 0.50,", "all: {force_application: contact, travel: 0.50,")
    assert changed != text
    with pytest.raises(ConfigError, match="force_application"):
        load_vehicle_text(changed, SEDAN)


def test_every_suspension_is_tried():
    assert set(LAWS) | HUBS == set(VARIANTS["suspension"]) | set(FILES)


@pytest.mark.parametrize("name", LAWS)
def test_the_line_force_follows_the_law(name):
    line, _, _, _, extra = first_wheel_forces(name, application=0)
    assert SPEED < MAX_DAMPER_SPEED
    assert line == pytest.approx(STIFFNESS * JOUNCE + DAMPING * SPEED + extra, rel=1e-6)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("degrees", [0.0, 40.0, 80.0])
def test_a_force_at_the_contact_does_the_work_of_the_line_force(name, degrees):
    """The load N on a road of normal n and the force F along the line d have N |d.n| = F, up to 78 degrees between."""
    tilt = math.radians(degrees)
    line, load, force, arm, _ = first_wheel_forces(name, application=1, tilt=tilt)
    normal = np.array([math.sin(tilt), 0.0, math.cos(tilt)])
    assert load == pytest.approx(line / max(SHALLOWEST, math.cos(tilt)))
    assert force == pytest.approx(load * normal)
    assert arm[2] < -0.25  # at the tire


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("degrees", [0.0, 20.0, 40.0])
def test_at_the_attachment_the_road_takes_the_weight_not_along_the_line(name, degrees):
    """The load is the line force's part along the road normal plus that of the weight across the line."""
    tilt = math.radians(degrees)
    line, load, _, arm, _ = first_wheel_forces(name, application=0, tilt=tilt)
    normal = np.array([math.sin(tilt), 0.0, math.cos(tilt)])
    across = -SUPPORTED_MASS * normal @ (GRAVITY - DOWN * (GRAVITY @ DOWN))
    assert load == pytest.approx(line * math.cos(tilt) + across)
    assert arm == pytest.approx((-0.7, 1.2, 0.0))


@pytest.mark.parametrize("name", ["hydraulic", "bump_stop", "roll_centre", "unsprung"])
def test_static_loads_on_every_suspension_sum_to_the_weight(name):
    from tests.core.drive_rig import Drive

    vehicle = load_vehicle("roadster_simple")
    drive = Drive(swapped_vehicle(vehicle, plan_swap(vehicle, "suspension", name))).run(3.0)
    weight = vehicle.get("body.mass") * 9.81
    assert drive.wheels("suspension", "force").sum() == pytest.approx(weight, rel=0.01)
    if name != "unsprung":
        assert drive.wheels("suspension", "line_force").sum() == pytest.approx(weight, rel=0.02)


def test_a_list_without_line_force_is_refused():
    path = EXAMPLES / "lowrider.yaml"
    text = path.read_text(encoding="utf8").replace("suspension.line_force, ", "")
    with pytest.raises(ConfigError, match="also needs its phase suspension.line_force"):
        load_vehicle_text(text, path, trust=lambda file: True)
