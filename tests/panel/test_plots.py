"""Samples are right, plots draw, and closed plots cost nothing."""

import math

import numpy as np
import pytest
from picture_pixels import pixels

from game.panel.history import CAPACITY, ChannelHistory
from game.panel.plots import Plot, PlotWindow, axis_range


def drive(vehicle, time, speed=20.0, acceleration=0.0):
    """Straight ahead along y; front left load counts time."""
    body = vehicle.state["body"][0]
    body["orientation"] = (0.0, 0.0, 0.0, 1.0)
    body["velocity"] = (0.0, speed + acceleration * time, 0.0)
    vehicle.state["engine"]["omega"][0] = 300.0
    vehicle.state["tire"][0]["load"][0] = time


def test_ring_keeps_the_latest_samples_in_order(vehicle):
    history = ChannelHistory(span=CAPACITY / 60.0)
    history.follow(vehicle, ["tire.fl.load"])
    for i in range(CAPACITY + 250):
        drive(vehicle, i / 60.0)
        history.sample(i / 60.0)
    assert len(history.times()) == CAPACITY
    assert np.all(np.diff(history.times()) > 0.0)
    assert history.now == history.times()[-1] == (CAPACITY + 249) / 60.0
    assert np.array_equal(history.values("tire.fl.load"), history.times())


def test_an_outline_keeps_every_peak_and_does_not_shimmer(vehicle):
    history = ChannelHistory()
    history.follow(vehicle, ["tire.fl.load"])
    before = None
    for i in range(CAPACITY + 50):
        vehicle.state["tire"]["load"][0, 0] = 900.0 if i == CAPACITY // 2 else 100.0 + i % 7
        history.sample(i / 60.0)
        times, values = history.outline("tire.fl.load", 200)
        assert values[-1] == history.values("tire.fl.load")[-1] and times[-1] == history.now
        if i > CAPACITY:
            assert len(times) == len(values) < 210 and np.all(np.diff(times) >= 0.0)
            assert values.max() == 900.0 and values.min() == 100.0
            shared = dict(zip(times[2:-1].tolist(), values[2:-1].tolist(), strict=True))
            assert all(shared.get(at, value) == value for at, value in before.items())
        before = dict(zip(times[2:-1].tolist(), values[2:-1].tolist(), strict=True))
    times, values = history.outline("tire.fl.load", 2 * CAPACITY)
    assert np.array_equal(times, history.times()) and np.array_equal(values, history.values("tire.fl.load"))


def test_samples_are_thinned_to_the_span(vehicle):
    history = ChannelHistory(span=60.0)
    history.follow(vehicle, ["car.speed"])
    for i in range(1200):  # 10 s at 120 Hz
        drive(vehicle, i / 120.0)
        history.sample(i / 120.0)
    assert len(history.times()) == pytest.approx(100, abs=3)


def test_made_channels(vehicle):
    history = ChannelHistory(span=5.0)
    names = ["car.speed", "car.rpm", "car.longitudinal_g", "car.lateral_g"]
    assert history.follow(vehicle, names) == names
    for i in range(240):
        drive(vehicle, i / 120.0, acceleration=4.903325)
        history.sample(i / 120.0)
    assert history.values("car.speed")[-1] == pytest.approx(20.0 + 4.903325 * history.now)
    assert history.values("car.rpm")[-1] == pytest.approx(300.0 * 60.0 / (2.0 * math.pi))
    assert history.values("car.longitudinal_g")[-1] == pytest.approx(0.5, rel=1e-6)
    assert history.values("car.lateral_g")[-1] == pytest.approx(0.0, abs=1e-9)


