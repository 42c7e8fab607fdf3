"""Pages of numbers are side by side, above the instruments and inside images of usual sizes."""

import pytest

from driving_sandbox.game.session.session import Session
from driving_sandbox.game.toolkit.theme import suggested_scale
from driving_sandbox.game.windows.debug_pages import PAGES, DebugPages
from driving_sandbox.game.windows.window import FreeArea
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world


@pytest.fixture(scope="module", params=["roadster", "half_track"])
def session(request):
    """A session with a car, then with a half-track."""
    world = World(load_world("plane"), [load_vehicle(request.param)])
    world.spawn()
    with Session(world) as session:
        yield session


@pytest.fixture
def show(base, ui, user, session):
    """A function that opens pages in an image of a size and returns their rectangles in the order of PAGES.

    Its argument `area` is the (left, right) of the part of the image for pages.
    """

    def draw(size, area=None, scale=1.0, instruments_top=None, actions=PAGES):
        base.win.setSize(*size)
        ui.set_scale(scale * suggested_scale(size[1]))
        pages = DebugPages(ui, session)
        pages.shown = set(actions)
        ui.add(lambda: pages.draw(FreeArea(*(area or (0.0, float(size[0]))), instruments_top or float(size[1]))))
        user.step()
        return [ui.items.rectangle(action) for action in PAGES if action in actions]

    yield draw
    base.win.setSize(1280, 720)
    ui.set_scale(1.0)


def assert_in_a_row(rectangles, size):
    """Assert that the rectangles are inside the image, each to the right of the one before."""
    for left_page, right_page in zip(rectangles, rectangles[1:], strict=False):
        assert left_page[2] < right_page[0]
    for left, top, right, bottom in rectangles:
        assert 0.0 <= left < right <= size[0] and 0.0 <= top < bottom <= size[1]


def test_pages_do_not_overlap_and_are_inside_the_image(show, session):
    sizes = [(1280, 720), (1920, 1080), (2560, 1440)]
    if session.vehicle.wheel_count == 4:  # all values of sixteen wheels at once need a larger image
        sizes.append((800, 600))
    for size in sizes:
        assert_in_a_row(show(size), size)


def test_one_page_is_inside_a_small_image(show):
    assert_in_a_row(show((800, 600), actions=["page_driveline"]), (800, 600))


def test_pages_do_not_cover_instruments_and_panels(show, session):
    area, instruments_top = (300.0, 1280.0), 580.0
    rectangles = show((1280, 720), area, instruments_top=instruments_top, actions=["page_driveline"])
    assert rectangles[0][0] >= area[0] and rectangles[0][3] <= instruments_top
    if session.vehicle.wheel_count == 4:
        rectangles = show((1280, 720), area, instruments_top=instruments_top)
        assert rectangles[0][0] >= area[0] and max(rectangle[3] for rectangle in rectangles) <= instruments_top


@pytest.mark.parametrize("session", ["roadster"], indirect=True)  # the pages of a half-track do not fit, as above
def test_pages_of_a_large_interface_do_not_overlap(show):
    assert_in_a_row(show((1280, 720), scale=1.4), (1280, 720))
