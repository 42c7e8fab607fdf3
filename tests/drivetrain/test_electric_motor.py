"""The electric motor on a bench: torque envelope, electrical power, regeneration; and swapped into a car."""

import numpy as np
import pytest
from drivetrain_rig import engine_rig, in_gear

from driving_sandbox.physics.drivetrain.electric_motor import ELECTRIC_MOTOR, envelope
from driving_sandbox.physics.tick.commands import FIRST, NEUTRAL
from driving_sandbox.physics.vehicle.swap import inverse_swap, plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

MOTOR = {"peak_torque": 300.0, "power": 90e3, "max_omega": 1200.0, "drag": 0.0, "inertia": 0.05}


def motor(gear=2, omega=0.0, throttle=1.0, wheels=0.0, **values):
    """The bench with a motor, after one tick in which no speed changes."""
    rig = engine_rig(components=[ELECTRIC_MOTOR], engine={**MOTOR, **values})
    in_gear(rig, gear, omega=wheels, engine=omega)
    rig["command"]["throttle"] = throttle
    rig.tick(dt=1e-9, substeps=1)
    return rig


@pytest.mark.parametrize("peak_torque, power", [(300.0, 90e3), (200.0, 120e3)])
def test_the_motor_has_constant_torque_then_constant_power(peak_torque, power):
    base = power / peak_torque
    for omega in (0.0, 0.5 * base, 0.99 * base, 1.01 * base, 1.7 * base, 1190.0):
        torque = motor(omega=omega, peak_torque=peak_torque, power=power)["engine"]["torque"]
        assert torque == pytest.approx(peak_torque if omega < base else power / omega, rel=1e-12)
        half = motor(omega=omega, peak_torque=peak_torque, power=power, throttle=0.5, regeneration=0.0)
        assert half["engine"]["torque"] == pytest.approx(0.5 * torque)


@pytest.mark.parametrize("efficiency", [0.8, 0.95])
@pytest.mark.parametrize("throttle", [1.0, 0.0])
def test_electrical_power_is_mechanical_over_efficiency(efficiency, throttle):
    engine = motor(omega=600.0, throttle=throttle, efficiency=efficiency, regeneration=0.4)["engine"]
    mechanical = engine["torque"] * 600.0
    assert mechanical == pytest.approx(90e3 if throttle else -0.4 * 90e3)
    expected = mechanical / efficiency if throttle else mechanical * efficiency
    assert engine["electrical_power"] == pytest.approx(expected, rel=1e-9)


LOSSES = {  # {parameter: loss at a torque (N m) and speed (rad/s) for a parameter of 1, W}
    "copper_loss": lambda torque, omega: torque * torque, "iron_loss": lambda torque, omega: abs(omega),
    "windage_loss": lambda torque, omega: abs(omega) ** 3, "constant_loss": lambda torque, omega: 1.0,
}  # fmt: skip
TYPICAL = {"copper_loss": 0.3, "iron_loss": 0.8, "windage_loss": 5e-6, "constant_loss": 600.0}


@pytest.mark.parametrize("factor", [1.0, 2.0])
@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("omega, throttle", [(600.0, 1.0), (600.0, 0.0), (150.0, 0.5), (-100.0, 1.0), (0.0, 1.0)])
def test_each_loss_adds_its_power_whether_the_motor_drives_or_brakes(name, factor, omega, throttle):
    without = motor(omega=omega, throttle=throttle)["engine"]
    engine = motor(omega=omega, throttle=throttle, **{name: factor * TYPICAL[name]})["engine"]
    expected = factor * TYPICAL[name] * LOSSES[name](float(engine["commanded_torque"]), omega)
    assert engine["commanded_torque"] == without["commanded_torque"]
    assert engine["electrical_power"] - without["electrical_power"] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("copper_loss", [0.1, 0.3])
def test_the_map_is_best_between_low_and_high_torque(copper_loss):
    """At one speed the best torque is where losses by torque squared equal those that do not depend on it."""
    omega, constant = 300.0, 900.0
    best = np.sqrt(constant / copper_loss)

    def efficiency(torque):
        values = {"copper_loss": copper_loss, "constant_loss": constant, "efficiency": 1.0}
        engine = motor(omega=omega, throttle=torque / 300.0, regeneration=0.0, **values)["engine"]
        return engine["torque"] * omega / engine["electrical_power"]

    assert efficiency(best) == pytest.approx(best * omega / (best * omega + 2.0 * constant))
    assert efficiency(best) > max(efficiency(0.8 * best), efficiency(1.25 * best))


@pytest.mark.parametrize("regeneration", [0.1, 0.5])
def test_lifted_pedal_brakes_by_a_share_of_peak_torque_that_fades_near_rest(regeneration):
    for omega, fade in ((200.0, 1.0), (-200.0, -1.0), (20.0, 0.5), (0.0, 0.0)):
        torque = motor(omega=omega, throttle=0.0, regeneration=regeneration, fade_omega=40.0)["engine"]["torque"]
        assert torque == pytest.approx(-regeneration * 300.0 * fade)
    wide_fade = motor(omega=20.0, throttle=0.0, regeneration=regeneration, fade_omega=80.0)["engine"]["torque"]
    assert wide_fade == pytest.approx(-regeneration * 300.0 * 0.25)
    assert motor(gear=1, omega=200.0, throttle=0.0, regeneration=regeneration)["engine"]["torque"] == 0.0  # neutral


