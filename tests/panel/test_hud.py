"""Pixels of the HUD: each value changes the frame at its instrument."""

import math

import numpy as np
import pytest
from frame_pixels import pixels

from driving_sandbox.game.hud import Hud, HudFrame, MessageFeed, saturation_color
from driving_sandbox.game.program.instruments import AccelerationTrail
from driving_sandbox.game.toolkit.pen import Pen
from driving_sandbox.game.windows.overlays import ReplayAction, ReplayBar, Welcome, broken

DRIVE = {
    "speed": 31.4, "rpm": 5600.0, "max_rpm": 8000.0, "redline_rpm": 7200.0, "gear": "3", "throttle": 0.8, "steer": 0.35,
    "wheel_loads": [2300.0, 4700.0, 2100.0, 4400.0], "wheel_slips": [0.02, 0.04, 0.06, -0.12],
    "wheel_saturations": [0.5, 0.82, 0.92, 1.0], "axles": [[0, 1], [2, 3]],
}  # fmt: skip


@pytest.fixture
def show(base, ui, user):
    """A function that draws one HudFrame and returns the pixels."""
    hud = Hud(ui)
    state = {}

    def draw_hud():
        hud.draw(state["frame"], state.get("area"))

    def draw(area=None, **values):
        state["frame"], state["area"] = HudFrame(**{**DRIVE, **values}), area
        if draw_hud not in ui._drawers:
            ui.add(draw_hud)
        user.step(4)
        return pixels(base)

    yield draw
    base.win.setSize(1280, 720)


def accent_pixels(frame):
    """Mask of the pixels in the accent color, about (231, 110, 36)."""
    red, green, blue = frame[..., 0], frame[..., 1], frame[..., 2]
    return (abs(red - 231) < 14) & (abs(green - 110) < 14) & (abs(blue - 36) < 20)


@pytest.mark.parametrize("size", [(1280, 720), (3840, 2160), (640, 360)])
def test_the_hud_scales_with_the_image_and_leaves_its_middle_free(base, show, size):
    base.win.setSize(*size)
    frame = show()
    assert frame.shape[:2] == (size[1], size[0])
    dial = frame[int(size[1] * 0.68) :, int(size[0] * 0.82) :]
    share = accent_pixels(dial).mean()  # of the dial's area; similar at every size
    assert 0.015 < share < 0.06
    middle = frame[int(size[1] * 0.3) : int(size[1] * 0.6), int(size[0] * 0.3) : int(size[0] * 0.7)]
    assert (middle == middle[0, 0]).all()  # the road is not covered


def test_the_ring_grows_with_engine_speed(show):
    few = accent_pixels(show(rpm=1000.0)).sum()
    many = accent_pixels(show(rpm=7000.0)).sum()
    assert many > few + 500


def test_the_ring_grows_with_speed_without_an_engine(show):
    slow = accent_pixels(show(max_rpm=0.0, speed=2.0)).sum()
    fast = accent_pixels(show(max_rpm=0.0, speed=50.0)).sum()
    assert fast > slow + 500


@pytest.mark.parametrize("field", ["throttle", "brake", "clutch", "handbrake", "steer"])
def test_each_control_is_drawn(show, field):
    low, high = show(**{field: 0.0}), show(**{field: 1.0})
    changed = np.argwhere((low != high).any(axis=2))
    assert len(changed) > 100
    assert changed[:, 0].min() > 560 and changed[:, 1].max() < 160  # within the block of controls


def test_the_steering_mark_moves_to_the_side_of_the_turn(show):
    straight = show(steer=0.0)
    left, right = (np.argwhere((show(steer=s) != straight).any(axis=2))[:, 1].mean() for s in (-1.0, 1.0))
    assert left < right


def test_load_and_saturation_of_a_wheel_are_drawn(show):
    before = show()
    loaded = show(wheel_loads=[6800.0, 4700.0, 2100.0, 4400.0])
    changed = np.argwhere((before != loaded).any(axis=2))
    assert changed[:, 1].min() > 120 and changed[:, 1].max() < 192 and changed[:, 0].max() < 650  # front left only
    sliding = show(wheel_saturations=[1.0, 0.82, 0.92, 1.0])
    assert ((before != sliding).any(axis=2)).sum() > 50


