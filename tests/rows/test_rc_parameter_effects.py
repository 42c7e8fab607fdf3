"""Every field of the clubsport's components changes its drive, tried as in tests/core/test_parameter_effects.py."""

import test_parameter_effects
from test_parameter_effects import TRAILER_OR_WALL_FIELDS, fields_without_effect

from driving_sandbox.game.controls.driver import HumanDriver, SpeedAndGear
from driving_sandbox.game.session.drivers import gearing_of
from driving_sandbox.physics.gearbox.timed_gearbox import LEVER_HELD
from driving_sandbox.physics.tick.commands import FIRST
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

FOUR_WHEEL_DRIVE = {"differential.driven": "four_wheel"}
NEEDS = {  # pattern of paths: values under which the field matters
    "abs.braking_factor": {"abs.mode": "axles", "abs.max_velocity_ratio": 1.1, "abs.min_velocity_ratio": 1.0},
    "body.principal_inertia": {"body.principal_inertia": [1500.0, 700.0, 1600.0], "body.inertia_from": "given"},
    "body.front_share": {"body.inertia_from": "axle_formula"},
    "body.roll_share": {"body.inertia_from": "axle_formula"},
    "steering_column.stiffness": {},
    "steering_column.*": {"steering_column.held": False},
    "body.inertia_from": {"body.principal_inertia": [1500.0, 700.0, 1600.0]},
    "differential.front_*": FOUR_WHEEL_DRIVE,
    "differential.center_ratio": FOUR_WHEEL_DRIVE,
    "limited_slip.front_locking": {**FOUR_WHEEL_DRIVE, "limited_slip.front_type": "viscous"},
    "limited_slip.front_type": FOUR_WHEEL_DRIVE,
    "limited_slip.front_*": {
        **FOUR_WHEEL_DRIVE,
        "limited_slip.front_type": "salisbury",
        "limited_slip.front_coast_angle": 0.5,
    },
    "limited_slip.rear_locking": {"limited_slip.rear_type": "viscous"},
    "limited_slip.rear_coast_angle": {"limited_slip.rear_coast_angle": 0.5},
    "limited_slip.center_locking": {**FOUR_WHEEL_DRIVE, "limited_slip.center_type": "viscous"},
    "limited_slip.center_type": FOUR_WHEEL_DRIVE,
    "limited_slip.center_*": {
        **FOUR_WHEEL_DRIVE,
        "limited_slip.center_type": "salisbury",
        "limited_slip.center_coast_angle": 0.5,
    },
    "engine.torque_reaction": {"body.crankshaft": [0.0, 0.0, 0.0]},
    "engine.stall_omega": {"clutch.auto_omega": 0.0},
    "engine.start*": {"clutch.auto_omega": 0.0, "engine.start_stalled": True},
    "engine.starter": {"clutch.auto_omega": 0.0, "engine.start_stalled": True},
    "brakes.*.handbrake_torque": {"brakes.fr.handbrake": True},
    "gearbox.cut_throttle": {"gearbox.blip_throttle": 0.0},
}
CHANGES = {  # pattern of paths: changed value
    "body.principal_inertia": [1800.0, 800.0, 1900.0],
    "body.front_share": 0.7,
    "engine.limiter_band": 60.0,
    "engine.stall_omega": 60.0,
    "engine.start_omega": 80.0,
    "gearbox.neutral_gear": 2,
    "gearbox.*_down": 0.3,
    "gearbox.time_in_neutral": 0.3,
    "limited_slip.*_clutches": 4,
    "autobox.up_omega": 600.0,
    "differential.front_left": 2,
    "differential.front_right": 3,
    "differential.rear_left": 0,
    "differential.rear_right": 1,
    "limited_slip.front_left": 2,
    "limited_slip.front_right": 3,
    "limited_slip.rear_left": 0,
    "limited_slip.rear_right": 1,
    "clutch.auto_omega": 0.0,
    "brakes.*.handbrake_torque": 300.0,
    "abs.max_velocity_ratio": 1.4,
    "abs.min_velocity_ratio": 1.1,
    "abs.largest_slip": 0.05,
}
SWAPPED_AXLES = {"front_left": 2, "front_right": 3, "rear_left": 0, "rear_right": 1}
TOGETHER = {  # path: all values that must change with it
    **{f"{slot}.{name}": {f"{slot}.{key}": wheel for key, wheel in SWAPPED_AXLES.items()}
       for slot in ("differential", "limited_slip") for name in SWAPPED_AXLES},
    "gearbox.neutral_gear": {"gearbox.neutral_gear": 2, "gearbox.ratios": [-4.0, -3.3, 0.0, 3.36, 2.09, 1.47, 1.15]},
    "body.principal_inertia": {"body.principal_inertia": [1800.0, 800.0, 1900.0], "body.inertia_from": "given"},
    "brakes.fr.handbrake": {f"brakes.{w}.handbrake": True for w in ("fl", "fr")},
}  # fmt: skip
SHOWN_ELSEWHERE = {  # fields whose effects the common drive cannot show, with the tests that do
    "steering_column.assist",  # torques that only the driver feels: test_steering_column.py
    "steering_column.assist_speed",
    "gearbox.fast",  # a held lever: test_rc_gearbox.py
    "gearbox.end_ratio",  # a differential without ratios: test_rc_driveline.py
}


def test_every_field_of_the_clubsports_components_changes_its_drive(monkeypatch):
    for name, clubsport_values in (("NEEDS", NEEDS), ("CHANGES", CHANGES), ("TOGETHER", TOGETHER)):
        other_patterns = {
            pattern: values
            for pattern, values in getattr(test_parameter_effects, name).items()
            if pattern not in clubsport_values
        }
        # the clubsport's patterns come first, because the first matching pattern counts
        monkeypatch.setattr(test_parameter_effects, name, {**clubsport_values, **other_patterns})
    ineffective = set(fields_without_effect("clubsport", min_count=130)) - {*TRAILER_OR_WALL_FIELDS, *SHOWN_ELSEWHERE}
    assert not ineffective, f"without any effect: {', '.join(sorted(ineffective))}"


def test_drivers_have_automatic_gears_only_if_the_gearbox_changes_by_itself():
    vehicle = load_vehicle("clubsport")
    assert gearing_of(vehicle).automatic_available
    vehicle.set("autobox.automatic", False)
    assert not gearing_of(vehicle).automatic_available


def test_a_held_shift_key_keeps_the_gearbox_in_neutral():
    vehicle = load_vehicle("clubsport")
    vehicle.set("autobox.automatic", False)
    driver = HumanDriver(gearing_of(vehicle))
    standing = SpeedAndGear(0.0, FIRST, FIRST)
    driver.held_actions = frozenset(("gear_up",))
    driver.press("gear_up")
    assert driver.command(standing, 0.01)["gear"][0] == FIRST + 1 + LEVER_HELD
    driver.held_actions = frozenset()
    assert driver.command(standing, 0.01)["gear"][0] == FIRST + 1
    other_driver = HumanDriver(gearing_of(load_vehicle("roadster_simple")))
    other_driver.press("toggle_automatic")
    other_driver.held_actions = frozenset(("gear_up",))
    assert other_driver.command(standing, 0.01)["gear"][0] == FIRST
