"""What the user does with widgets, read once a frame for the sounds of the interface."""

import pytest
from imgui_bundle import imgui

from driving_sandbox.game.toolkit.navigation import MenuNavigation
from driving_sandbox.game.toolkit.widget_events import checkbox
from driving_sandbox.sound.interface.kinds import Kind


class Page:
    """One widget of each kind; `take` returns the kinds of sounds since its last call."""

    def __init__(self, ui):
        self._ui, self._kinds = ui, []
        self.ticked, self.number, self.text, self.choice = False, 0.3, "", 0

    def draw(self):
        note = self._ui.items.note
        imgui.set_next_window_pos(imgui.ImVec2(10.0, 10.0), imgui.Cond_.once.value)
        imgui.set_next_window_size(imgui.ImVec2(300.0, 200.0), imgui.Cond_.once.value)
        imgui.begin("page")
        imgui.button("press")
        note("button")
        _, self.ticked = checkbox("tick", self.ticked)
        note("checkbox")
        _, self.number = imgui.slider_float("slide", self.number, 0.0, 1.0)
        note("slider")
        _, self.text = imgui.input_text("type", self.text)
        note("field")
        _, self.choice = imgui.combo("choose", self.choice, ["one", "two"])
        note("combo")
        position = imgui.get_window_pos()
        self._ui.items.put("title", (position.x + 60.0, position.y, position.x + 250.0, position.y + 16.0))
        imgui.end()
        if (kind := self._ui.events.read()) is not None:
            self._kinds.append(kind)

    def take(self):
        kinds, self._kinds = self._kinds, []
        return kinds


@pytest.fixture
def page(ui, user):
    page = Page(ui)
    ui.add(page.draw)
    user.step()
    page.take()
    return page


def test_a_click_is_a_press(page, user):
    user.click("button")
    assert page.take() == [Kind.PRESS]


def test_moving_the_mouse_over_widgets_has_no_sound(page, user):
    for name in ("button", "checkbox", "slider", "combo"):
        user.move(name)
    assert page.take() == []


def test_a_button_that_is_left_before_the_release_is_not_pressed(page, user, ui):
    """Also by less than what counts as dragging."""
    left, _, _, bottom = ui.items.rectangle("button")
    for end in (bottom + 2.0, bottom + 60.0):
        ui.feed.move(left + 10.0, bottom - 2.0)
        user.step()
        user.press()
        ui.feed.move(left + 10.0, end)
        user.step()
        user.release()
    assert page.take() == []


def test_a_click_on_a_slider_is_a_step_not_a_press(page, user):
    user.click("slider", 0.1)
    user.click("slider", 0.1)
    assert page.take() == [Kind.STEP]


def test_a_checkbox_tells_whether_it_is_on(page, user):
    user.click("checkbox", 0.1)
    user.click("checkbox", 0.1)
    assert page.take() == [Kind.ON, Kind.OFF]


def test_a_slider_steps_as_its_value_changes(page, user):
    user.drag("slider", 0.2, 0.5, frames=5)
    kinds = page.take()
    assert set(kinds) == {Kind.STEP}
    assert len(kinds) >= 5


def test_typing_has_no_sound(page, user):
    user.click("field", 0.2)
    user.type("abc")
    assert page.text == "abc"
    assert page.take() == []


def test_a_list_is_pressed_and_an_entry_is_chosen(page, user):
    user.choose("combo", ["one", "two"], "two")
    assert page.choice == 1
    assert page.take() == [Kind.PRESS, Kind.PRESS]


def test_dragging_a_window_is_no_press(page, user, ui):
    user.drag("title", 0.3, 0.8)
    assert page.take() == []


def test_keys_move_the_focus_and_press(page, user, base):
    navigation = MenuNavigation()
    navigation.update(on=True, held=set())
    user.click("button")
    user.step()
    page.take()
    user.key("arrow_down")
    user.key("arrow_down")
    user.key("arrow_up")
    user.key("space")
    navigation.update(on=False, held=set())
    assert page.take() == [Kind.FOCUS, Kind.FOCUS, Kind.FOCUS, Kind.ON]
    assert page.ticked
