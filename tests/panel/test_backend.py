"""The ImGui backend: textures, scale, input capture, clipboard, clean shutdown."""

import gc
import weakref

import numpy as np
import pytest
from frame_pixels import pixels
from imgui_bundle import imgui
from panda3d.core import NodePath

from driving_sandbox.game.toolkit.backend import ImGuiBackend
from driving_sandbox.game.toolkit.clipboard import Clipboard
from driving_sandbox.game.toolkit.painter import Painter, widened
from driving_sandbox.game.toolkit.theme import SCALE_RANGE, color_u32, suggested_scale


def test_typing_captures_the_keyboard_and_dragging_does_not(panel, user, ui):
    assert not ui.wants_keyboard
    user.click("search")
    assert ui.wants_keyboard
    user.key("enter")
    assert not ui.wants_keyboard
    panel.reveal("body.mass")
    user.step(4)
    user.move("body.mass", 0.4)
    user.press()
    assert ui.wants_mouse and not ui.wants_keyboard  # driving continues while dragging
    user.release()


def test_the_panel_captures_the_mouse_only_while_the_pointer_is_over_it(panel, user, ui):
    ui.feed.move(1100, 300)
    user.step()
    assert not ui.wants_mouse
    user.move("search")
    assert ui.wants_mouse
    ui.feed.leave()
    user.step()
    assert not ui.wants_mouse


def test_text_is_copied_and_pasted_by_keys(panel, user, ui):
    user.click("search")
    user.type("damping")
    for key in ("a", "c"):  # select all, copy
        ui.feed.button(True, "control")
        user.key(key)
        ui.feed.button(False, "control")
        user.step()
    assert ui.clipboard.paste() == "damping"
    ui.clipboard.copy("stiffness")
    ui.feed.button(True, "control")
    user.key("v")
    ui.feed.button(False, "control")
    user.step()
    assert panel.search == "stiffness"


def test_clipboard_without_a_desktop_keeps_text():
    clipboard = Clipboard(system=False)
    clipboard.copy("täglich 5 °")
    assert clipboard.paste() == "täglich 5 °"


def test_scale_enlarges_widgets_and_is_limited(panel, user, ui):
    _, top, _, bottom = ui.items.rectangle("search")
    ui.set_scale(2.0)
    user.step()
    _, top2, _, bottom2 = ui.items.rectangle("search")
    assert bottom2 - top2 == pytest.approx(2.0 * (bottom - top), abs=2.0)
    ui.set_scale(99.0)
    assert ui.scale == SCALE_RANGE[1]
    assert suggested_scale(720) == 1.0 and suggested_scale(2160) == 3.0 and suggested_scale(300) == SCALE_RANGE[0]


def test_the_automatic_scale_follows_the_window(base, panel, user, ui):
    heights = {}
    try:
        for chosen in (0.0, 1.25):
            ui.set_scale(chosen)
            for size in ((1280, 720), (2560, 1440), (800, 600)):
                base.win.setSize(*size)
                user.step(4)
                _, top, _, bottom = ui.items.rectangle("search")
                heights[chosen, size[1]] = bottom - top
    finally:
        base.win.setSize(1280, 720)
        ui.set_scale(1.0)
    assert heights[0.0, 1440] == pytest.approx(2.0 * heights[0.0, 720], abs=2.0)
    assert heights[0.0, 600] < heights[0.0, 720]
    assert heights[1.25, 1440] == heights[1.25, 720] == heights[1.25, 600]


def test_colors_reach_the_screen(base, ui, user):
    """An orange rectangle is drawn with red and blue in the right order, and nothing outside it."""

    def draw():
        corner, opposite = imgui.ImVec2(100.0, 50.0), imgui.ImVec2(200.0, 90.0)
        imgui.get_background_draw_list().add_rect_filled(corner, opposite, color_u32((1.0, 0.5, 0.0, 1.0)))

    ui.add(draw)
    user.step()
    frame = pixels(base)
    assert frame[70, 150].tolist() == pytest.approx([255, 128, 0], abs=1)
    assert frame[70, 220].tolist() == frame[200, 600].tolist()
    assert frame[95, 150].tolist() == frame[200, 600].tolist()


