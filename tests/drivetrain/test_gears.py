"""Gearbox, autobox, differentials and direct drive on a bench: changes of gear, and torques at the wheels."""

import numpy as np
import pytest
from drivetrain_rig import DIRECT_TICK, ENGINE_SUBSTEP, Rig, engine_rig, in_gear

from driving_sandbox.physics.differential.multi_wheel import MULTI_WHEEL, MultiWheelParams, check_multi_wheel
from driving_sandbox.physics.gearbox.autobox import check as check_autobox
from driving_sandbox.physics.gearbox.autobox import warnings as autobox_warnings
from driving_sandbox.physics.gearbox.gearbox import GearboxParams, gear_ratio
from driving_sandbox.physics.gearbox.gearbox import check as check_gearbox
from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST, NEUTRAL, REVERSE

WHEELS = ("fl", "fr", "rl", "rr")

# ---- gearbox and autobox


@pytest.mark.covers("PX-GEAR-05")
def test_a_change_takes_its_time_in_neutral_without_torque():
    rig = in_gear(engine_rig(), FIRST, omega=20.0, engine=320.0)
    rig["command"]["throttle"], rig["command"]["gear"] = 1.0, 3
    dt, ticks_in_neutral = 1 / 240, 0
    for _ in range(200):
        rig.tick(dt, substeps=1)
        if rig["gearbox"]["current_gear"] == 1:
            ticks_in_neutral += 1
            assert rig["drivetrain"]["clutch_torque"] == 0.0
            assert rig["gearbox"]["target_gear"] == 3
    assert rig["gearbox"]["current_gear"] == 3
    assert ticks_in_neutral * dt == pytest.approx(0.5, abs=2 * dt)


@pytest.mark.covers("PX-GEAR-01")
def test_gears_below_neutral_drive_backwards():
    box = {"ratios": [-5.0, -3.0, 0.0, 4.0, 2.0], "neutral_gear": 2}
    thresholds = {"up_ratios": [0.65] * 5, "down_ratios": [0.5] * 5}
    for gear, sign in ((0, -1), (1, -1), (3, 1), (4, 1)):
        rig = in_gear(engine_rig(gearbox=box, autobox=thresholds), gear, engine=200.0)
        rig["command"]["throttle"] = 1.0
        rig.tick()
        assert rig["wheel"]["omega"][0] * sign > 0


@pytest.mark.covers("PX-GEAR-03")
def test_ratios_with_wrong_signs_or_order_are_refused():
    def problems(ratios, neutral=1):
        params = np.zeros(1, GearboxParams.dtype)[0]
        GearboxParams.fields["ratios"].kind.write(params, "ratios", ratios)
        params["neutral_gear"] = neutral
        return [text for _, text in check_gearbox(params)]

    assert problems([-4.0, 0.0, 4.0, 2.0]) == []
    assert "reverse" in problems([4.0, 0.0, 4.0, 2.0])[0]
    assert "neutral" in problems([-4.0, 1.0, 4.0, 2.0])[0]
    assert "must fall" in problems([-4.0, 0.0, 2.0, 4.0])[0]
    assert "forward" in problems([-4.0, 0.0, 4.0, -2.0])[0]
    assert "only 2 entries" in problems([-4.0, 0.0], neutral=3)[0]


@pytest.mark.covers("PX-GEAR-04")
def test_final_ratio_multiplies_every_gear():
    for final in (3.0, 4.0):
        rig = engine_rig(gearbox={"final_ratio": final})
        for gear, ratio in enumerate((-4.0, 0.0, 4.0, 2.0, 1.5, 1.1, 1.0)):
            assert gear_ratio(rig["gearbox_params"], gear) == ratio * final


def gears_over(rig, ticks, engine_omega=None, dt=1 / 60):
    """[(current gear, target gear, throttle)] per tick; the engine is held at `engine_omega`, rad/s, if it is given."""
    gears = []
    for _ in range(ticks):
        if engine_omega is not None:
            rig["engine"]["omega"] = engine_omega
        rig.tick(dt)
        box = rig["gearbox"]
        gears.append((int(box["current_gear"]), int(box["target_gear"]), float(rig["engine"]["throttle"])))
    return gears


def automatic(gear=6, **changes):
    """The bench in automatic mode at full throttle, in a gear."""
    rig = in_gear(engine_rig(**changes), gear)
    rig["command"]["gear"], rig["command"]["throttle"] = AUTOMATIC, 1.0
    return rig


