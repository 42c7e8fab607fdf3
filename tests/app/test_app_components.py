"""The panel's list of components, by mouse, in the running program."""

import time

import pytest

from driving_sandbox.physics.recording import verify

pytestmark = pytest.mark.drawn
TIME_LIMIT = 600.0  # s for a worker process on a busy machine


@pytest.fixture
def rig(open_rig):
    """The program with the panel open at the components."""
    rig = open_rig("--size", "960x540")
    rig.run(0.3)
    rig.press("tab")
    rig.step(8)
    rig.click("components")
    return rig


IN_THE_PANEL = 150, 170  # px, a point (x, y) of the panel
SCROLL_STEPS = 40  # of the mouse wheel, more than the length of the list


def scroll_to(rig, name):
    """Scroll the panel until an item is visible as a whole."""
    rig.ui.feed.move(*IN_THE_PANEL)
    for _ in range(SCROLL_STEPS):
        visible = name in rig.ui.items.names()
        rig.ui.feed.button(True, "wheel_down")
        rig.step(3)
        if visible:  # before this step possibly only its edge was visible
            return
    raise AssertionError(f"{name} is not in the panel")


def choose(rig, slot, name):
    """Choose a component for a slot by clicks."""
    scroll_to(rig, f"part:{slot}")
    rig.click(f"part:{slot}")
    rig.click(f"part:{slot}:{name}")


def test_a_tire_is_swapped_by_mouse_and_the_swap_undone_and_redone(rig):
    session = rig.session
    before = session.vehicle
    choose(rig, "tire", "mf_52")
    assert session.vehicle is not before or session.component_swap.job is not None
    deadline = time.monotonic() + TIME_LIMIT
    while session.component_swap.job is not None:
        assert time.monotonic() < deadline
        rig.step(1)
        time.sleep(0.01)
    assert session.vehicle.sequence.by_slot["tire"].name == "mf_52"
    assert session.component_swap.status["tire"] == ("mf_52: in use", False)
    rig.run(0.5)
    scroll_to(rig, "part-status:tire")
    rig.app.do("undo")
    rig.step(1)
    assert session.vehicle.sequence is before.sequence
    rig.app.do("redo")
    rig.step(1)
    assert session.vehicle.sequence.by_slot["tire"].name == "mf_52"
    rig.run(0.3)
    path = session.recorder.path
    rig.close()
    assert verify(path).ok


def test_a_refusal_is_shown_below_the_slot(rig):
    choose(rig, "actuation", "direct_drive")
    text, wrong = rig.session.component_swap.status["actuation"]
    assert wrong and "nothing in this vehicle provides" in text
    rig.step(3)
    scroll_to(rig, "part-status:actuation")
    assert rig.session.component_swap.job is None
