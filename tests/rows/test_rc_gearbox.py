"""Rules of Racer's documentation: gear changes in three timed phases, blip, cut, held levers, free shifting."""

import numpy as np
import pytest
from racer_rig import TICK, car, in_air, on_road, read, roll, trace
from row_rig import call

from driving_sandbox.physics.gearbox.timed_gearbox import CLUTCHING, DECLUTCHING, ENGAGED, IN_NEUTRAL, LEVER_HELD
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.tick.commands import FIRST, NEUTRAL, REVERSE
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle_text

SECOND, THIRD, FOURTH = FIRST + 1, FIRST + 2, FIRST + 3
TIMES = {"gearbox__time_to_declutch": 0.2, "gearbox__time_in_neutral": 0.1, "gearbox__time_to_clutch": 0.3,
         "gearbox__time_to_clutch_down": -1.0, "gearbox__blip_throttle": 0.0, "gearbox__cut_throttle": False,
         "clutch__auto_omega": 0.0}  # fmt: skip
DURATIONS = {DECLUTCHING: 0.2, IN_NEUTRAL: 0.1, CLUTCHING: 0.3}  # s, of the phases, by TIMES
SIGNALS = ("gearbox.phase", "gearbox.current_gear", "gearbox.clutch_share", "clutch.normalised")


def gear_change(first, second, seconds=1.5, **values):
    """Channels of a gear change in the air, from the tick in which it is commanded."""
    d = in_air(**{**TIMES, **values}).run(1.0, gear=first)
    return trace(d, seconds, *SIGNALS, gear=second)


def phase_durations(signals):
    """{phase: duration, s}."""
    return {phase: float((signals["gearbox.phase"] == phase).sum()) * TICK for phase in DURATIONS}


@pytest.mark.covers("RC-GEAR-06")
def test_a_change_has_three_phases():
    signals = gear_change(FIRST, SECOND)
    phase, gear = signals["gearbox.phase"], signals["gearbox.current_gear"]
    assert list(dict.fromkeys(phase)) == [DECLUTCHING, IN_NEUTRAL, CLUTCHING, ENGAGED]
    assert set(gear[phase == DECLUTCHING]) == {FIRST} and set(gear[phase == IN_NEUTRAL]) == {NEUTRAL}
    assert set(gear[phase == CLUTCHING]) == {SECOND} == set(gear[phase == ENGAGED])
    assert phase_durations(signals) == pytest.approx(DURATIONS, abs=1.01 * TICK)
    share = signals["gearbox.clutch_share"]
    assert (np.diff(share[phase == DECLUTCHING]) < 0.0).all() and (share[phase == IN_NEUTRAL] == 0.0).all()
    assert (np.diff(share[phase == CLUTCHING]) > 0.0).all() and (share[phase == ENGAGED] == 1.0).all()
    assert np.array_equal(signals["clutch.normalised"], share)  # what the clutch itself does
    instant = gear_change(FIRST, SECOND, gearbox__time_to_declutch=0.0, gearbox__time_in_neutral=0.0,
                     gearbox__time_to_clutch=0.0)  # fmt: skip
    assert set(instant["gearbox.current_gear"]) == {SECOND}


@pytest.mark.covers("RC-GEAR-07")
@pytest.mark.covers("RC-GEAR-08")
@pytest.mark.covers("RC-GEAR-09")
@pytest.mark.parametrize(("key", "phase"), [("declutch", DECLUTCHING), ("neutral", IN_NEUTRAL), ("clutch", CLUTCHING)])
def test_each_phase_has_its_time_and_one_of_its_own_for_down_shifts(key, phase):
    name = "gearbox__time_in_neutral" if key == "neutral" else f"gearbox__time_to_{key}"
    common = {name: 0.25}
    assert phase_durations(gear_change(FIRST, SECOND, **common))[phase] == pytest.approx(0.25, abs=1.01 * TICK)
    assert phase_durations(gear_change(SECOND, FIRST, **common))[phase] == pytest.approx(0.25, abs=1.01 * TICK)
    with_down = {**common, f"{name}_down": 0.1}
    assert phase_durations(gear_change(FIRST, SECOND, **with_down))[phase] == pytest.approx(0.25, abs=1.01 * TICK)
    assert phase_durations(gear_change(SECOND, FIRST, **with_down))[phase] == pytest.approx(0.1, abs=1.01 * TICK)
    zero_down = {**common, f"{name}_down": 0.0}  # 0 is a time; a negative value means that there is no separate time
    assert phase_durations(gear_change(SECOND, FIRST, **zero_down))[phase] == pytest.approx(0.0, abs=1.01 * TICK)


