"""One offscreen window per test module."""

import pytest

from driving_sandbox.game.platform.window import NoDisplay, WindowSettings, open_window


@pytest.fixture(scope="module")
def base(request):
    """An offscreen window of the module's WINDOW_SIZE (width, height in pixels)."""
    try:
        opened = open_window(WindowSettings(offscreen=True, size=request.module.WINDOW_SIZE))
    except NoDisplay as error:
        pytest.skip(str(error))
    yield opened
    opened.destroy()
