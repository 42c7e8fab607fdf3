"""Look-up tables for kernels: small graphs, and response tables over command and speed.

graph       piecewise linear y(x) through a few points, constant outside; 0 without points
vec_graph   the same for vectors
response    normalised response to a command 0..1 at a forward speed. Each row of the table is a graph over speed for
            one command value, and between rows the response is interpolated linearly. There is no extrapolation and no
            implicit zero row: a command below the first row's gets the response of the first row. A table without rows
            returns the command.

The records are those of the `Curve`, `VecCurve` and `ResponseTable` kinds (physics/schema/curves.py).
"""

from typing import Any

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths.vec3 import Vector


@kernel
def graph(curve: Any, x: float) -> float:
    """y at x of a `Curve` record."""
    n = curve.count
    if n == 0:
        return 0.0
    if n == 1 or x < curve.x[0]:
        return curve.y[0]
    for i in range(n - 1):
        if x < curve.x[i + 1]:
            scaled_rise = (curve.y[i + 1] - curve.y[i]) * (x - curve.x[i])  # multiplied first: exact at the points
            return curve.y[i] + scaled_rise / (curve.x[i + 1] - curve.x[i])
    return curve.y[n - 1]


@kernel
def vec_graph(curve: Any, x: float) -> Vector:
    """Vector (x, y, z) at x of a `VecCurve` record."""
    n = curve.count
    if n == 0:
        return (0.0, 0.0, 0.0)
    if n == 1 or x < curve.x[0]:
        return (curve.y[0, 0], curve.y[0, 1], curve.y[0, 2])
    for i in range(n - 1):
        if x < curve.x[i + 1]:
            k = (x - curve.x[i]) / (curve.x[i + 1] - curve.x[i])
            return (
                curve.y[i, 0] + (curve.y[i + 1, 0] - curve.y[i, 0]) * k,
                curve.y[i, 1] + (curve.y[i + 1, 1] - curve.y[i, 1]) * k,
                curve.y[i, 2] + (curve.y[i + 1, 2] - curve.y[i, 2]) * k,
            )
    return (curve.y[n - 1, 0], curve.y[n - 1, 1], curve.y[n - 1, 2])


@kernel
def response_row(table: Any, j: int, speed: float) -> float:
    """Response in row j of a `ResponseTable` record at a speed, m/s."""
    n = table.point_count[j]
    if n == 1 or speed <= table.speed[j, 0]:
        return table.response[j, 0]
    for k in range(1, n):
        if table.speed[j, k] >= speed:
            lower_speed = table.speed[j, k - 1]
            scaled_rise = (speed - lower_speed) * (table.response[j, k] - table.response[j, k - 1])
            return table.response[j, k - 1] + scaled_rise / (table.speed[j, k] - lower_speed)
    return table.response[j, n - 1]


@kernel
def response(table: Any, command: float, speed: float) -> float:
    """Normalised response of a `ResponseTable` record to a command at a speed, m/s; without rows, the command."""
    n = table.count
    if n == 0:
        return command
    if n == 1 or command <= table.command[0]:
        return response_row(table, 0, speed)
    for j in range(1, n):
        if table.command[j] >= command:
            low = response_row(table, j - 1, speed)
            high = response_row(table, j, speed)
            lower_command = table.command[j - 1]
            return low + (command - lower_command) * (high - low) / (table.command[j] - lower_command)
    return response_row(table, n - 1, speed)
