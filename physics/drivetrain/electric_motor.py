"""Electric motor: constant torque up to its base speed, constant power above, regenerative braking.

    base speed          omega_b = power / peak_torque
    envelope            M(omega) = min(peak_torque, power / |omega|)
    drives              T = a M(omega)                                                     a: pedal
    brakes              T = -(1 - a) regeneration M(omega) min(1, |omega| / fade_omega) sgn(omega)
    from the battery    P = T omega / efficiency + L    where the motor drives
                        P = T omega efficiency + L      where it brakes: less comes back than the wheels gave
    map of losses       L = k_c T^2 + k_i |omega| + k_w |omega|^3 + P_0

The two torques are added, so at some pedal position the motor neither drives nor brakes. Braking fades towards rest,
where it would only jerk, and there is none in neutral. The controller commands the torque once per tick, for the speed
at its start; engine, clutch and wheels are integrated as with any engine (physics/drivetrain/coupling.py), with `drag`
as the only damping. A motor has no idle: it stands with the car, and turns backwards where the car rolls back in gear,
to -max_omega. Reverse is a gear with a negative ratio, as in other gearboxes; a single-speed car has
`ratios: [-1, 0, 1]`.

`torque_curve`, `idle_omega` and the three dampings are derived for code that reads them from any engine.

L is the heat of the windings' copper (k_c), the iron's hysteresis (k_i) and windage (k_w), and what inverter and
control take at any load (P_0); `efficiency` has the losses in proportion to power, those of the inverter. All of L is 0
by default, with an `efficiency` for motor and inverter together. A map of a 100 kW induction motor of high speed:
k_c = 0.3 W/(N m)^2, k_i = 0.01 N m, k_w = 5e-6 W s^3, P_0 = 600 W, and an efficiency of 0.97. `drag` acts on the shaft
instead, and slows down a motor without current. A motor that holds a car at rest takes k_c T^2 + P_0, and gentle
braking may take more than it returns.

Sources: the program's own, envelope as in any text on traction drives (field weakening above base speed); map of
losses: J. Larminie, J. Lowry, Electric Vehicle Technology Explained, section on motor efficiency.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.drivetrain.engine import EngineParams, EngineState, clamp_omega
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Curve, Float, field
from driving_sandbox.physics.tick.component import Component

CURVE_POINTS = 16  # of the derived torque curve: one for constant torque, fifteen on the hyperbola


def _derived(unit: str, doc: str) -> Any:
    return field(unit=unit, derived=True, doc=doc)


class ElectricMotorParams(EngineParams):
    """Torque, power, losses and regeneration."""

    power: Float = field(unit="W", gt=0, suggest=(20e3, 600e3), default=110e3, doc="Largest mechanical power.")
    efficiency: Float = field(
        unit="1",
        ge=0.3,
        le=1,
        suggest=(0.8, 0.97),
        default=0.92,
        doc="Ratio of mechanical to electrical power while driving, its inverse while braking, without other losses.",
    )
    copper_loss: Float = field(
        unit="W/(N*m)^2", ge=0, le=100, default=0.0, suggest=(0, 2), doc="k_c: heat in the windings per torque squared."
    )
    iron_loss: Float = field(
        unit="N*m", ge=0, le=100, default=0.0, suggest=(0, 2), doc="k_i: heat in the iron per motor speed."
    )
    windage_loss: Float = field(
        unit="W*s^3", ge=0, le=1e-3, default=0.0, suggest=(0, 2e-5), doc="k_w: air friction per motor speed cubed."
    )
    constant_loss: Float = field(
        unit="W", ge=0, le=10e3, default=0.0, suggest=(0, 1000), doc="P_0: taken by inverter and control at any load."
    )
    regeneration: Float = field(
        unit="1",
        ge=0,
        le=1,
        suggest=(0, 0.5),
        default=0.15,
        doc="Braking torque with the pedal released, as a share of the largest driving torque at that speed.",
    )
    fade_omega: Float = field(
        unit="rad/s",
        gt=0,
        suggest=(10, 100),
        default=40.0,
        doc="Motor speed below which regenerative braking fades to none.",
    )
    drag: Float = field(
        unit="N*m*s/rad", ge=0, suggest=(0, 0.05), default=0.005, doc="Friction of bearings and air per speed."
    )
    torque_curve: Curve = field(
        capacity=CURVE_POINTS,
        x_label="motor speed / max_omega",
        unit="1",
        derived=True,
        doc="Envelope as a share of peak_torque.",
    )
    idle_omega: Float = _derived("rad/s", "Largest speed backwards, negative.")
    damping_full_throttle: Float = _derived("N*m*s/rad", "Drag.")
    damping_zero_throttle_clutch_engaged: Float = _derived("N*m*s/rad", "Drag.")
    damping_zero_throttle_clutch_disengaged: Float = _derived("N*m*s/rad", "Drag.")


class ElectricMotorState(EngineState):
    """State of any engine, and power and energy of the battery."""

    commanded_torque: Float = field(unit="N*m", doc="Torque of this tick, < 0 brakes a motor that turns forward.")
    electrical_power: Float = field(unit="W", doc="Power from the battery, < 0 into it.")
    drawn_energy: Float = field(unit="J", doc="Energy taken from the battery, less what was given back.")


@kernel
def envelope(p: Any, omega: float) -> float:
    """Largest torque at a speed (rad/s), N m."""
    # 1e-9: a peak torque may be 0
    return min(p.peak_torque, p.power / max(abs(omega), p.power / max(p.peak_torque, 1e-9)))


@kernel
def motor_torque(p: Any, omega: float, throttle: float, in_gear: bool) -> float:
    """Torque at a speed (rad/s) and pedal (0..1), N m; negative brakes a motor that turns forward."""
    braking = 0.0
    if in_gear:
        braking = (1.0 - throttle) * p.regeneration * max(-1.0, min(1.0, omega / p.fade_omega))
    return envelope(p, omega) * (throttle - braking)


@kernel
def battery_power(p: Any, torque: float, omega: float) -> float:
    """Power from the battery at a torque (N m) and speed (rad/s), W; < 0 where more is returned than lost."""
    mechanical, speed = torque * omega, abs(omega)
    through = mechanical / p.efficiency if mechanical >= 0.0 else mechanical * p.efficiency
    turning = speed * (p.iron_loss + p.windage_loss * speed * speed)
    return through + (p.copper_loss * torque * torque + turning + p.constant_loss)


@kernel
def update(params: Any, state: Any, autobox: Any, gearbox: Any, gearbox_params: Any, dt: float) -> None:
    """Command the torque of this tick, and add up the energy drawn."""
    p, s = params, state
    s.throttle = autobox.throttle
    s.omega = clamp_omega(p, s.omega)  # changed limits act at once
    in_gear = gearbox.current_gear != gearbox_params.neutral_gear
    s.commanded_torque = motor_torque(p, s.omega, s.throttle, in_gear)
    s.electrical_power = battery_power(p, s.commanded_torque, s.omega)
    s.drawn_energy += s.electrical_power * dt


def derive(params: Any) -> None:
    """Set idle speed, dampings and torque curve, for code that reads them from any engine."""
    params["idle_omega"] = -params["max_omega"]
    for condition in ("full_throttle", "zero_throttle_clutch_engaged", "zero_throttle_clutch_disengaged"):
        params[f"damping_{condition}"] = params["drag"]
    # the curve's second point: the base speed as a share of max_omega, at most 0.9 so that the points differ
    base_share = min(0.9, float(params["power"] / max(params["peak_torque"] * params["max_omega"], 1e-9)))
    x = np.geomspace(base_share, 1.0, CURVE_POINTS - 1)
    curve = params["torque_curve"]
    curve["count"], curve["x"] = CURVE_POINTS, [0.0, *x]
    curve["y"] = [envelope_share(params, share) for share in curve["x"].tolist()]


def envelope_share(params: Any, share: float) -> float:
    """Envelope as a share of peak_torque, at a speed given as a share of max_omega."""
    torque = float(params["peak_torque"])
    omega = share * float(params["max_omega"])
    return 1.0 if torque * omega <= params["power"] else float(params["power"]) / (torque * omega)


ELECTRIC_MOTOR = Component(
    slot="engine",
    name="electric_motor",
    params=ElectricMotorParams,
    state=ElectricMotorState,
    phases={"update": update},
    derive=derive,
    doc="Constant torque, then constant power; regenerative braking with the pedal released; a map of losses.",
)
