"""The worked examples of the documentation drive, and their components behave as their texts say."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from drive_rig import Drive

from driving_sandbox.physics.kernel.jit import JIT, ROOT
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST
from driving_sandbox.physics.vehicle.component_file import load_component_file
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.wheel.wheel import WHEEL

EXAMPLES = ROOT / "docs" / "examples"
NAMES = ("lowrider", "magic_formula_roadster", "viscous_hatchback")


def example(name, **values):
    """Vehicle of an example; values: parameters, with "__" for the dots of their paths."""
    vehicle = load_vehicle(EXAMPLES / f"{name}.yaml", trust=lambda path: path.parent == EXAMPLES)
    vehicle.set_many({path.replace("__", "."): value for path, value in values.items()})
    return vehicle


@pytest.mark.parametrize("name", NAMES)
def test_the_example_drives(name):
    """From rest to a speed of 36 to 162 km/h, through a bend to the right, and back to rest."""
    drive = Drive(example(name)).run(0.5)
    drive.run(5.0, throttle=0.8, gear=AUTOMATIC)
    assert 10.0 < drive.speed < 45.0
    before = drive.position[0]
    drive.run(1.5, throttle=0.2, steer=0.3, gear=AUTOMATIC)
    assert drive.position[0] > before + 0.5  # + is right
    drive.run(6.0, brake=1.0, gear=AUTOMATIC)
    assert abs(drive.speed) < 0.1


@pytest.mark.parametrize("name", NAMES)
def test_parameters_of_the_example_are_documented_and_reachable(name):
    """The component has channels, too, and loading the file again reuses the compiled sequence."""
    vehicle = example(name)
    slot = {"lowrider": "suspension", "magic_formula_roadster": "tire", "viscous_hatchback": "limited_slip"}[name]
    component = vehicle.sequence.by_slot[slot]
    assert all(f.doc for f in component.params.fields.values())
    parameters = [p for p in vehicle.parameters() if p.slot == slot and not p.field.derived]
    assert {p.field.name for p in parameters} == {f.name for f in component.params.fields.values() if not f.derived}
    assert any(c.slot == slot for c in vehicle.channels())
    reloaded = load_vehicle(EXAMPLES / f"{name}.yaml", trust=lambda path: True)
    assert reloaded.sequence is vehicle.sequence


# ---- lowrider

SAMPLE = 1.0 / 60.0  # s, four ticks


def heights(vehicle, seconds=6.0):
    """[n, 2] height, m, and pitch, rad, of the car standing on its handbrake, every SAMPLE, after two seconds."""
    drive = Drive(vehicle).run(2.0, handbrake=1.0)
    return drive.log(seconds, lambda d: (d.body("position")[2], 2.0 * d.body("orientation")[0]), SAMPLE, handbrake=1.0)


def strongest(signal, every=SAMPLE):
    """(frequency in Hz, amplitude) of the strongest component of a signal's spectrum; every: s between samples."""
    signal = signal - signal.mean()
    amplitudes = np.abs(np.fft.rfft(signal * np.hanning(len(signal)))) * 4.0 / len(signal)  # 4: Hann window
    peak_index = int(amplitudes.argmax())
    return peak_index / (len(signal) * every), float(amplitudes[peak_index])


