"""The kinds of vehicle of PhysX: torque at each wheel, order of their component lists, components they share."""

import numpy as np
import pytest
from drivetrain_rig import DIRECT_TICK, ENGINE_SUBSTEP, ENGINE_TICK, Rig, engine_rig, in_gear

from driving_sandbox.physics.drivetrain.actuation import DIRECT_ACTUATION
from driving_sandbox.physics.drivetrain.direct import DIRECT_WHEELS
from driving_sandbox.physics.tick.commands import FIRST
from driving_sandbox.physics.tick.component import components_of, phases_of
from driving_sandbox.physics.vehicle.types import DIRECT_DRIVE_VEHICLE, ENGINE_DRIVE, TANK_DRIVE, VEHICLE_TYPES

DT = 1.0 / 240.0  # s
ORDER = ("response", "differential", "actuation", "road", "suspension", "tire", "drivetrain", "body", "wheel")


@pytest.mark.covers("PX-LEG-01")
@pytest.mark.parametrize("driven_wheel", range(4))
def test_a_torque_written_to_one_wheel_turns_that_wheel(driven_wheel):
    """The torque is either written directly in every step, or computed from throttle and max_torque."""
    assert "direct_drive" in VEHICLE_TYPES
    car = {"direct_drive": [{"max_torque": 200.0 if i == driven_wheel else 0.0} for i in range(4)]}
    written, pressed = Rig(DIRECT_TICK, car), Rig(DIRECT_TICK, car)
    pressed["command"]["throttle"], pressed["command"]["gear"] = 1.0, FIRST
    for _ in range(10):
        written["direct_drive"]["torque"][driven_wheel] = 200.0
        written.run([DIRECT_ACTUATION, DIRECT_WHEELS], DT)
        pressed.run(DIRECT_TICK, DT)
    for rig in (written, pressed):
        speeds = rig["wheel"]["omega"][:4]
        assert np.flatnonzero(speeds).tolist() == [driven_wheel]
        assert speeds[driven_wheel] == pytest.approx(10 * 200.0 * DT)


@pytest.mark.covers("PX-LEG-03")
def test_six_driven_wheels_with_slip_limits_on_four():
    """Torque goes to all six; the limits act on the four named wheels only."""
    limits = {"front_left": 0, "front_right": 1, "rear_left": 4, "rear_right": 5, "front_bias": 1.5,
              "front_target": 1.4, "rear_bias": 1.5, "rear_target": 1.4}  # fmt: skip
    rig = engine_rig(6, differential=[{"torque_ratio": 1.0 / 6.0}] * 6, limited_slip=limits,
                     brakes=[{"max_torque": 0.0}] * 6, steering=[{}] * 6)  # fmt: skip
    in_gear(rig, FIRST)
    rig["command"]["throttle"] = 1.0
    rig.tick()
    assert np.all(rig["wheel"]["omega"][:6] > 0.0)
    rig["wheel"]["omega"][:6] = (10.0, 30.0, 10.0, 30.0, 10.0, 30.0)
    rig.run([ENGINE_SUBSTEP[-1]], DT)
    speeds = rig["wheel"]["omega"]
    assert speeds[1] / speeds[0] == pytest.approx(1.4) and speeds[5] / speeds[4] == pytest.approx(1.4)
    assert speeds[2] == 10.0 and speeds[3] == 30.0


@pytest.mark.covers("PX-LEG-04")
@pytest.mark.parametrize("shares", [[0.125] * 8, [0.2, 0.2, 0.05, 0.05, 0.1, 0.1, 0.2, 0.1]], ids=["equal", "any"])
def test_eight_wheels_with_fixed_shares(shares):
    """Inertia times acceleration of each wheel is its share of the clutch torque times gear and final ratio."""
    inertia = np.linspace(1.0, 4.0, 8)
    rig = engine_rig(8, inertia, differential=[{"torque_ratio": share} for share in shares],
                     brakes=[{"max_torque": 0.0}] * 8, steering=[{}] * 8)  # fmt: skip
    in_gear(rig, FIRST, omega=5.0, engine=200.0)
    rig["command"]["throttle"] = 1.0
    rig.run(ENGINE_TICK, DT)
    rig.run(ENGINE_SUBSTEP, DT)
    torque = (rig["wheel"]["omega"][:8] - 5.0) * inertia / DT
    box = rig["gearbox_params"]
    total = rig["drivetrain"]["clutch_torque"] * box["ratios"]["values"][FIRST] * box["final_ratio"]
    assert total > 80.0
    assert torque == pytest.approx(total * np.array(shares), rel=1e-9)


@pytest.mark.covers("PX-LEG-06")
@pytest.mark.parametrize("name", ["engine_drive", "direct_drive", "tank"])
def test_components_are_listed_in_the_order_of_the_physx_manual(name):
    """Order: commands, differential, actuation, road, suspension, tires, constraints, drivetrain, body, wheels."""
    first_index = {}  # {key: index of its first entry in the list}; a key is a slot, or a phase of body or contact
    for k, phase in enumerate(phases_of(VEHICLE_TYPES[name])):
        key = "pose" if (phase.component.slot, phase.phase) == ("body", "pose") else phase.component.slot
        if key == "body":  # the other phases: velocity, which is "body", begin and measure
            key = "body" if phase.phase == "velocity" else f"body {phase.phase}"
        if key == "contact":
            key = f"contact {phase.phase}"
        first_index.setdefault(key, k)
    order = [first_index[slot] for slot in ORDER if slot in first_index]
    assert order == sorted(order)
    assert ("differential" in first_index) == (name != "direct_drive")
    assert first_index["body begin"] == 0  # it applies external impulses
    keys = ("tire", "contact stick", "drivetrain", "body", "contact solve", "pose", "wheel")
    assert [first_index[key] for key in keys] == sorted(first_index[key] for key in keys)


@pytest.mark.covers("PX-ARCH-13")
def test_kinds_of_vehicle_share_their_components():
    """At least ten slots have one and the same component in the lists of engine drive, direct drive and tank."""
    kinds = [set(components_of(entries)) for entries in (ENGINE_DRIVE, DIRECT_DRIVE_VEHICLE, TANK_DRIVE)]
    shared = set.intersection(*kinds)
    slots = {component.slot for component in shared}
    assert {"input", "response", "steering", "ackermann", "road", "suspension", "compliance", "antiroll", "contact",
            "wheel"} <= slots  # fmt: skip
    for slot in slots:
        assert len({id(c) for kind in kinds for c in kind if c.slot == slot}) == 1, slot
