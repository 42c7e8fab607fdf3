"""Plots of laps: chosen by mouse, overlaid, drawn, saved in a layout."""

import numpy as np
import pytest
from frame_pixels import pixels

from driving_sandbox.game.laps.log import LapLog
from driving_sandbox.game.laps.reference import BEST, Laps
from driving_sandbox.game.plots.laps import gap_to, outline
from driving_sandbox.game.plots.layouts import LAP_DISTANCE, LAP_GAP, LAP_KINDS, LAP_TIME, Layouts
from driving_sandbox.game.plots.plots import PlotWindow
from driving_sandbox.lab.laps import LapTrace
from driving_sandbox.physics.world.timing import Gate, Track

STRAIGHT = Track(
    "straight", (Gate((-5.0, 0.0), (5.0, 0.0), "start"), Gate((-5.0, 300.0), (5.0, 300.0), "end")), closed=False
)
COUNT = 900  # samples of a lap


class NoGhosts:
    running = ()


class StraightLaps(Laps):
    """Laps on a straight; the present one is that of the latest samples."""

    def sample(self, time, position, values, past):
        """Take a sample of straight driving at 20 m/s."""
        self._overlay("straight")
        if self.current is None:
            self.current = LapLog("straight", 0.0, self.ruler, 1)
        if self.current.ruler is not self.ruler:
            self.current.measure(self.ruler)
        self.current.sample(time, (0.0, 20.0 * time), values())


@pytest.fixture
def laps(tmp_path):
    """Laps of a straight route, whose best lap was driven at 25 m/s."""
    laps = StraightLaps([STRAIGHT], "flat", "car", NoGhosts(), tmp_path / "laps")
    times = np.linspace(0.0, 12.0, COUNT)  # at 25 m/s; the present lap is driven at 20 m/s
    channels = {"car.speed": np.full(COUNT, 25.0), "input.throttle": np.ones(COUNT)}
    trace = LapTrace(name="a", track="straight", vehicle="Car", world="flat", seconds=12.0, exact=True, times=times,
                     positions=np.column_stack([0.0 * times, 25.0 * times]), channels=channels)  # fmt: skip
    path = laps.path_of_best("straight")
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        trace.save(file)
    yield laps
    laps.close()


@pytest.fixture
def window(ui, vehicle, user, laps, tmp_path):
    """A plot window with these laps, drawn once."""
    window = PlotWindow(ui, layouts=Layouts(tmp_path / "plots.yaml"), laps=laps)
    ui.add(lambda: window.draw(vehicle))
    user.step()
    return window


def drive(window, vehicle, start, end):
    """Drive straight at 20 m/s from one time to another, s, with 60 samples per second."""
    for time in np.arange(start, end, 1.0 / 60.0):
        vehicle.state["body"][0]["orientation"] = (0.0, 0.0, 0.0, 1.0)
        vehicle.state["body"][0]["velocity"] = (0.0, 20.0, 0.0)
        window.laps.step()
        window.sample(vehicle, float(time))


def drive_until_overlaid(window, vehicle, user):
    """Drive until the chosen lap is overlaid."""
    for k in range(200):
        drive(window, vehicle, 2.0 + 0.02 * k, 2.02 + 0.02 * k)
        user.step(1)
        if window.laps.overlays:
            return
    raise AssertionError("no lap was overlaid")


def test_laps_are_chosen_and_plotted_with_the_time_lost(base, window, vehicle, user, laps):
    user.click("plots:laps")
    user.click("laps:layout")
    assert [plot.kind for plot in window.plots] == [LAP_GAP, LAP_DISTANCE, LAP_DISTANCE, LAP_DISTANCE]
    drive(window, vehicle, 0.0, 2.0)
    drive_until_overlaid(window, vehicle, user)
    drive(window, vehicle, 6.0, 8.0)
    user.step()
    (overlay,) = laps.overlays
    assert overlay.name == "best 0:12.000"
    time_lost = gap_to(laps.current, overlay)
    assert time_lost[-1] == pytest.approx(8.0 - 8.0 * 20.0 / 25.0, abs=0.05)
    assert window._lap_plots.gap_texts(laps)[0][0] == f"best 0:12.000 {time_lost[-1]:+.2f}"
    with_best = pixels(base)
    if "laps:best 0:12.000" not in user.ui.items:
        user.click("plots:laps")
    user.click("laps:best 0:12.000", fraction=0.05)
    assert BEST not in laps.chosen
    for _ in range(20):
        drive(window, vehicle, 8.0, 8.01)
        user.step(1)
    assert laps.overlays == []
    user.key("escape")
    assert (with_best != pixels(base)).any(axis=2)[:, 930:].sum() > 300  # the plots are at the right


def test_the_mouse_reads_both_laps_at_one_position(window, vehicle, user, laps):
    window.plots[:] = window.layouts.plots("Laps")
    window.changed()
    drive(window, vehicle, 0.0, 2.0)
    drive_until_overlaid(window, vehicle, user)
    drive(window, vehicle, 6.0, 9.0)
    left, top, right, bottom = user.ui.items.rectangle("plot:Speed")
    user.ui.feed.move(left + 0.4 * (right - left), (top + bottom) / 2.0)
    user.step()
    assert window._at_cursor(window.plots[1], window.plots[1].lines[0]) == " 72 / 90"  # km/h


def test_lap_plots_can_be_drawn_and_saved_in_layouts(window, vehicle, user, tmp_path):
    user.click("plot0:pick")
    user.click("pick:kind")
    user.step()
    for kind in LAP_KINDS:
        window.plots[0].kind = kind
        window.changed()
        drive(window, vehicle, 0.0, 0.5)
        user.step()
    window.plots[0].kind, window.plots[1].kind = LAP_TIME, LAP_GAP
    window.layouts.save("mine", window.plots)
    plots = Layouts(tmp_path / "plots.yaml").plots("mine")
    assert [plot.kind for plot in plots[:2]] == [LAP_TIME, LAP_GAP]


def test_an_outline_keeps_a_peak_and_the_end():
    x = np.arange(1000.0)
    y = np.where(x == 517, 9.0, np.sin(x / 50.0))
    short_x, short_y = outline(x, y, 200)
    assert len(short_x) == len(short_y) <= 210 and short_y.max() == 9.0
    assert short_x[-1] == 999.0 and short_y[-1] == y[-1] and np.all(np.diff(short_x) >= 0.0)
    assert np.array_equal(outline(x[:50], y[:50], 200)[1], y[:50])
