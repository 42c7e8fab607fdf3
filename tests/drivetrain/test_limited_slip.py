"""The limited slip coupler: momentum and energy, limited speed ratios, and its parameters."""

import numpy as np
import pytest
from drivetrain_rig import Rig

from driving_sandbox.physics.differential.limited_slip import LIMITED_SLIP, check

DT = 1 / 240  # s
FRONT, REAR = (0, 1), (2, 3)  # wheels of the axles, left and right


def coupled(omega, inertia=1.0, wheel_count=4, **params):
    """A bench with the coupler alone and wheels at these speeds, rad/s."""
    rig = Rig([LIMITED_SLIP], {"limited_slip": params}, wheel_count, inertia)
    rig["wheel"]["omega"][:4] = omega
    return rig


def momentum(rig):
    """Angular momentum of all wheels, N m s."""
    return (rig["wheel_params"]["inertia"] * rig["wheel"]["omega"]).sum()


def energy(rig):
    """Kinetic energy of all wheels, J."""
    return 0.5 * (rig["wheel_params"]["inertia"] * rig["wheel"]["omega"] ** 2).sum()


def ratio(rig, a, b):
    """Speed ratio of the faster to the slower one of two wheels."""
    speeds = np.abs(rig["wheel"]["omega"])
    return max(speeds[a], speeds[b]) / min(speeds[a], speeds[b])


@pytest.mark.parametrize("seed", range(20))
def test_angular_momentum_is_conserved_and_energy_falls(seed):
    rng = np.random.default_rng(seed)
    rig = coupled(
        rng.uniform(1, 80, 4) * rng.choice([-1, 1]), rng.uniform(0.5, 4, 4), rate=float(rng.uniform(1, 500)),
        front_bias=1.4, front_target=1.2, rear_bias=1.3, rear_target=1.29, center_bias=1.5, center_target=1.1,
    )  # fmt: skip
    first_momentum, first_energy = momentum(rig), energy(rig)
    last_energy = first_energy
    for _ in range(200):
        rig.run([LIMITED_SLIP], DT)
        assert energy(rig) <= last_energy * (1 + 1e-12)
        last_energy = energy(rig)
    assert momentum(rig) == pytest.approx(first_momentum, rel=1e-12)
    assert last_energy < first_energy


@pytest.mark.parametrize("sign", [-1, 1])
def test_ratios_end_within_their_bias(sign):
    rig = coupled(
        sign * np.array([10.0, 35.0, 40.0, 90.0]), front_bias=1.3, front_target=1.29, rear_bias=2.0, rear_target=1.8,
        center_bias=1.2, center_target=1.1,
    )  # fmt: skip
    rig.run([LIMITED_SLIP], DT)
    assert ratio(rig, *FRONT) == pytest.approx(1.29)
    assert ratio(rig, *REAR) == pytest.approx(1.8)
    magnitudes = np.abs(rig["wheel"]["omega"])
    assert (magnitudes[2] + magnitudes[3]) / (magnitudes[0] + magnitudes[1]) == pytest.approx(1.1)
    assert rig["limited_slip"]["front_torque"] > 0 and rig["limited_slip"]["center_torque"] > 0


def split_mu(ticks, bias, target, rate=1e6, seconds_per_tick=DT):
    """Speed ratio after every tick of two rear wheels with equal drive torques, the left one with more grip."""
    rig = coupled([0, 0, 5.0, 5.0], rear_bias=bias, rear_target=target, rate=rate)
    trace = []
    for _ in range(ticks):
        left, right = rig["wheel"]["omega"][2], rig["wheel"]["omega"][3]
        rig["wheel"]["omega"][2] += (100.0 - 2.0 * left) * seconds_per_tick  # the gripping tire resists with its speed
        rig["wheel"]["omega"][3] += (100.0 - 0.2 * right) * seconds_per_tick
        rig.run([LIMITED_SLIP], seconds_per_tick)
        trace.append(ratio(rig, *REAR))
    return np.array(trace)


