"""Plots: sampled values, drawing, cursors, layouts; closed plots read nothing."""

import math

import numpy as np
import pytest
from frame_pixels import pixels

from driving_sandbox.game.plots.axes import axis_range, labels
from driving_sandbox.game.plots.cursors import at_time, between
from driving_sandbox.game.plots.drawing import full_torque
from driving_sandbox.game.plots.history import CAPACITY, ChannelHistory
from driving_sandbox.game.plots.layouts import FILE, KINDS, Layouts, Plot, default_plots, starting_layouts
from driving_sandbox.game.plots.plots import PlotWindow
from driving_sandbox.physics.tick.commands import COMMAND


def drive(vehicle, time, speed=20.0, acceleration=0.0):
    """Set the state to straight driving along y, with the engine at 300 rad/s and a front left load of `time`, N."""
    body = vehicle.state["body"][0]
    body["orientation"] = (0.0, 0.0, 0.0, 1.0)
    body["velocity"] = (0.0, speed + acceleration * time, 0.0)
    vehicle.state["engine"]["omega"][0] = 300.0
    vehicle.state["tire"][0]["load"][0] = time


def test_the_history_keeps_the_latest_samples_in_order(vehicle):
    history = ChannelHistory(span=CAPACITY / 60.0)
    history.follow(vehicle, ["tire.fl.load"])
    for i in range(CAPACITY + 250):
        drive(vehicle, i / 60.0)
        history.sample(i / 60.0)
    assert len(history.times()) == CAPACITY
    assert np.all(np.diff(history.times()) > 0.0)
    assert history.now == history.times()[-1] == (CAPACITY + 249) / 60.0
    assert np.array_equal(history.values("tire.fl.load"), history.times())


def test_an_outline_keeps_a_peak_and_its_earlier_points(vehicle):
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
            # all but the outermost points keep their values while they stay in the outline
            inner = dict(zip(times[2:-1].tolist(), values[2:-1].tolist(), strict=True))
            assert all(inner.get(at, value) == value for at, value in before.items())
        before = dict(zip(times[2:-1].tolist(), values[2:-1].tolist(), strict=True))
    times, values = history.outline("tire.fl.load", 2 * CAPACITY)
    assert np.array_equal(times, history.times()) and np.array_equal(values, history.values("tire.fl.load"))


def test_the_sample_rate_follows_the_span(vehicle):
    history = ChannelHistory(span=60.0)
    history.follow(vehicle, ["car.speed"])
    for i in range(1200):  # 10 s at 120 Hz
        drive(vehicle, i / 120.0)
        history.sample(i / 120.0)
    assert len(history.times()) == pytest.approx(100, abs=3)


def test_computed_channels_have_speed_rpm_and_accelerations(vehicle):
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


@pytest.mark.parametrize(("speed", "wind"), [(20.0, (12.0, -3.0, 0.0)), (-8.0, (-6.0, 0.0, 1.0))])
def test_airspeed_and_aerodynamic_yaw_angle_are_relative_to_the_wind(vehicle, speed, wind):
    history = ChannelHistory(span=5.0)
    names = ["car.airspeed", "car.aerodynamic_yaw_angle"]
    assert history.follow(vehicle, names) == names
    vehicle.context["wind"][0] = wind
    body, heading = vehicle.state["body"][0], 0.4
    body["orientation"] = (0.0, 0.0, math.sin(heading / 2.0), math.cos(heading / 2.0))
    body["velocity"] = (-speed * math.sin(heading), speed * math.cos(heading), 0.0)
    history.sample(0.0)
    x, y = (float(body["velocity"][k]) - wind[k] for k in range(2))  # relative to the air
    assert history.values("car.airspeed")[-1] == pytest.approx(math.hypot(x, y))
    angle = math.atan2(-x, y) - heading  # + to the left of the heading
    yaw_angle = history.values("car.aerodynamic_yaw_angle")[-1]
    assert math.remainder(yaw_angle - angle, 2.0 * math.pi) == pytest.approx(0.0, abs=1e-9) and abs(yaw_angle) > 0.3
    body["velocity"] = wind
    history.sample(0.1)
    assert history.values("car.airspeed")[-1] == pytest.approx(0.0, abs=1e-9)
    assert math.isnan(history.values("car.aerodynamic_yaw_angle")[-1])


