"""Engine of the planar vehicle: torque from a table by engine speed; the engine speed follows the wheels (CN-ENG).

Steps and equations are those of the article that physics/planar/body.py names.

    T = table(max(omega, floor_omega))        eq. 6; the floor lets a car start from rest               CN-ENG-03
    T = 0 at max_omega                        the speed never exceeds it                                CN-ENG-04
    omega = |vLong| / R |ratio| final_ratio   after every step, rigid, at most max_omega                CN-ENG-05

R is the mean radius of the driven wheels. The table gives the torque at full throttle, N*m, by engine speed, rad/s,
linear between its points. With `segments` it is replaced by a polyline of that many segments through a subset of its
points, with the smallest maximum error, reported as `simplification_error` (CN-ENG-02).

Limits: no inertia, friction or idle; in neutral it stops. No engine braking.
"""

from itertools import combinations
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths.curve import graph
from driving_sandbox.physics.schema.schema import Curve, Float, Int, Schema, field
from driving_sandbox.physics.tick.component import Component

TABLE_CAPACITY = 16  # points


class TorqueTableParams(Schema):
    """Torque by speed, and the speed range."""

    torque_table: Curve = field(
        capacity=TABLE_CAPACITY,
        x_unit="rad/s",
        x_label="engine speed",
        unit="N*m",
        ge=0,
        suggest=(0, 1000),
        source="CN-ENG-01",
        doc="Torque at full throttle, by engine speed.",
    )
    segments: Int = field(
        unit="1",
        ge=0,
        lt=TABLE_CAPACITY,
        default=0,
        suggest=(0, 6),
        source="CN-ENG-02",
        doc="Number of segments the table is simplified to; 0: not simplified.",
    )
    floor_omega: Float = field(
        unit="rad/s",
        ge=0,
        default=105.0,
        suggest=(0, 200),
        source="CN-ENG-03",
        doc="Engine speed below which the torque is the one at this speed.",
    )
    max_omega: Float = field(
        unit="rad/s", gt=0, suggest=(200, 1200), source="CN-ENG-04", doc="Redline: largest engine speed."
    )
    used_table: Curve = field(
        capacity=TABLE_CAPACITY,
        x_unit="rad/s",
        x_label="engine speed",
        unit="N*m",
        derived=True,
        doc="Table in use.",
    )
    simplification_error: Float = field(unit="N*m", derived=True, doc="Largest error of the simplified table.")


class TorqueTableState(Schema):
    """Speed, torque and throttle."""

    omega: Float = field(unit="rad/s", doc="Engine speed, from the wheels.")
    torque: Float = field(unit="N*m", doc="Torque at this speed and the throttle of the tick.")
    throttle: Float = field(unit="1", doc="Throttle.")


@kernel
def full_torque(p: Any, omega: float) -> float:
    """Torque at full throttle and an engine speed (rad/s), N m."""
    return graph(p.used_table, max(omega, p.floor_omega)) if omega < p.max_omega else 0.0


@kernel
def engine_speed(p: Any, wheel_rate: float, ratio: float) -> float:
    """Engine speed at a wheel speed and the ratio between them, final drive included, rad/s."""
    return min(abs(wheel_rate * ratio), p.max_omega)


@kernel
def give_torque(params: Any, state: Any, response: Any) -> None:
    """Step 5: throttle and torque."""
    state.throttle = response.throttle
    state.torque = response.throttle * full_torque(params, state.omega)


@kernel
def follow(params: Any, state: Any, body: Any, gearbox: Any, gearbox_params: Any, differential_params: Any) -> None:
    """Step 14, first part: engine speed after this step, from the wheels."""
    ratio = gearbox_params.ratios.values[gearbox.current_gear] * gearbox_params.final_ratio
    state.omega = engine_speed(params, body.v_long / differential_params.radius, ratio)


def simplified(points: list[Any], segments: int) -> tuple[list[Any], float]:
    """(points, largest error) of the best polyline of at most `segments` segments through a subset of the points."""
    xs, ys = np.array(points, float).T
    inner = range(1, len(points) - 1)
    fit: tuple[list[Any], float] | None = None
    for inner_knots in combinations(inner, min(segments - 1, len(inner))):
        knots = [0, *inner_knots, len(points) - 1]
        error = float(np.abs(np.interp(xs, xs[knots], ys[knots]) - ys).max())
        if fit is None or error < fit[1]:
            fit = [points[k] for k in knots], error
    assert fit is not None
    return fit


def derive(params: Any) -> None:
    """Set the table in use, and the error of its simplification."""
    kind = TorqueTableParams.fields["torque_table"].kind
    points, error = kind.read(params, "torque_table"), 0.0
    if 0 < params["segments"] < len(points) - 1:
        points, error = simplified(points, int(params["segments"]))
    kind.write(params, "used_table", points)
    params["simplification_error"] = error


def check(params: Any) -> list[tuple[str, str]]:
    """Problems of a table without points, and of a floor speed that is not below the redline."""
    problems = []
    if params["torque_table"]["count"] == 0:
        problems.append(("torque_table", "needs at least one point"))
    if params["floor_omega"] >= params["max_omega"]:
        problems.append(("floor_omega", f"must be below max_omega ({params['max_omega']:g})"))
    return problems


TORQUE_TABLE = Component(
    slot="engine",
    name="torque_table",
    params=TorqueTableParams,
    state=TorqueTableState,
    phases={"give_torque": give_torque, "follow": follow},
    derive=derive,
    check=check,
    doc="Torque from a table by engine speed, which follows the wheels.",
)
