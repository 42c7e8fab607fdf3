"""The page of keys is used as a person would: clicking Bind, then pressing a key."""

from driving_sandbox.game.controls.bindings import ACTIONS


def test_every_action_is_on_the_page_of_keys(bench):
    shown = set(bench.ui.items.names())
    bench.hand.move("key:throttle")
    for _ in range(20):
        bench.ui.feed.button(True, "wheel_down")
        bench.hand.step()
        shown |= set(bench.ui.items.names())
    assert {f"key:{action}:bind" for action in ACTIONS} <= shown


def test_a_key_is_bound_by_pressing_it_and_saved(bench):
    bench.hand.click("key:camera:bind")
    assert "keys:prompt" in bench.ui.items
    bench.keyboard.key_down("v")
    bench.hand.step()
    assert bench.bindings.keys["camera"] == ("v",)
    assert bench.keyboard.take_presses() == []  # the key that was asked for did nothing else
    bench.keyboard.key_down("v")
    assert bench.keyboard.take_presses() == ["camera"]
    bench.assert_saved()


def test_escape_leaves_the_key(bench):
    bench.hand.click("key:camera:bind")
    bench.keyboard.key_down("escape")
    bench.hand.step()
    assert bench.bindings.keys["camera"] == ("c",) and not bench.path.exists()
    bench.keyboard.key_down("c")
    assert bench.keyboard.take_presses() == ["camera"]


def test_a_taken_key_is_shown_and_only_taken_when_told(bench):
    bench.hand.click("key:gear_up:bind")
    bench.keyboard.key_down("c")
    bench.hand.step()
    assert "keys:conflict" in bench.ui.items and bench.bindings.keys["gear_up"] == ("e",)
    bench.hand.click("keys:leave")
    assert "keys:conflict" not in bench.ui.items and bench.bindings.keys["camera"] == ("c",)
    bench.hand.click("key:gear_up:bind")
    bench.keyboard.key_down("c")
    bench.hand.step()
    bench.hand.click("keys:take")
    assert bench.bindings.keys["gear_up"] == ("c",) and bench.bindings.keys["camera"] == ()
    bench.assert_saved()


def test_a_second_key_is_added_and_one_action_reset(bench):
    bench.hand.click("key:camera:add")
    bench.keyboard.key_down("v")
    bench.hand.step()
    assert bench.bindings.keys["camera"] == ("c", "v")
    bench.assert_saved()
    bench.hand.click("key:camera:reset")
    assert bench.bindings.keys["camera"] == ("c",)
    assert "key:camera:reset" not in bench.ui.items
    bench.assert_saved()


def test_all_keys_are_reset(bench):
    for action, key in (("camera", "v"), ("clutch", "j")):
        bench.hand.click(f"key:{action}:bind")
        bench.keyboard.key_down(key)
        bench.hand.step()
    bench.hand.click("keys:reset")
    assert bench.bindings.keys == bench.bindings.default_keys
    bench.keyboard.key_down("c")
    assert bench.keyboard.take_presses() == ["camera"]
    bench.assert_saved()


def test_closing_the_window_gives_the_keys_back(bench):
    bench.hand.click("key:camera:bind")
    bench.window.toggle()
    bench.keyboard.key_down("v")
    bench.hand.step()
    assert bench.bindings.keys["camera"] == ("c",)


def test_an_unreadable_file_of_the_user_is_kept(bench):
    bench.path.write_text("keys: {camra: [v]}\n")
    bench.controls.set_key("hud", "j")
    assert "camra" in bench.path.with_suffix(".unreadable.yaml").read_text()
    bench.assert_saved()


def test_a_file_that_cannot_be_written_is_told_and_the_key_acts(bench):
    bench.controls.path = bench.path.parent / "file" / "controls.yaml"
    (bench.path.parent / "file").write_text("not a folder")
    bench.controls.set_key("hud", "j")
    assert bench.controls.status[0].startswith("Not saved")
    bench.keyboard.key_down("j")
    assert bench.keyboard.take_presses() == ["hud"]


def test_a_key_is_bound_to_a_track_lever(bench):
    bench.hand.click("key:left_track_ahead:bind")
    bench.keyboard.key_down("v")
    bench.hand.step()
    bench.keyboard.key_down("v")
    assert bench.keyboard.held("left_track_ahead")
    bench.assert_saved()