def test_pausing_adds_no_samples_and_rewinding_clears_them(vehicle):
    history = ChannelHistory(span=5.0)
    history.follow(vehicle, ["car.speed"])
    for time in (1.0, 1.1, 1.1, 1.1, 1.2):
        history.sample(time)
    assert history.times().tolist() == [1.0, 1.1, 1.2]
    history.sample(0.5)
    assert history.times().tolist() == [0.5]


def test_unknown_channels_are_skipped(vehicle):
    assert ChannelHistory().follow(vehicle, ["tire.fl.load", "wings.lift"]) == ["tire.fl.load"]


def test_axis_limits_include_the_values_and_are_stable():
    first = axis_range([np.array([0.0, 4321.0])], (0.0, 1000.0))
    assert first == axis_range([np.array([3.0, 4377.0])], (0.0, 1000.0))
    assert first[0] == 0.0 and 4321.0 < first[1] <= 5000.0
    assert axis_range([np.array([np.nan])], (0.0, 0.0)) == (-1.0, 1.0)
    low, high = axis_range([np.array([-0.31, 0.02])], (-0.1, 0.1))
    assert low <= -0.31 and high >= 0.1


@pytest.mark.parametrize(
    ("low", "high", "max_count", "texts"),
    [(0.0, 5000.0, 4, ["0", "2000", "4000"]), (0.0, 60.0, 4, ["0", "20", "40", "60"]),
     (0.0, 60.0, 3, ["0", "25", "50"]),
     (-0.3, 0.3, 3, ["-0.2", "0", "0.2"]), (-4.0, 4.0, 2, ["-4", "4"]), (0.0, 3e6, 2, ["0", "2000000"]),
     (1.17, 1.23, 3, ["1.18", "1.2", "1.22"]), (5000.0, 200000.0, 5, ["50000", "100000", "150000", "200000"])],
)  # fmt: skip
def test_tick_labels_are_round_and_as_many_as_fit(low, high, max_count, texts):
    values, label_texts = labels(low, high, max_count)
    assert label_texts == texts and values == pytest.approx([float(text) for text in texts])


@pytest.fixture
def window(ui, vehicle, user):
    """A plot window that has been drawn once."""
    window = PlotWindow(ui)
    ui.add(lambda: window.draw(vehicle))
    user.step()
    return window


def run(window, vehicle, seconds=2.0):
    """Drive for a time at 60 samples per second, accelerating by 3 m/s²."""
    for i in range(int(seconds * 60)):
        drive(vehicle, i / 60.0, acceleration=3.0)
        window.sample(vehicle, i / 60.0)


def test_the_default_plot_of_wheel_loads_has_a_line_per_wheel(window, vehicle):
    run(window, vehicle)
    assert len(window.plots) >= 4
    by_title = {plot.title: [line.name for line in plot.lines] for plot in window.plots}
    assert by_title["Wheel load"] == [f"tire.{wheel}.load" for wheel in vehicle.wheel_names]
    assert all(by_title.values())
    assert window.width > 300.0


def test_plots_draw_the_samples(base, ui, window, vehicle, user):
    window.plots[:] = [Plot("Load", ["tire.*.load"], (0.0, 3.0))]
    window.changed()
    run(window, vehicle)
    user.step()
    before = pixels(base)
    vehicle.state["tire"][0]["load"][:4] = 2.5
    for i in range(60):
        window.sample(vehicle, 2.0 + i / 60.0)
    user.step()
    assert (before != pixels(base)).any(axis=2)[:, 930:].sum() > 300  # the plots are at the right


