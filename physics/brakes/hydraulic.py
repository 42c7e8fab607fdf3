"""Hydraulic brakes: pedal, booster, master cylinder, line pressure, proportioning valve and disc brakes.

    rod force        F = brake response * pedal_force * pedal_ratio
    booster          F_b = booster_gain * min(F, run_out) + max(F - run_out, 0)
    master cylinder  p_m = F_b / master_area
    valve            p_v = p_m up to `knee`, beyond it knee + slope (p_m - knee)
    line             p' = (p_v - p) / t        t: build_time while the pressure rises, release_time while it falls
    disc             T = 2 max(p - PUSH_OUT, 0) piston_area pad_friction effective_radius
    torque_i         T + handbrake_torque * handbrake response

Every wheel has a line of its own; wheels of one circuit have the same values. Values of pedal and master cylinder that
differ between the axles are those of two master cylinders. The line's equation is solved exactly over a tick. The valve
acts in the rear lines of cars without electronic brakeforce distribution, so that the rear axle does not lock before
the front axle when braking shifts load to the front; a slope of 1 means none. Driving aids change the torque, not the
pressure, which is that ahead of their valves.

Friction of pedal, seals and pistons is left out, as are pedal travel, elasticity, and the fall of pad friction with
temperature. A drum brake is a disc with half its brake factor as pad friction. Torques are magnitudes (>= 0).

Sources: Limpert, Brake Design and Safety, ch. 2, 5 (disc torque, push-out pressure, booster, proportioning valve) and
ch. 6 (response times); Bosch Automotive Handbook, Braking systems for passenger cars.
"""

from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from driving_sandbox.physics.base.record import field_names
from driving_sandbox.physics.brakes.response import BrakeState
from driving_sandbox.physics.estimate.brakes import (
    DRY_GRIP,
    EFFECTIVE_RADIUS,
    REAR_USE,
    RESERVE,
    full_pedal_torques,
)
from driving_sandbox.physics.estimate.estimate import Estimate
from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths.products import norm
from driving_sandbox.physics.schema.schema import Float, PerWheel, field
from driving_sandbox.physics.suspension.sprung_mass import sprung_masses
from driving_sandbox.physics.tick.component import Component

PUSH_OUT = 5e4  # Pa that bring the pads into contact with the disc; 0.03 to 0.07 MPa are usual (Limpert)
LARGEST_AREA = 1.0  # m^2, limit of the pistons' area, far beyond any brake
AT_REST = 1.0  # Pa of difference at which a line has its final pressure; without it, it would never reach 0


class HydraulicBrakeParams(PerWheel):
    """Brake of one wheel, and the line, valve, master cylinder and pedal that supply it."""

    pedal_force: Float = field(
        unit="N", gt=0, suggest=(100, 500), default=250.0, doc="Force on the pedal at a brake response of 1."
    )
    pedal_ratio: Float = field(
        unit="1", gt=0, suggest=(2.5, 6), default=4.0, doc="Force on the pedal's rod over that on the pedal."
    )
    booster_gain: Float = field(
        unit="1", ge=1, suggest=(1, 8), default=5.0, doc="Booster's output over its input below run_out; 1: no booster."
    )
    run_out: Float = field(
        unit="N",
        ge=0,
        suggest=(500, 2000),
        default=900.0,
        doc="Force on the pedal's rod at which the booster gives its full assistance; beyond, it adds no more.",
    )
    master_area: Float = field(
        unit="m^2",
        gt=0,
        suggest=(2e-4, 8e-4),
        default=4.45e-4,
        mechanic=True,
        doc="Area of the master cylinder's piston; 4.45e-4 is a diameter of 23.8 mm.",
    )
    build_time: Float = field(
        unit="s",
        ge=0,
        le=10,
        suggest=(0.02, 0.2),
        default=0.05,
        doc="Time in which a rising pressure covers 63 % of its way; 0: at once.",
    )
    release_time: Float = field(
        unit="s",
        ge=0,
        le=10,
        suggest=(0.01, 0.15),
        default=0.04,
        doc="Time in which a falling pressure covers 63 % of its way; 0: at once.",
    )
    knee: Float = field(
        unit="Pa",
        ge=0,
        suggest=(1.5e6, 8e6),
        default=3e6,
        mechanic=True,
        doc="Pressure up to which the proportioning valve is open.",
    )
    slope: Float = field(
        unit="1",
        ge=0,
        le=1,
        suggest=(0.2, 1),
        default=1.0,
        mechanic=True,
        doc="Rise of the line's pressure beyond the knee over that of the master cylinder; 1: no valve.",
    )
    piston_area: Float = field(
        unit="m^2",
        ge=0,
        le=LARGEST_AREA,
        suggest=(5e-4, 4e-3),
        default=2e-3,
        mechanic=True,
        doc="Area of the caliper's pistons on one side of the disc; 0: no service brake.",
    )
    pad_friction: Float = field(
        unit="1",
        gt=0,
        suggest=(0.3, 0.5),
        default=0.38,
        mechanic=True,
        doc="Friction of pad and disc; of a drum brake half the brake factor.",
    )
    effective_radius: Float = field(
        unit="m", gt=0, suggest=(0.08, 0.17), default=0.12, mechanic=True, doc="Radius at which the pads' force acts."
    )
    handbrake_torque: Float = field(
        unit="N*m", ge=0, suggest=(0, 4000), default=0.0, mechanic=True, doc="Torque at full handbrake."
    )
    max_pressure: Float = field(unit="Pa", derived=True, doc="Line pressure at full pedal.")
    max_torque: Float = field(unit="N*m", derived=True, doc="Torque at full pedal, after the pressure's build-up.")
    front_share: Float = field(
        unit="1",
        derived=True,
        doc="Share of the wheels ahead of the centre of mass in the brake force of the vehicle at full pedal.",
    )