@pytest.mark.covers("PX-AUTO-01", "PX-AUTO-02")
def test_kick_down_goes_gear_by_gear_with_the_throttle_cut():
    gears = gears_over(automatic(gear=6), 500, engine_omega=200.0)
    engaged = [gear for gear, target, _ in gears if gear == target]
    assert [g for k, g in enumerate(engaged) if k == 0 or engaged[k - 1] != g][:3] == [5, 4, 3]
    assert all(throttle == 0.0 for gear, target, throttle in gears if gear != target)
    assert any(throttle == 1.0 for _, _, throttle in gears)
    manual = in_gear(engine_rig(), FIRST)
    manual["command"]["gear"], manual["command"]["throttle"] = 3, 1.0
    gears = gears_over(manual, 60)
    assert all(throttle == 1.0 for _, _, throttle in gears) and any(g != t for g, t, _ in gears)


@pytest.mark.covers("PX-AUTO-03")
def test_automatic_mode_toggles_with_the_command():
    rig = automatic(gear=3)
    gears_over(rig, 1, engine_omega=590.0)
    assert rig["gearbox"]["target_gear"] == 4 and rig["autobox"]["active"] == 1
    gears_over(rig, 60, engine_omega=400.0)
    rig["command"]["gear"] = 4
    assert {t for _, t, _ in gears_over(rig, 300, engine_omega=590.0)} == {4}
    rig["command"]["gear"] = AUTOMATIC
    [(_, next_gear, _)] = gears_over(rig, 1, engine_omega=590.0)
    assert next_gear == 5


@pytest.mark.covers("PX-AUTO-04", "PX-AUTO-05")
@pytest.mark.parametrize("gear, omega, target", [(3, 391, 4), (3, 389, 3), (4, 481, 5), (4, 479, 4), (4, 299, 3)])
def test_thresholds_are_per_gear_shares_of_the_largest_speed(gear, omega, target):
    up = [0.65, 0.65, 0.65, 0.65, 0.8, 0.65, 0.65]
    rig = automatic(gear, autobox={"up_ratios": up})
    [(_, next_gear, _)] = gears_over(rig, 1, engine_omega=float(omega))
    assert next_gear == target


@pytest.mark.covers("PX-AUTO-06")
def test_latency_below_the_switch_time_warns_and_hunts():
    def change_count(latency):
        rig = automatic(3, autobox={"latency": latency, "up_ratios": [0.3] * 7, "down_ratios": [0.25] * 7})
        return sum(change_begins(rig) for _ in range(240))

    def change_begins(rig):
        rig["engine"]["omega"] = 590.0 if rig["gearbox"]["current_gear"] == 2 else 100.0  # always the wrong gear
        rig.tick(1 / 60)
        return float(rig["autobox"]["time_since_shift"]) == 0.0

    rig = engine_rig(autobox={"latency": 0.4})
    assert [name for name, _ in autobox_warnings(rig["autobox_params"], rig["gearbox_params"])] == ["latency"]
    assert autobox_warnings(engine_rig()["autobox_params"], rig["gearbox_params"]) == []
    assert change_count(0.4) >= 6 > 3 >= change_count(2.0)


def test_autobox_requires_one_threshold_per_gear():
    rig = engine_rig(autobox={"up_ratios": [0.65] * 6})
    assert [name for name, _ in check_autobox(rig["autobox_params"], rig["gearbox_params"])] == ["up_ratios"]
    rig = engine_rig(autobox={"up_ratios": [0.5] * 7, "down_ratios": [0.6] * 7})
    assert {name for name, _ in check_autobox(rig["autobox_params"], rig["gearbox_params"])} == {"down_ratios"}


# ---- differentials


@pytest.mark.covers("PX-DIFF-01")
def test_wheels_get_their_documented_share_of_the_torque():
    shares = (0.3, 0.3, 0.25, 0.15)
    rig = in_gear(engine_rig(differential=[{"torque_ratio": s} for s in shares]), FIRST, engine=300.0)
    rig.tick(dt=1e-6, substeps=1)
    speed_gains = rig["wheel"]["omega"][:4]
    assert (speed_gains / speed_gains.sum()).tolist() == pytest.approx(shares, rel=1e-6)
    total = rig["drivetrain"]["clutch_torque"] * 16.0
    assert speed_gains.sum() / 1e-6 == pytest.approx(total, rel=1e-6)
    params = np.zeros(20, MultiWheelParams.dtype)
    params["torque_ratio"][:2], params["speed_ratio"][:2] = 0.45, 0.5
    assert [name for name, _ in check_multi_wheel(params, WHEELS)] == ["torque_ratio"]
    params["torque_ratio"][:2] = 0.5
    assert check_multi_wheel(params, WHEELS) == []
    params["torque_ratio"][:2] = 1.0, 0.0
    assert check_multi_wheel(params, WHEELS) == [("speed_ratio", "of wheel fr must be 0: it is not driven")]