@pytest.mark.covers("PX-SNIP-05", "PX-ARCH-01")
def test_the_lowrider_bounces_and_pitches_by_its_phase():
    """The phases of its rams decide the motion:

    With all rams in phase the body heaves at their frequency, with the amplitude given by springs, dampers and mass
    (within 20 %). With the file's phases it pitches. With the pump off it is at rest.
    """
    wheels = ("fl", "fr", "rl", "rr")
    force, frequency = 900.0, 1.0
    in_phase = {f"suspension.{w}.{k}": v for w in wheels for k, v in
             (("ram_phase", 0.0), ("ram_force", force), ("ram_frequency", frequency))}  # fmt: skip
    car = example("lowrider", **in_phase)
    log = heights(car)
    peak, amplitude = strongest(log[:, 0])
    assert peak == pytest.approx(frequency, abs=0.1)
    k = sum(car.get(f"suspension.{w}.stiffness") for w in wheels)
    c = sum(car.get(f"suspension.{w}.damping") for w in wheels)
    mass, rate = car.get("body.mass"), 2.0 * math.pi * frequency
    expected = 4.0 * force / math.hypot(k - mass * rate**2, c * rate)
    assert amplitude == pytest.approx(expected, rel=0.2)
    doubled = in_phase | {f"suspension.{w}.ram_frequency": 2.0 * frequency for w in wheels}
    peak, _ = strongest(heights(example("lowrider", **doubled))[:, 0])
    assert peak == pytest.approx(2.0, abs=0.1)

    pitching = heights(example("lowrider", **{f"suspension.{w}.ram_force": force for w in wheels}))
    (_, large), (_, small) = strongest(pitching[:, 1]), strongest(log[:, 1])
    assert large > 3.0 * small
    off = {f"suspension.{w}.hydraulics": False for w in wheels}
    assert np.ptp(heights(example("lowrider", **off))[:, 0]) < 2e-4


# ---- Magic Formula


def formula():
    """The module of the example tire."""
    return load_component_file(EXAMPLES / "magic_formula_tire.py")


class Forces(NamedTuple):
    """Forces, N, and aligning moment, N m, of a tire."""

    longitudinal: float
    lateral: float
    moment: float


def forces(p, kappa=0.0, alpha=0.0, camber=0.0, friction=1.0, load=3000.0):
    """Forces of the example tire by `combined_force`; angles in rad, load in N."""
    return Forces(*formula().combined_force(p, kappa, alpha, camber, friction, load))


@pytest.fixture(scope="module")
def tire():
    """Parameters of a tire, as a record with attributes."""
    vehicle = example("magic_formula_roadster")
    return for_kernel(vehicle.params["tire"][0])[0]


def for_kernel(records):
    """A record array as passed to kernels, compiled or not."""
    return records if JIT else records.view(np.recarray)


def naive_curve(shape, peak, stiffness, curvature, slip):
    """The formula as in the book."""
    b = stiffness / (shape * peak)
    return peak * math.sin(shape * math.atan(b * slip - curvature * (b * slip - math.atan(b * slip))))


@pytest.mark.parametrize("load", [1000.0, 3000.0, 6000.0])
def test_pure_slip_is_the_books_formula_in_its_units(tire, load):
    """The book's formula is written out here, with load in kN, and slip in percent and degrees."""
    kn = load / 1000.0
    for kappa in (-0.3, -0.02, 0.01, 0.05, 0.12, 1.0):
        stiffness = 262.0 * kn * math.exp(-0.06 * kn)
        expected = naive_curve(1.6, kn * (1190.0 - 32.0 * kn), stiffness, 0.3, 100.0 * kappa)
        assert forces(tire, kappa=kappa, load=load).longitudinal == pytest.approx(expected, rel=1e-12)
    for alpha in (-0.2, -0.01, 0.02, 0.1, 0.5):
        stiffness = 1380.0 * math.sin(2.0 * math.atan(kn / 5.8))
        expected = -naive_curve(1.4, kn * (1190.0 - 42.0 * kn), stiffness, 0.2 - 0.3 * kn, math.degrees(alpha))
        assert forces(tire, alpha=alpha, load=load).lateral == pytest.approx(expected, rel=1e-12)


