"""Components that extend a vehicle: a bump stop, ground by formula, a motor with its own torque rule."""

import math

import numpy as np
import pytest
import yaml
from drive_rig import GRAVITY, Drive
from naive_ground import box_mesh
from plain_tires import on_plain_tires
from row_rig import NO_AIR, WHEELS, call, each_wheel, roll_and_pitch, rolling

from driving_sandbox.physics.ground.ground import Ground, Plane, plane_ground
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.tick.commands import FIRST
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle, load_vehicle_text, vehicle_text

EXAMPLE = ROOT / "docs" / "examples" / "electric_buggy.yaml"


def buggy(components, **sections):
    """The buggy with other components ({slot: name}) and replaced sections of its file.

    The slots' own sections are left out, except for the suspension's.
    """
    doc = yaml.safe_load(vehicle_text(on_plain_tires("buggy")))
    doc["components"] = {"tire": "combined_slip", **components}
    for slot in components:
        if slot != "suspension":
            doc.pop(slot, None)
    doc.update(sections)
    return load_vehicle_text(yaml.safe_dump(doc), "own.yaml")


# ---- bump stop


def on_bump_stop(**values):
    """The buggy with bump stops that begin at 0.6 of the travel."""
    vehicle = buggy({"suspension": "bump_stop"})
    vehicle.set_many({**NO_AIR, "contact.suspension_limit": "none",
                      **each_wheel("suspension", bump_start=0.6, bump_force=30e3), **values})  # fmt: skip
    return vehicle


@pytest.mark.covers("PX-SUSP-02")
def test_the_bump_stop_has_no_force_before_its_start_and_a_progressive_force_beyond():
    vehicle = on_bump_stop(**each_wheel("suspension", damping=0.0))
    drive = Drive(vehicle).run(1.0)
    travel, stiffness = vehicle.get("suspension.fl.travel"), vehicle.get("suspension.fl.stiffness")
    assert drive.wheels("suspension", "jounce").max() < 0.6 * travel
    state = vehicle.state["suspension"][0]

    def bump_stop_force(share):
        """Force beyond that of the spring, N, at a share of the travel."""
        state["jounce"][:4], state["jounce_speed"][:4], state["on_ground"][:4] = share * travel, 0.0, 1
        call(vehicle, "suspension", "line_force")
        call(vehicle, "suspension", "force")
        return float(state["force"][0]) - stiffness * share * travel

    force = np.array([bump_stop_force(s) for s in np.linspace(0.0, 0.6, 13)])
    assert np.abs(force).max() < 30.0  # not exactly 0: the body is slightly inclined
    force = np.array([bump_stop_force(s) for s in np.linspace(0.6, 0.98, 20)])
    assert np.all(np.diff(force, 2) > 0.0) and force[-1] > 10.0 * 30e3
    # half way from its start to full travel: a quarter of `bump_force`
    assert bump_stop_force(0.8) == pytest.approx(30e3 / 4.0, rel=0.01)
    vehicle.set_many(each_wheel("suspension", bump_force=0.0))
    assert abs(bump_stop_force(0.95)) < 30.0


@pytest.mark.covers("PX-SUSP-02")
@pytest.mark.parametrize("height", [0.08, 0.12])
def test_a_kerb_strike_stays_within_the_travel(height):
    """At 12 m/s with substeps of 1/240 s jounce stays below full travel. Without bump stops tires enter the kerb."""

    def separation_and_jounce(d):
        return d.wheels("suspension", "separation"), d.wheels("suspension", "jounce")

    extremes = {}  # {bump_force: (smallest separation from the road, largest jounce), m}
    for force in (30e3, 0.0):
        kerb = box_mesh("kerb", (-20.0, 8.0, -1.0), (20.0, 200.0, height))
        vehicle = on_bump_stop(**each_wheel("suspension", bump_force=force, travel=0.2))
        drive = Drive(vehicle, Ground(Plane(0.0), [kerb]))
        drive.world.context["substep_count"] = 1
        drive.run(2.0)
        rolling(drive, 12.0)
        log = drive.log(1.0, separation_and_jounce, every=1 / 240)
        assert drive.position[1] > 10.0
        extremes[force] = log[:, 0].min(), log[:, 1].max()
    assert extremes[30e3][0] >= 0.0 and 0.6 * 0.2 < extremes[30e3][1] < 0.2
    assert extremes[0.0][0] < -0.001, extremes


# ---- ground by formula