@pytest.mark.covers("PX-DIFF-04")
def test_split_friction_launch_settles_at_the_bias():
    ratios = split_mu(2000, bias=1.3, target=1.29)
    assert ratios.max() <= 1.3 and ratios[-500:].min() > 1.28
    assert split_mu(2000, bias=1.6, target=1.59)[-500:] == pytest.approx(1.6, abs=0.015)
    open_ratio = split_mu(2000, bias=0.0, target=1.0)
    assert open_ratio[-1] > 5.0 and (np.diff(open_ratio) > 0).all()


@pytest.mark.covers("PX-DIFF-05")
def test_low_target_gives_a_saw_tooth():
    """The ratio rises to the bias and is taken back to the target, again and again."""
    steady, saw_tooth = split_mu(2000, bias=1.3, target=1.29)[-800:], split_mu(2000, bias=1.3, target=1.05)[-800:]
    assert np.ptp(steady) < 0.02
    assert np.ptp(saw_tooth) > 0.2 and (np.diff(saw_tooth) < -0.15).sum() >= 3


def time_to_target(rate):
    """Time until the ratio of the rear wheels has come down to its target, s."""
    rig = coupled([0, 0, 10.0, 20.0], rear_bias=1.3, rear_target=1.2, rate=rate)
    for k in range(10000):
        if ratio(rig, *REAR) <= 1.2 + 1e-9:
            return k * DT
        rig.run([LIMITED_SLIP], DT)
    raise AssertionError("target never reached")


@pytest.mark.covers("PX-DIFF-06")
def test_a_larger_rate_reaches_the_target_sooner():
    assert time_to_target(1.0) == pytest.approx(0.8, abs=2 * DT)
    assert time_to_target(4.0) == pytest.approx(0.2, abs=2 * DT)
    assert time_to_target(1e6) == DT


@pytest.mark.covers("PX-DIFF-03")
def test_wheel_names_choose_the_limited_axle():
    speeds = [10.0, 30.0, 10.0, 30.0]
    front = coupled(speeds, front_bias=1.5, front_target=1.4)
    swapped = coupled(speeds, front_bias=1.5, front_target=1.4, front_left=2, front_right=3, rear_left=0, rear_right=1)
    for rig in (front, swapped):
        rig.run([LIMITED_SLIP], DT)
    assert ratio(front, *FRONT) == pytest.approx(1.4) and ratio(front, *REAR) == 3.0
    assert ratio(swapped, *REAR) == pytest.approx(1.4) and ratio(swapped, *FRONT) == 3.0


@pytest.mark.parametrize("omega", [(0.0, 30.0), (-5.0, 30.0), (0.0, 0.0)])
def test_wheels_without_a_ratio_are_left_alone(omega):
    rig = coupled([*omega, 0.0, 0.0], front_bias=1.1, front_target=1.05, center_bias=1.1)
    rig.run([LIMITED_SLIP], DT)
    assert rig["wheel"]["omega"][:2].tolist() == list(omega)
    assert rig["limited_slip"]["front_limit"] == 0.0


def test_locked_coupler_turns_both_wheels_alike():
    rig = coupled([10.0, 30.0, 0, 0], inertia=np.array([1.0, 3.0, 1.0, 1.0]), front_bias=1.0, front_target=1.0)
    rig.run([LIMITED_SLIP], DT)
    assert rig["wheel"]["omega"][:2].tolist() == pytest.approx([25.0, 25.0])


def test_center_coupler_turns_no_wheel_backwards():
    rig = coupled([0.1, 60.0, 5.0, 5.0], center_bias=1.2, center_target=1.1)
    rig.run([LIMITED_SLIP], DT)
    assert (rig["wheel"]["omega"][:4] >= 0).all()
    assert momentum(rig) == pytest.approx(70.1)


def test_ratios_that_do_not_fit_are_refused():
    def fields(**params):
        return [name for name, _ in check(coupled([0] * 4, **params)["limited_slip_params"], 4)]

    assert fields() == []
    assert fields(front_bias=1.3, front_target=1.29) == []
    assert fields(front_bias=1.3, front_target=1.4) == ["front_target"]
    assert fields(rear_bias=0.5) == ["rear_bias"]
    assert fields(rear_bias=1.0, rear_target=1.0) == []
    assert fields(center_bias=1.5, rear_right=0) == ["front_right"]
    assert fields(rear_bias=1.5, rear_right=7) == ["rear_right"]
