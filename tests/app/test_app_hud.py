"""Layout of instruments in the running program: mirrors in every camera, map, pages of numbers, list of keys."""

import numpy as np
import pytest
from app_rig import LONG_FRAME
from panda3d.core import PNMImage

from driving_sandbox.game.windows.debug_pages import PAGES

pytestmark = pytest.mark.drawn
SETTLING_FRAMES = 6  # long frames until a camera has come to rest
# lines of the lap times: (label, text)
LINES = [("Handling course", "lap 2"), ("lap", "0:31.250"), ("sector 1", "0:22.125  -0.310"), ("last", "1:03.500")]


def grab(rig):
    """[rows, columns, rgb] of the frame drawn last, 0..1."""
    image = PNMImage()
    rig.app.base.win.getScreenshot(image)
    size = image.getXSize(), image.getYSize()
    values = [[tuple(image.getXel(x, y)) for x in range(size[0])] for y in range(size[1])]
    return np.array(values)


@pytest.fixture(params=["roadster", "hatchback"])
def rig(request, open_rig, monkeypatch):
    monkeypatch.setattr("driving_sandbox.game.program.instruments.board", lambda *arguments: LINES)
    return open_rig("--vehicle", request.param)


def test_the_lap_times_cover_no_mirror(rig):
    app, (width, height) = rig.app, rig.ui.size
    mirrors_of = {}  # {camera mode: [(left, top, right, bottom) of each mirror, as shares of the window]}
    for mode in app.camera.modes:
        app.camera.select(mode)
        rig.step(SETTLING_FRAMES, frame=LONG_FRAME)
        mirrors = app.mirrors.rectangles(app.base, app.scene.focus)
        mirrors_of[mode] = mirrors
        left, top, right, bottom = rig.ui.items.rectangle("hud:laps")
        for mirror in mirrors:
            beside = right <= mirror[0] * width or left >= mirror[2] * width
            assert beside or bottom <= mirror[1] * height or top >= mirror[3] * height, (mode, mirror)
    assert len(mirrors_of["eye"]) >= 2 and not mirrors_of["chase"]


def test_mirror_outlines_enclose_the_glass(rig):
    """Of the pixels that change when the mirrors are hidden, more than 98 % are inside the outlines."""
    app = rig.app
    app.camera.select("eye")
    app.hud.visible = False
    rig.step(SETTLING_FRAMES, frame=LONG_FRAME)
    mirrors, with_glass = app.mirrors.rectangles(app.base, app.scene.focus), grab(rig)
    for node in app.scene.focus.mirrors:
        node.hide()
    rig.step(2)
    rows, columns = np.nonzero(np.abs(grab(rig) - with_glass).max(axis=2) > 0.05)
    x, y = columns / with_glass.shape[1], rows / with_glass.shape[0]
    inside = [(left <= x) & (x <= right) & (top <= y) & (y <= bottom) for left, top, right, bottom in mirrors]
    assert len(rows) > 100 and np.any(inside, axis=0).mean() > 0.98


def test_pages_of_numbers_make_room_for_the_list_of_keys(open_rig):
    rig = open_rig()
    for action in PAGES:
        rig.app.windows["debug_pages"].toggle(action)
    rig.step(3)
    items = set(rig.ui.items.names())
    assert set(PAGES) <= items and "help" not in items
    rig.press("f1")
    rig.step(3)
    items = set(rig.ui.items.names())
    assert "help" in items and not set(PAGES) & items
    rig.press("f1")
    rig.step(3)
    assert set(PAGES) <= set(rig.ui.items.names())


def test_the_map_follows_the_car_and_is_hidden_with_the_instruments(open_rig):
    rig = open_rig()
    rig.hold("w")
    rig.run(2.0)
    assert "hud:map" in rig.ui.items
    assert rig.app.instruments.frame.position == pytest.approx(rig.session.vehicle.model_position()[:2])
    assert rig.app.instruments.frame.delta is None  # this world has no lap timing
    rig.press("h")
    rig.step(2)
    assert not [name for name in rig.ui.items.names() if name.startswith("hud:")]


@pytest.mark.parametrize("vehicle", ["roadster", "truck_trailer"])
def test_displayed_loads_stay_after_a_recovery_until_time_runs(open_rig, vehicle):
    rig = open_rig("--vehicle", vehicle)
    rig.run(2.0)
    rig.session.paused = True
    rig.step(2)
    frame = rig.app.instruments.frame
    loads = [frame.wheel_loads, *(towed.loads for towed in frame.trailers)]
    assert min(map(min, loads)) > 0.0
    rig.session.changes.recover()
    rig.step(2)
    assert [frame.wheel_loads, *(towed.loads for towed in frame.trailers)] == loads
    rig.session.paused = False
    rig.run(0.1)
    assert frame.wheel_loads == rig.session.vehicle.state["tire"]["load"][0, : len(loads[0])].tolist() != loads[0]
