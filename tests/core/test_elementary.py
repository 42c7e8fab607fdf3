"""Elementary functions of the core: accuracy, special values, equal bits compiled and as plain Python, and no calls of
the C library in compiled vehicles."""

import hashlib
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import mpmath
import numpy as np
import pytest

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import JIT, ROOT, kernel
from driving_sandbox.physics.kernel.quick_atan import FAR, MIDDLE, NEAR, quick_atan
from driving_sandbox.physics.maths.products import dot, norm, principal_axes, product, solved
from driving_sandbox.physics.tick.machine_code import TICK_TYPES
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

ONE_ARGUMENT = ("sin", "cos", "tan", "asin", "acos", "atan", "exp")
WITH_FAST_PATH = ("sin", "cos", "asin", "atan")
MAX_ERRORS = {"hypot": 1.2, "tan": 1.1, "quick_atan": 1.0}  # ulp (units in the last place); of all others 0.9
COUNT = 2000  # arguments drawn from each range
SMALLEST = 5e-324  # the smallest positive number
# Where quick_atan changes its reduction, and where its results or their differences pass a power of two
ATAN_LIMITS = [y for x in (NEAR, MIDDLE, FAR, 0.12565511, 0.25534192, 0.54630249,
                           0.54652, 0.64209262) for y in (x, 1.0 / x)] + [1.0]  # fmt: skip


def function_of(name):
    """The function of this name."""
    return quick_atan if name == "quick_atan" else getattr(elementary, name)


