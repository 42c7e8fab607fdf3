"""Anti-roll bars: a torsion spring between two wheels (PX-ARB-01..04).

f = k (jounce_a - jounce_b) pushes the more compressed wheel down and lifts the other; a wheel in the air is left out.
The bar only turns the body: it adds torque, not tire load by itself, since load follows from the jounce it changes.
Any two wheels may be joined: left and right against roll, front and rear against pitch.
"""

from physics import quat, vec3
from physics.component import Component
from physics.jit import kernel
from physics.schema import Floats, Schema, Vec3, field
from physics.wheel.wheel import in_suspension

BARS = 8  # bars a vehicle may have: one per axle of a four-axle machine, and as many against pitch


class AntirollParams(Schema):
    """Bars as three lists of equal length."""

    wheel_a: Floats(BARS) = field(unit="1", default=[], ge=0, lt=20, doc="One wheel of each bar, by number.")
    wheel_b: Floats(BARS) = field(unit="1", default=[], ge=0, lt=20, doc="The other wheel of each bar, by number.")
    stiffness: Floats(BARS) = field(
        unit="N/m", default=[], ge=0, suggest=(0, 50e3), source="PX-ARB-02",
        doc="Force per metre of difference in jounce, one number per bar.",
    )


class AntirollState(Schema):
    """What all bars do together."""

    torque: Vec3() = field(unit="N*m", doc="On the body, world axes.")


@kernel
def bar_torque(suspension_p, point, push):
    """Body-frame torque of a force `push` along one wheel's travel direction."""
    arm = vec3.add(vec3.load(suspension_p.arm), in_suspension(suspension_p, point))
    return vec3.cross(arm, vec3.scale(vec3.load(suspension_p.direction), push))


@kernel
def update(params, state, suspension, suspension_params, compliance, body):
    total = (0.0, 0.0, 0.0)
    for k in range(params.stiffness.count):
        a = int(params.wheel_a.values[k])
        b = int(params.wheel_b.values[k])
        jounce_a = suspension[a].jounce
        jounce_b = suspension[b].jounce
        push = (jounce_a - jounce_b) * params.stiffness.values[k]
        if jounce_a != 0.0:
            point = vec3.load(compliance[a].suspension_force_point)
            total = vec3.add(total, bar_torque(suspension_params[a], point, -push))
        if jounce_b != 0.0:
            point = vec3.load(compliance[b].suspension_force_point)
            total = vec3.add(total, bar_torque(suspension_params[b], point, push))
    vec3.store(state.torque, quat.rotate(quat.load(body.orientation), total))


def check(params, wheel_count):
    problems = []
    counts = {int(params[name]["count"]) for name in ("wheel_a", "wheel_b", "stiffness")}
    if len(counts) > 1:
        problems.append(("stiffness", "wheel_a, wheel_b and stiffness must be lists of equal length"))
    for name in ("wheel_a", "wheel_b"):
        for wheel in params[name]["values"][: int(params[name]["count"])]:
            if wheel != int(wheel) or wheel >= wheel_count:
                problems.append((name, f"{wheel:g} is not the number of a wheel (0 to {wheel_count - 1})"))
    return problems


ANTIROLL = Component(
    slot="antiroll", name="bars", params=AntirollParams, state=AntirollState, phases={"update": update}, check=check,
    doc="Springs between pairs of wheels.",
)
