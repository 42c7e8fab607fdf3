"""Unevenness below the resolution of the triangles, fixed in the world: road roughness and joints of slabs.

Roughness is a sum of plane waves:

    h(x, y) = sum over i of a_i f(l_i) sin(2 pi (x cos b_i + y sin b_i) / l_i + c_i)

The longest wave is the surface's `roughness_wavelength` L; each next one has 1 / sqrt(2) of the length and 2^(-1/4) of
the amplitude. That is the height spectrum of roads, which falls with the square of the wave number (ISO 8608), between
L and L / 5.7. The heights' root mean square is `roughness_amplitude` / sqrt(2), that of one sine of this amplitude.
Directions advance by the golden angle, so that no line is smooth and left and right wheels are uncorrelated. The height
depends on position only: repeated passes are equal. For surface boundaries see physics/road/query.py.

A tire averages over its contact length and over its travel in one tick. For a length s, with x = pi s / l, the factor
is f(l) = 1 / (1 + x^2 / 6), which equals that of a moving mean, sin(x) / x, up to the order x^2.

Joints are gaps of a width and a depth around the lines x = k spacing and y = k spacing, k a whole number: square slabs.
Of them the moving mean is exact: the depth times the part of a square of side s that joints cover, over its area. The
square of a slow wheel is about its contact patch, so a narrow gap is a shallow dip; that of a fast one reaches from
tick to tick, so no gap is missed.

Phases are counted in turns, so that subtracting the nearest whole number reduces them to one turn. The sine is a series
to float64's precision without branches, so that the six waves are computed in parallel. Constants from angles and
powers are literals: computed, their last bits would depend on this machine's C library.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.ground.arrays import (
    JOINT_DEPTH,
    JOINT_SPACING,
    JOINT_WIDTH,
    ROUGHNESS_AMPLITUDE,
    ROUGHNESS_WAVELENGTH,
)
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel

WAVES = 6  # number of waves in the sum
# a of the longest wave with which the sum of all waves has the mean square of one sine of amplitude 1
FIRST_AMPLITUDE = math.sqrt((1.0 - math.sqrt(0.5)) / (1.0 - 0.125))
CONTACT_LENGTH = 0.5  # length of a contact patch divided by the tire radius
SQUARES = tuple(2.0**i for i in range(WAVES))  # (L / l)^2
HEIGHTS = tuple(FIRST_AMPLITUDE * math.sqrt(math.sqrt(1.0 / square)) for square in SQUARES)  # a for an amplitude of 1
# L / l times the cosine and the sine of a wave's direction, 0.7 rad + i pi (3 - sqrt 5)
COSINES = (
    0.7648421872844885, -1.4129883169682234, 1.4172357731131082, -0.12980198337305282, -2.563757290901099,
    5.606561138008543,
)  # fmt: skip
SINES = (
    0.644217687237691, 0.058855892749218784, -1.411184879244563, 2.8254471230430815, -3.0703661920610488,
    0.7526434785290876,
)  # fmt: skip
# c_i in turns, of 0.3 + 2.4 i^2 rad
PHASES = (
    0.0477464829275686, 0.4297183463481174, 0.5756339366097639, 0.4854932537125078, 0.15929629765634906,
    0.5970430684412886,
)  # fmt: skip
TO_WHOLE = 1.5 * 2.0**52  # added and subtracted again, it rounds a float64 to an integer
SINE = (
    6.283185307179586, -41.341702240399755, 81.60524927607504, -76.70585975306136, 42.058693944897634,
    -15.094642576822984, 3.8199525848482803, -0.7181223017785001, 0.10422916220813978, -0.012031585942120619,
)  # Taylor coefficients of sin(2 pi t): (-1)^n (2 pi)^(2 n + 1) / (2 n + 1)!  # fmt: skip


@inline_kernel
def sine_of_turns(t: float) -> float:
    """sin(2 pi t), error below 1e-15, for |t| below a million turns."""
    t -= (t + TO_WHOLE) - TO_WHOLE
    half = math.copysign(0.5, t)
    t = t if abs(t) <= 0.25 else half - t
    z = t * t
    zz = z * z
    low = (SINE[0] + z * SINE[1]) + zz * (SINE[2] + z * SINE[3])
    high = (SINE[4] + z * SINE[5]) + zz * ((SINE[6] + z * SINE[7]) + zz * (SINE[8] + z * SINE[9]))
    return t * (low + zz * zz * high)


@kernel
def wave_height(amplitude: float, wavelength: float, x: float, y: float, length: float) -> float:
    """Height of the roughness at a position, averaged over `length`, m.

    amplitude, wavelength: of the surface, m.
    """
    wave_number = 1.0 / wavelength
    u, v, span = x * wave_number, y * wave_number, math.pi * length * wave_number
    averaging, height = span * span * (1.0 / 6.0), 0.0  # averaging: of the longest wave
    for i in range(WAVES):
        wave_amplitude = HEIGHTS[i] / (1.0 + averaging * SQUARES[i])
        height += wave_amplitude * sine_of_turns(u * COSINES[i] + v * SINES[i] + PHASES[i])
    return amplitude * height


@inline_kernel
def covered_by_joints(position: float, spacing: float, width: float) -> float:
    """Length covered by the joints of one direction from an edge of one of them to a position behind it, m."""
    slabs = np.floor(position / spacing)
    return slabs * width + min(position - slabs * spacing, width)


@kernel
def joint_height(spacing: float, width: float, depth: float, x: float, y: float, length: float) -> float:
    """Height of joints at a position, averaged over a square of side `length` > 0, m: 0 to -depth."""
    before, behind = 0.5 * (width - length), 0.5 * (width + length)
    across = covered_by_joints(x + behind, spacing, width) - covered_by_joints(x + before, spacing, width)
    along = covered_by_joints(y + behind, spacing, width) - covered_by_joints(y + before, spacing, width)
    free = (1.0 - across / length) * (1.0 - along / length)
    return depth * (free - 1.0)


@kernel
def surface_height(
    amplitude: float, wavelength: float, spacing: float, width: float, depth: float, x: float, y: float, length: float
) -> float:
    """Height of the roughness and the joints at a position, averaged over `length`, m.

    Args:
        amplitude, wavelength: of the surface's roughness, m; amplitude 0: smooth.
        spacing, width, depth: of its joints, m; depth 0: none.
        x, y: position, m.
        length: m, above 0 where there are joints.
    """
    height = 0.0
    if amplitude != 0.0:
        height = wave_height(amplitude, wavelength, x, y, length)
    if depth != 0.0:
        height += joint_height(spacing, width, depth, x, y, length)
    return height


@kernel
def averaged_height(
    surfaces: Any, surface: int, factor: float, point: Any, radius: float, speed: float, dt: float
) -> float:
    """Height of a surface's roughness and joints under one wheel, m.

    Args:
        factor: factor of this wheel on the heights.
        point: x and y of the contact point, m.
        radius: radius of the tire, m.
        speed: speed of the wheel over the ground, m/s.
        dt: length of a step, s.
    """
    amplitude, depth = factor * surfaces[surface, ROUGHNESS_AMPLITUDE], factor * surfaces[surface, JOINT_DEPTH]
    if amplitude == 0.0 and depth == 0.0:
        return 0.0
    length = CONTACT_LENGTH * radius + speed * dt
    wavelength = surfaces[surface, ROUGHNESS_WAVELENGTH]
    spacing, width = surfaces[surface, JOINT_SPACING], surfaces[surface, JOINT_WIDTH]
    return surface_height(amplitude, wavelength, spacing, width, depth, point[0], point[1], length)
