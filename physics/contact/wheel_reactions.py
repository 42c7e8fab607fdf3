"""Reactions of wheels on the moving bodies (props, other vehicles' bodywork) on which they stand.

They are inputs of the solver that moves those bodies. Per substep a wheel on a moving body (physics/road/bodies.py)
receives from it the impulse

    P = h (F_suspension + F_bars + F_long t_long + F_lat t_lat) + P_stop n + P_long t_long + P_lat t_lat

with the forces of suspension, anti-roll bars and tire over the substep h, and the impulses of the contact solver: at
full compression (n is the road normal, or the suspension's line with `contact.suspension_limit: suspension`), and of a
sticky tire. P acts at the contact point q. As parts P_k of it may act on the vehicle elsewhere, at p_k (slot
`compliance`), the vehicle gets a corrective moment, so that action and reaction are equal:

    omega <- omega + I^-1 sum_k ((q - p_k) x P_k)

A sticky tire's part needs none: it acts at q. The state holds the sums over the whole tick for each wheel: of P, and of
(q - c) x P + h M about a point c that is fixed in the world during the tick, the centre of the first moving body at the
tick's start. M is the moment that some tires (mf62_tire.py) exert on the vehicle's body besides their force. The sums
are the impulses on the wheel; the moving body receives the opposite ones. So linear and angular momentum are both
conserved. Without moving bodies nothing is computed.

An anti-roll bar acts on two wheels with opposite forces: a torque on the body, a force under each wheel. With
`loads_tires: false` it is a torque without a reaction.

Limits: the whole impulse of a wheel in a tick is attributed to the last body it stood on. Under hubs with mass
(unsprung.py, axle_bodies.py) the reaction is that of the force on the vehicle's body, which includes the inertial force
of the hub.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.body.rigid_body import inverse_inertia_times
from driving_sandbox.physics.contact.component import SUSPENSION_LINE
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.road.bodies import vector_at
from driving_sandbox.physics.schema.schema import Int, PerWheel, Vec3, field
from driving_sandbox.physics.suspension.antiroll import into_road
from driving_sandbox.physics.tick.component import Component
from driving_sandbox.physics.tick.context import MOVING_CAPACITY


class WheelReactionState(PerWheel):
    """Impulses on one wheel from the moving bodies it stood on."""

    impulse: Vec3 = field(unit="N*s", doc="Impulse from moving bodies in this tick, world axes.")
    moment: Vec3 = field(
        unit="N*m*s", doc="Its angular impulse about the first moving body's centre at the tick's start."
    )
    body: Int = field(
        unit="1",
        ge=0,
        le=MOVING_CAPACITY,
        doc="Number of the moving body the wheel stood on last in this tick; 0: on none.",
    )


# m, the vehicle's centre of mass at the start of the substep, from which lever arms are measured
SUBSTEP = np.dtype([("origin", np.float64, (3,))])


@kernel
def update(state: Any, scratch: Any, body: Any, wheel_count: int) -> None:
    """Clear the sums at the start of a tick, and store the centre of mass."""
    vec3.store(scratch.origin, vec3.load(body.position))
    for i in range(wheel_count):
        vec3.store(state[i].impulse, (0.0, 0.0, 0.0))
        vec3.store(state[i].moment, (0.0, 0.0, 0.0))
        state[i].body = 0


@kernel
def bar_force(bars: Any, suspension: Any, road: Any, i: int) -> float:
    """Force of the anti-roll bars on the body at wheel i, along its suspension line, N, positive up."""
    total = 0.0
    if bars.loads_tires == 0 or suspension[i].jounce == 0.0:
        return total
    for k in range(bars.stiffness.count):
        a, b = int(bars.wheel_a.values[k]), int(bars.wheel_b.values[k])
        if (a != i and b != i) or suspension[a].on_ground == 0 or suspension[b].on_ground == 0:
            continue
        force = bars.stiffness.values[k] * (suspension[a].jounce - suspension[b].jounce)
        lifted = b if force > 0.0 else a
        if suspension[lifted].force <= 0.0:  # the bar took the whole load of the lifted wheel, and no more
            load = vec3.dot(vec3.load(suspension[lifted].force_vector), vec3.load(road[lifted].normal))
            share = into_road(suspension[lifted], road[lifted], 1.0)
            limit = max(0.0, load) / share if share > 0.0 else 0.0
            force = min(max(force, -limit), limit)
        total += force if a == i else -force
    return total


@kernel
def add_at(state: Any, arm: Any, impulse: Any, couple: Any) -> None:
    """Add an impulse (N s) and an angular impulse (N m s) besides its own to the sums.

    arm: from the point c of the module's docstring to the impulse, m.
    """
    vec3.store(state.impulse, vec3.add(vec3.load(state.impulse), impulse))
    angular = vec3.add(vec3.cross(arm, impulse), couple)
    vec3.store(state.moment, vec3.add(vec3.load(state.moment), angular))


@kernel
def gather(
    state: Any, scratch: Any, road: Any, suspension: Any, tire: Any, contact: Any, contact_params: Any,
    antiroll_params: Any, body: Any, body_params: Any, external: Any, wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Add the impulses of a substep to the sums, and apply the corrective moment to the vehicle."""
    if external.moving_count <= 0:
        return
    origin, centre = vec3.load(scratch.origin), vector_at(external.moving_position, 0)
    vec3.store(scratch.origin, vec3.load(body.position))
    moment = (0.0, 0.0, 0.0)
    for i in range(wheel_count):
        s, t, r = suspension[i], tire[i], road[i]
        if r.body == 0 or s.on_ground == 0:
            continue
        solved = contact.solver.wheels[i]
        up = vec3.scale(vec3.load(s.direction), -1.0)
        stop_direction = up if contact_params.suspension_limit == SUSPENSION_LINE else vec3.load(r.normal)
        spring_part = vec3.add_scaled(vec3.load(s.force_vector), up, bar_force(antiroll_params, suspension, road, i))
        spring_part = vec3.add_scaled(vec3.scale(spring_part, dt), stop_direction, solved.limit_impulse)
        forward, right = vec3.load(t.longitudinal), vec3.load(t.lateral)
        slip_part = vec3.add_scaled(vec3.scale(forward, dt * t.longitudinal_force), right, dt * t.lateral_force)
        sticky_part = vec3.add_scaled(vec3.scale(forward, solved.longitudinal_impulse), right, solved.lateral_impulse)
        point = vec3.load(r.point)
        moment = vec3.add(moment, vec3.cross(vec3.sub(vec3.sub(point, origin), vec3.load(s.force_arm)), spring_part))
        moment = vec3.add(moment, vec3.cross(vec3.sub(vec3.sub(point, origin), vec3.load(t.arm)), slip_part))
        impulse = vec3.add(spring_part, vec3.add(slip_part, sticky_part))
        add_at(state[i], vec3.sub(point, centre), impulse, vec3.scale(vec3.load(t.moment), dt))
        state[i].body = r.body
    spin_change = inverse_inertia_times(quat.load(body.orientation), vec3.load(body_params.inertia), moment)
    vec3.store(body.angular_velocity, vec3.add(vec3.load(body.angular_velocity), spin_change))


WHEEL_REACTIONS = Component(
    slot="wheel_reactions",
    name="impulses",
    state=WheelReactionState,
    phases={"update": update, "gather": gather},
    writes=("body",),
    scratch=SUBSTEP,
    doc="Impulses on wheels from the moving bodies they stand on.",
)