class HydraulicBrakeState(BrakeState):
    """Pressure and torque at one wheel."""

    pressure: Float = field(unit="Pa", ge=0, doc="Line pressure above that of the air, ahead of the aids' valves.")


@kernel
def line_pressure(p: Any, brake: float) -> Any:
    """Final pressure behind the proportioning valve, Pa, for the normalised response of the pedal, 0..1.

    p: the parameters of a wheel, or outside of a tick arrays of those of several wheels.
    """
    rod_force = brake * p.pedal_force * p.pedal_ratio
    assisted = np.minimum(rod_force, p.run_out)
    pressure = (p.booster_gain * assisted + (rod_force - assisted)) / p.master_area
    return np.minimum(pressure, p.knee) + p.slope * np.maximum(pressure - p.knee, 0.0)


@kernel
def disc_torque(p: Any, pressure: Any) -> Any:
    """Torque of the pads on a disc, N m, at a line pressure, Pa. p: as for `line_pressure`."""
    return 2.0 * np.maximum(pressure - PUSH_OUT, 0.0) * p.piston_area * p.pad_friction * p.effective_radius


@kernel
def followed(p: Any, pressure: float, final: float, dt: float) -> float:
    """Line pressure, Pa, after dt (s) of its first-order change to `final`, Pa."""
    time = p.build_time if final > pressure else p.release_time
    if time <= 0.0 or abs(final - pressure) < AT_REST:
        return final
    return final + (pressure - final) * elementary.exp(-dt / time)


@kernel
def update(params: Any, state: Any, response: Any, wheel_count: int, dt: float) -> None:
    """Update line pressure and brake torque of every wheel."""
    for i in range(wheel_count):
        p = params[i]
        state[i].pressure = followed(p, state[i].pressure, line_pressure(p, response.brake), dt)
        state[i].torque = disc_torque(p, state[i].pressure) + response.handbrake * p.handbrake_torque


def at_pedal(params: np.ndarray, brake: float) -> tuple[np.ndarray, np.ndarray]:
    """([n] final line pressures, Pa; [n] torques of the discs, N m) for the response of the pedal, 0..1.

    params: [n] records of HydraulicBrakeParams.
    """
    pressure_of, torque_of = (getattr(function, "py_func", function) for function in (line_pressure, disc_torque))
    wheels = params.view(np.recarray)
    pressure = pressure_of(wheels, brake)
    return pressure, torque_of(wheels, pressure)


