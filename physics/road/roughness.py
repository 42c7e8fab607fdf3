"""The unevenness of a surface that no triangle shows: a sum of plane waves, fixed in the world.

    h(x, y) = sum over i of a_i f(l_i) sin(2 pi (x cos b_i + y sin b_i) / l_i + c_i)

The longest wave is the surface's `roughness_wavelength` L, each next one shorter by sqrt(2) and lower by 2^(-1/4): the
height spectrum of roads, falling with the square of the wave number (ISO 8608), between L and L / 5.7. The heights'
root mean square is `roughness_amplitude` / sqrt(2), that of one sine of this amplitude. Directions turn by the golden
angle, so that no line is smooth and the left wheels feel something else than the right ones. Nothing but the position
enters: a wheel that passes twice feels the same.

A tire feels the mean over the length it touches, and over the way it goes in one tick: for a length s
f(l) = 1 / (1 + (pi s / l)^2 / 6), the first terms of a moving mean.
"""

import math

from physics.jit import kernel
from physics.road.layout import ROUGHNESS_AMPLITUDE, ROUGHNESS_WAVELENGTH

WAVES = 6
TURN = math.pi * (3.0 - math.sqrt(5.0))  # golden angle, rad
SHORTER = math.sqrt(0.5)
LOWER = 2.0**-0.25
FIRST = math.sqrt((1.0 - LOWER**2) / (1.0 - LOWER ** (2 * WAVES)))  # makes the waves' mean square that of one
CONTACT = 0.5  # length a tire touches the road, of its radius
COSINES = tuple(math.cos(0.7 + i * TURN) for i in range(WAVES))
SINES = tuple(math.sin(0.7 + i * TURN) for i in range(WAVES))
PHASES = tuple(math.fmod(2.4 * i * i + 0.3, 2.0 * math.pi) for i in range(WAVES))


@kernel
def wave_height(amplitude, wavelength, x, y, length):
    """Height of the unevenness at a place, as felt by something that averages over `length`, m."""
    height, a, number = 0.0, amplitude * FIRST, 2.0 * math.pi / wavelength
    for i in range(WAVES):
        span = 0.5 * number * length
        share = a / (1.0 + span * span / 6.0)
        height += share * math.sin(number * (x * COSINES[i] + y * SINES[i]) + PHASES[i])
        a *= LOWER
        number /= SHORTER
    return height


@kernel
def felt_height(surfaces, surface, factor, point, radius, speed, dt):
    """Height that one wheel feels at a point of a surface, m; nothing is computed where there is none."""
    amplitude = factor * surfaces[surface, ROUGHNESS_AMPLITUDE]
    if amplitude == 0.0:
        return 0.0
    length = CONTACT * radius + speed * dt
    return wave_height(amplitude, surfaces[surface, ROUGHNESS_WAVELENGTH], point[0], point[1], length)
