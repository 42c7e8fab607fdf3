"""Layout and font sizes of instruments in images and areas of several sizes."""

from collections import namedtuple

import numpy as np
import pytest
from frame_pixels import pixels

from driving_sandbox.game.hud import Hud, HudFrame, MessageFeed
from driving_sandbox.game.hud.display import box_corner
from driving_sandbox.game.hud.map import RADIUS, SIZE, MapLine, MiniMap
from driving_sandbox.game.toolkit.pen import Pen

SMALLEST = 12.0  # pixels of an em in an image of 720 lines
EM = 2048.0 / 2400.0  # of Roboto's size, which runs from ascender to descender
GLYPH = 0.62  # share of the font size filled by digits and capitals
ALL_VALUES = {  # of a HudFrame that draws every instrument
    "speed": 31.4, "rpm": 5600.0, "max_rpm": 8000.0, "redline_rpm": 7200.0, "gear": "3", "automatic": True,
    "wheel_loads": [12300.0, 14700.0, 12100.0, 14400.0], "wheel_slips": [0.02, -1.0, 0.06, -0.12],
    "wheel_saturations": [0.5, 0.82, 0.92, 1.0], "axles": [[0, 1], [2, 3]], "acceleration": (2.0, 3.0),
    "recording": 754.0, "delta": -0.27, "reference": "best 1:02.345", "position": (0.0, 0.0),
    "timing": [("Handling course", "lap 3"), ("lap", "0:31.250"), ("sector 1", "0:22.125  -0.310"),
               ("last", "1:03.500"), ("best", "1:02.345")],
}  # fmt: skip
Text = namedtuple("Text", "left top right bottom size words")  # a drawn text: its rectangle, font size and words
STREET = MapLine(np.array([(0.0, -200.0), (0.0, 200.0)]))
SIZES = [(800, 600), (1280, 720), (1920, 1080)]


@pytest.fixture
def show(base, ui, user, monkeypatch):
    """A function that draws a full HudFrame and returns the rectangles of its instruments by name.

    Drawn texts are in `show.texts`.
    """
    hud, texts, state = Hud(ui, MiniMap([STREET])), [], {}
    write = Pen.text

    def record_text(pen, x, y, text, size, color, align=0.0, bold=False):
        left = x - pen.width(text, size, bold) * align
        right, half = left + pen.width(text, size, bold), size * GLYPH / 2.0
        texts.append(Text(left, y - half, right, y + half, size, text))
        write(pen, x, y, text, size, color, align, bold)

    monkeypatch.setattr(Pen, "text", record_text)

    def draw_hud():
        hud._pen._recorded.clear()  # draw cached texts too
        texts.clear()
        hud.draw(HudFrame(**{**ALL_VALUES, **state["values"]}), state["area"], state["mirrors"])

    def draw(area=None, mirrors=(), **values):
        state.update(values=values, area=area, mirrors=mirrors)
        if draw_hud not in ui._drawers:
            ui.add(draw_hud)
        user.step()
        return {name[4:]: ui.items.rectangle(name) for name in ui.items.names() if name.startswith("hud:")}

    draw.texts, draw.hud = texts, hud
    yield draw
    base.win.setSize(1280, 720)


def overlap(first, second):
    return first[0] < second[2] and second[0] < first[2] and first[1] < second[3] and second[1] < first[3]


def assert_apart(rectangles):
    """Assert that no two rectangles, pairs of (name, rectangle), overlap."""
    rectangles = list(rectangles)
    for k, (name, first) in enumerate(rectangles):
        for second_name, second in rectangles[k + 1 :]:
            assert not overlap(first, second), f"{name} {first} and {second_name} {second}"


def long_message():
    """Messages of a feed with one long text."""
    feed = MessageFeed()
    feed.post("the recording was saved as a long name that would reach under the lap box in a small image")
    feed.step(1.0)
    return feed.messages


def wide_area(size):
    return (0.0, 0.0, *size)


def narrow_area(size):
    """Between two panels."""
    return (0.36 * size[0], 0.0, 0.36 * size[0], float(size[1]))


# pixels: before the tests that resize the offscreen window, after which its buffer may stay small


def test_a_lamp_is_filled_while_lit_and_framed_while_off(base, show):
    amber = {}
    for state in ("ready", "lit", "off"):
        left, top, right, bottom = (round(edge) for edge in show(lamps=[("ESC", state)])["lamps"])
        pixels_now = pixels(base)[top:bottom, left:right].astype(int)
        amber[state] = ((pixels_now[..., 0] > 180) & (pixels_now[..., 2] < 120)).mean()
    assert amber["ready"] == 0.0 and amber["lit"] > 0.3 and 0.02 < amber["off"] < 0.25


