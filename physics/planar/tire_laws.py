"""Laws of the planar vehicle's tires: side force per load as a function of slip angle (CN-TIRE-03..05).

    linear_clamp    fn = C alpha, at most fn_max              eq. 1; by default the knee, fn_max / C, is at 5 degrees
    magic_formula   fn = fn_max sin(c atan(x - E (x - atan x))),   x = B alpha
                    B = C / (c fn_max),   E = (x - tan(pi / (2 c))) / (x - atan x) at x = B peak_angle

Pacejka's formula (Tire and Vehicle Dynamics, 4.3), with factors such that both laws have the same slope C at 0 and the
peak is at `peak_angle`; beyond the peak it falls a little, like the measured curve of the article that
physics/planar/body.py names. Slip, load and forces are computed in physics/planar/tire.py.

Signs: fn has the sign of the slip angle; the force on the body opposes it.
"""

import math
from collections.abc import Callable
from typing import Any

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.planar.tire import (
    MEASURED_PEAK,
    PlanarTireParams,
    PlanarTireState,
    front_force,
    front_slip,
    rear_force,
    rear_slip,
    share_load,
)
from driving_sandbox.physics.planar.wheel import FRONT, REAR, static_loads
from driving_sandbox.physics.schema.schema import Float, Schema, field
from driving_sandbox.physics.tick.component import Component


class LinearClampParams(PlanarTireParams):
    """Straight line up to a limit."""


class MagicFormulaParams(PlanarTireParams):
    """A peak and a gentle fall beyond it."""

    peak_angle: Float = field(
        unit="rad",
        gt=0,
        lt=math.pi / 2,
        default=MEASURED_PEAK,
        suggest=(0.03, 0.3),
        source="CN-TIRE-03, CN-TIRE-05",
        doc="Slip angle of the largest side force.",
    )
    shape_factor: Float = field(
        unit="1",
        gt=1,
        lt=2,
        default=1.3,
        suggest=(1.05, 1.9),
        source="CN-TIRE-05",
        doc="c: shape; the larger, the more the force falls beyond the peak.",
    )
    stiffness_factor: Float = field(unit="1/rad", derived=True, doc="B: stiffness factor.")
    curvature_factor: Float = field(unit="1", derived=True, doc="E: curvature factor.")


@kernel
def linear_clamp(p: Any, alpha: float) -> float:
    """fn of the straight line with a limit. alpha: slip angle, rad."""
    return min(max(p.stiffness * alpha, -p.side_friction), p.side_friction)


@kernel
def magic_formula(p: Any, alpha: float) -> float:
    """fn of the Magic Formula. alpha: slip angle, rad."""
    x = p.stiffness_factor * alpha
    x -= p.curvature_factor * (x - elementary.atan(x))
    return p.side_friction * elementary.sin(p.shape_factor * elementary.atan(x))


@kernel
def linear_axle(params: Any, state: Any, wheel_params: Any, wheel_count: int, axle: Any) -> None:
    """Evaluate the straight line for the wheels of one axle."""
    for i in range(wheel_count):
        if wheel_params[i].axle == axle:
            state[i].friction = params[i].side_friction
            state[i].law = linear_clamp(params[i], state[i].lateral_slip)


@kernel
def linear_front(params: Any, state: Any, wheel_params: Any, wheel_count: int) -> None:
    """Step 6: side force per load of the front wheels."""
    linear_axle(params, state, wheel_params, wheel_count, FRONT)


@kernel
def linear_rear(params: Any, state: Any, wheel_params: Any, wheel_count: int) -> None:
    """Step 7: side force per load of the rear wheels."""
    linear_axle(params, state, wheel_params, wheel_count, REAR)


@kernel
def magic_axle(params: Any, state: Any, wheel_params: Any, wheel_count: int, axle: Any) -> None:
    """Evaluate the Magic Formula for the wheels of one axle."""
    for i in range(wheel_count):
        if wheel_params[i].axle == axle:
            state[i].friction = params[i].side_friction
            state[i].law = magic_formula(params[i], state[i].lateral_slip)


@kernel
def magic_front(params: Any, state: Any, wheel_params: Any, wheel_count: int) -> None:
    """Step 6: side force per load of the front wheels."""
    magic_axle(params, state, wheel_params, wheel_count, FRONT)


@kernel
def magic_rear(params: Any, state: Any, wheel_params: Any, wheel_count: int) -> None:
    """Step 7: side force per load of the rear wheels."""
    magic_axle(params, state, wheel_params, wheel_count, REAR)


def derive_linear(params: Any, body_params: Any, wheel_params: Any, context: Any, wheel_count: int) -> None:
    """Set the loads at rest."""
    params["nominal_load"][:wheel_count] = static_loads(body_params, wheel_params, context, wheel_count)


def derive_magic(params: Any, body_params: Any, wheel_params: Any, context: Any, wheel_count: int) -> None:
    """Set the loads at rest, and the factors B and E."""
    derive_linear(params, body_params, wheel_params, context, wheel_count)
    for p in params[:wheel_count]:
        c, limit = float(p["shape_factor"]), float(p["side_friction"])
        p["stiffness_factor"], p["curvature_factor"] = 0.0, 0.0
        if p["stiffness"] > 0.0 and limit > 0.0:
            p["stiffness_factor"] = p["stiffness"] / (c * limit)
            x = float(p["stiffness_factor"] * p["peak_angle"])
            p["curvature_factor"] = (x - elementary.tan(math.pi / (2.0 * c))) / (x - elementary.atan(x))


def _tire(
    name: str, params: type[Schema], front: Callable[..., None], rear: Callable[..., None], derive: Callable[..., None],
    doc: str,
) -> Component:  # fmt: skip
    """The Component of a law. front, rear: kernels that evaluate the law for the wheels of one axle."""
    phases = {
        "share_load": share_load, "front_slip": front_slip, "front_law": front, "front_force": front_force,
        "rear_slip": rear_slip, "rear_law": rear, "rear_force": rear_force,
    }  # fmt: skip
    return Component(
        slot="tire", name=name, params=params, state=PlanarTireState, phases=phases, derive=derive, doc=doc
    )


LINEAR_CLAMP = _tire(
    "linear_clamp",
    params=LinearClampParams,
    front=linear_front,
    rear=linear_rear,
    derive=derive_linear,
    doc="Side force proportional to the slip angle up to a limit.",
)
MAGIC_FORMULA = _tire(
    "magic_formula",
    params=MagicFormulaParams,
    front=magic_front,
    rear=magic_rear,
    derive=derive_magic,
    doc="Side force by the magic formula with a given peak.",
)