@pytest.mark.covers("PX-QUERY-03")
def test_a_plane_and_waves_by_formula_carry_the_same_vehicle():
    """The world's own ground is 500 m below. On a flat formula loads and height are those on a plane. On a slope the
    vehicle is inclined as the slope is, and on waves it rises and falls with them."""
    usual = Drive(on_plain_tires("buggy"), plane_ground(), values=NO_AIR).run(3.0, brake=1.0)
    vehicle = buggy({"road": "formula"})
    vehicle.set_many({**NO_AIR, "road.height": 0.0, "road.friction": 0.95})

    def on_formula(**values):
        vehicle.set_many({f"road.{key}": value for key, value in values.items()})
        drive = Drive(vehicle, Ground(Plane(-500.0)), position=(0.0, 0.0, 0.02))
        return drive.run(3.0, brake=1.0)

    flat = on_formula()
    assert flat.wheels("suspension", "force") == pytest.approx(usual.wheels("suspension", "force"), rel=1e-3)
    assert flat.position[2] == pytest.approx(usual.position[2], abs=1e-4)
    assert np.all(flat.wheels("tire", "friction") == pytest.approx(0.95, rel=0.2))
    flat.run(2.0, throttle=0.4, gear=FIRST)
    assert flat.speed > 3.0 and flat.run(3.0, brake=1.0).speed < 0.05

    tilted = on_formula(rise_ahead=0.1)
    assert roll_and_pitch(tilted)[1] == pytest.approx(math.sin(math.atan(0.1)), abs=0.01)
    total = tilted.wheels("suspension", "force").sum()
    assert total == pytest.approx(720.0 * GRAVITY * math.cos(math.atan(0.1)), rel=0.005)

    waves = on_formula(rise_ahead=0.0, wave=0.15, wave_length=24.0)
    rolling(waves, 5.0)
    log = waves.log(6.0, lambda d: (d.position[1], d.position[2]), every=0.02, throttle=0.15, gear=FIRST)
    y, z = log[100:].T
    expected = 0.15 * np.sin(2.0 * math.pi * y / 24.0)
    assert np.ptp(y) > 20.0 and np.corrcoef(z, expected)[0, 1] > 0.95
    assert np.ptp(z) == pytest.approx(0.3, rel=0.25)


# ---- a motor with its own rule


@pytest.mark.covers("PX-LEG-02")
def test_a_motor_with_a_torque_rule_of_its_own():
    """It has full torque from rest, then power divided by speed, and less when hot; the buggy drives with it."""
    vehicle = load_vehicle(EXAMPLE, trust=lambda path: path.name == "electric_motor.py")
    vehicle.set_many(NO_AIR)
    drive = Drive(vehicle).run(2.0)
    torque, wheel_speeds = [], (0.0, 20.0, 40.0, 80.0, 120.0)
    for omega in wheel_speeds:
        vehicle.state["wheel"][0]["omega"][:4] = omega
        vehicle.state["response"][0]["throttle"], vehicle.state["input"][0]["gear"] = 1.0, 2
        call(vehicle, "direct_drive")
        torque.append(vehicle.state["direct_drive"][0]["torque"][:4].copy())
    torque = np.array(torque)
    assert torque[0] == pytest.approx([300.0, 300.0, 520.0, 520.0])
    for k, omega in enumerate(wheel_speeds[1:], 1):
        assert torque[k] == pytest.approx([min(300.0, 15e3 / omega)] * 2 + [min(520.0, 30e3 / omega)] * 2)
    drive = Drive(vehicle).run(1.0)
    speeds = drive.log(9.0, lambda d: d.speed, every=0.5, throttle=1.0, gear=FIRST)
    gains = np.diff(speeds)
    assert speeds[-1] > 20.0 and gains[0] > 2.0 * gains[-1]  # limited by power at high speed
    temperatures = drive.wheels("direct_drive", "temperature")
    assert np.all(temperatures > 0.0) and temperatures[2] > temperatures[0]
    vehicle.state["direct_drive"][0]["temperature"][:4] = 110.0  # K above the air: a quarter of the torque is left
    call(vehicle, "direct_drive")
    hot = vehicle.state["direct_drive"][0]["torque"][:4].copy()
    vehicle.state["direct_drive"][0]["temperature"][:4] = 0.0
    call(vehicle, "direct_drive")
    assert hot == pytest.approx(vehicle.state["direct_drive"][0]["torque"][:4] * 0.25, rel=0.02)
    with pytest.raises(SchemaError, match="must be hotter than derate_from"):
        vehicle.set_many({f"direct_drive.{w}.derate_to": 70.0 for w in WHEELS})
