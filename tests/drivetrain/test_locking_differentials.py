"""Clutch-pack and helical differentials on a bench: transferred torque, momentum and energy."""

import numpy as np
import pytest
from drivetrain_rig import Rig

from driving_sandbox.physics.differential.clutch_pack import CLUTCH_PACK, HELICAL
from driving_sandbox.physics.differential.multi_wheel import OPEN
from driving_sandbox.physics.drivetrain.clutch import CLUTCH
from driving_sandbox.physics.drivetrain.coupling import COUPLING
from driving_sandbox.physics.gearbox.gearbox import GEARBOX
from driving_sandbox.physics.tick.commands import FIRST

DT = 1 / 960  # s
RATIO = 12.0  # of first gear of the bench, final drive included
CLUTCH_TORQUE = 100.0  # N m
TORQUE = CLUTCH_TORQUE * RATIO  # N m, at the output of the gears
SHARES = {"rear": [0.0, 0.0, 0.5, 0.5], "front": [0.5, 0.5, 0.0, 0.0], "center": [0.25] * 4}
OFF = {"rear_preload": 0.0, "rear_power_lock": 0.0, "rear_coast_lock": 0.0}
NO_BIAS = {"rear_preload": 0.0, "rear_power_bias": 1.0, "rear_coast_bias": 1.0}


def axle(component, omega, place="rear", clutch_torque=CLUTCH_TORQUE, inertia=1.0, dt=DT, **values):
    """The bench after a substep with wheels at these speeds; the differential's state has the transferred torque."""
    car = {
        "gearbox": {"ratios": [-3.0, 0.0, 3.0], "final_ratio": 4.0, "switch_time": 0.0}, "clutch": {"strength": 10.0},
        "differential": [{"torque_ratio": share} for share in SHARES[place]],
        "limited_slip": {**(OFF if component is CLUTCH_PACK else NO_BIAS), **values},
    }  # fmt: skip
    rig = Rig([GEARBOX, CLUTCH, COUPLING, OPEN, component], car, 4, inertia)
    rig["gearbox"]["current_gear"] = FIRST
    rig["wheel"]["omega"][:4] = omega
    rig["drivetrain"]["clutch_torque"] = clutch_torque
    rig.run([OPEN, component], dt)
    return rig


def transferred(rig, place="rear"):
    """Transferred torque, N m; negative if the right or rear output has the larger speed (with sign)."""
    return float(rig["limited_slip"][f"{place}_torque"])


SPINNING = {"rear": [20.0, 20.0, 20.0, 60.0], "front": [20.0, 60.0, 20.0, 20.0], "center": [20.0, 20.0, 60.0, 60.0]}
BACKWARDS = {place: [-w for w in speeds] for place, speeds in SPINNING.items()}


@pytest.mark.parametrize("place", ["front", "rear", "center"])
@pytest.mark.parametrize("share", [0.2, 0.45])
def test_clutch_pack_locks_by_preload_and_share_of_the_torque(place, share):
    """Half of the locking torque goes from the faster to the slower output; shares differ on power and on overrun."""
    for preload in (0.0, 60.0):
        values = {f"{place}_preload": preload, f"{place}_power_lock": share, f"{place}_coast_lock": 0.5 * share}
        power = axle(CLUTCH_PACK, SPINNING[place], place, **values)
        coast = axle(CLUTCH_PACK, SPINNING[place], place, -CLUTCH_TORQUE, **values)
        reverse = axle(CLUTCH_PACK, BACKWARDS[place], place, -CLUTCH_TORQUE, **values)
        assert transferred(power, place) == pytest.approx(-0.5 * (preload + share * TORQUE))
        assert transferred(coast, place) == pytest.approx(-0.5 * (preload + 0.5 * share * TORQUE))
        assert transferred(reverse, place) == pytest.approx(0.5 * (preload + share * TORQUE))  # drives backwards


