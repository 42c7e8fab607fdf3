"""Parts of the patrol car in other vehicles: each is chosen by its name, and the vehicle drives."""

import re

import numpy as np
import pytest
from drive_rig import Drive
from patrol_rig import WHEELS, record, roll

from physics.command.commands import NEUTRAL
from physics.vehicle_file import VEHICLE_FOLDER, load_vehicle_text


def mixed(base, components, **sections):
    """A shipped vehicle with components exchanged and sections replaced (None: taken out)."""
    words = (VEHICLE_FOLDER / f"{base}.yaml").read_text(encoding="utf8")
    for name in ("components", *sections):
        words = re.sub(rf"^{name}:.*\n(?:[ #].*\n|\n(?=  ))*", "", words, flags=re.MULTILINE)
    words += f"\ncomponents: {{{components}}}\n"
    words += "".join(f"{name}: {text}\n" for name, text in sections.items() if text is not None)
    return load_vehicle_text(words, str(VEHICLE_FOLDER / "mixed.yaml"))


def test_a_car_with_an_inertial_engine_on_parts_of_the_patrol_car():
    vehicle = mixed(
        "roadster",
        "clutch: automatic, suspension: authored_pose, antiroll: stabilizer, wheel: cylinder_of_mesh, body: euler, "
        "steering: ahead_of_mass, differential: driving_wheels",
        suspension="{all: {place_from: model, len_max: 0.42, damping: -0.4}, rear: {axle: 1}}",
        antiroll="{stabilizer: 0.5}", wheel="{all: {mass: 16}}", differential="{rear: {driving: true}}",
        steering="{all: {max_steer: 30, max_steer_v0: 30, max_steer_kv: -0.5, steer_speed: 60}}",
    )  # fmt: skip
    assert vehicle.get("wheel.fl.radius") == pytest.approx(0.289, rel=0.02)
    d = Drive(vehicle).run(1.0)
    assert np.abs(d.wheels("suspension", "jounce") - (0.42 - 0.32)).max() < 0.03
    rows = record(d, 5.0, "response.speed", "steering.fl.angle", throttle=1.0)
    assert rows[-1, 0] > 12.0
    d.run(1.0, gear=255, throttle=0.3, steer=1.0)
    assert d.wheels("steering", "angle")[0] < -0.1 and d.wheels("steering", "angle")[2:].tolist() == [0.0, 0.0]
    d.run(4.0, gear=255, brake=1.0)
    assert abs(d.speed) < 0.05


def test_a_direct_drive_buggy_on_dry_tires_with_brakes_that_lock():
    vehicle = mixed(
        "buggy", "tire: coulomb, brakes: footbrake_and_lock, input: raw",
        tire="{all: {dyn_friction_ratio: 0.8}}", input=None,
        brakes="{all: {brake_torque: 900, axle_friction: 10}, rear: {can_brake: true}}",
    )  # fmt: skip
    d = Drive(vehicle).run(1.0)
    d.run(3.0, gear=2, throttle=1.0)
    assert d.speed > 8.0
    roll(d, 15.0).run(1.0 / 240.0, gear=NEUTRAL)
    d.run(0.2, gear=NEUTRAL, handbrake=1.0)
    omega = d.wheels("wheel", "omega")
    assert (omega[2:] == 0.0).all() and (omega[:2] > 10.0).all() and len(omega) == len(WHEELS)
    d.run(5.0, gear=NEUTRAL, brake=1.0)
    assert d.log(1.0, lambda d: d.speed, gear=NEUTRAL, brake=1.0) == pytest.approx(0.0, abs=1e-3)
