"""Gearbox of the planar vehicle with instant changes, and its automatic (CN-GEAR, CN-AUTO).

At the end of a time step (step 14 of the article, see physics/planar/body.py), so that a change acts in the next one:

    gear commanded        engaged at any speed                                                  CN-AUTO-01
    automatic, throttle   omega at max_omega: one gear up                                       CN-AUTO-02
    automatic, slowing    |vLong| < top speed of the gear below - hysteresis: one gear down     CN-AUTO-03
    automatic, no forward gear engaged: the lowest forward gear that is fast enough

    top speed = max_omega R / (ratio final_ratio)       R: mean radius of the driven wheels
    omega_new = omega_old ratio_new / ratio_old, at most max_omega, right after a change        CN-GEAR-04

Without `hysteresis` a car that decelerates after an upshift may shift down at once.
"""

from typing import Any

from driving_sandbox.physics.gearbox.gearbox import GEAR_CAPACITY
from driving_sandbox.physics.gearbox.gearbox import check as check_ratios
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, Floats, Int, Schema, field
from driving_sandbox.physics.tick.commands import ANY_COMMAND, AUTOMATIC
from driving_sandbox.physics.tick.component import Component


class PlanarGearboxParams(Schema):
    """Ratios and efficiency."""

    ratios: Floats = field(
        capacity=GEAR_CAPACITY,
        unit="1",
        suggest=(-6, 6),
        source="CN-GEAR-01",
        mechanic=True,
        doc="Reverse gears (negative), neutral (0), forward gears (positive, decreasing).",
    )
    neutral_gear: Int = field(unit="1", ge=0, lt=GEAR_CAPACITY, suggest=(0, 3), default=1, doc="Index of neutral.")
    final_ratio: Float = field(
        unit="1",
        gt=0,
        suggest=(2, 7),
        default=3.38,
        mechanic=True,
        doc="Differential ratio; multiplies every ratio.",
        source="CN-DIFF-01",
    )
    efficiency: Float = field(
        unit="1",
        gt=0,
        le=1,
        default=0.9,
        suggest=(0.6, 1),
        doc="Share of torque that reaches the wheels.",
        source="CN-GEAR-02",
    )


class PlanarGearboxState(Schema):
    """Engaged gear."""

    current_gear: Int = field(unit="1", ge=0, lt=GEAR_CAPACITY, default=1, doc="Engaged gear.")
    target_gear: Int = field(
        unit="1", ge=0, lt=GEAR_CAPACITY, default=1, doc="Equal to current_gear: changes take no time."
    )


class RedlineAutoboxParams(Schema):
    """Down-shift hysteresis."""

    hysteresis: Float = field(
        unit="m/s",
        ge=0,
        default=0.3,
        suggest=(0, 5),
        source="CN-AUTO-03",
        doc="Margin below the top speed of the next lower gear at which it shifts down.",
    )


class RedlineAutoboxState(Schema):
    """Chosen gear."""

    gear: Int = field(**ANY_COMMAND, default=1, doc="Gear to engage.")


@kernel
def top_speed(max_omega: float, radius: float, ratio: float) -> float:
    """Vehicle speed at max_omega, m/s. ratio: of gear and final drive together."""
    return max_omega * radius / ratio


@kernel
def automatic_gear(
    p: Any, gear: int, box_params: Any, omega: float, max_omega: float, radius: float, v_long: float, a_long: float,
    throttle: float,
) -> int:  # fmt: skip
    """Forward gear that the automatic chooses.

    omega: engine speed, rad/s.
    radius: of the driven wheels, m.
    v_long, a_long: speed and acceleration forward, m/s and m/s^2.
    """
    neutral, count, final = box_params.neutral_gear, box_params.ratios.count, box_params.final_ratio
    if gear <= neutral:
        gear = neutral + 1
        while gear + 1 < count and v_long > top_speed(max_omega, radius, box_params.ratios.values[gear] * final):
            gear += 1
        return gear
    if omega >= max_omega and throttle > 0.0 and gear + 1 < count:
        return gear + 1
    if gear > neutral + 1 and a_long < 0.0:
        lower_top_speed = top_speed(max_omega, radius, box_params.ratios.values[gear - 1] * final)
        if abs(v_long) < lower_top_speed - p.hysteresis:
            return gear - 1
    return gear


@kernel
def choose(
    params: Any, state: Any, input: Any, response: Any, body: Any, engine: Any, engine_params: Any, gearbox: Any,
    gearbox_params: Any, differential_params: Any,
) -> None:  # fmt: skip
    """Step 14: choose the gear of the next step."""
    if input.gear == AUTOMATIC:
        state.gear = automatic_gear(
            params,
            gearbox.current_gear,
            gearbox_params,
            engine.omega,
            engine_params.max_omega,
            differential_params.radius,
            body.v_long,
            body.a_long,
            response.throttle,
        )
    elif 0 <= input.gear < gearbox_params.ratios.count:
        state.gear = input.gear


@kernel
def rescaled(omega: float, before: float, after: float, max_omega: float) -> float:
    """Engine speed right after a change of ratio, rad/s; 0 into neutral, unchanged out of it until the next step."""
    if before == 0.0:
        return omega
    return min(omega * abs(after / before), max_omega)


@kernel
def change(params: Any, state: Any, autobox: Any, engine: Any, engine_params: Any) -> None:
    """Step 14, last part: change the ratio, and with it the engine speed."""
    if autobox.gear != state.current_gear:
        old_ratio, new_ratio = params.ratios.values[state.current_gear], params.ratios.values[autobox.gear]
        engine.omega = rescaled(engine.omega, old_ratio, new_ratio, engine_params.max_omega)
        state.current_gear = autobox.gear
    state.target_gear = state.current_gear


PLANAR_GEARBOX = Component(
    slot="gearbox",
    name="planar",
    params=PlanarGearboxParams,
    state=PlanarGearboxState,
    phases={"change": change},
    writes=("engine",),
    check=check_ratios,
    doc="Changes ratios instantly.",
)
REDLINE_AUTOBOX = Component(
    slot="autobox",
    name="redline_and_speed",
    params=RedlineAutoboxParams,
    state=RedlineAutoboxState,
    phases={"choose": choose},
    doc="Changes up at the redline, down below the top speed of the next lower gear.",
)