def test_new_glyphs_are_uploaded_when_first_used(base, ui, user):
    text = [""]
    ui.add(lambda: imgui.get_background_draw_list().add_text(imgui.ImVec2(10.0, 10.0), 0xFFFFFFFF, text[0]))
    user.step()
    empty = pixels(base)
    text[0] = "ÄÖß€"
    user.step()
    assert (empty != pixels(base)).any(axis=2)[:40, :80].sum() > 40  # around the text


def test_indices_are_shifted_by_the_vertex_offset():
    indices = np.arange(6, dtype=np.uint16 if imgui.INDEX_SIZE == 2 else np.uint32)
    shifted = np.frombuffer(widened(memoryview(indices.view(np.uint8)), 70000), np.uint32)
    assert shifted.tolist() == [70000 + i for i in range(6)]


def test_frames_are_drawn_again_after_a_drawer_has_failed(base, ui, user):
    def broken():
        imgui.begin("half")
        imgui.begin_child("open")
        raise RuntimeError("drawer")

    ui.add(broken)
    with pytest.raises(RuntimeError, match="drawer"):
        ui.build_frame(1280, 720)
    ui.remove(broken)
    user.step()


def test_unknown_keys_and_control_characters_are_ignored(ui, user, panel):
    user.click("search")
    ui.feed.button(True, "no-such-key")
    ui.feed.text("a\x08\x7fb")
    user.step()
    assert panel.search == "ab"


def test_a_second_backend_works_after_the_first_is_closed(base):
    for _ in range(2):
        ui = ImGuiBackend(base, clipboard=Clipboard(system=False))
        base.taskMgr.step()
        ui.close()
    assert base.render2d.find("**/imgui").isEmpty()


def test_a_closed_backend_and_its_drawers_are_released(base):
    ui, drawer = ImGuiBackend(base, clipboard=Clipboard(system=False)), Clipboard(system=False)
    ui.add(drawer.paste)
    base.taskMgr.step()
    ui.close()
    base.taskMgr.step()  # a removed task is released here
    released = weakref.ref(ui), weakref.ref(drawer)
    del ui, drawer
    gc.collect()
    assert [reference() for reference in released] == [None, None]


def test_unchanged_draw_data_is_not_uploaded_again():
    painter = Painter(NodePath("below"))
    geoms, indices = painter.new_list(), np.array([0, 1, 2, 0, 2, 3], np.uint32)

    def update_numbers(x, triangles, count=4):
        """Numbers of the latest changes of vertices and of indices, after an update with the first vertex at `x`."""
        corners = np.zeros((count, imgui.VERTEX_SIZE), np.uint8)
        corners[:, :4] = np.arange(count, dtype=np.float32)[:, None].view(np.uint8)
        corners[0, :4] = np.array([x], np.float32).view(np.uint8)
        geoms.set_vertices(corners.tobytes(), count)
        geom = geoms.triangles(0, triangles.tobytes(), len(triangles))
        return geom.getVertexData().getArray(0).getModified(), geom.getPrimitive(0).getVertices().getModified()

    first = update_numbers(0.0, indices)
    assert update_numbers(0.0, indices) == first
    moved = update_numbers(0.5, indices)
    assert moved[0] != first[0] and moved[1] == first[1]
    reordered = update_numbers(0.5, indices[::-1])
    assert reordered[0] == moved[0] and reordered[1] != moved[1]
    longer = update_numbers(0.5, indices[::-1], count=7)
    assert longer[0] != reordered[0] and longer[1] == reordered[1]  # more vertices, used by other triangles
    assert geoms.triangles(0, indices[::-1].tobytes(), 6).getPrimitive(0).getMaxVertex() == 6
    painter.close()
