"""Draws Dear ImGui's draw data as ordinary Panda3D Geoms below `render2d`.

Every ImGui draw list becomes one vertex array, every draw command one Geom with a scissor rectangle and a texture.
Coordinates stay ImGui's pixels (origin top left, y down); the vertex shader maps them to the screen. Textures follow
the protocol of Dear ImGui 1.92: the library requests creation, partial update and destruction, and adds glyphs to the
font atlas when they are first used.

ImGui's pixel bytes are R, G, B, A and Panda3D's B, G, R, A: the bytes are copied unchanged and the fragment shader
swaps them, which saves a pass over the font atlas at every new glyph.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

import numpy as np
from imgui_bundle import imgui
from panda3d.core import (
    ColorBlendAttrib,
    Geom,
    GeomNode,
    GeomTriangles,
    GeomVertexArrayFormat,
    GeomVertexData,
    GeomVertexFormat,
    OmniBoundingVolume,
    RenderState,
    SamplerState,
    ScissorAttrib,
    Shader,
    Texture,
    TextureAttrib,
)

VERTEX_SHADER = """#version 150
in vec2 p3d_Vertex;
in vec2 p3d_MultiTexCoord0;
in vec4 p3d_Color;
uniform vec2 display_size;
out vec2 uv;
out vec4 tint;
void main() {
    uv = p3d_MultiTexCoord0;
    tint = p3d_Color;
    gl_Position = vec4(p3d_Vertex / display_size * vec2(2, -2) + vec2(-1, 1), 0, 1);
}
"""
FRAGMENT_SHADER = """#version 150
uniform sampler2D p3d_Texture0;
in vec2 uv;
in vec4 tint;
out vec4 color;
void main() { color = tint * texture(p3d_Texture0, uv).bgra; }
"""
SORT_ON_TOP = 100  # draw order within the bin gui-popup, so that the interface covers everything else in render2d
MAX_STATES = 2000  # cached render states; scrolling and resizing need new scissor rectangles in every frame


class TextureStore:
    """The Panda3D textures of ImGui's texture ids, which start at 1 because 0 means "none" to ImGui."""

    def __init__(self) -> None:
        self._textures: dict[int, Texture] = {}  # {ImGui's id: Panda3D texture}
        self._next_id = 1

    def __getitem__(self, texture_id: int) -> Texture:
        return self._textures[texture_id]

    def add(self, texture: Texture) -> int:
        """Add a Panda3D texture with red and blue swapped; returns its id for ImGui."""
        self._textures[self._next_id] = texture
        self._next_id += 1
        return self._next_id - 1

    def remove(self, texture_id: int) -> None:
        """Remove an added texture."""
        self._textures.pop(texture_id, None)

    def update(self, requests: Iterable[Any]) -> None:
        """Fulfil ImGui's texture requests of this frame; to be called after `imgui.render` and before `paint`."""
        status = imgui.ImTextureStatus
        for request in requests:
            if request.status == status.want_create:
                self._create(request)
                request.set_status(status.ok)
            elif request.status == status.want_updates:
                self._copy(request, self._textures[request.get_tex_id()], request.update_rect)
                request.set_status(status.ok)
            elif request.status == status.want_destroy and request.unused_frames > 0:  # this frame does not draw it
                self._textures.pop(request.get_tex_id(), None)
                request.set_tex_id(0)
                request.set_status(status.destroyed)

    def _create(self, request: Any) -> None:
        """Create the texture that ImGui requests, and tell ImGui its id."""
        texture = Texture(f"imgui-{self._next_id}")
        texture.setup2dTexture(request.width, request.height, Texture.TUnsignedByte, Texture.FRgba8)
        texture.setMinfilter(SamplerState.FTLinear)
        texture.setMagfilter(SamplerState.FTLinear)
        texture.setWrapU(SamplerState.WMClamp)
        texture.setWrapV(SamplerState.WMClamp)
        texture.setRamImage(np.asarray(request.get_pixels_array()).tobytes())
        self._textures[self._next_id] = texture
        request.set_tex_id(self._next_id)
        self._next_id += 1

    @staticmethod
    def _copy(request: Any, texture: Texture, rectangle: Any) -> None:
        """Copy the changed rectangle of a request's pixels into the texture."""
        shape = (request.height, request.width, 4)
        source = np.asarray(request.get_pixels_array()).reshape(shape)
        target = np.frombuffer(memoryview(texture.modifyRamImage()).cast("B"), np.uint8).reshape(shape)
        rows = slice(rectangle.y, rectangle.y + rectangle.h)
        columns = slice(rectangle.x, rectangle.x + rectangle.w)
        target[rows, columns] = source[rows, columns]


