"""The backend's duties: textures, scale, gates of the game's input, clipboard, and a clean end."""

import numpy as np
import pytest
from imgui_bundle import imgui
from panda3d.core import NodePath
from picture_pixels import pixels

from driving_sandbox.game.toolkit.backend import ImGuiBackend
from driving_sandbox.game.toolkit.clipboard import Clipboard
from driving_sandbox.game.toolkit.painter import Painter, widened
from driving_sandbox.game.toolkit.theme import SCALE_RANGE, color_u32, suggested_scale


def test_typing_takes_the_keyboard_and_dragging_does_not(panel, hand, ui):
    assert not ui.wants_keyboard
    hand.click("search")
    assert ui.wants_keyboard
    hand.key("enter")
    assert not ui.wants_keyboard
    panel.reveal("body.mass")
    hand.step(4)
    hand.move("body.mass", 0.4)
    hand.press()
    assert ui.wants_mouse and not ui.wants_keyboard  # one may drive on while dragging
    hand.release()


def test_mouse_belongs_to_the_game_beside_the_panel_and_after_leaving(panel, hand, ui):
    ui.feed.move(1100, 300)
    hand.step()
    assert not ui.wants_mouse
    hand.move("search")
    assert ui.wants_mouse
    ui.feed.leave()
    hand.step()
    assert not ui.wants_mouse


def test_copy_and_paste(panel, hand, ui):
    hand.click("search")
    hand.type("damping")
    for key in ("a", "c"):
        ui.feed.button(True, "control")
        hand.key(key)
        ui.feed.button(False, "control")
        hand.step()
    assert ui.clipboard.paste() == "damping"
    ui.clipboard.copy("stiffness")
    ui.feed.button(True, "control")
    hand.key("v")
    ui.feed.button(False, "control")
    hand.step()
    assert panel.search == "stiffness"


def test_clipboard_without_a_desktop_keeps_text():
    clipboard = Clipboard(system=False)
    clipboard.copy("täglich 5 °")
    assert clipboard.paste() == "täglich 5 °"


def test_scale_enlarges_widgets_and_is_limited(panel, hand, ui):
    _, top, _, bottom = ui.items.rectangle("search")
    ui.set_scale(2.0)
    hand.step()
    _, top2, _, bottom2 = ui.items.rectangle("search")
    assert bottom2 - top2 == pytest.approx(2.0 * (bottom - top), abs=2.0)
    ui.set_scale(99.0)
    assert ui.scale == SCALE_RANGE[1]
    assert suggested_scale(720) == 1.0 and suggested_scale(2160) == 3.0 and suggested_scale(300) == SCALE_RANGE[0]


def test_a_scale_that_nobody_chose_follows_the_window(base, panel, hand, ui):
    heights = {}
    try:
        for chosen in (0.0, 1.25):
            ui.set_scale(chosen)
            for size in ((1280, 720), (2560, 1440), (800, 600)):
                base.win.setSize(*size)
                hand.step(4)
                _, top, _, bottom = ui.items.rectangle("search")
                heights[chosen, size[1]] = bottom - top
    finally:
        base.win.setSize(1280, 720)
        ui.set_scale(1.0)
    assert heights[0.0, 1440] == pytest.approx(2.0 * heights[0.0, 720], abs=2.0)
    assert heights[0.0, 600] < heights[0.0, 720]
    assert heights[1.25, 1440] == heights[1.25, 720] == heights[1.25, 600]


def test_colors_reach_the_screen(base, ui, hand):
    """Red must not come out blue, in the middle of the rectangle and nowhere else."""

    def draw():
        corner, far = imgui.ImVec2(100.0, 50.0), imgui.ImVec2(200.0, 90.0)
        imgui.get_background_draw_list().add_rect_filled(corner, far, color_u32((1.0, 0.5, 0.0, 1.0)))

    ui.add(draw)
    hand.step()
    picture = pixels(base)
    assert picture[70, 150].tolist() == pytest.approx([255, 128, 0], abs=1)
    assert picture[70, 220].tolist() == picture[200, 600].tolist()
    assert picture[95, 150].tolist() == picture[200, 600].tolist()


def test_new_glyphs_arrive_when_first_used(base, ui, hand):
    text = {"shown": ""}
    ui.add(lambda: imgui.get_background_draw_list().add_text(imgui.ImVec2(10.0, 10.0), 0xFFFFFFFF, text["shown"]))
    hand.step()
    empty = pixels(base)
    text["shown"] = "ÄÖß€"
    hand.step()
    assert (empty != pixels(base)).any(axis=2)[:40, :80].sum() > 40


def test_indices_are_shifted_by_the_vertex_offset():
    indices = np.arange(6, dtype=np.uint16 if imgui.INDEX_SIZE == 2 else np.uint32)
    shifted = np.frombuffer(widened(memoryview(indices.view(np.uint8)), 70000), np.uint32)
    assert shifted.tolist() == [70000 + i for i in range(6)]


def test_a_failing_drawer_does_not_end_the_program(base, ui, hand):
    def broken():
        imgui.begin("half")
        imgui.begin_child("open")
        raise RuntimeError("drawer")

    ui.add(broken)
    with pytest.raises(RuntimeError, match="drawer"):
        ui.build_frame(1280, 720)
    ui.remove(broken)
    hand.step()


def test_unknown_keys_and_control_characters_are_ignored(ui, hand, panel):
    hand.click("search")
    ui.feed.button(True, "no-such-key")
    ui.feed.text("a\x08\x7fb")
    hand.step()
    assert panel.search == "ab"


def test_a_second_backend_after_closing_the_first(base):
    for _ in range(2):
        ui = ImGuiBackend(base, clipboard=Clipboard(system=False))
        base.taskMgr.step()
        ui.close()
    assert base.render2d.find("**/imgui").isEmpty()


def test_what_is_the_same_as_in_the_frame_before_is_not_sent_again():
    painter = Painter(NodePath("below"))
    geoms, indices = painter.new_list(), np.array([0, 1, 2, 0, 2, 3], np.uint32)

    def sent(x, triangles, count=4):
        corners = np.zeros((count, imgui.VERTEX_SIZE), np.uint8)
        corners[:, :4] = np.arange(count, dtype=np.float32)[:, None].view(np.uint8)
        corners[0, :4] = np.array([x], np.float32).view(np.uint8)
        geoms.set_vertices(corners.tobytes(), count)
        geom = geoms.triangles(0, triangles.tobytes(), len(triangles))
        return geom.getVertexData().getArray(0).getModified(), geom.getPrimitive(0).getVertices().getModified()

    first = sent(0.0, indices)
    assert sent(0.0, indices) == first
    moved = sent(0.5, indices)
    assert moved[0] != first[0] and moved[1] == first[1]
    turned = sent(0.5, indices[::-1])
    assert turned[0] == moved[0] and turned[1] != moved[1]
    longer = sent(0.5, indices[::-1], count=7)
    assert longer[0] != turned[0] and longer[1] == turned[1]  # more vertices, used by other triangles
    assert geoms.triangles(0, indices[::-1].tobytes(), 6).getPrimitive(0).getMaxVertex() == 6
    painter.close()