def test_a_left_turn_accelerates_to_the_left(vehicle):
    history = ChannelHistory(span=5.0)
    history.follow(vehicle, ["car.lateral_g"])
    body, rate, speed = vehicle.state["body"][0], 0.5, 15.0
    for i in range(240):
        heading = rate * i / 120.0  # counter-clockwise from above
        body["orientation"] = (0.0, 0.0, math.sin(heading / 2.0), math.cos(heading / 2.0))
        body["velocity"] = (-speed * math.sin(heading), speed * math.cos(heading), 0.0)
        history.sample(i / 120.0)
    assert history.values("car.lateral_g")[-1] == pytest.approx(-rate * speed / 9.80665, rel=0.02)


def test_pause_adds_nothing_and_rewinding_starts_afresh(vehicle):
    history = ChannelHistory(span=5.0)
    history.follow(vehicle, ["car.speed"])
    for time in (1.0, 1.1, 1.1, 1.1, 1.2):
        history.sample(time)
    assert history.times().tolist() == [1.0, 1.1, 1.2]
    history.sample(0.5)
    assert history.times().tolist() == [0.5]


def test_unknown_channels_are_left_out(vehicle):
    assert ChannelHistory().follow(vehicle, ["tire.fl.load", "wings.lift"]) == ["tire.fl.load"]


def test_axis_range_is_round_and_steady():
    first = axis_range([np.array([0.0, 4321.0])], (0.0, 1000.0))
    assert first == axis_range([np.array([3.0, 4377.0])], (0.0, 1000.0))
    assert first[0] == 0.0 and 4321.0 < first[1] <= 5000.0
    assert axis_range([np.array([np.nan])], (0.0, 0.0)) == (-1.0, 1.0)
    low, high = axis_range([np.array([-0.31, 0.02])], (-0.1, 0.1))
    assert low <= -0.31 and high >= 0.1


@pytest.fixture
def window(ui, vehicle, hand):
    window = PlotWindow(ui)
    ui.add(lambda: window.draw(vehicle))
    hand.step()
    return window


def run(window, vehicle, seconds=2.0):
    for i in range(int(seconds * 60)):
        drive(vehicle, i / 60.0, acceleration=3.0)
        window.sample(vehicle, i / 60.0)


def test_default_plots_have_lines_for_every_wheel(window, vehicle):
    run(window, vehicle)
    assert len(window.plots) >= 4
    by_title = {plot.title: [line.name for line in plot.lines] for plot in window.plots}
    assert by_title["Wheel load"] == [f"tire.{wheel}.load" for wheel in vehicle.wheel_names]
    assert all(by_title.values())
    assert window.width > 300.0


def test_plots_draw_what_was_sampled(base, ui, window, vehicle, hand):
    window.plots[:] = [Plot("Load", ["tire.*.load"], (0.0, 3.0))]
    window.changed()
    run(window, vehicle)
    hand.step()
    before = pixels(base)
    vehicle.state["tire"][0]["load"][:4] = 2.5
    for i in range(60):
        window.sample(vehicle, 2.0 + i / 60.0)
    hand.step()
    assert (before != pixels(base)).any(axis=2)[:, 930:].sum() > 300


def test_a_channel_is_picked_by_search(window, vehicle, hand):
    hand.click("plot0:pick")
    hand.click("pick:search")
    hand.type("rr.jounce")
    assert "pick:suspension.rr.jounce" in hand.ui.items
    hand.click("pick:suspension.rr.jounce", fraction=0.05)
    assert "suspension.rr.jounce" in [line.name for line in window.plots[0].lines]
    hand.click("pick:suspension.rr.jounce", fraction=0.05)
    assert "suspension.rr.jounce" not in [line.name for line in window.plots[0].lines]


def test_plots_are_added_and_removed(window, hand):
    count = len(window.plots)
    hand.click("plots:add")
    assert len(window.plots) == count + 1
    hand.click("plot0:remove")
    assert len(window.plots) == count and window.plots[0].title == "Wheel load"


def test_closed_plots_do_not_touch_the_vehicle(ui, hand):
    window = PlotWindow(ui)
    window.open = False
    window.sample(None, 1.0)  # would fail on any access
    ui.add(lambda: window.draw(None))
    hand.step()
    assert window.width == 0.0
