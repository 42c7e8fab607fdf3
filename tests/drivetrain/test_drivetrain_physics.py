"""Engine, clutch and their coupling to the wheels on a bench: torques, speeds, energy."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from drivetrain_rig import ENGINE_SUBSTEP, engine_rig, in_gear
from least_squares import full_rows

from driving_sandbox.physics.drivetrain.coupling import ESTIMATE
from driving_sandbox.physics.drivetrain.engine import check as check_engine
from driving_sandbox.physics.gearbox.gearbox import gear_ratio
from driving_sandbox.physics.tick.commands import FIRST, NEUTRAL

ROOT = Path(__file__).resolve().parents[2]
DAMPING = {
    "damping_full_throttle": 0.3,
    "damping_zero_throttle_clutch_engaged": 1.0,
    "damping_zero_throttle_clutch_disengaged": 0.5,
}

# ---- engine


@pytest.mark.covers("PX-ENG-01", "PX-ENG-03", "PX-ENG-04")
@pytest.mark.parametrize("throttle, omega", [(1.0, 120.0), (0.4, 300.0), (0.0, 500.0)])
def test_engine_in_neutral_is_one_rotating_body(throttle, omega):
    rig = engine_rig(engine={"inertia": 0.8, "peak_torque": 600.0, **DAMPING})
    rig["command"]["throttle"] = throttle
    rig["engine"]["omega"] = omega
    rig.tick(dt=1e-5, substeps=1)
    torque = throttle * 600.0 * np.interp(omega / 600.0, [0.0, 0.33, 1.0], [1.0, 1.0, 0.8])
    assert rig["engine"]["torque"] == pytest.approx(torque)
    damping = 0.5 + (0.3 - 0.5) * throttle
    assert (rig["engine"]["omega"] - omega) / 1e-5 == pytest.approx((torque - damping * omega) / 0.8, rel=1e-3)


@pytest.mark.covers("PX-ENG-02")
def test_time_to_rev_up_scales_with_inertia():
    times = []
    for inertia in (0.5, 1.0, 2.0):
        rig = engine_rig(engine={"inertia": inertia, "idle_omega": 80.0, **DAMPING})
        rig["command"]["throttle"] = 1.0
        ticks = 0
        while rig["engine"]["omega"] < 550.0:
            rig.tick(dt=0.002)
            ticks += 1
        times.append(ticks * 0.002)
    assert times[1] / times[0] == pytest.approx(2.0, rel=0.02)
    assert times[2] / times[1] == pytest.approx(2.0, rel=0.02)


@pytest.mark.covers("PX-ENG-05", "PX-ENG-06")
def test_engine_stays_between_idle_and_limit():
    rig = in_gear(engine_rig(engine={"idle_omega": 90.0}), FIRST)
    rig["command"]["brake"] = 1.0
    for _ in range(60):
        rig.tick()  # braked to a standstill in first gear, throttle closed
    assert rig["engine"]["omega"] == 90.0 and not rig["wheel"]["omega"].any()
    rig = engine_rig(engine={"idle_omega": 90.0})
    rig["command"]["throttle"] = 1.0
    for _ in range(600):
        rig.tick()
    assert 590.0 < rig["engine"]["omega"] <= 600.0


@pytest.mark.covers("PX-ENG-09")
def test_revs_fall_in_neutral_with_the_time_constant_of_the_damping():
    rig = engine_rig(engine={"inertia": 1.5, **DAMPING})
    rig["engine"]["omega"] = 500.0
    for _ in range(3000):
        rig.tick(dt=0.001, substeps=1)
    assert rig["engine"]["omega"] == pytest.approx(500.0 * np.exp(-3.0 * 0.5 / 1.5), rel=1e-3)


@pytest.mark.covers("PX-ENG-07")
@pytest.mark.parametrize("gear", [1, 2])
def test_full_throttle_damping_is_the_same_in_gear_and_in_neutral(gear):
    rig = in_gear(engine_rig(engine=DAMPING), gear, omega=400.0 / 16.0, engine=400.0)
    rig["command"]["throttle"] = 1.0
    rig.tick(dt=1e-5, substeps=1)
    inertia_torque = (rig["engine"]["omega"] - 400.0) / 1e-5  # N m, as the inertia is 1 kg m^2
    damping = (rig["engine"]["torque"] - rig["drivetrain"]["clutch_torque"] - inertia_torque) / 400.0
    assert damping == pytest.approx(0.3, rel=1e-3)


@pytest.mark.covers("PX-ENG-08")
def test_closed_throttle_damping_brakes_a_coasting_car():
    speeds = {}
    for damping in (0.5, 2.0):
        rig = in_gear(
            engine_rig(engine={"damping_zero_throttle_clutch_engaged": damping}), 3, omega=50.0, engine=50.0 * 8
        )
        for _ in range(60):
            rig.tick()
        speeds[damping] = rig["wheel"]["omega"][0]
    assert speeds[2.0] < speeds[0.5] < 50.0


def test_an_impossible_engine_is_refused():
    curve = {"count": 0}
    problems = check_engine({"idle_omega": 700.0, "max_omega": 600.0, "torque_curve": curve})
    assert [name for name, _ in problems] == ["idle_omega", "torque_curve"]


# ---- clutch and coupling


@pytest.mark.covers("PX-CLUTCH-02")
def test_half_pressed_clutch_halves_the_torque_at_equal_slip():
    torques = {}
    for pedal in (0.0, 0.5, 1.0):
        rig = in_gear(engine_rig(clutch={"strength": 10.0}), FIRST, omega=0.0, engine=100.0)
        rig["command"]["clutch"] = pedal
        rig.tick(dt=1e-6, substeps=1)
        torques[pedal] = rig["drivetrain"]["clutch_torque"]
    assert torques[0.0] == pytest.approx(1000.0, rel=1e-3)
    assert torques[0.5] == pytest.approx(500.0, rel=1e-3)
    assert torques[1.0] == 0.0


@pytest.mark.covers("PX-CLUTCH-01")
def test_torque_flows_through_the_clutch_both_ways():
    push = in_gear(engine_rig(), FIRST, omega=0.0, engine=300.0)
    push.tick()
    assert push["wheel"]["omega"][0] > 0.0 and push["drivetrain"]["clutch_torque"] > 0.0
    drag = in_gear(engine_rig(), FIRST, omega=30.0, engine=10.0)
    drag.tick()
    assert drag["wheel"]["omega"][0] < 30.0 and drag["drivetrain"]["clutch_torque"] < 0.0
    assert drag["engine"]["omega"] > 10.0


@pytest.mark.covers("PX-CLUTCH-01")
@pytest.mark.parametrize("brake", [400.0, 1000.0, 3700.0])
def test_an_engine_that_cannot_stall_drags_wheels_against_their_brakes(brake):
    """The slipping clutch balances the brakes at a speed of the wheels, which from 3600 N m per wheel on is zero."""
    idle, strength, ratio = 90.0, 10.0, 16.0
    rig = in_gear(engine_rig(engine={"idle_omega": idle}, clutch={"strength": strength},
                             brakes=[{"max_torque": brake}] * 4), 2, omega=1.0, engine=idle)  # fmt: skip
    rig["command"]["brake"] = 1.0
    for _ in range(400):
        rig.tick(dt=1e-4, substeps=1)  # in which the engine hardly slows down before it is held
    expected = max(0.0, (idle - 4.0 * brake / (ratio * strength)) / ratio)
    assert rig["engine"]["omega"] == idle
    assert rig["wheel"]["omega"][:4] == pytest.approx([expected] * 4, rel=5e-3, abs=1e-9)


def random_rig(rng, wheel_count=4, **changes):
    """A drivetrain in an arbitrary state, one substep before its solve."""
    shares = rng.uniform(0.1, 1.0, wheel_count)
    rig = engine_rig(
        wheel_count,
        inertia=rng.uniform(0.5, 3.0, wheel_count),
        damping=rng.uniform(0.0, 0.5, wheel_count),
        differential=[{"torque_ratio": float(s)} for s in shares],
        clutch={"strength": float(rng.uniform(2, 60))},
        brakes=[{"max_torque": 1500.0}] * wheel_count,
        **changes,
    )
    in_gear(rig, int(rng.choice([0, 2, 4])), engine=float(rng.uniform(50, 550)))
    rig["wheel"]["omega"][:wheel_count] = rng.uniform(-20, 60, wheel_count)
    rig["tire"]["wheel_torque"][:wheel_count] = rng.uniform(-800, 800, wheel_count)
    rig["command"]["throttle"] = rng.uniform(0, 1)
    rig.tick(dt=1e-9, substeps=1)  # fills every slot and changes no speed
    return rig


def dense_solution(rig, dt):
    """(speeds of wheels and engine, matrix, right side) by a dense solve of the implicit equations."""
    matrix, right = full_rows(list(range(rig["wheel_count"])), rig.args, dt)
    return np.linalg.solve(matrix, right), matrix, right


@pytest.mark.covers("PX-CLUTCH-03")
@pytest.mark.parametrize("seed", range(8))
def test_exact_solution_satisfies_the_implicit_equations(seed):
    rig = random_rig(np.random.default_rng(seed), engine={"max_omega": 2000.0})
    expected, matrix, right = dense_solution(rig, 0.01)
    rig.run([ENGINE_SUBSTEP[1]], 0.01)
    speeds = np.array([*rig["wheel"]["omega"][:4], rig["engine"]["omega"]])
    assert np.abs(matrix @ speeds - right).max() < 1e-6
    assert speeds == pytest.approx(expected, rel=1e-9)


def estimate_error(iterations, wheel_count=4, seed=3, dt=1 / 240):
    """Largest error of a speed after an estimated step, relative to the largest exact speed."""
    changes = {"engine": {"max_omega": 5000.0}, "drivetrain": {"accuracy": "estimate"}}
    changes["drivetrain"]["estimate_iterations"] = iterations
    rig = random_rig(np.random.default_rng(seed), wheel_count, **changes)
    assert rig["drivetrain_params"]["accuracy"] == ESTIMATE
    expected = dense_solution(rig, dt)[0]
    rig.run([ENGINE_SUBSTEP[1]], dt)
    speeds = np.array([*rig["wheel"]["omega"][:wheel_count], rig["engine"]["omega"]])
    return np.abs(speeds - expected).max() / np.abs(expected).max()


@pytest.mark.covers("PX-CLUTCH-05")
def test_error_of_the_estimate_falls_with_its_iterations():
    errors = [estimate_error(n) for n in (1, 2, 3, 5, 8)]
    assert all(after < before for before, after in zip(errors, errors[1:], strict=False))
    assert errors[0] > 5e-3 and errors[-1] < 1e-3


def test_estimate_of_a_twenty_wheel_lorry_is_within_one_per_cent():
    assert estimate_error(10, wheel_count=20) < 0.01


def kinetic_energy(rig):
    """Kinetic energy of wheels and engine, whose inertia is 1 kg m^2, J."""
    inertia = rig["wheel_params"]["inertia"]
    return 0.5 * (inertia * rig["wheel"]["omega"] ** 2).sum() + 0.5 * rig["engine"]["omega"] ** 2


@pytest.mark.parametrize("gear", [0, 2, 6])
@pytest.mark.parametrize("dt", [1 / 30, 1 / 960])
def test_clutch_never_creates_energy(gear, dt):
    undamped = dict.fromkeys(DAMPING, 0.0)
    rng = np.random.default_rng(7)
    rig = in_gear(engine_rig(engine=undamped, clutch={"strength": 80.0}), gear, engine=500.0)
    rig["wheel"]["omega"][:4] = rng.uniform(-30, 30, 4)
    before = kinetic_energy(rig)
    for _ in range(200):
        rig.tick(dt, substeps=1)
        after = kinetic_energy(rig)
        assert after <= before * (1 + 1e-12)
        before = after
    ratio = gear_ratio(rig["gearbox_params"], gear)
    assert rig["engine"]["omega"] == pytest.approx(ratio * rig["wheel"]["omega"][:4].mean(), abs=1.0)


def test_braked_wheels_stop_and_stay():
    rig = in_gear(engine_rig(), NEUTRAL, omega=20.0)
    rig["command"]["brake"] = 1.0
    rig["tire"]["wheel_torque"][:4] = 200.0
    for _ in range(60):
        rig.tick()
    assert not rig["wheel"]["omega"].any()
    rig["command"]["brake"] = 0.0
    rig.tick()
    assert (rig["wheel"]["omega"][:4] > 0).all()


# ---- compiled and plain


def test_plain_python_gives_the_same_bytes_as_compiled_code():
    """Hashes of all records are compared after the same drive."""
    hashes = set()
    for jit in ("0", "1"):
        environment = {**os.environ, "SANDBOX_JIT": jit, "PYTHONPATH": str(ROOT)}
        script = [sys.executable, str(Path(__file__).with_name("drivetrain_rig.py"))]
        result = subprocess.run(script, env=environment, capture_output=True, text=True, timeout=300, check=True)
        hashes.add(result.stdout.strip())
    assert len(hashes) == 1 and len(hashes.pop()) == 64
