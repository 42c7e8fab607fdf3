"""PhysX's behaviour where ours differs on purpose, as components that exist in these tests only.

Each name in `COMPAT` is a difference, described by what PhysX, the reference, does and what ours does instead.
`reference_entries` replaces the components with differences in one of our lists.
"""

import numpy as np
from group_projection import NO_GROUPS, REFERENCE_DRIVETRAIN

from driving_sandbox.physics.body.rigid_body import BODY, inverse_inertia_times, push
from driving_sandbox.physics.differential.multi_wheel import DifferentialState, MultiWheelParams
from driving_sandbox.physics.gearbox.gearbox import GEARBOX, JUST_COMMANDED, NOTHING_PENDING
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.road.query import RoadState
from driving_sandbox.physics.steering.ackermann import ACKERMANN, ACKERMANN_SECOND, reference_angles
from driving_sandbox.physics.suspension.suspension import SUSPENSION, tilted_weight
from driving_sandbox.physics.tank.levers import LeverState
from driving_sandbox.physics.tick.component import Component, Phase, Substeps, as_phase
from driving_sandbox.physics.wheel.wheel import suspension_to_body, wheel_centre

COMPAT = {
    "euler_pose": "orientation by one Euler step, no gyroscopic term; ours turns exactly and keeps angular momentum",
    "external_once": "external forces act in the first substep only; ours act in all substeps of the tick",
    "pulling_suspension": "a fast rebound pulls the wheel down, and damper speed is unlimited; ours pushes only",
    "torque_by_speed_ratio": "drive torque is shared by the speed ratios; ours by the torque ratios",
    "linear_ackermann": "the corrected axle ignores the steering table; ours uses it",
    "projected_groups": "limited slip and tracks by a least-squares projection; ours conserve angular momentum",
    "sweep_order": "estimating sweeps visit the wheels in the order of the file; ours from left to right",
    "bars_turn_the_body": "anti-roll bars do not change tire loads; ours move load between tires (loads_tires)",
    "single_precision_timers": "times of gear changes are float32; ours are float64",
    "soft_sticky": "a sticky tire is a soft damper, mostly after a second; ours sticks by friction, if braked at once",
    "limit_at_tire_point": "the suspension's limit pushes at the tire's force point; ours at the suspension's",
    "dense_solver": "drivetrain by dense elimination or sweeps; ours in a time proportional to the number of wheels",
    "no_contact": "neither sticky tires nor suspension limit: these runs have no constraints",
}  # fmt: skip


@kernel
def euler_pose(state, external, dt):
    """Pose after a substep; external forces are cleared."""
    vec3.store(state.position, vec3.add_scaled(vec3.load(state.position), vec3.load(state.velocity), dt))
    q = quat.load(state.orientation)
    w = vec3.load(state.angular_velocity)
    d = quat.multiply((w[0], w[1], w[2], 0.0), q)
    k = 0.5 * dt
    quat.store(state.orientation, quat.normalize((q[0] + d[0] * k, q[1] + d[1] * k, q[2] + d[2] * k, q[3] + d[3] * k)))
    vec3.store(external.force, (0.0, 0.0, 0.0))
    vec3.store(external.torque, (0.0, 0.0, 0.0))


@kernel
def pulling_force(params, state, compliance, road, body, body_params, external, context, wheel_count):
    """Suspension forces by the reference: "pulling_suspension"."""
    m = quat.to_matrix(quat.load(body.orientation))
    outside = vec3.add_scaled(vec3.load(external.force), vec3.load(context.gravity), body_params.mass)
    torque = vec3.load(external.torque)
    for i in range(wheel_count):
        p = params[i]
        s = state[i]
        arm = vec3.load(p.arm)
        point = vec3.add(arm, suspension_to_body(p, vec3.load(compliance[i].suspension_force_point)))
        vec3.store(s.force_arm, vec3.transform(m, point))
        s.force = 0.0
        if s.on_ground != 0:
            normal = vec3.load(road[i].normal)
            direction = vec3.load(s.direction)
            push = p.stiffness * s.jounce + p.damping * s.jounce_speed
            s.force = -push * vec3.dot(normal, direction) + tilted_weight(
                outside, normal, direction, vec3.transform(m, arm), torque, p.supported_mass / body_params.mass
            )
            vec3.store(s.force_vector, vec3.scale(normal, s.force))
        else:
            vec3.store(s.force_vector, (0.0, 0.0, 0.0))


@kernel
def share_by_speed(params, state, wheel_count):
    """Torque shares by the reference: "torque_by_speed_ratio"."""
    for i in range(wheel_count):
        s = state[i]
        s.connected = 1 if params[i].torque_ratio != 0.0 else 0
        s.speed_ratio = params[i].speed_ratio if s.connected != 0 else 0.0
        s.torque_ratio = s.speed_ratio


@kernel
def linear_ackermann(params, steering, steering_params, input):
    """Corrected steer angles by the reference: "linear_ackermann"."""
    if params.strength == 0.0:
        return
    left_max = steering_params[params.left].max_angle
    right_max = steering_params[params.right].max_angle
    if input.steer * (left_max + right_max) == 0.0:
        return
    left, right = reference_angles(input.steer, left_max, right_max, params.strength, params.wheelbase, params.track)
    steering[params.left].angle = left
    steering[params.right].angle = right