def test_the_example_tire_has_realistic_forces(tire):
    """Peak friction is 0.95 to 1.2 and decreases with load, forces oppose slip, and combined forces are at most 2 %
    above the longitudinal peak."""
    peak = max(forces(tire, kappa=k).longitudinal for k in np.linspace(0, 1, 400)) / 3000.0
    assert 0.95 < peak < 1.2
    assert max(forces(tire, kappa=k, load=6000.0).longitudinal for k in np.linspace(0, 1, 400)) / 6000.0 < peak
    assert max(forces(tire, kappa=k, friction=0.3).longitudinal for k in np.linspace(0, 1, 400)) == pytest.approx(
        0.3 * peak * 3000.0, rel=1e-3
    )
    dry, wet = (forces(tire, kappa=0.001, friction=friction).longitudinal for friction in (1.0, 0.3))
    assert wet == pytest.approx(dry, rel=0.02)
    assert forces(tire, camber=0.05).lateral > 0.0 and forces(tire, alpha=0.05).lateral < 0.0
    for kappa in np.linspace(-1, 1, 21):
        for alpha in np.linspace(-0.6, 0.6, 21):
            fx, fy, _ = forces(tire, kappa=kappa, alpha=alpha)
            assert math.hypot(fx, fy) <= 1.02 * peak * 3000.0
            assert fx * kappa >= 0.0 and fy * alpha <= 0.0
    braked = forces(tire, kappa=-0.3, alpha=0.05)
    assert abs(braked.lateral) < 0.5 * abs(forces(tire, alpha=0.05).lateral)
    assert forces(tire, kappa=0.1, load=0.0) == (0.0, 0.0, 0.0)


def test_wrong_sets_of_coefficients_are_refused():
    with pytest.raises(SchemaError, match="needs the 14 numbers b0 to b13, not 3"):
        example("magic_formula_roadster", tire__fl__longitudinal=[1.6, -30.0, 1200.0])
    with pytest.raises(SchemaError, match="a0 .shape., a2"):
        example("magic_formula_roadster", tire__fl__lateral=[0.0] * 18)


# ---- viscous coupling


def test_the_coupling_drives_the_rear_wheels():
    """At full throttle from rest the rear wheels are driven, and the front ones spin less than without."""
    results = {}  # viscosity: (mean slip of the front wheels, of the rear wheels, speed, torque of the coupling)
    for viscosity in (0.0, 60.0):
        drive = Drive(example("viscous_hatchback", limited_slip__viscosity=viscosity)).run(0.3)
        drive.run(1.0, throttle=1.0, gear=FIRST)
        slip = drive.wheels("tire", "longitudinal_slip")
        torque = drive.vehicle.read("limited_slip.torque")
        results[viscosity] = slip[:2].mean(), slip[2:].mean(), drive.speed, torque
    assert results[0.0][3] == 0.0 and results[60.0][3] > 100.0
    assert results[60.0][1] > 0.01 > results[0.0][1]  # the rear tires drive
    assert results[60.0][0] < results[0.0][0]
    assert results[60.0][2] > results[0.0][2] * 1.1  # and the car is faster


@pytest.mark.parametrize("dt", [1e-4, 1e-2, 1.0])
def test_the_coupling_conserves_momentum(dt):
    """For any step length the speed difference decreases without changing sign, and the sum of I w is constant."""
    module = load_component_file(EXAMPLES / "viscous_coupling.py")
    params = np.zeros(1, module.ViscousParams.dtype)
    module.ViscousParams.defaults(params[0])
    params["max_torque"] = 1e9
    state, wheel = np.zeros(1, module.ViscousState.dtype), np.zeros(20, WHEEL.state.dtype)
    wheel_params = np.zeros(20, WHEEL.params.dtype)
    wheel_params["inertia"] = 1.5
    wheel["omega"][:4] = (40.0, 30.0, 5.0, 15.0)
    momentum = float((wheel["omega"] * 1.5).sum())
    module.update(for_kernel(params)[0], for_kernel(state)[0], for_kernel(wheel), for_kernel(wheel_params), dt)
    front, rear = wheel["omega"][:2].mean(), wheel["omega"][2:4].mean()
    assert 0.0 <= front - rear < 25.0
    assert float((wheel["omega"] * 1.5).sum()) == pytest.approx(momentum, rel=1e-12)
    if dt == 1e-4:
        # default viscosity and exponent of the coupling, and the speed difference at first, rad/s
        assert float(state["torque"][0]) == pytest.approx(60.0 * 25.0**0.7, rel=0.01)