@pytest.mark.parametrize("place", ["front", "rear", "center"])
@pytest.mark.parametrize("bias", [1.5, 3.0])
def test_helical_gears_hold_their_torque_bias_ratio(place, bias):
    values = {f"{place}_power_bias": bias, f"{place}_coast_bias": 1.2}
    for clutch_torque, expected in ((CLUTCH_TORQUE, bias), (-CLUTCH_TORQUE, 1.2)):
        rig = axle(HELICAL, SPINNING[place], place, clutch_torque, **values)
        faster = 0.5 * abs(clutch_torque) * RATIO - abs(transferred(rig, place))
        slower = 0.5 * abs(clutch_torque) * RATIO + abs(transferred(rig, place))
        assert slower / faster == pytest.approx(expected, rel=1e-9)
    preloaded = axle(HELICAL, SPINNING[place], place, 0.0, **{**values, f"{place}_preload": 80.0})
    assert transferred(preloaded, place) == pytest.approx(-40.0)


@pytest.mark.parametrize("component", [CLUTCH_PACK, HELICAL])
@pytest.mark.parametrize("preload", [40.0, 120.0])
def test_without_drive_torque_half_of_the_preload_is_transferred(component, preload):
    rig = axle(component, SPINNING["rear"], clutch_torque=0.0, rear_preload=preload)
    assert transferred(rig) == pytest.approx(-0.5 * preload)
    assert transferred(axle(component, SPINNING["rear"], clutch_torque=0.0)) == 0.0


@pytest.mark.parametrize("component", [CLUTCH_PACK, HELICAL])
def test_below_the_locking_torque_both_wheels_turn_as_one(component):
    rig = axle(component, [0.0, 0.0, 10.0, 10.2], rear_preload=800.0, inertia=np.array([1.0, 1.0, 1.0, 3.0]))
    assert rig["wheel"]["omega"][2] == pytest.approx(10.15) and rig["wheel"]["omega"][3] == pytest.approx(10.15)


@pytest.mark.parametrize("component", [CLUTCH_PACK, HELICAL])
@pytest.mark.parametrize("seed", range(10))
def test_momentum_is_conserved_and_energy_falls(component, seed):
    rng = np.random.default_rng(seed)
    inertia = rng.uniform(0.5, 4.0, 4)
    values = {f"{place}_preload": float(rng.uniform(10.0, 300.0)) for place in SHARES}
    omega = rng.uniform(-60.0, 60.0, 4)
    rig = axle(component, omega, "center", float(rng.uniform(-200.0, 200.0)), inertia, **values)
    after = rig["wheel"]["omega"][:4]
    assert (inertia * after).sum() == pytest.approx((inertia * omega).sum(), rel=1e-9, abs=1e-9)
    assert (inertia * after**2).sum() < (inertia * omega**2).sum()


def test_wheel_names_choose_the_axle():
    names = {"front_left": 2, "front_right": 3, "rear_left": 0, "rear_right": 1}
    for component in (CLUTCH_PACK, HELICAL):
        rig = axle(component, SPINNING["front"], "front", 0.0, rear_preload=100.0, **names)
        assert transferred(rig) == pytest.approx(-50.0) and rig["wheel"]["omega"][1] < 60.0


def split_grip(dt, seconds=0.5):
    """Speed difference, rad/s, of two driven wheels, one with little grip, after some seconds."""
    rig = axle(CLUTCH_PACK, [0.0, 0.0, 10.0, 10.0], dt=dt, rear_preload=30.0, rear_power_lock=0.3)
    for _ in range(round(seconds / dt)):
        for i, grip in ((2, 20.0), (3, 2.0)):
            rig["wheel"]["omega"][i] += dt * (0.5 * TORQUE - grip * rig["wheel"]["omega"][i])
        rig.run([CLUTCH_PACK], dt)
    return float(rig["wheel"]["omega"][3] - rig["wheel"]["omega"][2])


def test_split_grip_converges_with_the_step():
    fine = split_grip(1 / 32000)
    errors = [abs(split_grip(dt) - fine) for dt in (1 / 240, 1 / 480, 1 / 960)]
    assert fine > 10.0 and errors[0] > errors[1] > errors[2]
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.4)
