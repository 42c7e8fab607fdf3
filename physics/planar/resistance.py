"""Resistances of the planar vehicle: air drag along each axis, and rolling resistance in two forms (CN-AERO, CN-RR).

Steps are those of the article that physics/planar/body.py names.

    drag_long = -D vLong |vLong|,   drag_lat = -D_side vLat |vLat|                  step 3, CN-AERO-01..03
    D = drag_factor, or where that is 0:  1/2 rho A Cd                              CN-AERO-02
    vLong, vLat: speeds through the air, forward and to the right

    load   r = c_RR N            at any speed                                       step 4, CN-RR-01, 02, 04
    speed  r = c v_roll N / W    c = 30 D unless given, v_roll along the wheel      CN-RR-03

D_side acts `side_centre` ahead of the centre of mass: the yaw moment that the article's author found missing
(CN-YAW-05). r is the magnitude of a wheel's resistance along the wheel, N its load, W the weight; the body computes its
direction and the effect of steering (physics/planar/body.py). The speed form equals drag at about 30 m/s: c v = 30 D v,
drag = D v^2.
"""

from typing import Any

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.planar.body import axes
from driving_sandbox.physics.planar.wheel import FRONT
from driving_sandbox.physics.schema.schema import Choice, Float, PerWheel, Schema, field
from driving_sandbox.physics.tick.component import Component

ROLLING_PER_DRAG = 30.0  # m/s, ratio of rolling coefficient to drag factor: the article's rule for the speed form
FORMS = ("load", "speed")
BY_SPEED = FORMS.index("speed")


class PlanarDragParams(Schema):
    """Drag factors, given or by area and coefficient."""

    drag_factor: Float = field(
        unit="kg/m",
        ge=0,
        default=0.0,
        suggest=(0, 2),
        source="CN-AERO-02",
        doc="D forward; 0: from air density, frontal area and coefficient.",
    )
    frontal_area: Float = field(
        unit="m^2", ge=0, default=2.0, suggest=(0.5, 10), doc="A: frontal area.", source="CN-AERO-01"
    )
    drag_coefficient: Float = field(
        unit="1", ge=0, default=0.3, suggest=(0, 1.5), doc="Cd: drag coefficient.", source="CN-AERO-01"
    )
    side_drag_factor: Float = field(
        unit="kg/m",
        ge=0,
        default=0.0,
        suggest=(0, 10),
        source="CN-AERO-03",
        doc="D sideways; 0: from air density, side area and coefficient.",
    )
    side_area: Float = field(
        unit="m^2", ge=0, default=4.0, suggest=(0.5, 30), doc="Area from the side.", source="CN-AERO-03"
    )
    side_drag_coefficient: Float = field(
        unit="1", ge=0, default=0.8, suggest=(0, 1.5), doc="Drag coefficient sideways.", source="CN-AERO-03"
    )
    side_centre: Float = field(
        unit="m",
        default=0.0,
        suggest=(-1, 1),
        source="CN-YAW-05",
        doc="Distance of the side drag ahead of the centre of mass.",
    )
    long_factor: Float = field(unit="kg/m", derived=True, doc="D in use.")
    lat_factor: Float = field(unit="kg/m", derived=True, doc="D sideways in use.")


class PlanarDragState(Schema):
    """Forces and yaw moment of the air."""

    drag_long: Float = field(unit="N", doc="Air drag, forward.")
    drag_lat: Float = field(unit="N", doc="Air drag, to the right.")
    yaw_moment: Float = field(unit="N*m", doc="Moment of the side drag, positive to the left.")


class PlanarRollingParams(Schema):
    """Rolling resistance of tires on the road."""

    form: Choice = field(
        options=FORMS,
        default="load",
        source="CN-RR-01, CN-RR-03",
        doc="load: by load, at any speed; speed: grows with speed.",
    )
    coefficient: Float = field(
        unit="1", ge=0, le=1, default=0.01, suggest=(0, 0.1), doc="cRR of the load form.", source="CN-RR-02"
    )
    speed_coefficient: Float = field(
        unit="N*s/m",
        ge=0,
        default=0.0,
        suggest=(0, 100),
        source="CN-RR-03",
        doc="c of the speed form; 0: 30 times the drag factor.",
    )
    used_speed_coefficient: Float = field(unit="N*s/m", derived=True, doc="c in use.")


class PlanarRollingState(PerWheel):
    """Rolling resistance of one wheel."""

    force: Float = field(unit="N", doc="Magnitude of the resistance along the wheel.")


@kernel
def wind_along(axis: Any, wind: Any) -> Any:
    """Component of the wind along an axis (x, y), m/s; never -0, which would change the sign of a speed of 0."""
    return axis[0] * wind[0] + axis[1] * wind[1] + 0.0


@kernel
def drag(params: Any, state: Any, body: Any, context: Any) -> None:
    """Step 3: air drag along both axes, and its yaw moment."""
    nose, right = axes(body.heading)
    v_long = body.v_long - wind_along(nose, context.wind)
    v_lat = body.v_lat - wind_along(right, context.wind)
    state.drag_long = -params.long_factor * v_long * abs(v_long)
    state.drag_lat = -params.lat_factor * v_lat * abs(v_lat)
    state.yaw_moment = -params.side_centre * state.drag_lat


@kernel
def roll(
    params: Any, state: Any, body: Any, body_params: Any, tire: Any, wheel_params: Any, steering: Any, context: Any,
    wheel_count: int,
) -> None:  # fmt: skip
    """Step 4: rolling resistance of every wheel."""
    weight = -body_params.mass * context.gravity[2]
    rate = body.angular_velocity[2]
    for i in range(wheel_count):
        load = tire[i].load
        if params.form == BY_SPEED:
            ahead = body_params.front_axle if wheel_params[i].axle == FRONT else -body_params.rear_axle
            s, c = elementary.sincos(-steering[i].angle)
            speed = body.v_long * c + (body.v_lat - rate * ahead) * s  # along the wheel
            share = load / weight if weight > 0.0 else 0.0
            state[i].force = params.used_speed_coefficient * abs(speed) * share
        else:
            state[i].force = params.coefficient * load


def derive_drag(params: Any, context: Any) -> None:
    """Set the drag factors in use."""
    half_density = 0.5 * context["air_density"]
    for name, given_factor, area, coefficient in (
        ("long_factor", "drag_factor", "frontal_area", "drag_coefficient"),
        ("lat_factor", "side_drag_factor", "side_area", "side_drag_coefficient"),
    ):
        params[name] = (
            params[given_factor] if params[given_factor] > 0.0 else half_density * params[area] * params[coefficient]
        )


def derive_rolling(params: Any, aero_params: Any) -> None:
    """Set the coefficient of the speed form in use."""
    coefficient = params["speed_coefficient"]
    params["used_speed_coefficient"] = (
        coefficient if coefficient > 0.0 else ROLLING_PER_DRAG * aero_params["long_factor"]
    )


PLANAR_DRAG = Component(
    slot="aero",
    name="planar",
    params=PlanarDragParams,
    state=PlanarDragState,
    phases={"drag": drag},
    derive=derive_drag,
    doc="Air drag forward and sideways, each with its own factor.",
)
PLANAR_ROLLING = Component(
    slot="rolling",
    name="planar",
    params=PlanarRollingParams,
    state=PlanarRollingState,
    phases={"roll": roll},
    derive=derive_rolling,
    doc="Rolling resistance by load or by speed.",
)
