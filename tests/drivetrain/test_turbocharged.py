"""The turbocharged engine on a bench: effect, lag and limit of the boost pressure."""

import numpy as np
import pytest
from drivetrain_rig import engine_rig, in_gear

from driving_sandbox.physics.drivetrain.turbocharged_engine import TURBOCHARGED
from driving_sandbox.physics.tick.commands import NEUTRAL

CURVE = [[0.0, 1.0], [1.0, 1.0]]
TURBO = {"peak_torque": 300.0, "torque_curve": CURVE, "natural_share": 0.5, "rated_boost": 80e3,
         "wastegate_boost": 80e3, "spool_power": 30e3, "lag": 0.4, "lag_omega": 300.0, "release_time": 0.1}  # fmt: skip


def step_response(omega=300.0, seconds=2.0, dt=1 / 240, boost=0.0, throttle=1.0, **values):
    """(boost, Pa; torque, N m) after every tick at a constant engine speed.

    omega: engine speed, rad/s.
    boost: initial boost, Pa.
    """
    rig = in_gear(engine_rig(components=[TURBOCHARGED], engine={**TURBO, **values}), NEUTRAL)
    rig["command"]["throttle"] = throttle
    rig["engine"]["boost"] = boost
    samples = []
    for _ in range(round(seconds / dt)):
        rig["engine"]["omega"] = omega
        rig.tick(dt=dt, substeps=1)
        samples.append((float(rig["engine"]["boost"]), float(rig["engine"]["torque"])))
    return np.array(samples).T


@pytest.mark.parametrize("lag", [0.2, 0.8])
@pytest.mark.parametrize("omega", [300.0, 150.0])
def test_a_step_of_the_throttle_is_answered_by_an_exponential(lag, omega):
    """Boost reaches 63 % after one time constant, which doubles at half the engine speed.

    The exponential is exact here, because the wastegate limits the target to a constant.
    """
    boost, _ = step_response(omega, seconds=4.0, lag=lag, spool_power=1e3)
    tau = lag * 300.0 / omega
    time = (np.arange(len(boost)) + 1) / 240
    assert boost == pytest.approx(80e3 * (1.0 - np.exp(-time / tau)), rel=1e-9)
    assert np.interp(tau, time, boost) == pytest.approx(0.632 * 80e3, rel=2e-3)


def test_the_lag_is_that_at_the_engine_speed_lag_omega():
    for lag_omega, time_constants in ((600.0, 0.5), (150.0, 2.0)):  # in 0.4 s, which is the `lag`
        boost, _ = step_response(300.0, seconds=0.4, lag_omega=lag_omega, spool_power=1e3)
        assert boost[-1] == pytest.approx(80e3 * (1.0 - np.exp(-time_constants)), rel=1e-6)


@pytest.mark.parametrize("natural_share", [0.4, 0.8])
def test_torque_rises_from_the_natural_share_to_all_with_boost(natural_share):
    _, torque = step_response(seconds=5.0, natural_share=natural_share, spool_power=1e3)
    assert torque[0] == pytest.approx(300.0 * natural_share, rel=0.02)
    assert torque[-1] == pytest.approx(300.0, rel=1e-4)


@pytest.mark.parametrize("gate", [60e3, 120e3])
def test_the_wastegate_limits_the_boost(gate):
    boost, torque = step_response(seconds=8.0, wastegate_boost=gate, spool_power=1e3)
    assert boost.max() <= gate and boost[-1] == pytest.approx(gate, rel=1e-4)
    assert torque[-1] == pytest.approx(300.0 * (0.5 + 0.5 * gate / 80e3), rel=1e-4)
    _, torque = step_response(seconds=8.0, wastegate_boost=gate, spool_power=1e3, rated_boost=160e3)
    assert torque[-1] == pytest.approx(300.0 * (0.5 + 0.5 * gate / 160e3), rel=1e-4)


@pytest.mark.parametrize("spool", [40e3, 60e3])
def test_weak_exhaust_holds_the_boost_that_its_power_sustains(spool):
    """At 100 rad/s the boost b solves b = b_rated T omega / spool_power, where T depends on b."""
    a = 300.0 * 100.0 / spool
    expected = 80e3 * 0.5 * a / (1.0 - 0.5 * a)
    assert expected < 80e3
    boost, _ = step_response(100.0, seconds=60.0, spool_power=spool)
    assert boost[-1] == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("release", [0.05, 0.3])
def test_a_closed_throttle_releases_the_boost(release):
    boost, torque = step_response(seconds=release, boost=80e3, throttle=0.0, release_time=release)
    assert boost[-1] == pytest.approx(80e3 * np.exp(-1.0), rel=1e-6) and not torque.any()


def run_up(dt):
    """Engine speed after half a second of full throttle without load, rad/s."""
    rig = engine_rig(components=[TURBOCHARGED], engine={**TURBO, "inertia": 2.0, "damping_full_throttle": 0.1})
    in_gear(rig, NEUTRAL, engine=100.0)
    rig["command"]["throttle"] = 1.0
    for _ in range(round(0.5 / dt)):
        rig.tick(dt=dt, substeps=1)
    return rig["engine"]["omega"]


def test_a_run_up_converges_with_the_step():
    fine = run_up(1 / 32000)
    errors = [abs(run_up(dt) - fine) for dt in (1 / 240, 1 / 480, 1 / 960)]
    assert errors[0] > errors[1] > errors[2]
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.4)
