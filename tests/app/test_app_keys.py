"""Keys of the driving screen do what the help says."""

import pytest

from driving_sandbox.game.controls.bindings import GROUPS
from driving_sandbox.game.program.welcome import welcome
from driving_sandbox.physics.recording import Recording, verify

pytestmark = pytest.mark.drawn


@pytest.fixture
def rig(open_rig):
    return open_rig()


def test_w_drives_s_brakes_then_reverses_and_arrow_up_drives_forward(rig):
    rig.hold("w")
    rig.run(2.0)
    assert rig.speed > 5.0
    rig.hold("s")
    rig.until(lambda: abs(rig.speed) < 0.5, 6.0)
    rig.until(lambda: rig.speed < -1.5, 4.0)
    assert rig.app.instruments.frame.gear == "R"
    rig.hold("arrow_up")
    rig.until(lambda: rig.speed > 1.5, 6.0)


def test_steering_keys_turn_the_car_to_their_side(rig):
    rig.hold("w")
    rig.run(1.5)
    before = rig.session.situation.heading
    rig.hold("w", "a")
    rig.run(1.0)
    left = rig.session.situation.heading
    assert left > before + 0.05
    rig.hold("w", "arrow_right")
    rig.run(2.0)
    assert rig.session.situation.heading < left - 0.05


def test_space_slows_the_rear_wheels_more(rig):
    """The left rear wheel turns at less than 0.3 times the rate of the left front wheel."""
    rig.hold("w")
    rig.run(2.5)
    rig.hold("space")
    rig.run(0.6)
    assert rig.speed > 3.0
    assert abs(rig.read("wheel.rl.omega")) < 0.3 * abs(rig.read("wheel.fl.omega"))


def test_r_rights_a_rolled_car(rig):
    body = rig.session.vehicle.state["body"][0]
    body["orientation"] = (0.0, 1.0, 0.0, 0.0)  # x, y, z, w: half a turn about the y axis
    body["position"][2] += 1.0
    rig.session.changes.record_jump("test")
    rig.run(1.0)
    assert rig.read("body.orientation.y") ** 2 > 0.5  # still on its roof
    rig.press("r")
    rig.run(0.5)
    assert abs(rig.read("body.orientation.x")) < 0.1 and abs(rig.read("body.orientation.y")) < 0.1
    assert all(rig.read(f"tire.{w}.load") > 500.0 for w in rig.session.vehicle.wheel_names)


def test_backspace_rewinds_and_the_drive_after_it_verifies(rig):
    rig.hold("w")
    rig.run(2.0)
    position, speed = rig.session.situation.position, rig.speed
    rig.run(3.0)
    rig.press("backspace")
    assert rig.session.situation.position == pytest.approx(position, abs=0.6)
    assert rig.speed == pytest.approx(speed, abs=0.6)
    rig.run(0.5)
    path = rig.session.recorder.path
    rig.close()
    report = verify(path)
    assert report.ok and report.ticks > 5 * 240, report.text


def test_f9_keeps_the_recording_and_shows_its_path(rig, home):
    rig.run(0.3)
    assert [p.name for p in (home / "recordings").glob("drive-*")] == []
    rig.press("f9")
    (path,) = (home / "recordings").glob("drive-*.drive")
    assert any(str(path) in text for text in rig.shown), rig.shown
    rig.run(0.3)
    rig.close()
    assert Recording.open(path).complete


def test_keys_of_help_panel_camera_pause_and_instruments(rig):
    app, listed = rig.app, rig.app.windows["keys"]
    for key, state in (("f1", lambda: listed.open), ("f2", lambda: app.panel.open), ("tab", lambda: app.panel.open),
                       ("h", lambda: app.hud.visible), ("p", lambda: rig.session.paused)):  # fmt: skip
        before = state()
        rig.press(key)
        assert state() is not before, key
        rig.press(key)
        assert state() is before, key
    modes = [app.camera.mode]
    for name in [*list(app.camera.modes.values())[1:], app.camera.modes[modes[0]]]:
        rig.press("c")
        rig.step(2, frame=1 / 60)
        modes.append(app.camera.mode)
        assert app.instruments.feed.messages[-1].text == name
    assert len(set(modes)) == 10 and modes[0] == modes[10]
    rig.run(2.1)  # longer than the message of the last camera is shown
    assert not any(m.text == name for m in app.instruments.feed.messages)


@pytest.mark.parametrize("presses", [0, 1, 2])
def test_b_looks_back_while_held(rig, presses):
    for _ in range(presses):  # chase, cockpit, bonnet
        rig.press("c")
    rig.run(0.3)
    before = rig.app.base.camera.getQuat().getForward()
    rig.hold("b")
    rig.step(2, frame=1 / 60)
    behind = rig.app.base.camera.getQuat().getForward()
    assert (before.x, before.y) == pytest.approx((-behind.x, -behind.y), abs=0.1)
    rig.hold()
    rig.step(2, frame=1 / 60)
    assert rig.app.base.camera.getQuat().getForward().dot(before) > 0.95


def test_a_paused_drive_stops_and_resumes(rig):
    rig.hold("w")
    rig.run(1.0)
    rig.session.paused = True
    tick = rig.session.world.tick
    rig.run(1.0)
    assert rig.session.world.tick == tick
    rig.session.paused = False
    rig.run(0.5)
    assert rig.session.world.tick == tick + 120


def test_every_action_of_the_help_has_a_key(rig):
    texts = [text for _, text in rig.app.key_help()]
    assert "Handbrake" in texts and "Rewind the last seconds" in texts and "Tuning panel" in texts
    assert all(key for key, text in rig.app.key_help() if text not in GROUPS)  # headings have none


def type_line(rig, text):
    """Type a text into the focused field and press Enter."""
    for letter in text:
        rig.ui.feed.text(letter)
        rig.step(2)
    for down in (True, False):
        rig.ui.feed.button(down, "enter")
        rig.step(2)


def test_f5_writes_a_note_with_its_tick_into_the_recording(rig):
    rig.run(1.0)
    rig.press("f5")
    rig.step(3)
    tick = rig.session.recorder.tick
    rig.run(0.5)
    type_line(rig, "first gear is too long")
    assert not rig.app.windows["note"].open and rig.session.marks[-1][1] == "first gear is too long"
    path = rig.session.recorder.path
    rig.close()
    notes = [e for e in Recording.open(path).events if e["kind"] == "mark"]
    assert [(e["tick"], e["text"]) for e in notes] == [(tick, "first gear is too long")]


@pytest.mark.parametrize("key", ["w", "escape", "tab"])
def test_the_welcome_closes_at_the_first_key(rig, key):
    app = rig.app
    app.settings.first_start, app.welcome = True, welcome(rig.ui, app.key_help())
    rig.step(3)
    assert app.welcome is not None and app.settings.first_start
    rig.press(key)
    assert app.welcome is None and not app.settings.first_start
    assert not rig.session.paused  # Escape closed the window and nothing else
    assert app.panel.open == (key == "tab")
    rig.press("escape")
    assert rig.session.paused
