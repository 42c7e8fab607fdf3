"""Rules of CryEngine's documentation: driving state, sleep, step cap, damping and integrators of the patrol car."""

import logging
import math

import numpy as np
import pytest
from drive_rig import Drive, slope_ground
from patrol_rig import NO_LOSSES, TICK, drive, each_wheel, falling, from_text, go, grip, read, record, roll

from driving_sandbox.physics.body.driving_state import squared_speed
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.tick.commands import AUTOMATIC, NEUTRAL
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.tick.parts import bind_parts
from driving_sandbox.physics.vehicle.component_file import sequence_data
from driving_sandbox.physics.vehicle.types import VEHICLE_TYPES
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

MASS = 2150.0  # kg
CENTRED = {"body.centre_of_mass": [0.0, 0.0, 0.62]}


@pytest.mark.covers("CE-RES-02")
@pytest.mark.parametrize("damping", [0.1, 0.4])
def test_damping_lets_speed_decay_exponentially(damping):
    for tick in (1.0 / 240.0, 1.0 / 30.0):
        d = falling({"driving_state.damping_vehicle": damping}, speed=30.0, tick=tick)
        d.vehicle.state["body"]["angular_velocity"][0] = (0.0, 0.0, 1.0)
        d.run(2.0)
        assert d.body("velocity")[1] == pytest.approx(30.0 * math.exp(-2.0 * damping), rel=1e-6)
        assert d.body("angular_velocity")[2] == pytest.approx(math.exp(-2.0 * damping), rel=1e-4)


@pytest.mark.covers("CE-RES-02")
def test_damping_lowers_the_top_speed():
    top_speeds = []  # m/s
    for damping in (0.05, 0.15):
        d = roll(drive({**NO_LOSSES, "driving_state.damping_vehicle": damping}), 15.0)
        top_speeds.append(record(d, 25.0, "response.speed", throttle=1.0)[-1, 0])
    assert top_speeds[1] < 0.8 * top_speeds[0] and top_speeds[1] > 8.0
    # drive force and damping balance: P = d m v^2 at the engine's largest power
    assert top_speeds[1] < math.sqrt(140e3 / (0.15 * MASS)) * 1.02


@pytest.mark.covers("CE-INT-01")
def test_bodywork_on_the_ground_ends_the_state_of_driving_until_it_is_free():

    def state(d):
        return read(d, "driving_state.driving"), read(d, "driving_state.step_count")

    down, speeds = (0.0, 0.0, -90e3), []  # presses the body onto the road against its springs
    for damping in (0.0, 2.0):
        values = {**NO_LOSSES, "contact.friction": 0.02, "driving_state.damping": damping,
                  "driving_state.max_time_step": 0.0005}  # fmt: skip
        d = roll(drive(values), 8.0)
        assert (d.log(0.1, state, every=TICK) == (1, 4)).all()  # driving: the world's four substeps
        d.run(0.4, force=down)
        before = d.speed
        for _ in range(10):
            assert state(d.run(0.03, force=down)) == (0, math.ceil(TICK / 0.0005)) == (0, 9)
        speeds.append(d.speed / before)
        d.run(1.0)
        assert (d.log(0.5, state, every=TICK) == (1, 4)).all()
    assert speeds[1] == pytest.approx(speeds[0] * math.exp(-2.0 * 0.3), rel=0.05)


@pytest.mark.covers("CE-INT-02")
def test_long_frames_are_split():
    """A frame of 50 ms is split into as many steps as keep each within the cap."""
    for cap, steps in ((0.02, 3), (0.05, 1), (0.01, 5), (0.0501, 1)):
        d = Drive(load_vehicle("patrol"), values={"driving_state.max_time_step_vehicle": cap}, tick=0.05)
        d.world.context["substep_count"] = 1
        assert read(d.run(0.05), "driving_state.step_count") == steps
    d.world.context["substep_count"] = 4  # the world's own steps are shorter
    assert read(d.run(0.05), "driving_state.step_count") == 4


