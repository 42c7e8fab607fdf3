"""Suspension links: jacking (the transmission of tire forces to the hubs), and lateral compliance of hubs.

A tire force F in the road plane has two effects on its hub along the hub's travel: its own component upwards in the
body, and a jacking force that its lateral component F_y causes, in the ratio of the roll centre's height h to the
wheel's position x right of the centre line (roll_centre.py):

    upward force on a hub = F . up + F_y h / x

The two hubs of a solid axle share the first term, so that in a bend the body jacks up, but does not roll less. Loads N
that act with lateral offsets e from the wheels (by `lateral_compliance`, and by the `suspension_force_point` of slot
compliance) have a moment about the axle. The axle itself balances it, so that it does not load the springs:

    upward force on a hub = (F_1 + F_2) . up / 2 + F_y h / x + (N_1 e_1 + N_2 e_2) / (2 x)

Lateral compliance (`joint_compliance`) is that of the joint between hub or axle and body: bushes, a Panhard rod, leaf
springs. Symbols: m hub mass; y displacement of the hub to the right of its neutral position; c `joint_compliance`,
d `joint_damping`; Y lateral tire force in the body; z jounce, s displacement to the right per jounce, F_z sum of the
forces along the jounce (unsprung.py); a acceleration of the body at the hub, g gravity, lateral components:

    m (y'' + s z'' + a - g) = Y - y / c - d y'          m ((1 + s s) z'' + s y'') = F_z
    force on the body: Y - m y''

d is at least the share MIN_DAMPING of critical damping. c and d are for each wheel; the stiffnesses of a solid axle's
wheels add up.

With z'' eliminated from the first equation, the hub has the effective mass m / (1 + s s), with F_z s / (1 + s s) acting
to the left: linear over a step, with an exact solution (hub.py), stable at any step size. F_z is extrapolated from the
last two steps. The body receives the predicted mean of m y'' for the next step, plus the error of the last prediction,
so that momentum is conserved over time.

Limitations: a tire's slip is that of a hub without a joint, so the tire does not damp the joint; a tire held by the
contact solver does not load it.
"""

import math

import numpy as np

from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import vec3
from driving_sandbox.physics.maths.products import norm
from driving_sandbox.physics.suspension.hub import exact_step
from driving_sandbox.physics.suspension.roll_centre import jacking, patch_shift
from driving_sandbox.physics.wheel.wheel import suspension_to_body

SYMMETRY_TOLERANCE = 0.1  # m, largest deviation at which two wheels count as mirror images, and so as one axle
MIN_DAMPING = 0.1  # share of critical damping, as rubber has; with less, the body's delayed reaction would oscillate
NEUTRAL = (0.0, 0.0)  # m, m/s: neutral position of a joint and its speed


@inline_kernel
def grip(t):
    """Force of a tire in the road plane, N, world axes. t: state of the tire."""
    along = vec3.scale(vec3.load(t.longitudinal), t.longitudinal_force)
    return vec3.add_scaled(along, vec3.load(t.lateral), t.lateral_force)


@inline_kernel
def load_moment(p, s, tire_s, compliance_s):
    """Moment N e of a tire's load with its lateral offset from the wheel's attachment, N m."""
    if s.on_ground == 0:
        return 0.0
    shift = patch_shift(p, p.attachment[0], tire_s.lateral_force)
    return s.tire_load * (suspension_to_body(p, vec3.load(compliance_s.suspension_force_point))[0] + shift)


@kernel
def link_force(params, state, tire, compliance, i, up):
    """Force of the links on the hub of wheel i, N, along `up` (unit vector, world axes)."""
    p, j = params[i], params[i].opposite_wheel
    force = vec3.dot(grip(tire[i]), up)
    if j != i:
        force = 0.5 * (force + vec3.dot(grip(tire[j]), up))
        moment = load_moment(p, state[i], tire[i], compliance[i]) + load_moment(
            params[j], state[j], tire[j], compliance[j]
        )
        force += 0.5 / p.attachment[0] * moment
    return force - jacking(p, p.attachment[0], tire[i].lateral_force) if state[i].on_ground != 0 else force


@kernel
def apply_antiroll_bars(bars, state, wheel_count):
    """Write the force of the anti-roll bars on every hub, also on those whose tires are in the air."""
    for i in range(wheel_count):
        state[i].bar_force = 0.0
    for k in range(bars.stiffness.count):
        a, b = state[int(bars.wheel_a.values[k])], state[int(bars.wheel_b.values[k])]
        push = bars.stiffness.values[k] * (a.jounce - b.jounce)
        a.bar_force += push
        b.bar_force -= push


@kernel
def reset_joint(s):
    """Put the hub at rest into the neutral position of its joint."""
    s.joint_travel, s.joint_speed, s.joint_speed_change, s.applied_joint_speed_change = 0.0, 0.0, 0.0, 0.0
    s.predicted_joint_speed_change, s.jounce_force, s.predicted_jounce_force = 0.0, 0.0, 0.0


@kernel
def move_joint(p, s, right, specific_force, tire_s, dt):
    """Advance a hub's lateral displacement in its joint by a step, and predict that of the next step.

    Args:
        right: unit vector to the right, world axes.
        specific_force: gravity minus the body's acceleration at the hub, world axes, m/s^2.
    """
    mass_divisor = 1.0 + p.lateral_ratio * p.lateral_ratio
    lateral_force = vec3.dot(right, grip(tire_s)) + p.hub_mass * vec3.dot(right, specific_force)
    lateral_force -= p.lateral_ratio / mass_divisor * s.predicted_jounce_force
    spring, constant, inertia = (
        (1.0 / p.joint_compliance, p.used_joint_damping),
        (lateral_force, 0.0, 0.0),
        p.hub_mass / mass_divisor,
    )
    travel, speed = exact_step(s.joint_travel, s.joint_speed, dt, NEUTRAL, spring, constant, inertia)
    s.joint_speed_change = speed - s.joint_speed
    error = s.joint_speed_change - s.predicted_joint_speed_change
    s.joint_travel, s.joint_speed = travel, speed
    _, next_speed = exact_step(travel, speed, dt, NEUTRAL, spring, constant, inertia)
    s.predicted_joint_speed_change = next_speed - speed
    s.applied_joint_speed_change = s.predicted_joint_speed_change + error


@kernel
def update_jounce_force(p, s, speed_change, dt):
    """Update F_z from the change of the hub's jounce speed in a step, m/s, and predict F_z of the next step."""
    force_before = s.jounce_force
    mass_divisor = 1.0 + p.lateral_ratio * p.lateral_ratio
    s.jounce_force = p.hub_mass * (mass_divisor * speed_change + p.lateral_ratio * s.joint_speed_change) / dt
    s.predicted_jounce_force = 2.0 * s.jounce_force - force_before


def min_damping(compliance, mass):
    """Smallest damping of a joint, N s/m, 0 for a rigid one. compliance: of the joint, m/N. mass: of the hub, kg."""
    return 2.0 * MIN_DAMPING * math.sqrt(mass / compliance) if compliance > 0.0 else 0.0


def opposite_of(positions, i):
    """Index of the wheel at the mirror image of wheel i; i if there is none.

    positions: float64[n, 2], x (right) and y (forward) of the wheels, m.
    """
    distances = norm(positions - positions[i] * (-1.0, 1.0))
    nearest = int(np.argmin(distances))
    return nearest if distances[nearest] < SYMMETRY_TOLERANCE else i