def _vertex_format() -> Any:
    """ImGui's vertex format: position, texture coordinates, 8-bit colour."""
    array = GeomVertexArrayFormat()
    array.addColumn("vertex", 2, Geom.NTFloat32, Geom.CPoint)
    array.addColumn("texcoord", 2, Geom.NTFloat32, Geom.CTexcoord)
    array.addColumn("color", 4, Geom.NTUint8, Geom.CColor)
    vertex_format = GeomVertexFormat()
    vertex_format.addArray(array)
    return GeomVertexFormat.registerFormat(vertex_format)


def widened(indices: bytes, offset: int) -> bytes:
    """Bytes of 32-bit indices that count from the first vertex of the draw list, as Panda3D needs them.

    Args:
        indices: bytes of ImGui's 16- or 32-bit indices.
        offset: vertex that those count from.
    """
    if imgui.INDEX_SIZE == 4 and not offset:
        return indices
    numbers = np.frombuffer(indices, np.uint16 if imgui.INDEX_SIZE == 2 else np.uint32)
    return (numbers.astype(np.uint32) + np.uint32(offset)).tobytes()


class _ListGeoms:
    """Vertices and Geoms of one draw list, reused in every frame: allocating memory costs more than filling it.

    Data equal to those of the frame before are not uploaded again. Indices seldom change: other letters of a text of
    the same length have the same indices.
    """

    def __init__(self, vertex_format: Any) -> None:
        self._data = GeomVertexData("imgui", vertex_format, Geom.UHStream)
        self._vertices, self._count = b"", 0  # bytes of the vertices, and their number
        self._geoms: list[tuple[Geom, GeomTriangles]] = []
        self._filled: list[tuple[int, bytes]] = []  # (vertex count, indices) that each was filled with

    def set_vertices(self, vertices: bytes, count: int) -> None:
        """Set the vertices of the draw list (bytes of `count` vertices)."""
        if vertices == self._vertices:
            return
        self._vertices, self._count = vertices, count
        self._data.uncleanSetNumRows(count)
        memoryview(self._data.modifyArray(0)).cast("B")[:] = vertices

    def triangles(self, index: int, indices: bytes, count: int) -> Geom:
        """Geom `index` of the draw list, filled with these triangles (bytes of `count` 32-bit indices)."""
        if index == len(self._geoms):
            triangles = GeomTriangles(Geom.UHStream)
            triangles.setIndexType(Geom.NTUint32)
            self._fill(triangles, indices, count)
            geom = Geom(self._data)
            geom.addPrimitive(triangles)
            geom.setBounds(OmniBoundingVolume())  # else Panda3D computes bounds from all vertices
            self._geoms.append((geom, triangles))
            self._filled.append((self._count, indices))
            return geom
        geom, triangles = self._geoms[index]
        filled_count, filled_indices = self._filled[index]
        if filled_indices != indices:
            self._fill(triangles, indices, count)
        elif filled_count != self._count:
            self._tell_range(triangles)
        else:
            return geom
        self._filled[index] = self._count, indices
        return geom

    def _fill(self, triangles: GeomTriangles, indices: bytes, count: int) -> None:
        """Write indices into GeomTriangles."""
        array = triangles.modifyVertices()
        array.uncleanSetNumRows(count)
        memoryview(array).cast("B")[:] = indices
        self._tell_range(triangles)

    def _tell_range(self, triangles: GeomTriangles) -> None:
        """Set the range of vertices in use; otherwise Panda3D searches all indices for it."""
        ends = triangles.modifyVertices()  # ends of triangle strips, a required argument without effect here
        triangles.setMinmax(0, self._count - 1, ends, ends)