def test_saturation_colors_are_equal_up_to_0_7_and_lose_green_beyond_1():
    greens = [saturation_color(share)[1] for share in (0.2, 0.9, 1.3)]
    assert saturation_color(0.2) == saturation_color(0.7)
    assert greens[2] < min(greens[:2])


def test_the_hud_does_not_cover_panels(show):
    empty = show(area=(500.0, 0.0, 410.0, 720.0), recording=5.0)
    assert (empty[:, :500] == empty[0, 0]).all()
    assert (empty[:, 910:] == empty[0, 0]).all()


def test_messages_fade_and_are_limited():
    feed = MessageFeed(capacity=2)
    feed.post("on its wheels", seconds=2.0)
    feed.step(1.0)
    assert feed.messages[0].opacity == 1.0
    feed.post("on its wheels", seconds=2.0)
    assert len(feed.messages) == 1
    feed.step(1.7)
    assert 0.0 < feed.messages[0].opacity < 1.0
    feed.step(0.5)
    assert feed.messages == []
    for text in "abc":
        feed.post(text)
    assert [m.text for m in feed.messages] == ["b", "c"]


def test_messages_pause_and_recording_are_drawn(show):
    feed = MessageFeed()
    feed.post("saved")
    feed.step(1.0)
    plain = show()
    top_middle, top_left = (slice(0, 100), slice(560, 720)), (slice(0, 60), slice(0, 120))
    assert (plain != show(messages=feed.messages)).any(axis=2)[top_middle].sum() > 500
    assert (plain != show(paused=True)).any(axis=2)[top_middle].sum() > 500
    assert (plain != show(recording=72.0)).any(axis=2)[top_left].sum() > 300


def test_the_pen_measures_text_like_imgui(ui, user):
    widths = {}

    def draw():
        from imgui_bundle import imgui

        widths["pen"] = Pen(ui.fonts).width("113 km/h", ui.scale * 15.0)
        widths["imgui"] = imgui.calc_text_size("113 km/h").x

    ui.add(draw)
    user.step()
    assert widths["pen"] == pytest.approx(widths["imgui"], abs=2.5)


def test_the_welcome_closes_by_its_button(ui, user):
    welcome, answers = Welcome(ui, "Driving sandbox", "A car on springs.", [("W", "go")]), []
    ui.add(lambda: answers.append(welcome.draw()))
    user.step(4)
    assert not any(answers)
    user.click("welcome:drive")
    assert answers.count(True) == 1 and not welcome.open


@pytest.fixture
def bar(ui, user):
    """A ReplayBar that collects its actions."""
    bar = ReplayBar(ui)
    bar.actions, bar.playing = [], True
    ui.add(lambda: bar.actions.extend(bar.draw(12.0, 48.0, bar.playing, 1.0)))
    user.step(4)
    return bar


def test_the_replay_bar_pauses_steps_and_leaves(bar, user):
    for name in ("play", "back", "forward", "start", "skip", "exit"):
        user.click(f"replay:{name}")
    assert bar.actions == [
        ReplayAction("pause"), ReplayAction("step", -1), ReplayAction("step", 1), ReplayAction("seek", 0.0),
        ReplayAction("seek", 17.0), ReplayAction("exit"),
    ]  # fmt: skip
    bar.playing = False
    user.step()
    user.click("replay:play")
    assert bar.actions[-1] == ReplayAction("play")
    assert bar.height > 40.0


def test_dragging_the_timeline_of_a_replay_seeks(bar, user):
    user.drag("replay:timeline", 0.25, 0.75)
    seeks = [action.value for action in bar.actions if action.kind == "seek"]
    assert seeks[-1] == pytest.approx(36.0, abs=1.0)
    assert len(seeks) > 3


def test_a_long_message_is_wrapped_between_words(ui):
    pen = Pen(ui.fonts)
    text = "the recording was saved as a very long name that no message between two panels could ever hold"
    lines = broken(pen, text, 16.0, 200.0)
    assert len(lines) > 2 and " ".join(lines) == text
    assert max(pen.width(line, 16.0) for line in lines) <= 200.0
    assert broken(pen, text, 16.0, math.inf) == [text]