def test_the_gap_is_a_bar_green_ahead_and_red_behind(base, show):
    green, red = [], []
    for delta in (-0.5, 0.5, None):
        left, _, right, bottom = show(delta=delta)["laps"]
        bar = pixels(base)[int(bottom) - 20 : int(bottom) - 6, int(left) : int(right)].astype(int)
        green.append(np.argwhere((bar[..., 1] > bar[..., 0] + 40) & (bar[..., 1] > bar[..., 2] + 40)))
        red.append(np.argwhere((bar[..., 0] > bar[..., 1] + 80) & (bar[..., 0] > bar[..., 2] + 80)))
    middle = (right - left) / 2.0
    assert len(green[0]) > 100 and not len(red[0]) and green[0][:, 1].max() <= middle + 1
    assert len(red[1]) > 100 and not len(green[1]) and red[1][:, 1].min() >= middle - 1
    assert not len(green[2]) and not len(red[2])
    texts = {}
    for delta in (-0.271, 0.5, None):
        show(delta=delta)
        texts[delta] = {text.words for text in show.texts}
    assert "-0.27" in texts[-0.271] and "+0.50" in texts[0.5]
    assert "best 1:02.345" in texts[0.5] and not texts[None] & {"-0.27", "+0.50"}


def map_pixels(base, show, colour=(255, 0, 255), **values):
    """Positions of the map's pixels of a colour, (right, forward) from its middle, m."""
    left, top, _, _ = show(**values)["map"]
    image = pixels(base)[int(top) : int(top + SIZE), int(left) : int(left + SIZE)].astype(int)
    rows, columns = np.nonzero(np.abs(image - colour).max(axis=2) < 40)
    return (np.column_stack([columns + 0.5, SIZE - rows - 0.5]) - SIZE / 2.0) * 2.0 * RADIUS / SIZE


@pytest.mark.parametrize(
    ("heading", "expected"), [(0.0, (150.0, 60.0)), (np.pi / 2.0, (60.0, -150.0)), (-np.pi / 2.0, (-60.0, 150.0))]
)
def test_the_map_is_rotated_to_the_vehicles_heading(base, show, heading, expected):
    """Another vehicle is 150 m to the east and 60 m to the north; a heading of +90 degrees is west."""
    dots = map_pixels(base, show, position=(10.0, 20.0), heading=heading, others=[(160.0, 80.0, (1.0, 0.0, 1.0, 1.0))])
    assert dots.mean(axis=0) == pytest.approx(expected, abs=5.0)


def test_the_map_shows_the_road_and_is_hidden_with_the_instruments(base, show):
    road = map_pixels(base, show, (117, 125, 133), position=(0.0, -100.0), heading=0.0)
    road = road[np.abs(road[:, 1]) > 30.0]  # without the edges of the vehicle's arrow
    assert np.abs(road[:, 0]).max() < 8.0
    assert -110.0 < road[:, 1].min() < -90.0 and road[:, 1].max() > 240.0  # it starts 100 m behind
    show.hud.map_visible = False
    assert "map" not in show() and "dial" in show()
    show.hud.map_visible, show.hud.visible = True, False
    assert not show()
    show.hud.visible = True
    assert "map" not in show(position=None)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("area", [wide_area, narrow_area])
def test_every_text_has_a_minimum_size_that_scales_with_the_image(base, show, size, area):
    base.win.setSize(*size)
    show(area(size), messages=long_message(), paused=True)
    assert {"C", "AUTO", "km/h", "12.3 kN", "-100 %", "lap", "best 1:02.345", "12:34", "Paused"} <= {
        text.words for text in show.texts}  # fmt: skip
    for text in show.texts:
        assert text.size * EM >= SMALLEST * size[1] / 720.0, text


def test_texts_follow_the_interface_scale(show, ui):
    show()
    default = [(text.size, text.words) for text in show.texts]
    ui.set_scale(1.5)
    show()
    assert [(text.size, text.words) for text in show.texts] == [
        (pytest.approx(1.5 * size), words) for size, words in default
    ]
    ui.set_scale(1.0)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("area", [wide_area, narrow_area])
def test_instruments_and_texts_do_not_overlap(base, show, size, area):
    base.win.setSize(*size)
    free_area = area(size)
    rectangles = show(free_area, messages=long_message())
    assert {"dial", "block", "laps", "recording"} <= set(rectangles)
    assert ("map" in rectangles) == (area is wide_area)
    assert_apart(rectangles.items())
    assert_apart((text.words, text[:4]) for text in show.texts)
    for left, top, right, bottom in rectangles.values():
        assert free_area[0] <= left < right <= free_area[0] + free_area[2] and 0.0 <= top < bottom <= size[1]


