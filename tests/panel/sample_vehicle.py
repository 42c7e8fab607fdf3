"""A vehicle with parameters of many kinds, and with wheels and states for plots."""

from driving_sandbox.physics.schema.schema import (
    Bool,
    Choice,
    Curve,
    Float,
    Floats,
    Int,
    PerWheel,
    Quat,
    ResponseTable,
    Schema,
    Vec3,
    VecCurve,
    WheelRef,
    Words,
    field,
)
from driving_sandbox.physics.tick.component import Component
from driving_sandbox.physics.tick.sequence import Sequence
from driving_sandbox.physics.vehicle.vehicle import Vehicle


class BodyParams(Schema):
    mass: Float = field(unit="kg", gt=0, suggest=(400.0, 4000.0), default=1320.0, doc="Mass of car and load.")
    centre_of_mass: Vec3 = field(unit="m", default=[0.0, 0.12, 0.48], doc="From the model's origin.")
    hull_rotation: Quat = field(unit="1", default=[0.0, 0.0, 0.0, 1.0], doc="Of the hull in the model.")
    weight: Float = field(unit="N", derived=True, doc="Mass times gravity.")


class BodyState(Schema):
    position: Vec3 = field(unit="m", default=[0.0, 0.0, 0.5])
    orientation: Quat = field(unit="1", default=[0.0, 0.0, 0.0, 1.0])
    velocity: Vec3 = field(unit="m/s", default=[0.0, 0.0, 0.0])
    angular_velocity: Vec3 = field(unit="rad/s", default=[0.0, 0.0, 0.0])


class EngineParams(Schema):
    peak_torque: Float = field(unit="N*m", ge=0, suggest=(50.0, 900.0), default=410.0, doc="At full throttle.")
    torque_curve: Curve = field(
        capacity=8,
        x_unit="1",
        x_label="revs",
        default=[[0.0, 0.5], [0.4, 0.95], [0.7, 1.0], [1.0, 0.8]],
        ge=0,
        doc="Share of peak over share of range.",
    )
    cylinders: Int = field(default=6, ge=1, le=16, doc="Only the sound.", visual=True)
    turbo: Bool = field(default=False, doc="Charged by the exhaust.")
    idle_omega: Float = field(unit="rad/s", gt=0, suggest=(50.0, 150.0), default=80.0)
    inertia: Float = field(unit="kg*m^2", gt=0, suggest=(0.01, 10.0), default=0.25, doc="Turned with the crankshaft.")


class EngineState(Schema):
    omega: Float = field(unit="rad/s", default=80.0)


class GearboxParams(Schema):
    ratios: Floats = field(
        capacity=8, default=[-3.4, 0.0, 3.6, 2.1, 1.5, 1.1], mechanic=True, doc="Reverse, neutral, forward."
    )
    oils: Words = field(
        options=("thin", "thick"), capacity=3, default=["thick"], doc="Of the box, the axle, the coupling."
    )
    mode: Choice = field(
        options=("manual", "automatic"), default="automatic", doc="Whether the gearbox shifts by itself."
    )
    driven_wheel: WheelRef = field(default=2, doc="Wheel whose speed is displayed.")


class SteeringParams(Schema):
    lock: Float = field(unit="rad", gt=0, le=1.2, suggest=(0.3, 0.8), default=0.6, doc="Angle at full command.")
    response: ResponseTable = field(
        unit="1", default=[[0.0, [[0.0, 0.0]]], [1.0, [[0.0, 1.0], [20.0, 0.6], [50.0, 0.25]]]], doc="Share of lock."
    )
    inertia: Float = field(unit="kg*m^2", gt=0, suggest=(0.01, 1.0), default=0.05, doc="Turned with the wheel.")


class SuspensionParams(PerWheel):
    stiffness: Float = field(
        unit="N/m", gt=0, suggest=(15e3, 80e3), default=32e3, mechanic=True, doc="Force per metre of jounce."
    )
    damping: Float = field(unit="N*s/m", ge=0, suggest=(500.0, 9000.0), default=2800.0, doc="Force per jounce speed.")
    toe: Float = field(unit="rad", ge=-0.2, le=0.2, suggest=(-0.05, 0.05), default=0.0, mirror="sign", doc="Static.")
    attachment: Vec3 = field(unit="m", default=[0.8, 1.2, 0.3], mirror="x", doc="Upper end of the strut.")
    camber_curve: Curve = field(
        capacity=8, x_unit="m", x_label="jounce", unit="rad", default=[[0.0, 0.0], [0.2, -0.05]], mirror="sign"
    )
    path: VecCurve = field(
        capacity=6,
        x_unit="m",
        x_label="jounce",
        unit="m",
        default=[[0.0, [0, 0, 0]], [0.2, [0.01, 0.0, 0.2]]],
        mirror="x",
    )
    steers: Bool = field(default=False, doc="Takes the steering angle.")


class SuspensionState(PerWheel):
    jounce: Float = field(unit="m")


class WheelState(PerWheel):
    omega: Float = field(unit="rad/s")


class TireState(PerWheel):
    load: Float = field(unit="N")
    longitudinal_slip: Float = field()
    lateral_slip: Float = field(unit="rad")


def update(params):
    """Does nothing: the components only have values."""


def derive(params):
    params["weight"] = 9.81 * params["mass"]


def check_gearbox(params):
    if params["ratios"]["count"] < 3:
        return [("ratios", "needs reverse, neutral and one forward gear")]
    return []


def build_vehicle():
    """A vehicle of four wheels with parameters of every kind; its phases do nothing."""
    phases = {"update": update}
    entries = (
        Component("body", "sample", BodyParams, BodyState, phases, derive=derive),
        Component("engine", "sample", EngineParams, EngineState, phases),
        Component("gearbox", "sample", GearboxParams, None, phases, check=check_gearbox),
        Component("steering", "sample", SteeringParams, None, phases),
        Component("suspension", "sample", SuspensionParams, SuspensionState, phases),
        Component("wheel", "sample", None, WheelState, {"update": lambda state: None}),
        Component("tire", "sample", None, TireState, {"update": lambda state: None}),
    )
    names, axles = ("fl", "fr", "rl", "rr"), {"front": [0, 1], "rear": [2, 3]}
    vehicle = Vehicle(Sequence(entries), names, axles, info={"name": "Sample coupe"})
    for component in vehicle.sequence.components:
        if component.params is None:
            continue
        block = vehicle.params[component.slot][0]
        if not component.params.per_wheel:
            component.params.defaults(block)
            continue
        for wheel in range(vehicle.wheel_count):
            component.params.defaults(block[wheel])
            if wheel % 2 == 0:  # on the left; defaults are of the right side
                for declared in component.params.fields.values():
                    declared.kind.write(block[wheel], declared.name, declared.mirrored(declared.default))
    vehicle.derive()
    vehicle.mark_base()
    return vehicle