def test_the_middle_between_two_panels_is_not_covered(show):
    narrow = show(area=(350.0, 0.0, 340.0, 720.0))
    assert (narrow[200:440, 350:560] == narrow[300, 400]).all()  # middle of the area, without its right end


def test_the_dot_of_the_g_g_diagram_moves_with_the_acceleration(show):
    centre = show(acceleration=(0.0, 0.0))
    # (acceleration to the right and forward, m/s^2; the dot's axis: 0 down, 1 to the right; sign of its shift)
    cases = (((6.0, 0.0), 1, 1), ((-6.0, 0.0), 1, -1), ((0.0, 6.0), 0, -1), ((0.0, -6.0), 0, 1))
    for acceleration, axis, sign in cases:
        accents = accent_pixels(show(acceleration=acceleration))
        new, old = accents & ~accent_pixels(centre), ~accents & accent_pixels(centre)
        shift = np.argwhere(new).mean(axis=0) - np.argwhere(old).mean(axis=0)
        # px; the border shows 1.5 g and has a radius of 42 px
        assert sign * shift[axis] == pytest.approx(6.0 / 9.80665 / 1.5 * 42.0, abs=2.0)
        assert abs(shift[1 - axis]) < 2.0


def test_grip_and_trail_are_drawn_in_the_g_g_diagram(show):
    plain = show(acceleration=(2.0, 3.0))
    assert (plain != show(acceleration=(2.0, 3.0), grip=0.8)).any(axis=2).sum() > 100
    trail = [(0.1 * k - 5.0, 4.0) for k in range(50)]
    changed = np.argwhere((plain != show(acceleration=(2.0, 3.0), trail=trail)).any(axis=2))
    assert len(changed) > 20 and changed[:, 1].min() > 236 and changed[:, 1].max() < 340  # within the diagram


def test_instruments_follow_the_interface_scale(ui, show):
    default = accent_pixels(show()).sum()
    ui.set_scale(1.5)
    assert accent_pixels(show()).sum() > 1.8 * default
    ui.set_scale(1.0)
    assert accent_pixels(show()).sum() == default


def test_static_geometry_is_drawn_once_per_key(ui, user):
    pen, drawn = Pen(ui.fonts), []

    def draw():
        from imgui_bundle import imgui

        pen.begin(imgui.get_background_draw_list())
        for key in (1, 1, 2):
            pen.still("face", key, lambda: (drawn.append(1), pen.rect(0.0, 0.0, 5.0, 5.0, (1, 1, 1, 1))))

    ui.add(draw)
    user.step(1)
    assert len(drawn) == 2


def state_of(velocity, orientation=(0.0, 0.0, 0.0, 1.0)):
    """State of a body with this velocity, m/s."""
    return {"velocity": np.array([velocity]), "orientation": np.array([orientation])}


def test_the_accelerometer_uses_body_axes_and_ignores_jumps():
    gauge, left = AccelerationTrail(), (0.0, 0.0, math.sin(math.pi / 4.0), math.cos(math.pi / 4.0))  # heading -x
    for k in range(120):
        value = gauge.read(state_of((-3.0 * k / 60.0, 0.0, 0.0), left), k / 60.0)
    assert value == pytest.approx((0.0, 3.0), abs=1e-4)
    assert 10 <= len(gauge.trail) <= 14 and gauge.trail[-1] == pytest.approx((0.0, 3.0), abs=1e-3)
    assert gauge.read(state_of((50.0, 0.0, 0.0), left), 119.0 / 60.0) == value  # zero time step
    for k in range(120):
        value = gauge.read(state_of((-6.0 + 2.0 * k / 60.0, 4.0 * k / 60.0, 0.0), left), 2.0 + k / 60.0)
    assert value == pytest.approx((4.0, -2.0), abs=1e-4)
    gauge.restart()  # after a teleport the change of velocity is no acceleration
    assert gauge.read(state_of((0.0, 0.0, 0.0), left), 4.0) == (0.0, 0.0) and not gauge.trail
    assert gauge.read(state_of((0.0, 0.0, 0.0), left), 4.02) == (0.0, 0.0)
    assert gauge.read(state_of((0.0, 0.0, 0.0), left), 1.0) == (0.0, 0.0) and not gauge.trail  # back in time