def test_substeps_counted_in_the_state_work_compiled_in_parts_and_from_a_file():
    """The number of substeps is a field of the state. A compiled step and a step called part by part use it alike.

    The sequence in a vehicle file names the field; it is refused if no component has it.
    """
    ends = []
    for by_parts in (False, True):
        v = load_vehicle("patrol")
        v.set("driving_state.max_time_step_vehicle", 0.0007)
        d = Drive(v).run(0.2)
        records = (v.params, v.state, v.scratch, d.world.context, d.ground.arrays)
        step = bind_parts(v.sequence, *records) if by_parts else v.sequence.bind(*records)
        for command in np.split(d.commands(60, gear=AUTOMATIC, throttle=1.0), 60):
            assert step(np.zeros(1, EXTERNAL), command, TICK) == 0
        assert read(d, "driving_state.step_count") == 6
        ends.append(v.snapshot())
    assert ends[0] == ends[1]
    groups = [entry["substeps"] for entry in sequence_data(VEHICLE_TYPES["cryengine"]) if isinstance(entry, dict)]
    assert [group["count"] for group in groups] == ["driving_state.step_count"]
    parts = {c.slot: c.name for c in v.sequence.components}
    with_sequence = from_text(
        ("type: cryengine", f"sequence: {sequence_data(v.sequence.entries)}\ncomponents: {parts}")
    )
    assert with_sequence.sequence is v.sequence
    without = [e for e in sequence_data(v.sequence.entries) if e != "driving_state.begin"]
    without = str(without).replace("'driving_state.damp', ", "").replace(", 'driving_state.rest'", "")
    replacement = ("type: cryengine", f"sequence: {without}\ncomponents: {parts}")
    with pytest.raises(ConfigError, match="count: no component of the list fills slot driving_state"):
        from_text(replacement)
    for wrong in ("driving_state.steps", "driving_state.slow_time", "nothing.step_count", "x); import os"):
        replacement = str(sequence_data(v.sequence.entries)).replace("driving_state.step_count", wrong)
        with pytest.raises(ConfigError, match="count: .*must be a whole number, or one of these counts: "):
            from_text(("type: cryengine", f"sequence: {replacement}\ncomponents: {parts}"))


@pytest.mark.covers("CE-INT-02")
def test_thirty_and_sixty_frames_a_second_drive_alike():
    ends = []
    for fps in (30, 60):
        d = Drive(load_vehicle("patrol"), tick=1.0 / fps, values=grip(2.0))
        d.world.context["substep_count"] = 1
        d.run(1.0).run(4.0, gear=AUTOMATIC, throttle=0.6).run(2.0, gear=AUTOMATIC, throttle=0.3, steer=0.2)
        ends.append(d.position)
    assert ends[0][1] > 20.0
    assert np.linalg.norm(ends[0] - ends[1]) < 0.01 * np.linalg.norm(ends[0])


@pytest.mark.covers("CE-INT-03")
def test_the_speed_that_sleep_compares_includes_rotation():
    """Its square is twice the kinetic energy per mass; rotation is tried about each axis of the body."""
    vehicle = load_vehicle("patrol")
    body, p = vehicle.state["body"][0], vehicle.params["body"][0]
    body["orientation"] = (0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5))  # its own y lies along the world's -x
    for spin, moment in (((-0.2, 0.0, 0.0), 1150.0), ((0.0, 0.2, 0.0), 3950.0), ((0.0, 0.0, 0.2), 4200.0)):
        body["velocity"], body["angular_velocity"] = (0.03, 0.0, -0.04), spin
        # 0.0025: square of the velocity; moment: of inertia, kg m^2; 0.04: square of the spin
        assert squared_speed(body, p) == pytest.approx(0.0025 + moment * 0.04 / MASS)


@pytest.mark.covers("CE-INT-03")
def test_a_parked_car_sleeps_until_it_is_pushed():
    d = drive(seconds=0.1, ground=slope_ground(2.0)).run(5.0, handbrake=1.0)
    assert read(d, "driving_state.asleep") == 1
    pose = [*d.body("position"), *d.body("orientation")]
    for _ in range(6):
        d.run(10.0, handbrake=1.0)
        assert [*d.body("position"), *d.body("orientation")] == pose
    d.run(2 * TICK, handbrake=1.0, force=(0.0, 2000.0, 0.0))
    assert read(d, "driving_state.asleep") == 0 and [*d.body("position"), *d.body("orientation")] != pose
    d.run(3.0, handbrake=1.0)
    assert read(d, "driving_state.asleep") == 1
    d.run(2 * TICK, gear=AUTOMATIC, throttle=1.0)
    assert read(d, "driving_state.asleep") == 0
    d = drive({"driving_state.sleep_speed_vehicle": 0.0}, seconds=0.1, ground=slope_ground(2.0)).run(5.0, handbrake=1.0)
    assert read(d, "driving_state.asleep") == 0
    d = drive({**NO_LOSSES, "driving_state.sleep_speed_vehicle": 0.04}, seconds=0.1, ground=slope_ground(2.0)).run(3.0)
    assert read(d, "driving_state.asleep") == 0 and d.speed < -0.5  # without a brake it rolls


# ---- integrators


def heave(integration, tick, substeps, seconds, stiffness, every=None):
    """Height of the undamped body above its rest position, m, after its release 10 mm below it.

    tick: s; a step of the integration is tick / substeps.
    stiffness: of each spring, N/m.
    every: time between the values, s; a tick by default.
    """
    values = {**NO_LOSSES, **CENTRED, "driving_state.sleep_speed_vehicle": 0.0,
              **each_wheel("suspension", given_stiffness=stiffness, given_damping=-1.0)}  # fmt: skip
    d = drive(values, seconds=4.0)
    rest = d.body("position")[2]
    d.run(2.0, force=(0.0, 0.0, -0.01 * 4.0 * stiffness))
    d.vehicle.set_many({"body.integration": integration, **each_wheel("suspension", given_damping=0.0)})
    d.dt = tick
    d.world.context["substep_count"] = substeps
    return d.log(seconds, lambda d: d.body("position")[2] - rest, every=every or tick)