def around(x):
    """Arguments near x, of both signs: its neighbours, and others that are ever denser towards it."""
    rng = np.random.default_rng(int(1e6 * x))
    near = x * (1.0 + np.ldexp(rng.uniform(-1.0, 1.0, COUNT // 4), -rng.integers(6, 53, COUNT // 4)))
    near = np.concatenate([near, x + np.arange(-20, 21) * np.spacing(x)])
    return near * rng.choice([-1.0, 1.0], len(near))


def arguments(name):
    """Typical arguments, and those near critical points of a function: one array per argument."""
    rng = np.random.default_rng(len(name))
    tiny = 10.0 ** rng.uniform(-300.0, 0.0, COUNT // 4) * rng.choice([-1.0, 1.0], COUNT // 4)
    if name in ("sin", "cos", "tan"):
        quarters = np.round(rng.uniform(-6e4, 6e4, COUNT)) * (0.5 * np.pi)
        return (np.concatenate([rng.uniform(-4.0, 4.0, COUNT), rng.uniform(-1e5, 1e5, COUNT), quarters, tiny]),)
    if name in ("asin", "acos"):
        return (np.concatenate([rng.uniform(-1.0, 1.0, COUNT), 1.0 - 10.0 ** rng.uniform(-16.0, 0.0, COUNT), tiny]),)
    wide = 10.0 ** rng.uniform(-9.0, 9.0, COUNT) * rng.choice([-1.0, 1.0], COUNT)
    x = np.concatenate([rng.uniform(-3.0, 3.0, COUNT), wide, tiny])
    if name == "exp":
        return (np.concatenate([rng.uniform(-20.0, 1.0, COUNT), rng.uniform(-700.0, 700.0, COUNT), tiny]),)
    if name == "quick_atan":
        return (np.concatenate([x, *map(around, ATAN_LIMITS), np.arange(1, 50) * SMALLEST]),)
    return (x,) if name == "atan" else (x, np.roll(x, COUNT // 3))


@pytest.mark.parametrize("name", [*ONE_ARGUMENT, "quick_atan", "atan2", "hypot"])
def test_results_are_within_a_few_ulp_of_the_true_ones(name):
    """Errors are below 0.9 ulp, those of tan below 1.1, of hypot below 1.2 and of quick_atan below 1.0.

    Pairs of arguments that are both below 1e-150 are left out for hypot.
    """
    function, true = function_of(name), getattr(mpmath, name.removeprefix("quick_"))
    worst = 0.0
    with mpmath.workprec(200):
        for point in zip(*(a.tolist() for a in arguments(name)), strict=True):
            if name == "hypot" and max(map(abs, point)) < 1e-150:
                continue
            exact = true(*map(mpmath.mpf, point))
            error = abs(mpmath.mpf(function(*point)) - exact) / np.spacing(abs(float(exact)))
            worst = max(worst, float(error))
    assert worst < MAX_ERRORS.get(name, 0.9)


@pytest.mark.parametrize("name", WITH_FAST_PATH)
def test_fast_paths_have_the_bits_of_the_full_algorithm(name):
    fast, full = getattr(elementary, name), getattr(elementary, f"full_{name}")
    for x in arguments(name)[0].tolist():
        assert fast(x).hex() == full(x).hex()


def test_sine_and_cosine_together_equal_each_alone():
    for x in arguments("sin")[0].tolist():
        assert elementary.sincos(x) == (elementary.sin(x), elementary.cos(x))


SPECIAL = (0.0, -0.0, 1.0, -1.0, 5e-324, math.inf, -math.inf, math.nan, 800.0, -800.0)


@pytest.mark.parametrize("name", [*ONE_ARGUMENT, "quick_atan"])
def test_special_values_equal_those_of_c(name):
    """Values are equal within rounding and have equal signs. Where Python's math raises an error, the result is NaN or
    infinity."""
    for x in SPECIAL:
        try:
            expected = getattr(math, name.removeprefix("quick_"))(x)
        except ValueError:
            expected = math.nan
        except OverflowError:
            expected = math.inf
        value = function_of(name)(x)
        assert value == pytest.approx(expected, rel=1e-15, nan_ok=True)
        assert math.isnan(value) or math.copysign(1.0, value) == math.copysign(1.0, expected)


def test_angles_of_axes_and_infinite_points_equal_those_of_c():
    for y in SPECIAL:
        for x in SPECIAL:
            value, expected = elementary.atan2(y, x), math.atan2(y, x)
            assert value == pytest.approx(expected, rel=1e-15, nan_ok=True)
            assert math.isnan(value) or math.copysign(1.0, value) == math.copysign(1.0, expected)


def fingerprint():
    """sha256 of results for arbitrary bit patterns, with one NaN for all NaN."""
    rng = np.random.default_rng(7)
    any_bits = rng.integers(-(2**63), 2**63, (2, 200), dtype=np.int64).view(np.float64)
    digest = hashlib.sha256()
    for name in (*ONE_ARGUMENT, "quick_atan", "atan2", "hypot"):
        for arrays in (arguments(name), any_bits if name in ("atan2", "hypot") else any_bits[:1]):
            for values in list(zip(*(a.tolist() for a in arrays), strict=True))[::5]:
                value = function_of(name)(*values)
                digest.update(np.float64(math.nan if math.isnan(value) else value).tobytes())
    return digest.hexdigest()


FINGERPRINT = "8604d791c0cb6df11b5328fb3b09eaa5a416c4d10f297dfe115cb1a9fec9a848"


def test_the_functions_give_these_bits():
    """Every machine gives these bits. A change of this hash changes every drive: increment ARITHMETIC with it."""
    assert fingerprint() == FINGERPRINT


def test_plain_python_has_the_bits_of_the_compiled_functions():
    command = "import sys; sys.path.insert(0, 'tests/core'); import test_elementary as t; print(t.fingerprint())"
    environment = {**os.environ, "SANDBOX_JIT": "0", "PYTHONPATH": str(ROOT)}
    result = subprocess.run([sys.executable, "-c", command], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert result.stdout.strip() == FINGERPRINT, result.stderr


# ---- compiled code

LIBRARY = re.compile(
    rb"\x00_?(sin|cos|sincos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|exp|exp2|expm1|log|log2|log10|log1p|pow|hypot|cbrt|fma)f?(?=\x00)"
)


@kernel
def careless(x):
    return math.sin(x) + math.exp(x)


def library_calls(dispatcher, signature):
    """Elementary functions of the C library referenced by the object file of a compiled function."""
    if signature not in dispatcher.overloads:
        dispatcher.compile(signature)
    files = list(Path(dispatcher._cache.cache_path).glob(f"*.{dispatcher.py_func.__name__}-*.nbc"))
    assert files
    return sorted({match.group(1).decode() for path in files for match in LIBRARY.finditer(path.read_bytes())})


@pytest.mark.skipif(not JIT or not sys.platform.startswith("linux"), reason="reads the names in compiled ELF files")
class TestCompiled:
    def test_a_call_of_the_c_library_is_found(self):
        careless(0.5)
        assert library_calls(careless, careless.signatures[0]) == ["exp", "sin"]

    @pytest.mark.parametrize("name", sorted(path.stem for path in (ROOT / "configs" / "vehicles").glob("*.yaml")))
    def test_no_vehicle_calls_elementary_functions_of_the_c_library(self, name):
        sequence = load_vehicle(name).sequence
        assert library_calls(sequence._module.bound, TICK_TYPES) == []


# ---- linear algebra at load time


def test_products_equal_those_of_linear_algebra():
    rng = np.random.default_rng(3)
    a, b, v = rng.normal(size=(4, 6)), rng.normal(size=(6, 3)), rng.normal(size=6)
    assert product(a, b) == pytest.approx(a @ b, rel=1e-14)
    assert dot(a, v) == pytest.approx(a @ v, rel=1e-14)
    assert norm(a) == pytest.approx(np.linalg.norm(a, axis=1), rel=1e-15)
    square = rng.normal(size=(6, 6))
    assert solved(square, v) == pytest.approx(np.linalg.solve(square, v), rel=1e-10)
    with pytest.raises(ValueError, match="singular"):
        solved(np.zeros((2, 2)), [1.0, 2.0])


@pytest.mark.parametrize("n", [2, 3, 6])
def test_principal_axes_are_the_eigenvectors(n):
    a = np.random.default_rng(n).normal(size=(n, n))
    symmetric = a + a.T
    values, axes = principal_axes(symmetric)
    assert np.sort(values) == pytest.approx(np.linalg.eigvalsh(symmetric), rel=1e-12)
    assert product(symmetric, axes) == pytest.approx(axes * values, abs=1e-12)
