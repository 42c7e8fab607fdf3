"""Variants side by side: commands, engine and clutch."""

from functools import cache
from typing import Any

import numpy as np
import yaml

from driving_sandbox.docs.build.concept import concept, joined, with_component
from driving_sandbox.docs.build.curve import RPM_PER_RAD_S, Figure, Line, call, line, parameters, span, vehicle
from driving_sandbox.docs.build.curves_planar import driven
from driving_sandbox.physics.command.pedal import pedal_after
from driving_sandbox.physics.drivetrain.electric_motor import motor_torque
from driving_sandbox.physics.drivetrain.engine import damping_rate, drive_torque
from driving_sandbox.physics.drivetrain.sine_power_engine import sine_torque
from driving_sandbox.physics.drivetrain.stalling_engine import drag_rate, gas_torque
from driving_sandbox.physics.drivetrain.turbocharged_engine import boosted_torque
from driving_sandbox.physics.planar.engine import full_torque
from driving_sandbox.physics.tick.commands import COMMAND, FIRST
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER, load_vehicle, load_vehicle_text

NO_THROTTLE = 0.0
TICK = 1.0 / 240.0  # s
SINCE_CHANGE = 0.15  # s since the gear change, for a clutch that closes by time
FAST = 400.0  # rad/s, engine speed at which the clutch is closed
SINE_POWER = 100e3  # W, of the sine-power engine in the roadster
MOTOR_POWER = 80e3  # W, of the electric motor in the roadster
COMBUSTION = ("torque_curve", "torque_table", "stalling", "rigid_sine_power", "sine_power", "turbocharged")


@concept(
    "Commands from keys",
    "The throttle key pressed at 0 s and released at 0.6 s: smoothed at the roadster's rates, and unchanged. A vehicle "
    "that takes commands unchanged may let its pedal grow afterwards (faint, the patrol car's).",
    input=("smoothing", "raw"),
)  # fmt: skip
def variants_commands() -> Figure:
    """Throttle while its key is pressed and released, smoothed and unchanged."""
    time, lines = np.arange(0.0, 1.2, TICK), []
    pressed = [1.0 if t < 0.6 else 0.0 for t in time]
    for name in ("roadster_simple", "patrol"):
        car = vehicle(name)
        state, command, throttles = car.state["input"][0].copy(), np.zeros(1, COMMAND)[0], []
        command["digital"] = 1
        for target in pressed:
            command["throttle"] = target
            call(car, "input", "update", state, command=command, dt=TICK)
            throttles.append(float(state["throttle"]))
        lines.append(Line(car.sequence.by_slot["input"].name, time, np.array(throttles)))
    pedal, p = [0.0], parameters("patrol", "pedal")
    for target in pressed[1:]:
        pedal.append(pedal_after(p, pedal[-1], target, 1, TICK))
    return Figure("time [s]", "throttle [1]", [*lines, Line("pedal behind raw", time, np.array(pedal), faint=True)])


@concept(
    "Response to commands",
    "Throttle that reaches the engine versus the command: by tables, bent by a linearity of 0.5, and with the brake "
    "pedal touched where braking releases the throttle.",
    response=("command_speed_tables", "linearity", "pedal_overlap"),
)  # fmt: skip
def variants_response() -> Figure:
    """Throttle that reaches the engine versus the command."""
    cars = (
        ("command_speed_tables", vehicle("roadster_simple")),
        ("linearity 0.5", with_component("roadster_simple", "response", "linearity", response__throttle_linearity=0.5)),
        (
            "pedal_overlap, exclusive",
            with_component("roadster_simple", "response", "pedal_overlap", response__exclusive=True),
        ),
    )

    def throttle(car: Vehicle, command: float) -> float:
        state, inputs = car.state["response"][0].copy(), car.state["input"][0].copy()
        inputs["throttle"], inputs["brake"] = command, 0.1
        call(car, "response", "update", state, input=inputs)
        return float(state["throttle"])

    lines = [line(label, span(0.0, 1.0), lambda c, car=car: throttle(car, c)) for label, car in cars]
    return Figure("throttle command [1]", "throttle response [1]", lines)


