"""Understeer gradient of a vehicle: steer angle beyond the one for the path's curvature, per lateral acceleration a.

Linear model of a steady turn to the left, with any number of axles; the equation of F is for each wheel:

    F     = C (s delta - beta + rho a + e F)        e = c_F - c_M t
    sum F = m a,    sum x F = sum t F               K = delta / a

F: lateral force; C: cornering stiffness; delta: steer angle beyond that for the path's curvature, s: the wheel's share
of it; beta: sideslip angle; x: distance ahead of the centre of mass; t: pneumatic trail; m: mass; rho: roll steer per
lateral acceleration; c_F, c_M: compliance steer per lateral force and aligning moment
(physics/suspension/compliance_steer.py). In sum t F, F is taken in proportion to the wheel's load. With two axles,
bearing m_f and m_r, K = m_f / C_f - m_r / C_r plus the effects of compliance and roll. Roll angle per lateral
acceleration:

    phi   = m h / (sum k y^2 + sum k_bar (y_a - y_b)^2 - m g h)

with h the height of the centre of mass above the roll centres, k a wheel's spring rate, k_bar an anti-roll bar's
stiffness and y a wheel's lateral position. Angles, forces and a are positive to the left, y to the right, roll to the
right. Load transfer, camber, driving forces and the nonlinearity of the tires are left out; because of these the
simulated cars have 0.1 to 0.45 degrees per g more in gentle bends at 100 km/h.

Sources: Gillespie, Fundamentals of Vehicle Dynamics, "Steady-state cornering"; Milliken & Milliken, Race Car Vehicle
Dynamics, ch. 5.
"""

import math
from dataclasses import dataclass

import numpy as np

from driving_sandbox.physics.maths.products import dot, solved


@dataclass(frozen=True)
class Wheels:
    """Data of the wheels for the model, arrays [n].

    Attributes:
        ahead: distance ahead of the centre of mass, m.
        load: wheel load at rest, N.
        stiffness: cornering stiffness, N/rad.
        trail: pneumatic trail, m.
        steered: s, share of the steer angle.
        force_steer: c_F, rad/N.
        moment_steer: c_M, rad/(N m).
        roll_steer: rho, rad s^2/m.
    """

    ahead: np.ndarray
    load: np.ndarray
    stiffness: np.ndarray
    trail: np.ndarray
    steered: np.ndarray
    force_steer: np.ndarray
    moment_steer: np.ndarray
    roll_steer: np.ndarray


def understeer_gradient(wheels: Wheels, gravity: float) -> float | None:
    """Understeer gradient K, rad s^2/m.

    None without steered wheels, with a single axle, or if a wheel's compliance steer is as large as its slip angle.

    gravity: m/s^2.
    """
    per_force = 1.0 / wheels.stiffness - wheels.force_steer + wheels.moment_steer * wheels.trail
    if per_force.min() <= 0.0:
        return None
    stiffness, x = 1.0 / per_force, wheels.ahead
    steered, rolled = stiffness * wheels.steered, stiffness * wheels.roll_steer
    matrix = np.array([[steered.sum(), -stiffness.sum()], [dot(x, steered), -dot(x, stiffness)]])
    constants = np.array([wheels.load.sum(), dot(wheels.trail, wheels.load)]) / gravity
    try:
        return float(solved(matrix, constants - np.array([rolled.sum(), dot(x, rolled)]))[0])
    except ValueError:
        return None


def roll_gradient(weight: float, arm: float, stiffness: float, gravity: float) -> float:
    """Roll angle per lateral acceleration, rad s^2/m; 0 for a vehicle that would tip over at rest.

    weight: N.
    arm: height of the centre of mass above the roll centres, m.
    stiffness: roll stiffness of springs and bars, N m/rad.
    gravity: m/s^2.
    """
    net_stiffness = stiffness - weight * arm
    return weight / gravity * arm / net_stiffness if net_stiffness > 0.0 else 0.0


def characteristic_speed(wheelbase: float, gradient: float) -> float:
    """Speed at which the yaw gain is half that of a neutral car, m/s.

    wheelbase: m.
    gradient: understeer gradient, above 0, rad s^2/m.
    """
    return math.sqrt(wheelbase / gradient)