class Painter:
    """Owns the node that draws ImGui; `paint` replaces its Geoms by those of one frame."""

    def __init__(self, parent: Any) -> None:
        self.textures = TextureStore()
        self._format = _vertex_format()
        self._states: dict[tuple[Any, ...], Any] = {}  # cached RenderStates, see `_state`
        self._lists: list[_ListGeoms] = []  # _ListGeoms of each draw list
        self._drawn: list[tuple[Any, Any]] = []  # [(Geom, RenderState)] of the node
        self._size = (0, 0)  # of the last frame painted, pixels
        self._node = GeomNode("imgui")
        self._node.setBounds(OmniBoundingVolume())
        self._node.setFinal(True)
        self.path = parent.attachNewNode(self._node)
        self.path.setShader(Shader.make(Shader.SL_GLSL, VERTEX_SHADER, FRAGMENT_SHADER))
        self.path.setBin("gui-popup", SORT_ON_TOP)
        self.path.setDepthTest(False)
        self.path.setDepthWrite(False)
        self.path.setTwoSided(True)
        blend = ColorBlendAttrib
        self.path.setAttrib(
            blend.make(
                blend.MAdd,
                blend.OIncomingAlpha,
                blend.OOneMinusIncomingAlpha,
                blend.MAdd,
                blend.OOne,
                blend.OOneMinusIncomingAlpha,
            )
        )

    def paint(self, draw_data: Any) -> None:
        """Make the node draw ImGui's draw data."""
        size = (draw_data.display_size.x, draw_data.display_size.y)
        if size != self._size or len(self._states) > MAX_STATES:
            self._size = size
            self._states.clear()
            self.path.setShaderInput("display_size", size)
        pairs: list[tuple[Any, Any]] = []
        for index, draw_list in enumerate(draw_data.cmd_lists):
            if index == len(self._lists):
                self._lists.append(self.new_list())
            self._paint_list(draw_list, self._lists[index], pairs)
        self._show(pairs)

    def new_list(self) -> _ListGeoms:
        """Empty _ListGeoms for a further draw list."""
        return _ListGeoms(self._format)

    def _show(self, pairs: list[tuple[Any, Any]]) -> None:
        """Give the node these (Geom, RenderState) pairs; present Geoms stay, because adding one scans its indices."""
        drawn = self._drawn
        for index, (geom, state) in enumerate(pairs):
            if index >= len(drawn):
                self._node.addGeom(geom, state)
                continue
            if drawn[index][0] is not geom:
                self._node.setGeom(index, geom)
            if drawn[index][1] is not state:
                self._node.setGeomState(index, state)
        for index in range(len(drawn) - 1, len(pairs) - 1, -1):
            self._node.removeGeom(index)
        self._drawn = pairs

    def _paint_list(self, draw_list: Any, geoms: _ListGeoms, pairs: list[tuple[Any, Any]]) -> None:
        """Add to `pairs` a (Geom, RenderState) for each visible command of a draw list."""
        vertex_count, index_count = draw_list.vtx_buffer.size(), draw_list.idx_buffer.size()
        if not index_count:
            return
        vertices = ctypes.string_at(draw_list.vtx_buffer.data_address(), vertex_count * imgui.VERTEX_SIZE)
        geoms.set_vertices(vertices, vertex_count)
        indices = ctypes.string_at(draw_list.idx_buffer.data_address(), index_count * imgui.INDEX_SIZE)
        geom_count = 0
        for command in draw_list.cmd_buffer:
            count, clip = command.elem_count, command.clip_rect
            if not count or clip.z <= clip.x or clip.w <= clip.y:
                continue
            first = command.idx_offset * imgui.INDEX_SIZE
            part = indices[first : first + count * imgui.INDEX_SIZE]
            geom = geoms.triangles(geom_count, widened(part, command.vtx_offset), count)
            pairs.append((geom, self._state(clip, command.tex_ref.get_tex_id())))
            geom_count += 1

    def _state(self, clip: Any, texture_id: int) -> Any:
        """RenderState with the texture and a clip rectangle (left, top, right, bottom), pixels; cached."""
        key = (clip.x, clip.y, clip.z, clip.w, texture_id)
        state = self._states.get(key)
        if state is None:
            width, height = self._size
            scissor = ScissorAttrib.make(
                max(clip.x, 0.0) / width,
                min(clip.z, width) / width,
                1.0 - min(clip.w, height) / height,
                1.0 - max(clip.y, 0.0) / height,
            )
            state = RenderState.make(scissor, TextureAttrib.make(self.textures[texture_id]))
            self._states[key] = state
        return state

    def close(self) -> None:
        """Remove the node."""
        self.path.removeNode()