@kernel
def single_precision_change(params, state, dt):
    """A step of a gear change by the reference: "single_precision_timers"."""
    if state.target_gear == state.current_gear:
        return
    if state.switch_time == JUST_COMMANDED:
        state.switch_time = 0.0
    else:
        state.switch_time = np.float64(np.float32(np.float32(state.switch_time) + np.float32(dt)))
    if state.switch_time > params.switch_time:
        state.current_gear = state.target_gear
        state.switch_time = NOTHING_PENDING


def sticky_timers(longitudinal_speed, lateral_speed, omega, radius, grip, braking, driving, thresholds, times, dt):
    """(longitudinal time, lateral time, longitudinal active, lateral active) of one tire of the reference after dt.

    longitudinal_speed, lateral_speed: of the contact point, m/s.
    grip: load times friction, N.
    braking, driving: whether any wheel of the vehicle is braked or driven.
    thresholds: (longitudinal speed, longitudinal delay, lateral speed, lateral delay).
    times: (longitudinal, lateral) before, s.
    """
    longitudinal_limit, longitudinal_delay, lateral_limit, lateral_delay = thresholds
    if grip == 0.0:
        return 0.0, 0.0, False, False
    slow = abs(longitudinal_speed) < longitudinal_limit
    waiting = slow and abs(omega * radius) < longitudinal_limit and not driving
    longitudinal_time = times[0] + dt if waiting else 0.0
    lateral_time = times[1] + dt if abs(lateral_speed) < lateral_limit and not driving else 0.0
    is_sticky = (slow and omega == 0.0 and braking) or longitudinal_time > longitudinal_delay
    return longitudinal_time, lateral_time, is_sticky, longitudinal_time > 0.0 and lateral_time > lateral_delay


@kernel
def written_by_test(state):
    """Does nothing: the test writes the state."""


@kernel
def intersect_planes(state, suspension_params, wheel_params, steering, body, wheel_count):
    """Intersect each suspension line at the present pose with its plane, which the test writes."""
    m = quat.to_matrix(quat.load(body.orientation))
    for i in range(wheel_count):
        p, r = suspension_params[i], state[i]
        normal = vec3.load(r.normal)
        centre = wheel_centre(p, wheel_params[i], p.travel, 0.0, steering[i].angle)
        centre = vec3.add(vec3.load(body.position), vec3.transform(m, centre))
        direction = vec3.transform(m, vec3.load(p.direction))
        slope = vec3.dot(direction, normal)
        depth = vec3.dot(normal, centre) + r.offset
        vec3.store(r.point, vec3.add_scaled(centre, direction, -depth / slope if slope != 0.0 else 0.0))


@kernel
def apply_forces(params, state, suspension, tire, antiroll, aero, external, context, wheel_count, dt):
    """Velocity after a substep with all forces except those of constraints and the gyroscopic one."""
    torque = push(params, state, suspension, tire, antiroll, aero, external, context, wheel_count, dt)
    acceleration = inverse_inertia_times(quat.load(state.orientation), vec3.load(params.inertia), torque)
    vec3.store(state.angular_velocity, vec3.add_scaled(vec3.load(state.angular_velocity), acceleration, dt))


REFERENCE_BODY = Component(
    slot="body",
    name="reference",
    params=BODY.params,
    state=BODY.state,
    phases={**BODY.phases, "velocity": apply_forces, "pose": euler_pose},
)
REFERENCE_SUSPENSION = Component(
    slot="suspension",
    name="reference",
    params=SUSPENSION.params,
    state=SUSPENSION.state,
    phases={**SUSPENSION.phases, "force": pulling_force},
)
REFERENCE_DIFFERENTIAL = Component(
    slot="differential",
    name="reference",
    params=MultiWheelParams,
    state=DifferentialState,
    phases={"update": share_by_speed},
)
REFERENCE_GEARBOX = Component(
    slot="gearbox",
    name="reference",
    params=GEARBOX.params,
    state=GEARBOX.state,
    phases={**GEARBOX.phases, "update": single_precision_change},
)
REFERENCE_ACKERMANN = tuple(
    Component(slot=c.slot, name="reference", params=c.params, phases={"update": linear_ackermann})
    for c in (ACKERMANN, ACKERMANN_SECOND)
)
GIVEN_ROAD = Component(
    slot="road", name="given", state=RoadState, phases={"update": intersect_planes, "refresh": written_by_test}
)
GIVEN_LEVERS = Component(slot="levers", name="given", state=LeverState, phases={"update": written_by_test})

REPLACED = {
    c.slot: c
    for c in (REFERENCE_BODY, REFERENCE_SUSPENSION, REFERENCE_GEARBOX, REFERENCE_DRIVETRAIN, *REFERENCE_ACKERMANN,
              GIVEN_ROAD, GIVEN_LEVERS)
}  # fmt: skip
DROPPED = ("contact", "limited_slip", "wheel_reactions")  # slots without a component in the resulting lists


def reference_entries(entries, tank, direct, groups=NO_GROUPS):
    """One of our lists with the reference's behaviour; `groups` runs directly after the differential."""
    result = []
    for entry in entries:
        if isinstance(entry, Substeps):
            result.append(Substeps(*reference_entries(entry.entries, tank, direct, groups), count=entry.count))
            continue
        phase = as_phase(entry)
        slot = phase.component.slot
        if slot in DROPPED:
            continue
        component = phase.component
        if slot == "differential" and not tank:
            component = REFERENCE_DIFFERENTIAL
        elif slot in REPLACED and not (slot == "drivetrain" and direct):
            component = REPLACED[slot]
        result.append(Phase(component, phase.phase))
        if slot == "differential":
            result.append(Phase(groups))
    return tuple(result)