@pytest.mark.parametrize(("size", "panel"), [((1280, 720), 0.0), ((1280, 720), 0.37), ((800, 600), 0.0)])
def test_the_map_does_not_cover_the_vehicle(base, show, size, panel):
    """The vehicle is in the middle of the uncovered part, 0.4 of the image's height wide."""
    base.win.setSize(*size)
    begin = panel * size[0]
    left, top, _, bottom = show((begin, 0.0, size[0] - begin, float(size[1])))["map"]
    assert left >= 0.5 * (begin + size[0]) + 0.2 * size[1]
    assert 0.0 <= top < bottom <= size[1]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("area", [wide_area, narrow_area])
def test_the_top_of_the_bottom_instruments_is_that_of_the_highest(base, show, size, area):
    """In a small image the highest is the map, above the dial."""
    base.win.setSize(*size)
    rectangles = show(area(size))
    at_the_bottom = [
        rectangles[name]
        for name in ("dial", "map", "block")
        if name in rectangles and rectangles[name][3] > size[1] / 2
    ]
    assert show.hud.low == min(top for _, top, _, _ in at_the_bottom)
    assert (size == (800, 600) and area is wide_area) == (
        rectangles.get("map", (0, size[1]))[1] < rectangles["dial"][1]
    )


AIDS = [("ABS", "lit"), ("TC", "ready"), ("ESC", "off"), ("HILL", "ready")]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("area", [wide_area, narrow_area])
def test_lamps_are_above_the_dial_and_cover_nothing(base, show, size, area):
    base.win.setSize(*size)
    rectangles = show(area(size), lamps=AIDS)
    lamps, dial = rectangles["lamps"], rectangles["dial"]
    assert lamps[3] <= dial[1] and lamps[2] == pytest.approx(dial[2])
    assert_apart(rectangles.items())
    assert_apart((text.words, text[:4]) for text in show.texts)
    assert {"ABS", "TC", "ESC", "HILL"} <= {text.words for text in show.texts}
    assert show.hud.low <= lamps[1]
    few = show(area(size), lamps=AIDS[:2])["lamps"]
    assert few[0] > lamps[0] and few[2] == lamps[2]
    assert "lamps" not in show(area(size), lamps=[])


MIRROR = (0.82, 0.07, 1.2, 0.29)  # of a roadster, in shares of the image


def test_the_lap_box_is_beside_the_mirror(show):
    without_mirror = show()["laps"]
    assert without_mirror[2] == 1260.0  # 20 pixels from the right edge
    rectangle = [edge * (1280, 720)[k % 2] for k, edge in enumerate(MIRROR)]
    assert overlap(without_mirror, rectangle)
    beside = show(mirrors=[MIRROR])["laps"]
    assert not overlap(beside, rectangle) and beside[1] == without_mirror[1]
    assert rectangle[0] - 40.0 < beside[2] < rectangle[0]
    assert show()["laps"] == without_mirror


def test_the_lap_box_does_not_move_with_small_head_motion(show):
    first = show(mirrors=[MIRROR])["laps"]
    for sway in (-0.005, 0.02):  # towards the box by less than the gap, and away
        assert show(mirrors=[(MIRROR[0] + sway, *MIRROR[1:])])["laps"] == first
    near = show(mirrors=[(MIRROR[0] - 0.05, *MIRROR[1:])])["laps"]
    assert near[2] < first[2] - 20.0


def test_a_box_goes_left_past_mirrors_or_below_them():
    bounds = (0.0, 10.0, 500.0)  # left, top, right
    assert box_corner((100.0, 50.0), bounds, [], gap=5.0) == (500.0, 10.0)
    assert box_corner((100.0, 50.0), bounds, [(450.0, 0.0, 600.0, 40.0)], gap=5.0) == (445.0, 10.0)
    assert box_corner((100.0, 50.0), bounds, [(450.0, 70.0, 600.0, 90.0)], gap=5.0) == (500.0, 10.0)
    two_mirrors = [(450.0, 0.0, 600.0, 40.0), (300.0, 0.0, 400.0, 40.0)]
    assert box_corner((100.0, 50.0), bounds, two_mirrors, gap=5.0) == (295.0, 10.0)
    assert box_corner((100.0, 50.0), bounds, [(50.0, 0.0, 600.0, 40.0)], gap=5.0) == (500.0, 45.0)


def test_only_near_roads_are_drawn():
    far = MapLine(np.array([(5000.0, 0.0), (5400.0, 0.0)]))
    small = MiniMap([STREET, far])
    assert len(small.near((0.0, 0.0), 0.5)) == len(MiniMap([STREET]).near((0.0, 0.0), 0.5)) > 0
    assert small.near((5200.0, 0.0), 0.5) and not small.near((2500.0, 0.0), 0.5)
    assert MiniMap([]).empty