@pytest.mark.covers("RC-GEAR-07", "RC-GEAR-09")
@pytest.mark.parametrize("gear", [REVERSE, NEUTRAL])
def test_a_change_out_of_the_forward_gears_takes_the_times_of_up_shifts(gear):
    with_down = {"gearbox__time_to_declutch_down": 0.05, "gearbox__time_to_clutch_down": 0.05}
    assert phase_durations(gear_change(SECOND, gear, **with_down)) == pytest.approx(DURATIONS, abs=1.01 * TICK)


@pytest.mark.covers("RC-GEAR-06")
def test_a_change_begun_while_the_clutch_still_closes_opens_it_from_where_it_is():
    """After 0.2 + 0.1 + 0.15 s the clutch is half closed, so that opening it takes half of 0.2 s."""
    d = in_air(**TIMES).run(1.0, gear=FIRST).run(0.45 + TICK, gear=SECOND)
    assert read(d, "gearbox.phase") == CLUTCHING and read(d, "gearbox.clutch_share") == pytest.approx(0.5)
    signals = trace(d, 1.5, *SIGNALS, gear=THIRD)
    assert phase_durations(signals) == pytest.approx({**DURATIONS, DECLUTCHING: 0.1}, abs=1.01 * TICK)
    assert signals["gearbox.clutch_share"][0] == pytest.approx(0.5, abs=1.01 * TICK / 0.2)


@pytest.mark.covers("RC-GEAR-09")
def test_the_clutch_closes_linearly_in_the_set_time():
    signals = gear_change(FIRST, SECOND)
    closing = signals["clutch.normalised"][signals["gearbox.phase"] == CLUTCHING]
    expected = np.arange(len(closing)) * TICK / 0.3
    assert np.abs(closing - expected).max() <= 1.01 * TICK / 0.3 and len(closing) * TICK == pytest.approx(0.3, abs=TICK)


@pytest.mark.covers("RC-GEAR-08")
@pytest.mark.covers("RC-GEAR-12")
@pytest.mark.parametrize("fast", [False, True])
def test_a_held_lever_keeps_neutral_unless_the_gearbox_is_fast(fast):
    d = in_air(**TIMES, gearbox__fast=fast).run(1.0, gear=FIRST)
    signals = trace(d, 1.0, *SIGNALS, gear=LEVER_HELD + SECOND)
    assert signals["gearbox.current_gear"][-1] == (SECOND if fast else NEUTRAL)
    if fast:
        assert phase_durations(signals) == pytest.approx(DURATIONS, abs=1.01 * TICK)
        return
    assert set(signals["gearbox.phase"][round(0.21 / TICK) :]) == {IN_NEUTRAL}
    released = trace(d, 0.5, *SIGNALS, gear=SECOND)
    assert released["gearbox.current_gear"][1] == SECOND
    assert phase_durations(released)[CLUTCHING] == pytest.approx(0.3, abs=1.01 * TICK)


def rolling(speed, gear, **values):
    """The car rolling in a gear; speed: m/s."""
    return roll(on_road(**{**TIMES, "engine__throttle_linearity": [], **values}), speed, gear)


def down_shift(**values):
    """Channels of a coasting car for 1 s from a change from third into second."""
    d = rolling(14.0, THIRD, **values).run(0.3, gear=THIRD)
    return trace(d, 1.0, "gearbox.phase", "engine.omega", "engine.throttle", "drivetrain.clutch_torque", gear=SECOND)


