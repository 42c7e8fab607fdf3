"""Engine, clutch, gearbox, autobox and differentials on a bench: what a driver or a dynamometer would see."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from drivetrain_rig import DIRECT_TICK, ENGINE_SUBSTEP, Rig, engine_rig
from reference_projection import full_rows

from physics.drivetrain.autobox import check as check_autobox
from physics.drivetrain.autobox import warnings as autobox_warnings
from physics.drivetrain.coupling import ESTIMATE
from physics.drivetrain.differential_multi_wheel import MULTI_WHEEL, MultiWheelParams, check_multi_wheel
from physics.drivetrain.engine import check as check_engine
from physics.drivetrain.gearbox import GearboxParams, gear_ratio
from physics.drivetrain.gearbox import check as check_gearbox

ROOT = Path(__file__).resolve().parents[2]
NEUTRAL_FREE = {
    "damping_full_throttle": 0.3,
    "damping_zero_throttle_clutch_engaged": 1.0,
    "damping_zero_throttle_clutch_disengaged": 0.5,
}


def in_gear(rig, gear, omega=0.0, engine=0.0):
    """Put the gearbox into a gear at once, with given speeds."""
    rig["gearbox"]["current_gear"] = rig["gearbox"]["target_gear"] = gear
    rig["command"]["gear"] = gear
    rig["wheel"]["omega"][: rig["wheel_count"]] = omega
    rig["engine"]["omega"] = engine
    return rig


# ---- engine


@pytest.mark.covers("PX-ENG-01", "PX-ENG-03", "PX-ENG-04")
@pytest.mark.parametrize("throttle, omega", [(1.0, 120.0), (0.4, 300.0), (0.0, 500.0)])
def test_engine_in_neutral_is_one_rotating_body(throttle, omega):
    rig = engine_rig(engine={"inertia": 0.8, "peak_torque": 600.0, **NEUTRAL_FREE})
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
        rig = engine_rig(engine={"inertia": inertia, "idle_omega": 80.0, **NEUTRAL_FREE})
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
    rig = in_gear(engine_rig(engine={"idle_omega": 90.0}), 2)
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
    rig = engine_rig(engine={"inertia": 1.5, **NEUTRAL_FREE})
    rig["engine"]["omega"] = 500.0
    for _ in range(3000):
        rig.tick(dt=0.001, substeps=1)
    assert rig["engine"]["omega"] == pytest.approx(500.0 * np.exp(-3.0 * 0.5 / 1.5), rel=1e-3)


@pytest.mark.covers("PX-ENG-07")
@pytest.mark.parametrize("gear", [1, 2])
def test_full_throttle_damping_is_the_same_in_gear_and_in_neutral(gear):
    rig = in_gear(engine_rig(engine=NEUTRAL_FREE), gear, omega=400.0 / 16.0, engine=400.0)
    rig["command"]["throttle"] = 1.0
    rig.tick(dt=1e-5, substeps=1)
    gained = (rig["engine"]["omega"] - 400.0) / 1e-5  # inertia 1
    damping = (rig["engine"]["torque"] - rig["drivetrain"]["clutch_torque"] - gained) / 400.0
    assert damping == pytest.approx(0.3, rel=1e-3)


@pytest.mark.covers("PX-ENG-08")
def test_closed_throttle_damping_brakes_a_coasting_car():
    speeds = {}
    for damping in (0.5, 2.0):
        rig = in_gear(engine_rig(engine={"damping_zero_throttle_clutch_engaged": damping}), 3, 50.0, 50.0 * 8)
        for _ in range(60):
            rig.tick()
        speeds[damping] = rig["wheel"]["omega"][0]
    assert speeds[2.0] < speeds[0.5] < 50.0


def test_engine_that_cannot_be_is_refused():
    curve = {"count": 0}
    found = check_engine({"idle_omega": 700.0, "max_omega": 600.0, "torque_curve": curve})
    assert [name for name, _ in found] == ["idle_omega", "torque_curve"]


# ---- clutch and coupling


@pytest.mark.covers("PX-CLUTCH-02")
def test_half_pressed_clutch_halves_the_torque_at_equal_slip():
    torques = {}
    for pedal in (0.0, 0.5, 1.0):
        rig = in_gear(engine_rig(clutch={"strength": 10.0}), 2, omega=0.0, engine=100.0)
        rig["command"]["clutch"] = pedal
        rig.tick(dt=1e-6, substeps=1)
        torques[pedal] = rig["drivetrain"]["clutch_torque"]
    assert torques[0.0] == pytest.approx(1000.0, rel=1e-3)
    assert torques[0.5] == pytest.approx(500.0, rel=1e-3)
    assert torques[1.0] == 0.0


@pytest.mark.covers("PX-CLUTCH-01")
def test_torque_flows_through_the_clutch_both_ways():
    push = in_gear(engine_rig(), 2, omega=0.0, engine=300.0)
    push.tick()
    assert push["wheel"]["omega"][0] > 0.0 and push["drivetrain"]["clutch_torque"] > 0.0
    drag = in_gear(engine_rig(), 2, omega=30.0, engine=10.0)
    drag.tick()
    assert drag["wheel"]["omega"][0] < 30.0 and drag["drivetrain"]["clutch_torque"] < 0.0
    assert drag["engine"]["omega"] > 10.0


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
    """Speeds of wheels and engine by a dense solve of the same rows: the obvious twin."""
    matrix, right = full_rows(list(range(rig["wheel_count"])), rig.args, dt)
    return np.linalg.solve(matrix, right), matrix, right


@pytest.mark.covers("PX-CLUTCH-03")
@pytest.mark.parametrize("seed", range(8))
def test_exact_solution_satisfies_the_implicit_equations(seed):
    rig = random_rig(np.random.default_rng(seed), engine={"max_omega": 2000.0})
    expected, matrix, right = dense_solution(rig, 0.01)
    rig.run([ENGINE_SUBSTEP[1]], 0.01)
    found = np.array([*rig["wheel"]["omega"][:4], rig["engine"]["omega"]])
    assert np.abs(matrix @ found - right).max() < 1e-6
    assert found == pytest.approx(expected, rel=1e-9)


def estimate_error(iterations, wheel_count=4, seed=3, dt=1 / 240):
    changes = {"engine": {"max_omega": 5000.0}, "drivetrain": {"accuracy": "estimate"}}
    changes["drivetrain"]["estimate_iterations"] = iterations
    rig = random_rig(np.random.default_rng(seed), wheel_count, **changes)
    assert rig["drivetrain_params"]["accuracy"] == ESTIMATE
    expected = dense_solution(rig, dt)[0]
    rig.run([ENGINE_SUBSTEP[1]], dt)
    found = np.array([*rig["wheel"]["omega"][:wheel_count], rig["engine"]["omega"]])
    return np.abs(found - expected).max() / np.abs(expected).max()


@pytest.mark.covers("PX-CLUTCH-05")
def test_error_of_the_estimate_falls_with_its_iterations():
    errors = [estimate_error(n) for n in (1, 2, 3, 5, 8)]
    assert all(after < before for before, after in zip(errors, errors[1:], strict=False))
    assert errors[0] > 5e-3 and errors[-1] < 1e-3


def test_estimate_of_a_twenty_wheel_lorry_is_within_one_per_cent():
    assert estimate_error(10, wheel_count=20) < 0.01


def kinetic_energy(rig):
    inertia = rig["wheel_params"]["inertia"]
    return 0.5 * (inertia * rig["wheel"]["omega"] ** 2).sum() + 0.5 * rig["engine"]["omega"] ** 2


@pytest.mark.parametrize("gear", [0, 2, 6])
@pytest.mark.parametrize("dt", [1 / 30, 1 / 960])
def test_clutch_never_creates_energy(gear, dt):
    undamped = dict.fromkeys(NEUTRAL_FREE, 0.0)
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
    rig = in_gear(engine_rig(), 1, omega=20.0)
    rig["command"]["brake"] = 1.0
    rig["tire"]["wheel_torque"][:4] = 200.0
    for _ in range(60):
        rig.tick()
    assert not rig["wheel"]["omega"].any()
    rig["command"]["brake"] = 0.0
    rig.tick()
    assert (rig["wheel"]["omega"][:4] > 0).all()


# ---- gearbox and autobox


@pytest.mark.covers("PX-GEAR-05")
def test_a_change_takes_its_time_in_neutral_without_torque():
    rig = in_gear(engine_rig(), 2, omega=20.0, engine=320.0)
    rig["command"]["throttle"], rig["command"]["gear"] = 1.0, 3
    dt, neutral = 1 / 240, 0
    for _ in range(200):
        rig.tick(dt, substeps=1)
        if rig["gearbox"]["current_gear"] == 1:
            neutral += 1
            assert rig["drivetrain"]["clutch_torque"] == 0.0
            assert rig["gearbox"]["target_gear"] == 3
    assert rig["gearbox"]["current_gear"] == 3
    assert neutral * dt == pytest.approx(0.5, abs=2 * dt)


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
    """[(current, target, throttle)] per tick; the engine held at a speed if one is given."""
    seen = []
    for _ in range(ticks):
        if engine_omega is not None:
            rig["engine"]["omega"] = engine_omega
        rig.tick(dt)
        box = rig["gearbox"]
        seen.append((int(box["current_gear"]), int(box["target_gear"]), float(rig["engine"]["throttle"])))
    return seen


def automatic(gear=6, **changes):
    rig = in_gear(engine_rig(**changes), gear)
    rig["command"]["gear"], rig["command"]["throttle"] = 255, 1.0
    return rig


@pytest.mark.covers("PX-AUTO-01", "PX-AUTO-02")
def test_kick_down_goes_gear_by_gear_with_the_throttle_cut():
    seen = gears_over(automatic(gear=6), 500, engine_omega=200.0)
    engaged = [gear for gear, target, _ in seen if gear == target]
    assert [g for k, g in enumerate(engaged) if k == 0 or engaged[k - 1] != g][:3] == [5, 4, 3]
    assert all(throttle == 0.0 for gear, target, throttle in seen if gear != target)
    assert any(throttle == 1.0 for _, _, throttle in seen)
    manual = in_gear(engine_rig(), 2)
    manual["command"]["gear"], manual["command"]["throttle"] = 3, 1.0
    seen = gears_over(manual, 60)
    assert all(throttle == 1.0 for _, _, throttle in seen) and any(g != t for g, t, _ in seen)


@pytest.mark.covers("PX-AUTO-03")
def test_automatic_mode_toggles_with_the_command():
    rig = automatic(gear=3)
    gears_over(rig, 1, engine_omega=590.0)
    assert rig["gearbox"]["target_gear"] == 4 and rig["autobox"]["active"] == 1
    gears_over(rig, 60, engine_omega=400.0)
    rig["command"]["gear"] = 4
    assert {t for _, t, _ in gears_over(rig, 300, engine_omega=590.0)} == {4}
    rig["command"]["gear"] = 255
    assert gears_over(rig, 1, engine_omega=590.0)[0][1] == 5


@pytest.mark.covers("PX-AUTO-04", "PX-AUTO-05")
@pytest.mark.parametrize("gear, omega, target", [(3, 391, 4), (3, 389, 3), (4, 481, 5), (4, 479, 4), (4, 299, 3)])
def test_thresholds_are_per_gear_shares_of_the_largest_speed(gear, omega, target):
    up = [0.65, 0.65, 0.65, 0.65, 0.8, 0.65, 0.65]
    rig = automatic(gear, autobox={"up_ratios": up})
    assert gears_over(rig, 1, engine_omega=float(omega))[0][1] == target


@pytest.mark.covers("PX-AUTO-06")
def test_latency_below_the_switch_time_warns_and_hunts():
    def begun(latency):
        rig = automatic(3, autobox={"latency": latency, "up_ratios": [0.3] * 7, "down_ratios": [0.25] * 7})
        return sum(rig_began(rig) for _ in range(240))

    def rig_began(rig):
        rig["engine"]["omega"] = 590.0 if rig["gearbox"]["current_gear"] == 2 else 100.0  # always the wrong gear
        rig.tick(1 / 60)
        return float(rig["autobox"]["time_since_shift"]) == 0.0

    rig = engine_rig(autobox={"latency": 0.4})
    assert [name for name, _ in autobox_warnings(rig["autobox_params"], rig["gearbox_params"])] == ["latency"]
    assert autobox_warnings(engine_rig()["autobox_params"], rig["gearbox_params"]) == []
    assert begun(0.4) >= 6 > 3 >= begun(2.0)


def test_autobox_wants_one_threshold_per_gear():
    rig = engine_rig(autobox={"up_ratios": [0.65] * 6})
    assert [name for name, _ in check_autobox(rig["autobox_params"], rig["gearbox_params"])] == ["up_ratios"]
    rig = engine_rig(autobox={"up_ratios": [0.5] * 7, "down_ratios": [0.6] * 7})
    assert {name for name, _ in check_autobox(rig["autobox_params"], rig["gearbox_params"])} == {"down_ratios"}


# ---- differentials


@pytest.mark.covers("PX-DIFF-01")
def test_wheels_get_their_documented_share_of_the_torque():
    shares = (0.3, 0.3, 0.25, 0.15)
    rig = in_gear(engine_rig(differential=[{"torque_ratio": s} for s in shares]), 2, engine=300.0)
    rig.tick(dt=1e-6, substeps=1)
    gained = rig["wheel"]["omega"][:4]
    assert (gained / gained.sum()).tolist() == pytest.approx(shares, rel=1e-6)
    total = rig["drivetrain"]["clutch_torque"] * 16.0
    assert gained.sum() / 1e-6 == pytest.approx(total, rel=1e-6)
    params = np.zeros(20, MultiWheelParams.dtype)
    params["torque_ratio"][:2], params["speed_ratio"][:2] = 0.45, 0.5
    assert [name for name, _ in check_multi_wheel(params, 4)] == ["torque_ratio"]
    params["torque_ratio"][:2] = 0.5
    assert check_multi_wheel(params, 4) == []


@pytest.mark.covers("PX-DIFF-02")
def test_clutch_feels_the_weighted_mean_of_the_wheel_speeds():
    weights = (0.4, 0.3, 0.2, 0.1)
    rig = in_gear(engine_rig(), 2, engine=50.0)
    multi = Rig([MULTI_WHEEL], {"differential": [{"torque_ratio": 0.25, "speed_ratio": w} for w in weights]})
    multi.run([MULTI_WHEEL], 0.01)
    rig.tick(dt=1e-9, substeps=1)
    rig.args["differential"] = multi["differential"]
    rig["wheel"]["omega"][:4] = speeds = (10.0, 20.0, 30.0, 40.0)
    engine = float(rig["engine"]["omega"])
    rig.run([ENGINE_SUBSTEP[1]], 1e-6)
    assert rig["drivetrain"]["clutch_slip"] == pytest.approx(16.0 * np.dot(weights, speeds) - engine)


def test_undriven_wheels_roll_by_themselves():
    rig = in_gear(engine_rig(differential=[{}, {}, {"torque_ratio": 1}, {"torque_ratio": 1}]), 2, engine=300.0)
    rig["tire"]["wheel_torque"][0] = 60.0
    rig.tick(dt=0.01, substeps=1)
    assert rig["wheel"]["omega"][0] == pytest.approx(0.6) and rig["wheel"]["omega"][1] == 0.0
    assert rig["wheel"]["omega"][2] == rig["wheel"]["omega"][3] > 1.0


# ---- compiled and plain


def test_plain_python_gives_the_same_bytes_as_compiled_code():
    """A tick is the same arithmetic with and without the compiler."""
    hashes = set()
    for jit in ("0", "1"):
        environment = {**os.environ, "SANDBOX_JIT": jit, "PYTHONPATH": str(ROOT)}
        script = [sys.executable, str(Path(__file__).with_name("drivetrain_rig.py"))]
        done = subprocess.run(script, env=environment, capture_output=True, text=True, timeout=300, check=True)
        hashes.add(done.stdout.strip())
    assert len(hashes) == 1 and len(hashes.pop()) == 64


# ---- direct drive


def direct(gear, throttle, torques):
    wheels = [{"max_torque": t} for t in torques]
    rig = Rig(DIRECT_TICK, {"direct_drive": wheels, "brakes": [{"max_torque": 500.0}] * 4})
    rig["command"]["gear"], rig["command"]["throttle"] = gear, throttle
    rig.run(DIRECT_TICK, 0.01)
    return rig


@pytest.mark.covers("PX-DIRECT-01")
def test_throttle_gives_its_share_of_the_largest_torque():
    rig = direct(2, 0.3, [800.0, 800.0, 0.0, 0.0])
    assert rig["direct_drive"]["torque"][:4].tolist() == pytest.approx([240.0, 240.0, 0.0, 0.0])
    assert rig["actuation"]["drive_applied"][:4].tolist() == [1, 1, 0, 0]
    assert rig["intent"]["accelerating"] == 1
    assert rig["wheel"]["omega"][0] == pytest.approx(2.4)


@pytest.mark.covers("PX-DIRECT-02")
def test_wheel_with_negative_torque_turns_backwards():
    omega = direct(2, 1.0, [500.0, -500.0, 500.0, -500.0])["wheel"]["omega"]
    assert omega[0] > 0 > omega[1]


@pytest.mark.covers("PX-DIRECT-03")
@pytest.mark.parametrize("gear, sign", [(0, -1), (1, 0), (2, 1), (5, 1), (255, 1)])
def test_direction_follows_the_gear(gear, sign):
    rig = direct(gear, 1.0, [700.0] * 4)
    assert rig["direct_drive"]["torque"][:4].tolist() == [sign * 700.0] * 4
    assert rig["intent"]["accelerating"] == abs(sign)
