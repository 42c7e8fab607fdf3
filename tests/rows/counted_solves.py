"""Count the arithmetic operations of three solvers for the speeds of an engine and twenty wheels joined by a clutch.

Run it without JIT. It prints a line of JSON:
{"exact": count, "estimate": {sweeps: [count, largest error divided by the largest speed]}, "dense": count}.
"""

import json
import random
from types import SimpleNamespace

from driving_sandbox.physics.drivetrain.coupling import solve_estimate, solve_exact

WHEELS, DT = 20, 1.0 / 240.0  # number of wheels; step, s


class Counted(float):
    """A float whose class counts the additions, subtractions, multiplications and divisions of its instances."""

    count = 0


def _counting(name):
    """The operation of float of this name, which counts its calls."""
    plain = getattr(float, name)

    def operation(self, other):
        Counted.count += 1
        return Counted(plain(self, other))

    return operation


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv"):
    setattr(Counted, f"__{_name}__", _counting(f"__{_name}__"))


def system():
    """(scratch, differential, other arguments of the solvers) of a lorry's drivetrain in an arbitrary state."""
    rng = random.Random(3)
    columns = {"right": (20.0, 40.0), "gain": (1e-4, 3e-4), "factor": (1.0, 1.002), "speed": (20.0, 40.0)}
    scratch = SimpleNamespace(weight=[Counted(1.0 / WHEELS)] * WHEELS)
    for name, (low, high) in columns.items():
        setattr(scratch, name, [Counted(rng.uniform(low, high)) for _ in range(WHEELS)])
    differential = [SimpleNamespace(connected=1)] * WHEELS
    # the engine has an inertia of 1 kg m^2 and a damping of 0.2 N m s
    numbers = [Counted(v) for v in (30.0, 12.0, 300.0, 1.0 + DT * 0.2, DT)]  # K, G, b_E, E, h_E, see `dense`
    return scratch, differential, numbers


def dense(scratch, numbers):
    """Solve the equations as a full matrix, by Gaussian elimination without pivoting.

    numbers: clutch strength K, gear ratio G, and of the engine's row b_E, E and h_E = dt / inertia (see coupling.py).
    Returns (speeds of the wheels and, last, of the engine, number of operations).
    """
    strength, ratio, right, diagonal, h = numbers
    n = WHEELS + 1
    m = [[Counted(0.0)] * n for _ in range(n)]
    for i in range(WHEELS):
        for j in range(WHEELS):
            m[i][j] = strength * ratio * ratio * scratch.gain[i] * scratch.weight[j]
        m[i][i] = m[i][i] + scratch.factor[i]
        m[i][WHEELS] = Counted(0.0) - strength * ratio * scratch.gain[i]
        m[WHEELS][i] = Counted(0.0) - h * strength * ratio * scratch.weight[i]
    m[WHEELS][WHEELS] = diagonal + h * strength
    b = [*scratch.right, right]
    Counted.count = 0  # building the matrix is not counted
    for k in range(n):
        for i in range(k + 1, n):
            multiplier = m[i][k] / m[k][k]
            for j in range(k + 1, n):
                m[i][j] = m[i][j] - multiplier * m[k][j]
            b[i] = b[i] - multiplier * b[k]
    x = [Counted(0.0)] * n
    for i in reversed(range(n)):
        residual = b[i]
        for j in range(i + 1, n):
            residual = residual - m[i][j] * x[j]
        x[i] = residual / m[i][i]
    return x, Counted.count


def main():
    """Print, as JSON, each solver's operation count, and the error of `solve_estimate` for each number of sweeps."""
    scratch, differential, numbers = system()
    truth, dense_count = dense(scratch, numbers)
    Counted.count = 0
    omega = solve_exact(scratch, differential, WHEELS, *numbers)
    exact_count = Counted.count
    scale = max(abs(v) for v in truth)
    assert max(abs(a - b) for a, b in zip([*scratch.speed, omega], truth, strict=True)) < 1e-9 * scale
    solves = {}
    start_omega = Counted(400.0)  # rad/s, engine speed from which the sweeps start
    for sweeps in (1, 2, 4, 8):
        scratch, differential, numbers = system()
        Counted.count = 0
        omega = solve_estimate(scratch, differential, WHEELS, *numbers, start_omega, sweeps)
        error = max(abs(a - b) for a, b in zip([*scratch.speed, omega], truth, strict=True)) / scale
        solves[sweeps] = [Counted.count, float(error)]
    print(json.dumps({"exact": exact_count, "estimate": solves, "dense": dense_count}))


if __name__ == "__main__":
    main()