@pytest.mark.covers("RC-GEAR-10")
def test_a_blip_brings_the_engine_up_to_the_lower_gear():
    plain, blipped = down_shift(), down_shift(gearbox__blip_throttle=0.5)
    for signals, throttle in ((plain, 0.0), (blipped, 0.5)):
        assert set(signals["engine.throttle"][1 : round(0.28 / TICK)]) == {throttle}
    closing = blipped["engine.throttle"][blipped["gearbox.phase"] == CLUTCHING]
    assert len(closing) > 50 and not closing.any()  # the driver's pedal counts again
    speed_gains = {}
    for name, signals in (("plain", plain), ("blipped", blipped)):
        neutral = signals["engine.omega"][signals["gearbox.phase"] == IN_NEUTRAL]
        speed_gains[name] = neutral[-1] - neutral[0]
    assert speed_gains["blipped"] > 20.0 > 0.0 > speed_gains["plain"]
    peak = [
        np.abs(signals["drivetrain.clutch_torque"][signals["gearbox.phase"] == CLUTCHING]).max()
        for signals in (plain, blipped)
    ]
    assert peak[1] < 0.9 * peak[0]
    d = rolling(14.0, SECOND, gearbox__blip_throttle=0.5).run(0.3, gear=SECOND)
    up = trace(d, 0.25, "engine.throttle", gear=THIRD)["engine.throttle"]
    assert not up.any()  # only when changing down


@pytest.mark.covers("RC-GEAR-11")
def test_cutting_the_throttle_keeps_the_engine_from_flaring():
    flare = {}
    for cut in (True, False):
        d = rolling(14.0, SECOND, gearbox__cut_throttle=cut).run(0.3, gear=SECOND, throttle=1.0)
        before = read(d, "engine.omega")
        omega = trace(d, 0.6, "engine.omega", gear=THIRD, throttle=1.0)["engine.omega"]
        flare[cut] = omega.max() - before
    assert flare[True] < 3.0 and flare[False] > 50.0


@pytest.mark.covers("RC-GEAR-11")
def test_a_cut_does_not_affect_blipped_down_shifts():
    assert down_shift(gearbox__cut_throttle=True, gearbox__blip_throttle=0.5)["engine.throttle"][5] == 0.5
    d = rolling(14.0, THIRD, gearbox__cut_throttle=True).run(0.3, gear=THIRD, throttle=0.8)
    assert trace(d, 0.1, "engine.throttle", gear=SECOND, throttle=0.8)["engine.throttle"][-1] == 0.0


@pytest.mark.covers("RC-GEAR-13")
def test_any_gear_can_be_selected_at_any_time():
    gears = gear_change(FIRST, FOURTH)["gearbox.current_gear"]
    assert list(dict.fromkeys(gears)) == [FIRST, NEUTRAL, FOURTH]
    d = in_air(**TIMES, gearbox__free_shifting=True).run(0.5, gear=FIRST)
    signals = trace(d, 0.1, *SIGNALS, gear=FOURTH)
    assert set(signals["gearbox.current_gear"]) == {FOURTH} and set(signals["gearbox.clutch_share"]) == {1.0}
    d = in_air(**TIMES).run(1.0, gear=FIRST)  # another gear is selected in the middle of a change
    d.run(0.25, gear=SECOND)
    gears = trace(d, 1.0, *SIGNALS, gear=FOURTH)["gearbox.current_gear"]
    assert list(dict.fromkeys(gears)) == [NEUTRAL, FOURTH]


# ratios: reverse, neutral, ten forward gears
TEN = [-3.0, 0.0, *(4.0 - 0.3 * k for k in range(10))]


