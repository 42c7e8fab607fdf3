"""Welcome and chooser on the screen at usual window sizes."""

import time

import pytest
from test_screen import screenshot_of
from window_user import WindowUser

pytestmark = pytest.mark.serial
SIZES = ((800, 600), (1280, 720), (1920, 1080), (2560, 1440))
TIME_LIMIT = 20.0  # s until a window is drawn at its new size


@pytest.fixture
def user(large_display, home):
    """A user of the program at low quality in a window of the first size."""
    user = WindowUser(large_display, "--size", "{}x{}".format(*SIZES[0]))
    user.tool("windowmove", user.window, "0", "0")
    user.until("app.world.time > 0.3")
    user.ask("setattr(app.settings, 'quality', 'low')")
    yield user
    user.end()


def resize(user, width, height):
    """Resize the window, px, and wait until the program draws it at that size."""
    user.tool("windowsize", user.window, str(width), str(height))
    user.until(f"(app.base.win.getXSize(), app.base.win.getYSize()) == ({width}, {height})")


def orange_share(image, rectangle):
    """Share of a rectangle's pixels that have the colour of the default button."""
    left, top, right, bottom = (round(edge) for edge in rectangle)
    red, green, blue = image[top:bottom, left:right].reshape(-1, 3).astype(float).T
    return float(((red > 1.5 * green) & (green > 1.5 * blue)).mean())


def shows_whole(user, widget):
    """Whether, within TIME_LIMIT, an orange button is completely inside the window and visible on the screen."""
    width, height = user.ask("list(app.ui.size)")
    end = time.monotonic() + TIME_LIMIT
    while time.monotonic() < end:
        rectangle = user.ask(f"app.ui.items.rectangle({widget!r}) if {widget!r} in app.ui.items else None")
        if rectangle:
            left, top, right, bottom = rectangle
            inside = 0 <= left < right <= width and 0 <= top < bottom <= height
            if inside and orange_share(screenshot_of(user), rectangle) > 0.6:  # except its label
                return True
        time.sleep(0.2)
    return False


def test_a_window_of_a_given_size_can_be_resized(user):
    """Panda3D reverts resizing of a window of fixed size, sometimes only after a frame."""
    assert user.ask("app.base.win.getProperties().getFixedSize()") is False
    resize(user, 1100, 700)


def test_welcome_and_chooser_fit_at_every_size(user):
    """At four window sizes their buttons that start a drive are whole and visible.

    The height of the welcome's button, as a fraction of the window's height, varies by less than 20 %.
    """
    heights = []
    for size in SIZES:
        resize(user, *size)
        assert shows_whole(user, "welcome:drive"), size
        _, top, _, bottom = user.ask("app.ui.items.rectangle('welcome:drive')")
        heights.append((bottom - top) / size[1])
    assert max(heights) < 1.2 * min(heights), heights
    user.click(*(round(pixel) for pixel in user.ask("app.ui.items.point('welcome:drive')")))
    user.until("not (app.welcome and app.welcome.open)")
    user.key("g")
    user.until("app.pause.page == 'choose'")
    for size in SIZES:
        resize(user, *size)
        assert shows_whole(user, "choose:drive"), size