@pytest.mark.covers("CE-INT-04")
def test_the_explicit_rule_diverges_where_the_semi_implicit_one_stays_bounded():
    explicit, semi_implicit = (heave(rule, tick=1.0 / 50.0, substeps=1, seconds=2.0, stiffness=200e3)
                               for rule in ("explicit", "semi_implicit"))  # fmt: skip
    assert np.abs(semi_implicit).max() < 0.015 and np.abs(explicit).max() > 0.1
    fine = [heave(rule, tick=1.0 / 240.0, substeps=64, seconds=0.5, stiffness=200e3)
            for rule in ("explicit", "semi_implicit")]  # fmt: skip
    assert fine[0] == pytest.approx(fine[1], abs=3e-4) and np.abs(fine[0]).max() > 0.008


@pytest.mark.covers("CE-INT-05")
def test_the_energy_of_an_undamped_corner_stays_bounded():
    z = heave("semi_implicit", tick=1.0 / 50.0, substeps=1, seconds=200.0, stiffness=200e3)  # 1e4 steps
    early, late = np.abs(z[:1000]).max(), np.abs(z[-1000:]).max()
    assert len(z) == 10000 and late == pytest.approx(early, rel=0.03) and early == pytest.approx(0.01, rel=0.25)


@pytest.mark.covers("CE-INT-04", "CE-INT-05")
@pytest.mark.parametrize(("rule", "share"), [("explicit", 0.0), ("semi_implicit", 1.0)])
def test_the_pose_moves_with_the_velocity_before_or_after_the_step(rule, share):
    """In one step the car falls with g and its yaw rate grows by 0.5 rad/s.

    share: part of these changes of velocity that moves the pose in the same step.
    """
    d = falling({"body.integration": rule}, speed=20.0)
    d.vehicle.state["body"]["angular_velocity"][0] = (0.0, 0.0, 1.0)
    before = d.body("position")
    push = np.zeros(1, EXTERNAL)
    push["torque"] = (0.0, 0.0, 0.5 / TICK * d.vehicle.get("body.inertia")[2])
    d.ticks(d.commands(1), push)
    assert d.body("velocity")[2] == pytest.approx(-9.81 * TICK) and d.body("angular_velocity")[2] == pytest.approx(1.5)
    assert d.body("position") - before == pytest.approx([0.0, 20.0 * TICK, share * -9.81 * TICK**2], abs=1e-9)
    assert 2.0 * math.atan2(*d.body("orientation")[2:]) == pytest.approx((1.0 + 0.5 * share) * TICK, rel=1e-6)


@pytest.mark.covers("CE-NET-01")
def test_a_networked_game_takes_the_explicit_rule(caplog):
    caplog.set_level(logging.WARNING)
    vehicle = from_text()
    assert vehicle.get("body.integration_in_use") == "semi_implicit"
    vehicle.set("body.network", "forced")
    assert vehicle.get("body.integration_in_use") == "explicit"
    assert vehicle.get("body.integration") == "semi_implicit"  # as the file says
    assert "network: forced replaces integration: semi_implicit by the explicit rule" in caplog.text
    caplog.clear()
    vehicle.set("body.mass", 1400.0)
    assert vehicle.get("body.integration_in_use") == "explicit" and caplog.text == ""  # said once
    forced = from_text(("integration: semi_implicit", "integration: semi_implicit\n  network: forced"))
    assert forced.get("body.integration_in_use") == "explicit" and "network: forced replaces" in caplog.text
    caplog.clear()
    alone = from_text(("integration: semi_implicit", "integration: semi_implicit\n  network: none"))
    assert alone.get("body.integration_in_use") == "semi_implicit" and caplog.text == ""
    explicit = from_text(("integration: semi_implicit", "integration: explicit\n  network: forced"))
    assert explicit.get("body.integration_in_use") == "explicit" and caplog.text == ""


def test_the_explicit_rule_moves_the_pose_with_the_velocity_before_the_step():
    d = falling({"body.integration": "explicit"})
    before = d.body("position")[2]
    d.run(TICK)
    assert d.body("position")[2] == before  # it was at rest
    d.run(TICK)
    assert d.body("position")[2] == pytest.approx(before - 9.81 * TICK * TICK, abs=1e-12)


@pytest.mark.parametrize("rule", ["explicit", "semi_implicit"])
def test_the_car_drives_brakes_and_sleeps_with_both_integrators(rule):
    d = go(drive({"body.integration": rule}), 4.0, throttle=1.0)
    assert d.speed > 8.0
    go(d, 4.0, brake=1.0)
    assert d.speed == pytest.approx(0.0, abs=0.02)
    d.run(2.0, gear=NEUTRAL, handbrake=1.0)
    assert read(d, "driving_state.asleep") == 1