@pytest.mark.covers("RC-GEAR-01")
def test_ten_gears_are_the_most():
    text = ("base: clubsport\nname: many\nengine: {{peak_torque: 200, torque_curve: [[0, 1]], idle_omega: 90, "
            "max_omega: 760, inertia: 0.2, stall_omega: 40, start_omega: 60}}\ngearbox: {{ratios: {}}}\n")  # fmt: skip
    path = "configs/vehicles/many.yaml"
    assert len(load_vehicle_text(text.format(TEN), path).get("gearbox.ratios")) == 12
    with pytest.raises(ConfigError, match=r"many.yaml:4: gearbox.ratios: .*at most 12 items"):
        load_vehicle_text(text.format([*TEN, 0.9]), path)
    with pytest.raises(SchemaError, match="has 11 forward gears; at most 10 are possible"):
        car(gearbox__ratios=[0.0, *TEN[2:], 0.9], gearbox__neutral_gear=0, gearbox__inertias=[],
            engine__throttle_linearity=[])  # fmt: skip


@pytest.mark.covers("RC-GEAR-02")
def test_reverse_is_negative_and_turns_the_wheels_back():
    with pytest.raises(SchemaError, match="entry 0 is a reverse gear and must be < 0, not 2"):
        car(gearbox__ratios=[2.0, 0.0, 3.36, 2.09, 1.47, 1.15, 0.92])
    speeds = {}
    for ratio in (-2.0, -7.0):
        d = on_road(gearbox__ratios=[ratio, 0.0, 3.36, 2.09, 1.47, 1.15, 0.92])
        speeds[ratio] = d.run(3.0, gear=REVERSE, throttle=0.4).speed
    assert speeds[-2.0] < -0.5 and speeds[-7.0] < -0.5 and abs(speeds[-2.0] - speeds[-7.0]) > 0.3


def test_gears_that_do_not_exist_are_ignored():
    vehicle = car()
    for gear in (-1, 7, LEVER_HELD + 7, LEVER_HELD - 1, 200):  # the clubsport has gears 0 to 6
        vehicle.state["autobox"]["gear"] = gear
        call(vehicle, "gearbox", "command", dt=TICK)
        assert vehicle.read("gearbox.target_gear") == NEUTRAL


def shift(vehicle, gear, until):
    """Command a gear until the gearbox is in a phase; returns {phase: s} of the way there."""
    durations = dict.fromkeys((ENGAGED, DECLUTCHING, IN_NEUTRAL, CLUTCHING), 0.0)
    while True:
        vehicle.state["autobox"]["gear"] = gear
        call(vehicle, "gearbox", "command", dt=TICK)
        phase = int(vehicle.read("gearbox.phase"))
        if phase == until:
            return durations
        durations[phase] += TICK


@pytest.mark.covers("RC-GEAR-07", "RC-GEAR-08", "RC-GEAR-09")
@pytest.mark.parametrize("at", [DECLUTCHING, IN_NEUTRAL])
@pytest.mark.parametrize(
    ("gears", "down"),
    [
        ((THIRD, SECOND, FOURTH), False),
        ((THIRD, FOURTH, SECOND), True),
        ((FOURTH, FIRST, SECOND), True),
        ((THIRD, FIRST, THIRD), False),
    ],
)
def test_a_redirected_change_takes_the_times_of_the_gears_that_it_leads_between(gears, down, at):
    down_times = {f"{key}_down": 2.0 * TIMES[key] for key in TIMES if "_to_" in key and not key.endswith("_down")}
    vehicle = car(**{**TIMES, **down_times})
    vehicle.state["gearbox"]["current_gear"] = vehicle.state["gearbox"]["target_gear"] = gears[0]
    shift(vehicle, gears[1], at)  # the first tick of that phase
    durations = shift(vehicle, gears[2], ENGAGED)
    assert vehicle.read("gearbox.current_gear") == gears[2]
    factor = 2.0 if down else 1.0
    opening = 0.2 * factor if at == DECLUTCHING else 0.0
    assert durations[DECLUTCHING] == pytest.approx(opening, abs=1.01 * TICK)
    assert durations[CLUTCHING] == pytest.approx(0.3 * factor, abs=1.01 * TICK)
