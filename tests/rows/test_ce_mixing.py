"""Components of the patrol car in other vehicles: the vehicles drive, and mixes that cannot drive are refused."""

import re

import numpy as np
import pytest
from drive_rig import Drive
from patrol_rig import record, roll
from plain_tires import plain_text

from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.tick.binding import SequenceError
from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST, NEUTRAL
from driving_sandbox.physics.vehicle.swap import choices, plan_swap
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER, load_vehicle_text

# components that the clubsport's file has values for
BUSHES = "compliance: graphs_and_bushes, steering_column: kingpin_torque"


def mixed(base, components, **sections):
    """A shipped vehicle with other components and replaced sections (None: removed); tire and body may stay."""
    content = plain_text(base)
    for slot, name in (("tire", "combined_slip"), ("body", "rigid")):
        if f"{slot}:" not in components and f"{slot}: {name}" in content:
            components += f", {slot}: {name}"
    for name in ("components", *sections):
        content = re.sub(rf"^{name}:.*\n(?:[ #].*\n|\n(?=  ))*", "", content, flags=re.MULTILINE)
    content += f"\ncomponents: {{{components}}}\n"
    content += "".join(f"{name}: {text}\n" for name, text in sections.items() if text is not None)
    return load_vehicle_text(content, str(VEHICLE_FOLDER / "mixed.yaml"))


def test_a_car_with_an_inertial_engine_drives_on_parts_of_the_patrol_car():
    vehicle = mixed(
        "roadster_simple",
        "clutch: automatic, suspension: authored_pose, antiroll: stabilizer, wheel: cylinder_of_mesh, body: euler, "
        "steering: ahead_of_mass, differential: driving_wheels",
        suspension="{all: {place_from: model, len_max: 0.42, damping: -0.4}, rear: {axle: 1}}",
        antiroll="{stabilizer: 0.5}", wheel="{all: {mass: 16}}", differential="{rear: {driving: true}}",
        steering="{all: {max_steer: 30, max_steer_v0: 30, max_steer_kv: -0.5, steer_speed: 60}}",
    )  # fmt: skip
    assert vehicle.get("wheel.fl.radius") == pytest.approx(0.289, rel=0.02)
    d = Drive(vehicle).run(1.0)
    assert np.abs(d.wheels("suspension", "jounce") - (0.42 - 0.32)).max() < 0.03  # the modelled springs are 0.30 m long
    rows = record(d, 5.0, "response.speed", "steering.fl.angle", throttle=1.0)
    assert rows[-1, 0] > 12.0
    d.run(1.0, gear=AUTOMATIC, throttle=0.3, steer=1.0)
    assert d.wheels("steering", "angle")[0] < -0.1 and d.wheels("steering", "angle")[2:].tolist() == [0.0, 0.0]
    d.run(4.0, gear=AUTOMATIC, brake=1.0)
    assert abs(d.speed) < 0.05


def test_a_direct_drive_buggy_drives_on_coulomb_tires_with_brakes_that_lock():
    vehicle = mixed(
        "buggy", "tire: coulomb, brakes: footbrake_and_lock, drivetrain: direct_coulomb_brakes, input: raw",
        tire="{all: {dyn_friction_ratio: 0.8}}", input=None,
        brakes="{all: {brake_torque: 900, axle_friction: 10}, rear: {can_brake: true}}",
    )  # fmt: skip
    d = Drive(vehicle).run(1.0)
    d.run(3.0, gear=FIRST, throttle=1.0)
    assert d.speed > 8.0 and (d.wheels("wheel", "omega") > 20.0).all()
    roll(d, 15.0).run(1.0 / 240.0, gear=NEUTRAL)
    d.run(0.2, gear=NEUTRAL, handbrake=1.0)
    omega = d.wheels("wheel", "omega")
    assert (omega[2:] == 0.0).all() and (omega[:2] > 10.0).all()
    d.run(5.0, gear=NEUTRAL, brake=1.0)
    assert d.log(1.0, lambda d: d.speed, gear=NEUTRAL, brake=1.0) == pytest.approx(0.0, abs=1e-3)


