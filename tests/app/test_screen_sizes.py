"""Welcome and chooser on the screen at every size of the window a person is likely to have."""

import time

import pytest
from test_screen import seen
from window_hand import WindowHand

pytestmark = pytest.mark.serial
SIZES = ((800, 600), (1280, 720), (1920, 1080), (2560, 1440))
PATIENCE = 20.0  # s until a window has been drawn at its new size


@pytest.fixture
def hand(large_display, home):
    hand = WindowHand(large_display, "--size", "{}x{}".format(*SIZES[0]))
    hand.tool("windowmove", hand.window, "0", "0")
    hand.until("app.world.time > 0.3")
    hand.ask("setattr(app.settings, 'quality', 'low')")
    yield hand
    hand.end()


def resize(hand, width, height):
    hand.tool("windowsize", hand.window, str(width), str(height))
    hand.until(f"(app.base.win.getXSize(), app.base.win.getYSize()) == ({width}, {height})")


def orange_share(picture, rectangle):
    """Share of a rectangle of the picture in the colour of the button that is meant to be pressed."""
    left, top, right, bottom = (round(edge) for edge in rectangle)
    red, green, blue = picture[top:bottom, left:right].reshape(-1, 3).astype(float).T
    return float(((red > 1.5 * green) & (green > 1.5 * blue)).mean())


def shows_whole(hand, widget):
    """Wait until an orange button stands wholly inside the window and is seen on the screen where it is said to be."""
    width, height = hand.ask("list(app.ui.size)")
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        rectangle = hand.ask(f"app.ui.items.rectangle({widget!r}) if {widget!r} in app.ui.items else None")
        if rectangle:
            left, top, right, bottom = rectangle
            inside = 0 <= left < right <= width and 0 <= top < bottom <= height
            if inside and orange_share(seen(hand), rectangle) > 0.6:  # the rest is its label
                return True
        time.sleep(0.2)
    return False


def test_a_window_of_a_given_size_can_be_resized(hand):
    """Panda3D undoes every change of a window of fixed size, now and then after it was drawn once."""
    assert hand.ask("app.base.win.getProperties().getFixedSize()") is False
    resize(hand, 1100, 700)


def test_welcome_and_chooser_are_whole_at_every_size(hand):
    """Their letters grow with the window."""
    heights = []
    for size in SIZES:
        resize(hand, *size)
        assert shows_whole(hand, "welcome:drive"), size
        _, top, _, bottom = hand.ask("app.ui.items.rectangle('welcome:drive')")
        heights.append((bottom - top) / size[1])
    assert max(heights) < 1.2 * min(heights), heights
    hand.click(*(round(pixel) for pixel in hand.ask("app.ui.items.point('welcome:drive')")))
    hand.until("not (app.welcome and app.welcome.open)")
    hand.key("g")
    hand.until("app.pause.page == 'choose'")
    for size in SIZES:
        resize(hand, *size)
        assert shows_whole(hand, "choose:drive"), size