def test_a_channel_is_picked_by_search(window, vehicle, user):
    user.click("plot0:pick")
    user.click("pick:search")
    user.type("rr.jounce")
    assert "pick:suspension.rr.jounce" in user.ui.items
    user.click("pick:suspension.rr.jounce", fraction=0.05)
    assert "suspension.rr.jounce" in [line.name for line in window.plots[0].lines]
    user.click("pick:suspension.rr.jounce", fraction=0.05)
    assert "suspension.rr.jounce" not in [line.name for line in window.plots[0].lines]


def test_plots_are_added_and_removed(window, user):
    count = len(window.plots)
    user.click("plots:add")
    assert len(window.plots) == count + 1
    user.click("plot0:remove")
    assert len(window.plots) == count and window.plots[0].title == "Wheel load"


def test_closed_plots_do_not_touch_the_vehicle(ui, user):
    window = PlotWindow(ui)
    window.open = False
    window.sample(None, 1.0)  # fails on any access
    ui.add(lambda: window.draw(None))
    user.step()
    assert window.width == 0.0


def plot_point(user, name, fraction=0.5):
    """A point inside a plot at a fraction of its width."""
    left, top, right, bottom = user.ui.items.rectangle(name)
    return left + (right - left) * fraction, (top + bottom) / 2.0


def click_at(user, point, button="mouse1"):
    """Click a point of the screen, and wait afterwards."""
    user.ui.feed.move(*point)
    user.step()
    user.ui.feed.button(True, button)
    user.step()
    user.ui.feed.button(False, button)
    user.step(30)  # otherwise the next click would make a double click


def test_the_cursor_of_one_plot_reads_another_and_clicks_set_and_clear_two_cursors(window, vehicle, user):
    run(window, vehicle, 10.0)
    user.step()
    user.ui.feed.move(*plot_point(user, "plot:Wheel load"))
    user.step()
    assert window.cursors.at is not None
    text = window._at_cursor(window.plots[0], window.plots[0].lines[0])
    assert float(text) == pytest.approx((20.0 + 3.0 * window.cursors.at) * 3.6, rel=0.01)  # speed, km/h
    click_at(user, plot_point(user, "plot:Wheel load", 0.4))
    click_at(user, plot_point(user, "plot:Slip angle", 0.8), "mouse3")
    first, second = window.cursors.set
    assert 0.0 < first < second <= 10.0
    user.ui.feed.move(*plot_point(user, "plot:Wheel load"))  # now below the table of differences
    user.step()
    for _ in range(2):
        user.ui.feed.button(True, "mouse1")
        user.step(1)
        user.ui.feed.button(False, "mouse1")
        user.step(1)
    assert window.cursors.set == [None, None]


def test_statistics_between_two_cursors_leave_out_missing_values():
    times, values = np.arange(0.0, 10.0, 0.5), np.arange(20.0) ** 2
    values[7] = np.nan
    # (value at the first cursor, change until the second, smallest, largest, mean)
    assert between(times, values, 1.0, 4.2) == (4.0, 60.0, 4.0, 64.0, pytest.approx(np.mean([4, 9, 16, 25, 36, 64])))
    assert between(times, values, 4.2, 1.0)[:2] == (64.0, -60.0)
    assert between(times, values, 50.0, 60.0) is None and at_time(times, values, -1.0) is None


@pytest.mark.parametrize("layout", [name for name in starting_layouts() if name != "Laps"])
def test_every_starting_layout_but_laps_draws(base, window, vehicle, user, layout):
    user.click("plots:layouts")
    user.click(f"layout:{layout}")
    run(window, vehicle)
    before = pixels(base)
    user.step()
    assert [plot.title for plot in window.plots] == [plot.title for plot in starting_layouts()[layout]]
    assert (pixels(base) != before).any()


