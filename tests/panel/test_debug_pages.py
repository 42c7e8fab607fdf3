"""Pages of numbers are side by side, above the instruments, complete in pictures of every usual size."""

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
    world = World(load_world("plane"), [load_vehicle(request.param)])
    world.spawn()
    with Session(world) as session:
        yield session


@pytest.fixture
def show(base, ui, user, session):
    """Open pages in a picture of a size; returns their rectangles in the order of the keys."""

    def draw(size, area=None, share=1.0, low=None, actions=PAGES):
        base.win.setSize(*size)
        ui.set_scale(share * suggested_scale(size[1]))
        pages = DebugPages(ui, session)
        pages.open = set(actions)
        ui.add(lambda: pages.draw(FreeArea(*(area or (0.0, float(size[0]))), low or float(size[1]))))
        user.step()
        return [ui.items.rectangle(action) for action in PAGES if action in actions]

    yield draw
    base.win.setSize(1280, 720)
    ui.set_scale(1.0)


def assert_in_a_row(rectangles, size):
    for one, other in zip(rectangles, rectangles[1:], strict=False):
        assert one[2] < other[0]
    for left, top, right, bottom in rectangles:
        assert 0.0 <= left < right <= size[0] and 0.0 <= top < bottom <= size[1]


def test_pages_do_not_overlap_and_end_in_the_picture(show, session):
    sizes = [(1280, 720), (1920, 1080), (2560, 1440)]
    if session.vehicle.wheel_count == 4:  # all values of sixteen wheels at once need a larger picture
        sizes.append((800, 600))
    for size in sizes:
        assert_in_a_row(show(size), size)


def test_one_page_of_many_wheels_fits_a_small_picture(show):
    assert_in_a_row(show((800, 600), actions=["page_driveline"]), (800, 600))


def test_pages_do_not_cover_instruments_and_panels(show, session):
    area, low = (300.0, 1280.0), 580.0
    rectangles = show((1280, 720), area, low=low, actions=["page_driveline"])
    assert rectangles[0][0] >= area[0] and rectangles[0][3] <= low
    if session.vehicle.wheel_count == 4:
        rectangles = show((1280, 720), area, low=low)
        assert rectangles[0][0] >= area[0] and max(rectangle[3] for rectangle in rectangles) <= low


def test_a_large_interface_gets_columns_and_a_smaller_font(show, session):
    if session.vehicle.wheel_count == 4:
        assert_in_a_row(show((1280, 720), share=1.4), (1280, 720))