def test_the_torque_curve_parameter_is_the_envelope():
    """The curve, which other parts of the program read, is within 2 % of the envelope at 41 speeds."""
    for values in ({}, {"power": 40e3}):
        p = motor(**values)["engine_params"]
        x, y = p["torque_curve"]["x"], p["torque_curve"]["y"]
        for ratio in np.linspace(0.0, 1.0, 41):
            curve = p["peak_torque"] * np.interp(ratio, x, y)
            assert curve == pytest.approx(envelope(p, ratio * 1200.0), rel=0.02)
        assert p["idle_omega"] == -1200.0  # the largest speed in reverse: a motor has no idle speed


@pytest.mark.parametrize("drag", [0.01, 0.05])
def test_drag_slows_a_free_motor(drag):
    rig = engine_rig(components=[ELECTRIC_MOTOR], engine={**MOTOR, "drag": drag})
    in_gear(rig, NEUTRAL, engine=800.0)
    for _ in range(1000):  # ticks: 1 s
        rig.tick(dt=0.001, substeps=1)
    assert rig["engine"]["omega"] == pytest.approx(800.0 * np.exp(-drag / 0.05), rel=1e-3)


def coast(dt, seconds=1.5, **values):
    """(energy lost by wheels and motor, J; energy returned to the battery, J; motor speed, rad/s) of a coast."""
    rig = engine_rig(components=[ELECTRIC_MOTOR], engine={**MOTOR, **values}, inertia=20.0, clutch={"strength": 1000.0})
    in_gear(rig, FIRST, omega=40.0, engine=640.0)
    start = energy(rig)
    for _ in range(round(seconds / dt)):
        rig.tick(dt=dt, substeps=1)
    return start - energy(rig), -rig["engine"]["drawn_energy"], rig["engine"]["omega"]


def energy(rig):
    """Kinetic energy of wheels and motor, J."""
    wheels = 0.5 * (rig["wheel_params"]["inertia"] * rig["wheel"]["omega"] ** 2).sum()
    return wheels + 0.5 * MOTOR["inertia"] * rig["engine"]["omega"] ** 2


@pytest.mark.parametrize("efficiency", [0.9, 0.7])
def test_the_battery_gets_the_lost_energy_times_the_efficiency(efficiency):
    lost, returned, _ = coast(1 / 8000, efficiency=efficiency, regeneration=0.3)
    assert lost > 20e3
    assert returned == pytest.approx(efficiency * lost, rel=2e-3)


@pytest.mark.parametrize("factor", [1.0, 2.0])
def test_the_battery_gets_the_lost_energy_less_the_map_of_losses(factor):
    """The map changes no motion, only what comes back: by the loss at each tick's torque and speed."""
    dt, seconds = 1 / 4000, 1.0
    _, ideal, speed = coast(dt, seconds, regeneration=0.3)
    losses = {name: factor * value for name, value in TYPICAL.items()}
    _, returned, speed_with = coast(dt, seconds, regeneration=0.3, **losses)
    assert speed_with == speed
    rig = engine_rig(components=[ELECTRIC_MOTOR], engine={**MOTOR, "regeneration": 0.3}, inertia=20.0,
                     clutch={"strength": 1000.0})  # fmt: skip
    in_gear(rig, FIRST, omega=40.0, engine=640.0)
    lost = 0.0
    for _ in range(round(seconds / dt)):
        omega = float(rig["engine"]["omega"])
        rig.tick(dt=dt, substeps=1)
        torque = float(rig["engine"]["commanded_torque"])
        lost += dt * sum(losses[name] * law(torque, omega) for name, law in LOSSES.items())
    assert lost > 1e3 * factor
    assert ideal - returned == pytest.approx(lost, rel=1e-6)


def test_a_coast_converges_with_the_step():
    coasts = [coast(dt, regeneration=0.3) for dt in (1 / 16000, 1 / 250, 1 / 500, 1 / 1000)]
    fine, *coarse = (speed for _, _, speed in coasts)
    errors = [abs(speed - fine) for speed in coarse]
    assert errors[0] > errors[1] > errors[2]
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.4)


def test_speed_is_limited_in_both_directions():
    for omega in (5000.0, -5000.0):
        rig = engine_rig(components=[ELECTRIC_MOTOR], engine=MOTOR)
        rig["engine"]["omega"] = omega
        rig.run(rig.each_tick, 1e-9)
        assert rig["engine"]["omega"] == np.sign(omega) * 1200.0


def test_an_engine_is_unchanged_after_a_motor_was_swapped_in_and_out():
    """The motor takes over the engine's torque and largest speed. The engine that comes back has all its values."""
    car = load_vehicle("roadster_simple")
    before = inverse_swap(car, "engine")
    electric = swapped_vehicle(car, plan_swap(car, "engine", "electric_motor"))
    assert electric.get("engine.peak_torque") == 149.0 and electric.get("engine.idle_omega") == -754.0
    restored = swapped_vehicle(electric, plan_swap(electric, "engine", "torque_curve", remembered=(before.values,) * 2))
    assert restored.values() == car.values()