def test_a_layout_is_saved_and_loaded(ui, vehicle, user, tmp_path):
    layouts = Layouts(tmp_path / FILE)
    window = PlotWindow(ui, layouts=layouts)
    ui.add(lambda: window.draw(vehicle))
    user.step()
    window.plots[:] = [Plot("Mine", ["car.balance"], (-1.0, 1.0)), Plot("How often", ["tire.*.load"], kind="histogram")]
    window.changed()
    user.click("plots:layouts")
    user.click("layout-name")
    user.type("mine")
    user.click("layout-save")
    loaded = Layouts(tmp_path / FILE)
    assert loaded.names[-1] == "mine"
    assert [plot.plain() for plot in loaded.plots("mine")] == [plot.plain() for plot in window.plots]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("layouts: 3\n", "plots.yaml:1: layouts"),
        ("layouts:\n  a: [{title: x, kind: pie, channels: [], room: [0, 1]}]\n", "kind: must be one of time"),
        ("layouts:\n  a: [{title: x, kind: [time], channels: [], room: [0, 1]}]\n", "kind: must be one of time"),
        ("layouts:\n  a: [{title: x, kind: time, channels: [], rom: [0, 1]}]\n", "room"),
        ("layouts:\n  a: [{title: x, kind: time, channels: []}]\n", "has no room"),
        ("- 3\n", "mapping of keys"),
    ],
)
def test_a_wrong_file_is_reported_and_not_overwritten(tmp_path, text, expected):
    path = tmp_path / FILE
    path.write_text(text)
    layouts = Layouts(path)
    assert expected in layouts.problem and layouts.names == list(starting_layouts())
    with pytest.raises(ValueError, match="lose its layouts"):
        layouts.save("mine", default_plots())
    assert path.read_text() == text


def test_the_kind_of_a_plot_is_chosen(window, vehicle, user):
    user.click("plot1:pick")
    user.click("pick:kind")
    left, top, right, bottom = user.ui.items.rectangle("pick:kind")
    # a row of the list is 0.85 times as high as the box above it
    click_at(user, ((left + right) / 2.0, bottom + (bottom - top) * (0.85 * list(KINDS).index("histogram") + 0.6)))
    assert window.plots[1].kind == "histogram"


def test_balance_is_the_difference_of_the_sizes_of_front_and_rear_slip_angles():
    from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

    car = load_vehicle("roadster")
    car.state["body"]["velocity"][0] = (0.0, 20.0, 0.0)
    tire = car.state["tire"][0]
    history = ChannelHistory()
    assert history.follow(car, ["car.balance"]) == ["car.balance"]
    for time, (front, rear) in enumerate(((-0.06, -0.02), (-0.01, -0.05), (0.05, 0.02))):
        tire["lateral_slip"][:4] = (front, front, rear, rear)
        tire["load"][:4] = (1000.0, 4000.0, 1000.0, 4000.0)
        history.sample(time * 0.5)
    assert history.values("car.balance") == pytest.approx([0.04, -0.04, 0.03])
    car.state["body"]["velocity"][0] = 0.0
    history.sample(2.0)
    assert math.isnan(history.values("car.balance")[-1])


def test_ride_height_is_the_models_height_above_the_road():
    from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
    from driving_sandbox.physics.world.world import World
    from driving_sandbox.physics.world.world_file import load_world

    car = load_vehicle("roadster")
    world = World(load_world("plane"), [car])
    world.spawn()
    history = ChannelHistory()
    history.follow(car, ["car.ride_height_front", "car.ride_height_rear"])
    for k in range(240):
        world.step(np.zeros(1, COMMAND))
        history.sample(k / 240.0)
    front, rear = (history.values(f"car.ride_height_{end}")[-1] for end in ("front", "rear"))
    height = car.model_position()[2]
    assert (front + rear) / 2.0 == pytest.approx(height, abs=2e-3) and abs(front) < 0.05


def test_the_torque_curve_is_that_of_the_engine():
    from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

    rpm, torque = full_torque(load_vehicle("roadster"))
    assert max(torque) == 149.0 and rpm[list(torque).index(149.0)] == pytest.approx(5000.0, rel=0.01)
    assert full_torque(load_vehicle("buggy")) is None
