"""Labels of the settings do not reach into other widgets, at several sizes of image and interface."""

import pytest

from driving_sandbox.game.controls.bindings import ACTIONS, ANALOG, ANALOG_NAMES
from driving_sandbox.game.toolkit.theme import FONT_SIZE, suggested_scale
from driving_sandbox.game.view.gl.quality import DAYTIMES
from driving_sandbox.game.windows.settings_window import UNITS

LABEL = ":label"
# (image size, share of the suggested scale)
SIZES = [((800, 600), 1.0), ((1280, 720), 1.0), ((1280, 720), 1.6), ((1920, 1080), 1.0)]


@pytest.fixture
def open_page(bench, base, ui):
    """A function that opens a page in an image of a size, scrolls through it and returns its items."""

    def show(tab, size, share):
        base.win.setSize(*size)
        ui.set_scale(share * suggested_scale(size[1]))
        bench.user.step(4)
        bench.user.click(tab)
        bench.user.step()
        return items_of(bench)

    yield show
    base.win.setSize(1280, 720)
    ui.set_scale(1.0)


def items_of(bench):
    """Scroll through the page; returns {name: rectangle} of all items seen.

    With them, {(row, suffix): (rectangle of the row's label, rectangle of the item `row + suffix` beside it)}.
    """
    items, (width, height), rectangles = bench.ui.items, bench.ui.size, {}
    bench.ui.feed.move(0.5 * width, 0.6 * height)
    for _ in range(60):
        rectangles.update({name: items.rectangle(name) for name in items.names()})
        for label in (name for name in items.names() if name.endswith(LABEL)):
            row = label[: -len(LABEL)]
            rectangles.update({(row, suffix): (items.rectangle(label), items.rectangle(row + suffix))
                               for suffix in ("", ":bind") if row + suffix in items})  # fmt: skip
        bench.ui.feed.button(True, "wheel_down")
        bench.user.step(1)
    return rectangles


def assert_labels_fit(rectangles, names, next_to, inside):
    """Assert that labels end before the items beside them, and that labels and items are between two x, `inside`."""
    for name in names:
        label, next_item = rectangles[name, next_to]
        assert label[2] <= next_item[0], f"{name}: {label} reaches into {next_item}"
        assert inside[0] <= label[0] and next_item[2] <= inside[1], name


@pytest.mark.parametrize(("size", "share"), SIZES)
def test_labels_of_keys_fit(open_page, size, share):
    rectangles = open_page("tab:keys", size, share)
    assert_labels_fit(rectangles, [f"key:{action}" for action in ACTIONS], "", (0.0, size[0]))
    assert_labels_fit(rectangles, [f"key:{action}" for action in ACTIONS], ":bind", (0.0, size[0]))


def test_keys_are_in_two_columns_of_one_line_labels_if_they_fit(open_page, ui):
    rectangles = open_page("tab:keys", (1280, 720), 1.0)
    labels = [rectangles[f"key:{action}:label"] for action in ACTIONS]
    assert len({round(label[0]) for label in labels}) == 2
    assert max(label[3] - label[1] for label in labels) < 2.0 * FONT_SIZE  # each in one line


def test_many_keys_of_one_action_fit(open_page, bench):
    for key in ("f4", "scroll_lock", "print_screen", "num_lock"):
        bench.controls.set_key("camera", key, add=True)
    rectangles = open_page("tab:keys", (1280, 720), 1.0)
    assert rectangles["key:camera"][2] <= rectangles["key:camera:bind"][0]


@pytest.mark.parametrize(("size", "share"), SIZES)
def test_labels_of_a_device_page_fit(open_page, bench, size, share):
    stick = bench.plug()
    rectangles = open_page(f"tab:device:{stick.instance_id}", size, share)
    assert set(ANALOG) == set(ANALOG_NAMES)
    assert_labels_fit(rectangles, [f"axis:{action}" for action in ANALOG], ":bind", (0.0, size[0]))
    assert_labels_fit(rectangles, [f"button:{action}" for action in ACTIONS], "", (0.0, size[0]))


@pytest.mark.parametrize(("size", "share"), [*SIZES, ((800, 600), 1.8)])
def test_the_program_page_fits(open_page, size, share):
    rectangles = open_page("tab:program", size, share)
    names = [f"program:{units}" for units in UNITS] + [f"program:daytime:{daytime}" for daytime in DAYTIMES]
    names += [f"program:quality:{quality}" for quality in ("auto", "low", "medium", "high", "ultra")]
    names += ["program:fit", "folder:Recordings", "version:Libraries", "program:later"]
    for name in names:
        left, _, right, _ = rectangles[name]
        assert left >= 0.0 and right <= size[0] - 12.0, name
