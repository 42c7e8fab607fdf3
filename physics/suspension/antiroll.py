"""Anti-roll bars, each a torsion spring between two wheels (PX-ARB-01..04).

    f = k (jounce_a - jounce_b)        torque on the body = r_a x (-f d_a) + r_b x (f d_b)

d is each wheel's direction of droop, r the application point of its suspension force relative to the centre of mass. f
pushes the more compressed wheel down and lifts the other. It acts as a torque on the body, and transfers load between
the tires; only this transfer lets a bar change the handling balance. f is limited by the load of the lifted wheel, so
that a bar with one wheel in the air is inactive. As in PhysX, a wheel at full droop adds no torque. Any two wheels may
be joined: left and right against roll, front and rear against pitch.

`loads_tires: false` follows the PhysX vehicle: bars act on the body alone, also while a wheel is in the air.
"""

from typing import Any

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.schema.schema import Bool, Floats, Schema, Vec3, WheelRefs, field
from driving_sandbox.physics.tick.component import Component
from driving_sandbox.physics.wheel.wheel import suspension_to_body

BARS = 8  # largest number of bars: one for each of four axles, and four against pitch


class AntirollParams(Schema):
    """Bars as three lists of equal length."""

    wheel_a: WheelRefs = field(
        capacity=BARS, unit="1", default=[], ge=0, lt=20, doc="One wheel of each bar, by number."
    )
    wheel_b: WheelRefs = field(
        capacity=BARS, unit="1", default=[], ge=0, lt=20, doc="The other wheel of each bar, by number."
    )
    stiffness: Floats = field(
        capacity=BARS,
        unit="N/m",
        default=[],
        ge=0,
        suggest=(0, 50e3),
        source="PX-ARB-03",
        mechanic=True,
        doc="Force per metre of difference in jounce, one number per bar.",
    )
    loads_tires: Bool = field(
        default=True, doc="Whether bars transfer load between their tires; false: they only act on the body."
    )


class AntirollState(Schema):
    """Resultant of all bars."""

    torque: Vec3 = field(unit="N*m", doc="Torque of all bars on the body, world axes.")


@kernel
def bar_torque(suspension_p: Any, point: Any, push: float) -> tuple[float, float, float]:
    """Torque on the body of a force `push` (N) in a wheel's direction of droop, N m, body axes.

    point: application point of the suspension force relative to the attachment, suspension axes, m.
    """
    arm = vec3.add(vec3.load(suspension_p.arm), suspension_to_body(suspension_p, point))
    return vec3.cross(arm, vec3.scale(vec3.load(suspension_p.direction), push))


@kernel
def into_road(suspension_s: Any, road_s: Any, push: float) -> float:
    """Component into the road of a force `push` (N) in a wheel's direction of droop, N."""
    return -vec3.dot(vec3.load(suspension_s.direction), vec3.load(road_s.normal)) * push


@kernel
def limited_by_load(suspension_s: Any, road_s: Any, push: float) -> float:
    """The force `push` with which a bar lifts a wheel, limited so that the wheel's load does not become negative, N."""
    lift = into_road(suspension_s, road_s, push)
    if suspension_s.on_ground == 0 or lift <= 0.0:
        return 0.0
    # a hub's load may be negative until that of its bars is added
    return push * min(1.0, max(0.0, suspension_s.force) / lift)


@kernel
def transfer_from_b(a: Any, b: Any, road_a: Any, road_b: Any, push: float) -> float:
    """`transfer_load` for push >= 0, with wheel b the lifted one."""
    if a.on_ground == 0:
        return 0.0
    push = limited_by_load(b, road_b, push)
    a.force += into_road(a, road_a, push)
    b.force -= into_road(b, road_b, push)
    return push


@kernel
def transfer_load(a: Any, b: Any, road_a: Any, road_b: Any, push: float) -> float:
    """Transfer load from wheel b to wheel a by a bar's force `push`, or from a to b if it is negative.

    a, b: states of the suspensions. Returns the force limited by the load of the lifted wheel, N.
    """
    if push < 0.0:
        return -transfer_from_b(b, a, road_b, road_a, -push)
    return transfer_from_b(a, b, road_a, road_b, push)


@kernel
def update(
    params: Any, state: Any, suspension: Any, suspension_params: Any, compliance: Any, road: Any, body: Any
) -> None:
    """Set the torque of all bars on the body, and transfer load between their tires."""
    total = (0.0, 0.0, 0.0)
    for k in range(params.stiffness.count):
        a = int(params.wheel_a.values[k])
        b = int(params.wheel_b.values[k])
        jounce_a = suspension[a].jounce
        jounce_b = suspension[b].jounce
        push = (jounce_a - jounce_b) * params.stiffness.values[k]
        if params.loads_tires != 0:
            push = transfer_load(suspension[a], suspension[b], road[a], road[b], push)
        if jounce_a != 0.0:
            point = vec3.load(compliance[a].suspension_force_point)
            total = vec3.add(total, bar_torque(suspension_params[a], point, -push))
        if jounce_b != 0.0:
            point = vec3.load(compliance[b].suspension_force_point)
            total = vec3.add(total, bar_torque(suspension_params[b], point, push))
    vec3.store(state.torque, quat.rotate(quat.load(body.orientation), total))


def check(params: Any, wheel_count: int) -> list[tuple[str, str]]:
    """Problems of lists of unequal length, and of wheels that the vehicle lacks."""
    problems = []
    counts = {int(params[name]["count"]) for name in ("wheel_a", "wheel_b", "stiffness")}
    if len(counts) > 1:
        problems.append(("stiffness", "wheel_a, wheel_b and stiffness must be lists of equal length"))
    for name in ("wheel_a", "wheel_b"):
        for wheel in params[name]["values"][: int(params[name]["count"])]:
            if wheel != int(wheel) or wheel >= wheel_count:
                problems.append((name, f"{wheel:g} is not the number of a wheel; they are 0 to {wheel_count - 1}"))
    return problems


ANTIROLL = Component(
    slot="antiroll",
    name="bars",
    params=AntirollParams,
    state=AntirollState,
    phases={"update": update},
    check=check,
    writes=("suspension",),
    doc="Anti-roll bars: springs between pairs of wheels.",
)