@cache
def sine_roadster() -> Any:
    """Parameters of a sine-power engine in the roadster."""
    document = yaml.safe_load((VEHICLE_FOLDER / "roadster.yaml").read_text(encoding="utf8"))
    document["components"]["engine"] = "sine_power"
    document["engine"] = {key: value for key, value in document["engine"].items() if "torque" not in key}
    document["engine"]["power"] = SINE_POWER
    return load_vehicle_text(yaml.safe_dump(document, sort_keys=False)).params["engine"][0]


def motor_roadster() -> Any:
    """Parameters of an electric motor with the torque of the roadster's engine."""
    return with_component("roadster_simple", "engine", "electric_motor", engine__power=MOTOR_POWER).params["engine"][0]


def turbo_roadster() -> Any:
    """Parameters of the roadster's engine with a turbocharger."""
    return with_component("roadster_simple", "engine", "turbocharged").params["engine"][0]


@concept(
    "Engine torque",
    "Torque at full throttle, each engine in the vehicle that has it, without losses. In the roadster are sine_power "
    "with 100 kW, a motor with 80 kW, and a turbocharged engine without boost; with boost it has the roadster's curve. "
    "The planar roadster's table is the roadster's curve, and continues below idle speed.",
    engine=(*COMBUSTION, "electric_motor"),
)  # fmt: skip
def variants_engine_torque() -> Figure:
    """Torque at full throttle versus engine speed, for each engine."""
    roadster, club, sine = parameters("roadster_simple", "engine"), parameters("clubsport", "engine"), sine_roadster()
    table, rigid = parameters("planar_roadster", "engine"), parameters("patrol", "engine")
    motor, turbo = motor_roadster(), turbo_roadster()
    kinds = (
        ("torque_curve", roadster, lambda w: drive_torque(roadster, w, 1.0)),
        ("torque_table", table, lambda w: full_torque(table, w)),
        ("stalling", club, lambda w: gas_torque(club, w, 1.0)),
        ("rigid_sine_power", rigid, lambda w: sine_torque(rigid, w)),
        ("sine_power", sine, lambda w: drive_torque(sine, w, 1.0)),
        ("electric_motor", motor, lambda w: motor_torque(motor, w, 1.0, True)),
        ("turbocharged", turbo, lambda w: boosted_torque(turbo, w, 1.0, 0.0)),
    )
    lines = []
    for label, p, torque in kinds:  # four are drawn from idle speed on, the others from 0
        low = p["idle_omega"] if label in ("torque_curve", "sine_power", "stalling", "turbocharged") else 0.0
        lines.append(line(label, span(low, np.nextafter(p["max_omega"], 0.0)), torque, RPM_PER_RAD_S))
    return Figure("engine speed [rpm]", "torque [N m]", lines)


@concept(
    "Engine braking",
    "Braking torque without throttle, in gear. Engines without inertia have none; that of the motor recovers power.",
    engine=(*COMBUSTION, "electric_motor"),
)  # fmt: skip
def variants_engine_braking() -> Figure:
    """Braking torque without throttle versus engine speed, for each engine."""
    omega = span(100.0, 680.0)
    roadster, club, sine = parameters("roadster_simple", "engine"), parameters("clubsport", "engine"), sine_roadster()

    motor, turbo = motor_roadster(), turbo_roadster()
    rigid, car = parameters("patrol", "engine"), vehicle("planar_roadster")
    state, pedals = car.state["engine"][0].copy(), car.state["response"][0].copy()
    pedals["throttle"] = NO_THROTTLE

    def table(omega: float) -> float:
        state["omega"] = omega
        call(car, "engine", "give_torque", state, response=pedals)
        return float(state["torque"])

    lines = [  # the torque of rigid_sine_power is in proportion to the throttle, so that it has no braking torque
        line("torque_curve", omega, lambda w: damping_rate(roadster, 1.0, False, 0.0) * w, RPM_PER_RAD_S),
        line("sine_power", omega, lambda w: damping_rate(sine, 1.0, False, 0.0) * w, RPM_PER_RAD_S),
        line("stalling", omega, lambda w: drag_rate(club, w, 0.0) * w, RPM_PER_RAD_S),
        line("torque_table", omega, lambda w: -table(w), RPM_PER_RAD_S),
        line("turbocharged", omega, lambda w: damping_rate(turbo, 1.0, False, 0.0) * w, RPM_PER_RAD_S),
        line("electric_motor", omega, lambda w: -motor_torque(motor, w, 0.0, True), RPM_PER_RAD_S),
        line("rigid_sine_power", omega, lambda w: -NO_THROTTLE * sine_torque(rigid, w), RPM_PER_RAD_S),
    ]
    return Figure("engine speed [rpm]", "braking torque [N m]", joined(lines))


