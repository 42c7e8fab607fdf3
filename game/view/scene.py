"""The drawn world: ground, meshes, sky, sun shadows, vehicles.

Per frame only poses, two shadow centres and a few numbers in shared arrays change; no render state is rebuilt.
`quality` "low" suits software OpenGL, "high" a GPU, "auto" picks by the renderer's name.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from panda3d.core import (
    AntialiasAttrib,
    BitMask32,
    LMatrix4f,
    LVecBase4f,
    NodePath,
    PTA_LMatrix4f,
    PTA_LVecBase4f,
    SamplerState,
)

from game.view import ground_maps
from game.view.frame import WorldView
from game.view.meshes import load_mesh
from game.view.road_lines import read_paint, read_road_lines
from game.view.shading import ground_detail, program, swapped, texture_2d, texture_file
from game.view.shadow import STATIC_MASK, VEHICLE_MASK, SunShadows, texel_sizes
from game.view.sky import Sky
from game.view.terrain import TerrainChunks, endless_plane, far_hills
from game.view.trees import places, plant
from game.view.vehicle import VehicleView
from game.window import is_software, pick_quality, renderer_name

HOLE = 255  # surface id of a cell without ground
QUALITIES = ("low", "high")
PLANE_STEP = 500.0  # m; the endless plane follows the camera in whole cells
NEAR, FAR = 0.2, 9000.0  # m


class Scene:
    """Build once, `add_vehicle`, then `update` after the vehicles and the camera each frame."""

    def __init__(self, base, world: WorldView, quality: str = "auto"):
        if quality not in (*QUALITIES, "auto"):
            raise ValueError(f"quality {quality!r}: must be auto, {' or '.join(QUALITIES)}")
        self.quality = pick_quality(base) if quality == "auto" else quality
        self.world = world
        self.vehicles: list[VehicleView] = []
        self.focus: VehicleView | None = None
        self.moving_others = False  # things besides vehicles moved: their shadows are drawn anew
        self._base = base
        self.root = base.render.attachNewNode("scene")
        self.sky = Sky(self.quality)
        self._matrices = PTA_LMatrix4f([LMatrix4f.identMat() for _ in range(3)])
        self._data = PTA_LVecBase4f([LVecBase4f(0) for _ in range(6)])
        self._shared_inputs()
        self._shadows = SunShadows(base, self.root, self.sky.sun_direction, self.quality, self._matrices)
        self._data.setElement(5, texel_sizes(self._shadows))
        self.terrain: TerrainChunks | None = None
        self.plane: NodePath | None = None
        self._add_ground()
        self._add_meshes()
        self.sky.root.reparentTo(self.root)
        self._prepare_camera()

    def _shared_inputs(self) -> None:
        root = self.root
        self.sky.apply_light(root)
        root.setShaderInput("frame_matrix", self._matrices)
        root.setShaderInput("frame_data", self._data)
        fine = self.quality == "high"
        anisotropy = 8 if fine and not is_software(renderer_name(self._base)) else 1
        root.setShaderInput("detail", ground_detail(fine, anisotropy))
        root.setShaderInput("noise_map", texture_file("noise.png"))
        if self.quality == "high":
            root.setAntialias(AntialiasAttrib.MMultisample)  # Panda3D leaves multisampling off without it

    def _prepare_camera(self) -> None:
        base = self._base
        base.camLens.setNearFar(NEAR, FAR)
        base.cam.node().setCameraMask(BitMask32.bit(0))
        base.setBackgroundColor(0.45, 0.52, 0.6)
        for node in (self.sky.root,):
            node.hide(VEHICLE_MASK | STATIC_MASK)

    def _add_ground(self) -> None:
        world, level = self.world, self.quality.upper()
        defines = [level]
        ground = self.root.attachNewNode("ground")
        if world.heights is not None:
            heights = np.ascontiguousarray(world.heights, np.float32)
            holes = None if world.cell_surface is None else world.cell_surface == HOLE
            self.terrain = TerrainChunks(heights, world.origin, world.cell, holes)
            self.terrain.root.reparentTo(ground)
            far_hills(heights, world.origin, world.cell).reparentTo(ground)
            self._ground_inputs(heights)
            if world.road_path is not None:
                self._road_input(ground, heights)
                defines.append("ROAD")
        else:
            self.plane = endless_plane(world.plane_height or 0.0)
            self.plane.reparentTo(ground)
            self._flat_inputs()
            defines.append("PLANE")
        ground.setShader(program("ground", f"ground_{self.quality}", *defines, include=("common", "ground")))
        ground.hide(VEHICLE_MASK | STATIC_MASK)  # hills cast by terrain_light

    def _ground_inputs(self, heights: np.ndarray) -> None:
        world, root = self.world, self.root
        cells = (heights.shape[0] - 1, heights.shape[1] - 1)
        weights = ground_maps.look_weights(world.cell_surface, world.surface_names, cells)
        first, second = weights.view(np.uint32)[..., 0].transpose(2, 0, 1)  # copied as whole texels
        for name, part in (("weights_a", first), ("weights_b", second)):
            pixels = np.ascontiguousarray(part).view(np.uint8).reshape(*part.shape, 4)
            root.setShaderInput(name, texture_2d(name, pixels))
        light = ground_maps.light_map(
            heights, world.cell, world.cell_surface, world.surface_names, self.sky.sun_direction)
        root.setShaderInput("terrain_light", texture_2d("terrain light", swapped(light), mipmaps=False))
        width, depth = cells[1] * world.cell, cells[0] * world.cell
        root.setShaderInput("terrain_rect", LVecBase4f(*world.origin, 1.0 / width, 1.0 / depth))

    def _flat_inputs(self) -> None:
        white = np.zeros((2, 2, 4), np.uint8)
        white[..., 0] = white[..., 2] = 255
        for name in ("terrain_light", "weights_a", "weights_b"):
            self.root.setShaderInput(name, texture_2d(name, swapped(white), mipmaps=False))
        self.root.setShaderInput("terrain_rect", LVecBase4f(0, 0, 1e-4, 1e-4))

    def _road_input(self, ground: NodePath, heights: np.ndarray) -> None:
        world = self.world
        size = ((heights.shape[1] - 1) * world.cell, (heights.shape[0] - 1) * world.cell)
        stored = read_paint(world.road_path, order=[2, 1, 0, 3])
        pixels, texel = stored or ground_maps.road_map(
            read_road_lines(world.road_path), np.asarray(world.origin), size)
        texture = texture_2d("road", pixels if stored else swapped(pixels), mipmaps=False)
        texture.setMinfilter(SamplerState.FTLinear)
        ground.setShaderInput("road_map", texture)
        extent = (pixels.shape[1] * texel, pixels.shape[0] * texel)
        ground.setShaderInput("road_rect", LVecBase4f(*world.origin, 1.0 / extent[0], 1.0 / extent[1]))

    def _add_meshes(self) -> None:
        self.meshes = self.root.attachNewNode("meshes")
        for path in self.world.mesh_paths:
            load_mesh(Path(path)).reparentTo(self.meshes)
        if self.terrain is not None:
            self._add_trees().reparentTo(self.meshes)
        self.meshes.setShader(program("mesh", "mesh", self.quality.upper()))
        self.meshes.setTwoSided(True)
        self.meshes.hide(VEHICLE_MASK)

    def _add_trees(self) -> NodePath:
        """Scenery on the grass; fewer on software OpenGL."""
        world = self.world
        grass = ground_maps.grass(world.cell_surface, world.surface_names, np.subtract(world.heights.shape, 1))
        area = grass.sum() * world.cell**2
        count = int(min(2400 if self.quality == "high" else 1100, area / 900.0))
        foot = places(world.heights, world.origin, world.cell, grass, count)
        return plant(foot, self.quality)

    def add_vehicle(self, model_path: Path, paint=(0.03, 0.19, 0.30)) -> VehicleView:
        """Draw one more vehicle; the first has the focus (its own sharp shadow)."""
        view = VehicleView(self, Path(model_path), paint)
        self.vehicles.append(view)
        self.set_focus(self.focus or view)
        return view

    def set_focus(self, view: VehicleView) -> None:
        self.focus = view
        for vehicle in self.vehicles:
            hidden, shown = (STATIC_MASK, VEHICLE_MASK) if vehicle is view else (VEHICLE_MASK, STATIC_MASK)
            vehicle.root.show(shown)
            vehicle.root.hide(hidden)

    def update(self, camera_position, dt: float = 0.0) -> None:
        """Move what follows the camera and the focus vehicle. Call after posing both."""
        camera = np.asarray(camera_position, dtype=float)
        self.sky.root.setPos(*(float(v) for v in camera))
        if self.terrain is not None:
            self.terrain.update(camera)
        if self.plane is not None:
            snapped = np.round(camera[:2] / PLANE_STEP) * PLANE_STEP
            self.plane.setPos(float(snapped[0]), float(snapped[1]), 0.0)
        centre = camera
        if self.focus is not None and self.focus.frame is not None:
            centre = self.focus.frame.body_position
            self._focus_data(self.focus)
        ahead = centre + (centre - camera) * np.array([1.0, 1.0, 0.0])
        self._shadows.follow(centre, ahead if np.linalg.norm(centre - camera) < 20.0 else centre,
                             self.moving_others or len(self.vehicles) > 1)

    def draw_ahead(self, place, back: float = 7.0, up: float = 2.5) -> None:
        """Draw the place where a drive is going to begin (position, height or None, heading) before anything stands.

        Textures and shaders reach the driver, which lets other threads run meanwhile.
        """
        x, y = (float(v) for v in place.position)
        ground = self._height(x, y) if place.height is None else float(place.height)
        eye = (x + back * math.sin(place.heading), y - back * math.cos(place.heading), ground + up)
        for view in self.vehicles:
            view.root.setPos(x, y, ground)
        self._base.camera.setPos(*eye)
        self._base.camera.setHpr(math.degrees(place.heading), 0.0, 0.0)
        self.update(eye)
        self._base.graphicsEngine.renderFrame()
        for view in self.vehicles:
            view.root.clearTransform()
        self._shadows.forget()

    def _height(self, x: float, y: float) -> float:
        world = self.world
        if world.heights is None:
            return world.plane_height or 0.0
        row, column = (int((v - o) / world.cell) for v, o in zip((y, x), world.origin[1::-1], strict=True))
        rows, columns = world.heights.shape
        return float(world.heights[min(max(row, 0), rows - 1), min(max(column, 0), columns - 1)])

    def _focus_data(self, view: VehicleView) -> None:
        frame = view.frame
        self._matrices.setElement(2, self._world_to_body(view))
        self._data.setElement(0, LVecBase4f(*(float(v) for v in view.half_size), 1.0))
        for index in range(4):
            if index < frame.wheel_count:
                x, y, z = frame.wheel_position[index].tolist()
                below = LVecBase4f(x, y, z - view.wheel_radius[min(index, len(view.wheel_radius) - 1)], 1.0)
                self._data.setElement(index + 1, below)

    def _world_to_body(self, view: VehicleView) -> LMatrix4f:
        matrix = LMatrix4f(view.body.getMat(self.root))
        matrix.invertInPlace()
        return matrix

    def close(self) -> None:
        """Take everything off the screen and free the shadow buffers."""
        self._shadows.close(self._base)
        self.root.removeNode()