def derive(params: Any, wheel_params: Any, suspension_params: Any, body_params: Any, wheel_count: int) -> None:
    """Set pressure and torque of every wheel at full pedal, and the front wheels' share of the force."""
    wheels = params[:wheel_count]
    wheels["max_pressure"], wheels["max_torque"] = at_pedal(wheels, 1.0)
    if wheel_params is None or suspension_params is None or body_params is None:
        return  # without wheels that have a place there is no front
    force = wheels["max_torque"] / wheel_params["radius"][:wheel_count]
    front = suspension_params["attachment"][:wheel_count, 1] > body_params["centre_of_mass"][1]
    wheels["front_share"] = float(force[front].sum()) / max(float(force.sum()), 1e-9)  # 1e-9 N: brakes without force


def estimate(
    params: Any, wheel_params: Any, suspension_params: Any, tire_params: Any, body_params: Any, context: Any,
    wheel_count: int, given: AbstractSet[Any],
) -> list[Estimate]:  # fmt: skip
    """[Estimate] of effective radii and piston areas that are missing in the vehicle file.

    given: set of (wheel index, name) of the parameters in the file.
    """
    if wheel_params is None or suspension_params is None or body_params is None:
        return []
    wheels, radius = params[:wheel_count].copy(), wheel_params["radius"][:wheel_count]

    def missing(name: str) -> np.ndarray:
        return np.array([(i, name) not in given for i in range(wheel_count)])

    without_radius = missing("effective_radius")
    wheels["effective_radius"][without_radius] = EFFECTIVE_RADIUS * radius[without_radius]
    reason = f"the wheel's radius: {EFFECTIVE_RADIUS:g} times it"
    found = _estimates("effective_radius", wheels["effective_radius"], without_radius, reason, "mm", 1e3)
    torque = _torques_of_grip(wheel_params, suspension_params, tire_params, body_params, context, wheel_count)
    if torque is None:
        return found
    wheels["piston_area"] = 1.0
    per_area = np.maximum(at_pedal(wheels, 1.0)[1], 1e-9)  # N/m; at least 1e-9, for a pedal that moves no pads
    reason = (
        f"load at rest and tire grip: full pedal is {RESERVE:g} times that at which the front wheels lock on dry "
        f"asphalt, where the rear wheels use {REAR_USE:g} of their grip"
    )
    area = np.minimum(torque / per_area, LARGEST_AREA)
    return found + _estimates("piston_area", area, missing("piston_area"), reason, "mm^2", 1e6)


def _estimates(
    name: str, values: np.ndarray, missing: np.ndarray, reason: str, unit: str, per_si: float
) -> list[Estimate]:
    """[Estimate] of a parameter for the wheels that lack it, [] if none does.

    unit, per_si: unit in which values are shown, and its number per SI unit.
    """
    if not missing.any():
        return []
    shown = ", ".join(f"{per_si * value:.4g}" for value in values[missing])
    listed = [float(value) if lacks else None for value, lacks in zip(values, missing, strict=True)]
    return [Estimate(name, listed, reason, f"[{shown}] {unit}")]


def _torques_of_grip(
    wheel_params: Any, suspension_params: Any, tire_params: Any, body_params: Any, context: Any, wheel_count: int
) -> np.ndarray | None:
    """[n] torques at full pedal that fit the grip of the tires, N m; None if the wheel loads are not known.

    The height of the road is that with the springs at half of their travel, as jounce at rest is not known yet.
    """
    wheels, radius = suspension_params[:wheel_count], wheel_params["radius"][:wheel_count]
    arms = wheels["attachment"] - body_params["centre_of_mass"]
    load = wheels["sprung_mass"].copy()
    if not (load > 0.0).all():
        try:
            load = sprung_masses(float(body_params["mass"]), arms[:, :2])
        except ValueError:
            return None
    if not (load > 0.0).all():
        return None
    height = -float((arms[:, 2] - 0.5 * wheels["travel"] - radius).mean())
    grip = np.full(wheel_count, DRY_GRIP)
    for name in ("longitudinal_grip", "grip_factor"):
        if tire_params is not None and name in field_names(tire_params.dtype):
            grip *= tire_params[name][:wheel_count]
    return full_pedal_torques(load * norm(context["gravity"]), arms[:, 1], radius, height, grip)


HYDRAULIC_BRAKES = Component(
    slot="brakes",
    name="hydraulic",
    params=HydraulicBrakeParams,
    state=HydraulicBrakeState,
    phases={"update": update},
    derive=derive,
    estimate=estimate,
    doc="Pedal, booster, line pressure with its build-up, proportioning valve and disc brakes.",
)