def test_a_gearbox_that_changes_through_neutral_works_in_the_patrol_car():
    vehicle = mixed("patrol", "gearbox: neutral_during_change",
                    gearbox="{ratios: [-12.5, 0, 13.5, 8.2, 5.6, 4.2], final_ratio: 1, switch_time: 0.2}")  # fmt: skip
    rows = record(Drive(vehicle).run(1.0), 6.0, "gearbox.current_gear", "response.speed", gear=AUTOMATIC, throttle=1.0)
    gears = rows[:, 0].astype(int).tolist()
    assert rows[-1, 1] > 10.0 and max(gears) > FIRST
    second = gears.index(FIRST + 1)
    neutral = gears[:second][::-1].index(FIRST)  # ticks in neutral between first and second
    assert neutral == pytest.approx(0.2 * 240.0, abs=2.0) and set(gears[second - neutral : second]) == {NEUTRAL}


INERTIAL = (
    "{power: 9e4, max_omega: 600, idle_omega: 80, inertia: 0.2, damping_full_throttle: 0.1, "
    "damping_zero_throttle_clutch_engaged: 0.1, damping_zero_throttle_clutch_disengaged: 0.1}"
)


@pytest.mark.parametrize(
    ("base", "components", "sections", "says"),
    [
        ("roadster_simple", "drivetrain: rigid_engine", {},
         "components.drivetrain: .*phase torque, which .* engine_drive"),
        ("roadster_simple", "actuation: rigid_engine", {}, "actuation.rigid_engine: needs the component drivetrain"),
        ("roadster_simple", "actuation: undriven", {}, "actuation.undriven: .* nothing drives.*slot engine"),
        ("clubsport", "clutch: timed", {"clutch": "{}"}, "clutch.clutch_speed: .*rigid_engine; .*timed_torsion_damper"),
        ("buggy", "drivetrain: undriven_wheels", {}, "drivetrain.undriven_wheels: .*slot direct_drive"),
        ("roadster_simple", "engine: rigid_sine_power", {"engine": "{power: 9e4, max_omega: 600}"},
         "drivetrain.engine_clutch_wheels: needs engine.inertia, which engine: rigid_sine_power does not have"),
        ("patrol", "engine: sine_power", {"engine": INERTIAL},
         "drivetrain.rigid_engine: needs engine.held_omega in the state, which engine: sine_power does not have"),
    ],
)  # fmt: skip
def test_a_mix_that_cannot_drive_is_refused_with_a_reason(base, components, sections, says):
    # choices without which these vehicles could not be loaded
    usual = {"roadster_simple": "clutch: automatic, ", "clubsport": f"abs: velocity_ratio, {BUSHES}, "}.get(base, "")
    with pytest.raises(ConfigError, match=says):
        mixed(base, usual + components, **sections)


@pytest.mark.parametrize("base", ["buggy", "clubsport"])
def test_axle_friction_is_refused_where_it_would_hold_the_vehicle_for_ever(base):
    def with_axle_friction(friction):
        torques = f"{{all: {{brake_torque: 900, axle_friction: {friction}}}}}"
        links = f", {BUSHES}" if base == "clubsport" else ""
        return mixed(base, f"brakes: footbrake_and_lock{links}", brakes=torques, abs=None)

    with pytest.raises(ConfigError, match="brakes.axle_friction: must be 0 with drivetrain: .*a wheel cannot start"):
        with_axle_friction(5)
    assert Drive(with_axle_friction(0)).run(3.0, throttle=1.0, gear=FIRST).speed > 3.0


def test_components_that_the_sequence_of_a_car_would_run_only_in_part_are_not_offered():
    roadster = mixed("roadster_simple", "clutch: automatic")
    assert "rigid_engine" not in choices(roadster)["drivetrain"]
    with pytest.raises(SequenceError, match="phase torque"):
        plan_swap(roadster, "drivetrain", "rigid_engine")
    assert "neutral_during_change" in choices(mixed("patrol", "gearbox: instant"))["gearbox"]