@concept(
    "Clutch torque",
    "Torque versus slip: a torsion damper (the coupe's strength) grows without limit, also while it closes by itself "
    "(here halfway between its speeds) or by time (0.15 s after a change); friction does not. "
    "The clutch `timed` has no slip: see the next plot.",
    clutch=("torsion_damper", "automatic", "timed_torsion_damper", "friction"),
)  # fmt: skip
def variants_clutch_torque() -> Figure:
    """Clutch torque versus slip, for each clutch."""
    coupe = with_component("coupe", "clutch", "automatic")
    p = coupe.params["clutch"][0]
    halfway = 0.5 * float(p["bite_omega"] + p["full_omega"])
    plain = with_component("coupe", "clutch", "torsion_damper")
    timed = with_component("coupe", "clutch", "timed_torsion_damper")
    # (label, vehicle, {slot: {field of its state: value}}, faint)
    kinds: tuple[tuple[str, Vehicle, dict[str, Any], bool], ...] = (
        ("torsion_damper", plain, {}, False),
        ("automatic, halfway", coupe, {"engine": {"omega": halfway}}, False),
        (f"timed_torsion_damper, {SINCE_CHANGE:g} s", timed, {"gearbox": {"current_gear": 2}}, False),
        ("friction", vehicle("clubsport"), {"engine": {"omega": FAST}}, False),
        ("friction, pedal half pressed", vehicle("clubsport"),
         {"engine": {"omega": FAST}, "input": {"clutch": 0.5}}, True),
    )  # fmt: skip
    lines = [
        line(label, span(-20.0, 20.0), lambda s, car=car, inputs=inputs: clutch_torque(car, s, **inputs), faint=faint)
        for label, car, inputs, faint in kinds
    ]
    return Figure("slip [rad/s]", "clutch torque [N m]", joined(lines))


def clutch_torque(car: Vehicle, slip: float, **values: dict[str, Any]) -> float:
    """Clutch torque, N m, of a standing vehicle at a slip, rad/s; `values` sets state, {slot: {field: value}}."""
    state, inputs = car.state["clutch"][0].copy(), {}
    for slot in ("engine", "gearbox", "input", "drivetrain"):
        inputs[slot] = car.state[slot][0].copy()
        for field, value in values.get(slot, {}).items():
            inputs[slot][field] = value
    inputs["drivetrain"]["clutch_slip"] = slip
    if "gear" in state.dtype.names:
        state["gear"], state["position"] = inputs["gearbox"]["current_gear"], 0.0
        call(car, "clutch", "update", state, dt=SINCE_CHANGE, **inputs)
    else:
        call(car, "clutch", "update", state, **inputs)
    return float(state["response"]) * slip


@concept(
    "Starts",
    "Engine speed of the roadster at full throttle from rest in first gear, with three clutches.",
    clutch=("automatic", "launch", "torque_converter"),
)  # fmt: skip
def variants_starts() -> Figure:
    """Engine speed of the roadster in a start at full throttle, with three clutches."""
    lines = []
    for name in ("automatic", "launch", "torque_converter"):
        car = load_vehicle("roadster_simple")
        car = swapped_vehicle(car, plan_swap(car, "clutch", name))
        time, rows = driven(car, [(2.5, {"throttle": 1.0, "gear": FIRST})], lambda car: (car.read("engine.omega"),))
        lines.append(Line(name, time, rows[:, 0] * RPM_PER_RAD_S))
    return Figure("time [s]", "engine speed [rpm]", lines)