@pytest.mark.covers("PX-DIFF-02")
def test_the_clutch_output_turns_at_the_weighted_mean_of_the_wheel_speeds():
    weights = (0.4, 0.3, 0.2, 0.1)
    rig = in_gear(engine_rig(), FIRST, engine=50.0)
    multi = Rig([MULTI_WHEEL], {"differential": [{"torque_ratio": 0.25, "speed_ratio": w} for w in weights]})
    multi.run([MULTI_WHEEL], 0.01)
    rig.tick(dt=1e-9, substeps=1)
    rig.args["differential"] = multi["differential"]
    rig["wheel"]["omega"][:4] = speeds = (10.0, 20.0, 30.0, 40.0)
    engine = float(rig["engine"]["omega"])
    rig.run([ENGINE_SUBSTEP[1]], 1e-6)
    assert rig["drivetrain"]["clutch_slip"] == pytest.approx(16.0 * np.dot(weights, speeds) - engine)


@pytest.mark.covers("PX-DIFF-01")
@pytest.mark.parametrize("shares", [(0.5, -0.5), (-0.5, 0.5), (-0.5, -0.5), (0.0, -1.0)])
def test_a_wheel_geared_in_reverse_turns_against_the_shaft(shares):
    """With the engine at the speed that the gears give it, the clutch does not slip and the wheels get no torque."""
    differential = [{"torque_ratio": s} for s in (*shares, 0.0, 0.0)]
    rig = in_gear(engine_rig(differential=differential), FIRST, engine=16.0 * 10.0)
    rig["wheel"]["omega"][:2] = 10.0 * np.sign(shares)
    rig["command"]["throttle"] = 1.0
    rig.tick(dt=1e-9, substeps=1)
    assert rig["actuation"]["drive_torque"][:4] == pytest.approx(0.0, abs=1e-3)
    rig["engine"]["omega"] += 1.0
    rig.tick(dt=1e-9, substeps=1)
    assert np.sign(rig["actuation"]["drive_torque"][:2]).tolist() == np.sign(shares).tolist()


def test_undriven_wheels_roll_by_themselves():
    rig = in_gear(engine_rig(differential=[{}, {}, {"torque_ratio": 1}, {"torque_ratio": 1}]), FIRST, engine=300.0)
    rig["tire"]["wheel_torque"][0] = 60.0
    rig.tick(dt=0.01, substeps=1)
    assert rig["wheel"]["omega"][0] == pytest.approx(0.6) and rig["wheel"]["omega"][1] == 0.0
    assert rig["wheel"]["omega"][2] == rig["wheel"]["omega"][3] > 1.0


# ---- direct drive


def direct(gear, throttle, torques):
    """A bench of directly driven wheels after one tick; torques: the largest of each wheel, N m."""
    wheels = [{"max_torque": t} for t in torques]
    rig = Rig(DIRECT_TICK, {"direct_drive": wheels, "brakes": [{"max_torque": 500.0}] * 4})
    rig["command"]["gear"], rig["command"]["throttle"] = gear, throttle
    rig.run(DIRECT_TICK, 0.01)
    return rig


@pytest.mark.covers("PX-DIRECT-01")
def test_throttle_gives_its_share_of_the_largest_torque():
    rig = direct(gear=2, throttle=0.3, torques=[800.0, 800.0, 0.0, 0.0])
    assert rig["direct_drive"]["torque"][:4].tolist() == pytest.approx([240.0, 240.0, 0.0, 0.0])
    assert rig["actuation"]["drive_applied"][:4].tolist() == [1, 1, 0, 0]
    assert rig["intent"]["accelerating"] == 1
    assert rig["wheel"]["omega"][0] == pytest.approx(2.4)


@pytest.mark.covers("PX-DIRECT-02")
def test_wheel_with_negative_torque_turns_backwards():
    omega = direct(gear=FIRST, throttle=1.0, torques=[500.0, -500.0, 500.0, -500.0])["wheel"]["omega"]
    assert omega[0] > 0 > omega[1]


@pytest.mark.covers("PX-DIRECT-03")
@pytest.mark.parametrize("gear, sign", [(REVERSE, -1), (NEUTRAL, 0), (FIRST, 1), (FIRST + 3, 1), (AUTOMATIC, 1)])
def test_direction_follows_the_gear(gear, sign):
    rig = direct(gear, throttle=1.0, torques=[700.0] * 4)
    assert rig["direct_drive"]["torque"][:4].tolist() == [sign * 700.0] * 4
    assert rig["intent"]["accelerating"] == abs(sign)
