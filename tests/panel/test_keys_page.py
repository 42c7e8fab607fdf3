"""The page of keys: click Bind, then press a key."""

from driving_sandbox.game.controls.bindings import ACTIONS


def test_every_action_is_on_the_page_of_keys(bench):
    names = set(bench.ui.items.names())
    bench.user.move("key:throttle")
    for _ in range(20):
        bench.ui.feed.button(True, "wheel_down")
        bench.user.step()
        names |= set(bench.ui.items.names())
    assert {f"key:{action}:bind" for action in ACTIONS} <= names


def test_a_key_is_bound_by_pressing_it_and_saved(bench):
    bench.user.click("key:camera:bind")
    assert "keys:prompt" in bench.ui.items
    bench.keyboard.key_down("y")
    bench.user.step()
    assert bench.bindings.keys["camera"] == ("y",)
    assert bench.keyboard.take_presses() == []  # the bound key had no other effect
    bench.keyboard.key_down("y")
    assert bench.keyboard.take_presses() == ["camera"]
    bench.assert_saved()


def test_escape_cancels_binding(bench):
    bench.user.click("key:camera:bind")
    bench.keyboard.key_down("escape")
    bench.user.step()
    assert bench.bindings.keys["camera"] == ("c",) and not bench.path.exists()
    bench.keyboard.key_down("c")
    assert bench.keyboard.take_presses() == ["camera"]


def test_a_key_in_use_is_shown_and_reassigned_only_after_confirmation(bench):
    bench.user.click("key:gear_up:bind")
    bench.keyboard.key_down("c")
    bench.user.step()
    assert "keys:conflict" in bench.ui.items and bench.bindings.keys["gear_up"] == ("e",)
    bench.user.click("keys:leave")
    assert "keys:conflict" not in bench.ui.items and bench.bindings.keys["camera"] == ("c",)
    bench.user.click("key:gear_up:bind")
    bench.keyboard.key_down("c")
    bench.user.step()
    bench.user.click("keys:take")
    assert bench.bindings.keys["gear_up"] == ("c",) and bench.bindings.keys["camera"] == ()
    bench.assert_saved()


def test_a_second_key_is_added_and_one_action_reset(bench):
    bench.user.click("key:camera:add")
    bench.keyboard.key_down("y")
    bench.user.step()
    assert bench.bindings.keys["camera"] == ("c", "y")
    bench.assert_saved()
    bench.user.click("key:camera:reset")
    assert bench.bindings.keys["camera"] == ("c",)
    assert "key:camera:reset" not in bench.ui.items
    bench.assert_saved()


def test_all_keys_are_reset(bench):
    for action, key in (("camera", "y"), ("clutch", "j")):
        bench.user.click(f"key:{action}:bind")
        bench.keyboard.key_down(key)
        bench.user.step()
    bench.user.click("keys:reset")
    assert bench.bindings.keys == bench.bindings.default_keys
    bench.keyboard.key_down("c")
    assert bench.keyboard.take_presses() == ["camera"]
    bench.assert_saved()


def test_closing_the_window_cancels_binding(bench):
    bench.user.click("key:camera:bind")
    bench.window.toggle()
    bench.keyboard.key_down("y")
    bench.user.step()
    assert bench.bindings.keys["camera"] == ("c",)


def test_an_unreadable_bindings_file_is_renamed_not_overwritten(bench):
    bench.path.write_text("keys: {camra: [v]}\n")
    bench.controls.set_key("hud", "j")
    assert "camra" in bench.path.with_suffix(".unreadable.yaml").read_text()
    bench.assert_saved()


def test_a_failed_save_is_reported_and_the_key_works(bench):
    bench.controls.path = bench.path.parent / "file" / "controls.yaml"
    (bench.path.parent / "file").write_text("not a folder")
    bench.controls.set_key("hud", "j")
    assert bench.controls.status[0].startswith("Not saved")
    bench.keyboard.key_down("j")
    assert bench.keyboard.take_presses() == ["hud"]


def test_a_key_is_bound_to_a_track_lever(bench):
    bench.user.click("key:left_track_ahead:bind")
    bench.keyboard.key_down("y")
    bench.user.step()
    bench.keyboard.key_down("y")
    assert bench.keyboard.held("left_track_ahead")
    bench.assert_saved()
