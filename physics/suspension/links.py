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
wheels add up. Both equations are part of the system of body and hubs (hub_system.py).

Limitations: a tire's slip is that of a hub without a joint, so the tire does not damp the joint; a tire held by the
contact solver does not load it.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import vec3
from driving_sandbox.physics.maths.products import norm
from driving_sandbox.physics.suspension.roll_centre import jacking, patch_shift
from driving_sandbox.physics.wheel.wheel import suspension_to_body

SYMMETRY_TOLERANCE = 0.1  # m, distance from its mirror image below which a wheel is on the same axle as the other
MIN_DAMPING = 0.1  # share of critical damping, as rubber has


@inline_kernel
def grip(t: Any) -> Any:
    """Force of a tire in the road plane, N, world axes. t: state of the tire."""
    along = vec3.scale(vec3.load(t.longitudinal), t.longitudinal_force)
    return vec3.add_scaled(along, vec3.load(t.lateral), t.lateral_force)


@inline_kernel
def load_moment(p: Any, s: Any, tire_s: Any, compliance_s: Any) -> Any:
    """Moment N e of a tire's load with its lateral offset from the wheel's attachment, N m."""
    if s.on_ground == 0:
        return 0.0
    shift = patch_shift(p, p.attachment[0], tire_s.lateral_force)
    offset = suspension_to_body(p, vec3.load(compliance_s.suspension_force_point))[0] + shift
    return (s.tire_load + s.bar_load) * offset


@inline_kernel
def link_force(params: Any, state: Any, tire: Any, compliance: Any, i: Any, up: Any) -> Any:
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
def apply_antiroll_bars(bars: Any, state: Any, wheel_count: int) -> None:
    """Write the force of the anti-roll bars on every hub; bars that load tires need both on the ground."""
    for i in range(wheel_count):
        state[i].bar_force = 0.0
    for k in range(bars.stiffness.count):
        a, b = state[int(bars.wheel_a.values[k])], state[int(bars.wheel_b.values[k])]
        if bars.loads_tires != 0 and (a.on_ground == 0 or b.on_ground == 0):
            continue
        push = bars.stiffness.values[k] * (a.jounce - b.jounce)
        a.bar_force += push
        b.bar_force -= push


def min_damping(compliance: Any, mass: Any) -> Any:
    """Smallest damping of a joint, N s/m, 0 for a rigid one. compliance: of the joint, m/N. mass: of the hub, kg."""
    return 2.0 * MIN_DAMPING * math.sqrt(mass / compliance) if compliance > 0.0 else 0.0


def opposite_of(positions: Any, i: Any) -> Any:
    """Index of the wheel at the mirror image of wheel i; i if there is none.

    positions: float64[n, 2], x (right) and y (forward) of the wheels, m.
    """
    distances = np.asarray(norm(positions - positions[i] * (-1.0, 1.0)))
    nearest = int(np.argmin(distances))
    return nearest if distances[nearest] < SYMMETRY_TOLERANCE else i
