"""Tools of a wheel's forces: clip meter, gain from a lap, response sweep, setups by device."""

import numpy as np
import pytest

from driving_sandbox.game.force_feedback.meters import CLIPPING, ForceMeter
from driving_sandbox.game.force_feedback.response import LEVELS, Outcome, ResponseSweep, even_levels
from driving_sandbox.game.force_feedback.setup import PRESETS, ForceSetup, preset_of
from driving_sandbox.game.force_feedback.setup_file import ForceSetups, read_setups
from driving_sandbox.game.force_feedback.stream import POINTS
from driving_sandbox.game.force_feedback.torque import Contributions
from driving_sandbox.physics.schema.yaml_file import ConfigError

TICK = 1.0 / 240.0  # s


def lap(largest):
    """A meter after a lap whose torque takes all values up to the largest, N m, equally long."""
    meter = ForceMeter(TICK)
    for torque in np.linspace(0.1, largest, 5000):
        meter.add(Contributions(aligning=torque + 1.0, friction=-1.0))
    return meter


@pytest.mark.parametrize("largest", [8.0, 20.0])
@pytest.mark.parametrize("strength", [4.0, 15.0])
def test_the_gain_from_a_lap_leaves_five_percent_beyond_the_strength(largest, strength):
    meter = lap(largest)
    gain = meter.fitting_gain(strength)
    assert gain == pytest.approx(strength / (largest * (1.0 - CLIPPING)), rel=0.02)
    assert meter.clipped(gain, strength) == pytest.approx(CLIPPING, abs=0.01)
    assert meter.clipped(2.0 * gain, strength) > 0.4
    assert meter.histogram(gain, strength, bins=21)[-1] == pytest.approx(CLIPPING, abs=0.01)
    assert meter.histogram(gain, strength, bins=21).sum() == pytest.approx(1.0)


def test_a_short_drive_tells_no_gain():
    meter = lap(8.0)
    assert meter.seconds == pytest.approx(5000 * TICK)
    meter.restart()
    assert meter.fitting_gain(4.0) is None


def test_the_history_is_in_the_order_of_time():
    meter = ForceMeter(TICK)
    for k in range(1500):
        meter.add(Contributions(aligning=float(k)))
    assert (np.diff(meter.history()[:, 0]) == 1.0).all()
    assert meter.history()[-1, 0] == 1499.0


class HeldWheel:
    """A wheel on its bearing: it turns by the force that is left of a level, and friction stops it."""

    def __init__(self, dead, power, held=False):
        self.dead, self.power, self.held = dead, power, held
        self.position = self.rate = 0.0

    def force(self, level):
        size = max(0.0, abs(level) - self.dead) / (1.0 - self.dead)
        return np.sign(level) * size**self.power

    def turn(self, level, seconds):
        if not self.held:
            self.rate += (self.force(level) * 20.0 - 12.0 * self.rate) * seconds
            self.position += self.rate * seconds


def swept(wheel):
    sweep, now = ResponseSweep(), 0.0
    while sweep.outcome is Outcome.RUNNING and now < 60.0:
        wheel.turn(sweep.step(now, wheel.position), 0.004)
        now += 0.004
    return sweep


@pytest.mark.parametrize(("dead", "power"), [(0.0, 1.0), (0.12, 1.0), (0.05, 0.6)])
def test_a_sweep_finds_and_evens_out_the_response(dead, power):
    wheel = HeldWheel(dead, power)
    sweep = swept(wheel)
    assert sweep.outcome is Outcome.DONE
    assert len(sweep.turned) == len(LEVELS)
    levels = even_levels(sweep.response())
    assert levels[0] == 0.0
    assert (np.diff(levels) > 0.0).all()
    wanted = np.linspace(0.0, 1.0, POINTS)[2:]
    assert [wheel.force(level) for level in levels[2:]] == pytest.approx(wanted, abs=0.06)


def test_a_wheel_that_is_held_is_told_so():
    assert swept(HeldWheel(0.0, 1.0, held=True)).outcome is Outcome.HELD


@pytest.mark.parametrize(("name", "preset"), [
    ("Logitech G29 Driving Force Racing Wheel", "gears"), ("Thrustmaster T300RS Racing wheel", "belt"),
    ("MOZA R9 Base", "direct drive, 5 to 9 N m"), ("Simucube 2 Pro", "direct drive, above 9 N m"), ("Wheel", "belt"),
])  # fmt: skip
def test_known_wheels_have_the_preset_of_their_class(name, preset):
    assert preset_of(name) == preset
    assert PRESETS[preset].strength > 0.0


def test_a_setup_is_kept_for_its_device(tmp_path, monkeypatch):
    monkeypatch.setenv("SANDBOX_HOME", str(tmp_path))
    setups = ForceSetups()
    assert setups.of("abc", "Logitech G29") == PRESETS["gears"]
    changed = ForceSetup(strength=3.0, gain=0.9, inverted=True, response=tuple(np.linspace(0.0, 1.0, POINTS) ** 2))
    setups.save("abc", changed)
    again = ForceSetups()
    assert again.of("abc", "Logitech G29") == changed
    assert again.of("other", "Logitech G29") == PRESETS["gears"]


@pytest.mark.parametrize(("line", "message"), [
    ("gian: 1", "gian: unknown key"), ("gain: 9", "gain: 9 must be from 0 to 3"), ("gain: hi", "must be a number"),
    ("inverted: 3", "must be true or false"), ("response: [0, 1]", "17 numbers"),
])  # fmt: skip
def test_errors_in_the_file_have_their_line(tmp_path, monkeypatch, line, message):
    monkeypatch.setenv("SANDBOX_HOME", str(tmp_path))
    path = ForceSetups().path
    path.write_text(f"abc:\n  {line}\n")
    with pytest.raises(ConfigError) as caught:
        read_setups(path)
    assert f"{path}:2:" in str(caught.value)
    assert message in str(caught.value)
    assert ForceSetups().complaint == str(caught.value)
    setups = ForceSetups()
    setups.save("def", ForceSetup())
    assert line in path.with_suffix(".unreadable.yaml").read_text()  # what was written by hand is kept
    assert ForceSetups().complaint == ""
    path.write_text(f"abc:\n  {line}\n")
    assert ForceSetups().of("abc", "Wheel") == PRESETS["belt"]
