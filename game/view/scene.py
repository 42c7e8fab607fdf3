"""The drawn world: ground, meshes, sky, sun shadows, vehicles.

Per frame only poses, shadow centres and a few numbers in shared arrays change; no render state is rebuilt.
`quality` is a level of game/view/gl/quality.py; "auto" picks one by the renderer's name.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from panda3d.core import (
    AntialiasAttrib,
    BitMask32,
    GraphicsWindow,
    LMatrix4f,
    LPoint3f,
    LVecBase4f,
    NodePath,
    SamplerState,
    Texture,
)

from driving_sandbox.game.platform.stages import OBJECTS, READING, TERRAIN
from driving_sandbox.game.platform.window import is_software, pick_quality, renderer_name
from driving_sandbox.game.session.frame import VehicleFrame, WorldView
from driving_sandbox.game.view.cameras.view import USUAL_LENS
from driving_sandbox.game.view.gl.frame_inputs import WHEELS, FrameInputs
from driving_sandbox.game.view.gl.preload import Preload
from driving_sandbox.game.view.gl.quality import level
from driving_sandbox.game.view.gl.shading import ground_detail, program, swapped, texture_2d, texture_file
from driving_sandbox.game.view.ground.grass import grass
from driving_sandbox.game.view.ground.meshes import Solids
from driving_sandbox.game.view.ground.posts import Posts, posts_of
from driving_sandbox.game.view.ground.road_lines import read_road_lines
from driving_sandbox.game.view.ground.road_texture import road_texture
from driving_sandbox.game.view.ground.scenery import add_scenery
from driving_sandbox.game.view.ground.terrain import TerrainChunks, endless_plane, far_hills
from driving_sandbox.game.view.ground.terrain_maps import TerrainMaps
from driving_sandbox.game.view.ground.woods import Woods
from driving_sandbox.game.view.light.ground_shadow import GroundShadow, GroundShadowSettings
from driving_sandbox.game.view.light.mirrors import MIRROR_MASK, Mirrors
from driving_sandbox.game.view.light.order import GROUND, set_order
from driving_sandbox.game.view.light.restyle import restyle
from driving_sandbox.game.view.light.shadow import STATIC_MASK, VEHICLE_MASK, SunShadows, others_moved
from driving_sandbox.game.view.light.sky import Sky
from driving_sandbox.game.view.light.smoothing import SmoothedScene
from driving_sandbox.game.view.vehicle.beams import Beams
from driving_sandbox.game.view.vehicle.vehicle import VehicleView

HOLE = 255  # surface id of a cell without ground
NO_BEAMS = "DAYLIGHT"  # switch in place of BEAMS by day; no shader tests it
BEAMS = 4  # number of headlamp beams on a graphics card
PLANE_STEP = 500.0  # m, step by which the endless plane follows the camera: the width of its cells
NEAR, FAR = 0.2, 9000.0  # m, clipping planes


class Scene:
    """The drawn world: build it, `add_vehicle`, then call `update` after vehicles and camera in each frame."""

    def __init__(self, base: Any, world: WorldView, quality: str = "auto", daytime: str = "afternoon",
                 ground_shadow: GroundShadowSettings | None = None,
                 report: Any = lambda stage: None) -> None:  # fmt: skip
        """`report` is called with each stage of game/platform/stages.py as it begins."""
        report(READING)
        self.level = level(pick_quality(base) if quality == "auto" else quality)
        self.quality = self.level.name
        self.world, self.ground_heights, self.ground_shadow = world, world.ground_heights, ground_shadow
        self.vehicles: list[VehicleView] = []
        self.ground_shadows: list[GroundShadow] = []  # one per vehicle, if they replace shadow maps
        self.focus: VehicleView | None = None
        self.moving_others = False  # whether objects other than vehicles have moved, so that shadows must be redrawn
        self._base, self.preload = base, Preload(base)
        set_order()
        self._anisotropic = not is_software(renderer_name(base))
        self.root = base.render.attachNewNode("scene")
        self._add_sky(daytime)
        self._inputs = FrameInputs(self.root)
        self._shared_inputs()
        self.terrain: TerrainChunks | None = None
        self.plane: NodePath | None = None
        self.grass: NodePath | None = None
        self._grass: dict[str, NodePath] = {}  # {level shown so far: its grass}
        self._terrain_maps = None if world.heights is None else TerrainMaps(world)
        self._woods = None if world.heights is None else Woods(world)
        self._posts: Posts | None = None
        self._solids = Solids(world.mesh_paths)
        with ThreadPoolExecutor(1) as thread:  # numpy releases the GIL, so that another core makes the maps
            maps, sun = self._terrain_maps, self.sky.sun_direction
            light = None if maps is None else thread.submit(maps.prepare, self.level, sun)
            report(TERRAIN)
            self._add_ground()
            report(OBJECTS)
            self._add_meshes()
        if maps is not None and light is not None:
            self._ground_inputs(maps, light.result())
        self._prepare_camera()
        self._open_maps()

    @classmethod
    def of(cls, base: Any, world: WorldView, settings: Any, report: Any = lambda stage: None) -> Scene:
        """A scene with the user's settings (game.program.settings.Settings)."""
        ground_shadow = GroundShadowSettings(soft=True) if settings.shadows == "ground" else None
        quality = settings.level(renderer_name(base)) if isinstance(base.win, GraphicsWindow) else settings.quality
        return cls(base, world, quality, settings.daytime, ground_shadow, report)

    @property
    def road_switch(self) -> tuple[str, ...]:
        """Shader switches for painted roads on the ground, if there are any."""
        return () if self.world.road_path is None or self.world.heights is None else ("ROAD",)

    def _add_sky(self, daytime: str) -> None:
        self.sky = Sky(self.quality, daytime)
        self.sky.root.reparentTo(self.root)
        self.sky.root.hide(VEHICLE_MASK | STATIC_MASK)
        self.dark = daytime == "dusk"
        self._light_beams()

    def _light_beams(self) -> None:
        self.beams = Beams(self.root, BEAMS if self.level.full else 1) if self.dark else None
        self.switches = (f"BEAMS {self.beams.count}",) if self.beams else (NO_BEAMS,)

    def _open_maps(self) -> None:
        """Create the shadow maps, the buffer that the scene is drawn into, and the mirrors."""
        base, level = self._base, self.level
        self._shadows = SunShadows(base, self.root, self.sky.sun_direction, level, self._inputs)
        if self.ground_shadow:
            self._shadows.vehicle.redraw_once()  # to clear it, because nothing casts into it
        self._shadows.cast_far(self._far_casters)
        self._smoothed = SmoothedScene(base, level)
        self._mirrors = Mirrors(base, self.root, level)

    def _close_maps(self) -> None:
        self._shadows.close(self._base)
        self._smoothed.close()
        self._mirrors.close(self._base)

    def set_quality(self, quality: str) -> None:
        """Draw at another quality level from now on; the number of particles stays that of the first level."""
        new, old = level(pick_quality(self._base) if quality == "auto" else quality), self.level
        if new is old:
            return
        self._close_maps()
        switches = self.switches
        self.level, self.quality = new, new.name
        self._light_beams()
        changed = {old.name.upper(): new.name.upper(), **dict(zip(switches, self.switches, strict=True))}
        for name in ("shadow_far", "weights_b", "rare_look", "mirror_picture", "mirror_matrix", "flank_picture"):
            self.root.clearShaderInput(name)  # inputs that only some levels set
        self._detail_inputs()
        restyle(self.root, changed)
        self._apply_ground_level()
        self._solids.show(new, self._far_casters)
        if self._terrain_maps is not None and self._woods is not None:
            if (new.ground_reach, new.ground_chunk) != (old.ground_reach, old.ground_chunk):
                self._add_terrain()
            self._look_inputs(self._terrain_maps)
            self._woods.show(new, self.switches, self._far_casters)
        if self._posts is not None:
            self._posts.show(new, self.switches, self.meshes)
        for view in self.vehicles:
            view.set_low_resolution(not new.full)
        self._open_maps()
        self.set_focus(self.focus)

    def set_scale(self, share: float) -> None:
        """Draw at a share of the level's resolution (along a side) from the next frame on."""
        if self._smoothed:
            self._smoothed.share = share

    def set_daytime(self, daytime: str) -> None:
        """Set the time of day: sky, sunlight, shadows, and headlamps, which are on when it is dark."""
        if daytime == self.sky.daytime:
            return
        self._close_maps()
        self.sky.root.removeNode()
        switches = self.switches
        self._add_sky(daytime)
        self.sky.apply_light(self.root)
        if (maps := self._terrain_maps) is not None:
            self._ground_inputs(maps, maps.prepare(self.level, self.sky.sun_direction))
        self._grass = {self.quality: self.grass} if self.grass else {}  # grass of other levels has outdated switches
        restyle(self.root, dict(zip(switches, self.switches, strict=True)))
        for view in self.vehicles:
            view.lamps.head = self.dark
        for shadow in self.ground_shadows:
            shadow.set_sun(self.sky.sun_direction)
        self._open_maps()
        self.set_focus(self.focus)

    def _shared_inputs(self) -> None:
        root = self.root
        self.sky.apply_light(root)
        self._detail, self._noise = ground_detail(), texture_file("noise.png")
        root.setShaderInput("detail", self._detail)
        root.setShaderInput("noise_map", self._noise)
        self._detail_inputs()

    def _detail_inputs(self) -> None:
        fine = self.level.full
        self._filtered(self._detail)
        self._filtered(self._noise)
        self._detail.setAnisotropicDegree(8 if fine and self._anisotropic else 1)
        self.root.clearAntialias()
        if self.level.samples:
            self.root.setAntialias(AntialiasAttrib.MMultisample)  # Panda3D leaves multisampling off without it

    def _filtered(self, texture: Texture) -> Texture:
        """A texture, set to interpolate between mip levels for full materials only: that doubles the sampling time."""
        linear, nearest = SamplerState.FTLinearMipmapLinear, SamplerState.FTLinearMipmapNearest
        texture.setMinfilter(linear if self.level.full else nearest)
        return texture

    def _prepare_camera(self) -> None:
        base = self._base
        base.camLens.setNearFar(NEAR, FAR)
        base.cam.node().setCameraMask(BitMask32.bit(0))
        base.setBackgroundColor(0.45, 0.52, 0.6)

    def _add_ground(self) -> None:
        """Add the terrain with far hills, road and grass, or an endless plane."""
        world = self.world
        ground = self._ground = self.root.attachNewNode("ground")
        ground.setBin(GROUND, 0)
        if world.heights is not None:
            heights = self._add_terrain()
            far_hills(heights, world.origin, world.cell).reparentTo(ground)
            if world.road_path is not None:
                self._road_input(world.road_path)
        else:
            self.plane = endless_plane(world.plane_height or 0.0)
            self.plane.reparentTo(ground)
            self._flat_inputs()
        self._apply_ground_level()
        ground.hide(VEHICLE_MASK | STATIC_MASK)  # shadows of hills are in terrain_light

    def _add_terrain(self) -> np.ndarray:
        """Add the ground with the triangles of the level; returns the heights drawn."""
        world, level = self.world, self.level
        heights = np.ascontiguousarray(world.heights, np.float32)
        holes = None if world.cell_surface is None else world.cell_surface == HOLE
        if self.terrain is not None:
            self.terrain.root.removeNode()
        self.terrain = TerrainChunks(heights, world.origin, world.cell, holes, level.ground_reach, level.ground_chunk,
                                     self.preload.prepare_path)  # fmt: skip
        self.terrain.root.reparentTo(self._ground)
        return heights

    def _apply_ground_level(self) -> None:
        """Set the ground's shader and grass for the quality level."""
        world, ground = self.world, self._ground
        ground_switches = [*self.road_switch, *([] if self.plane is None else ["PLANE"])]
        ground_switches += ["ANISOTROPIC"] if self._anisotropic else []
        fragment, include = ("ground_high", ("ground",)) if self.level.full else ("ground_low", ())
        defines = (self.quality.upper(), *self.switches, *ground_switches)
        ground.setShader(program("ground", fragment, *defines, include=("common", "tints", *include)))
        if self.grass is not None:
            self.grass.detachNode()
            self.grass = None
        if world.heights is not None and self.level.grass:
            heights = np.ascontiguousarray(world.heights, np.float32)
            if self.quality not in self._grass:
                self._grass[self.quality] = grass(self.level, heights, world.origin, world.cell, self.switches)
            self.grass = self._grass[self.quality]
            self.grass.reparentTo(ground)
            self.grass.hide(MIRROR_MASK)

    def _look_inputs(self, maps: TerrainMaps) -> None:
        """Pass the textures that say how each cell of the ground looks to the shaders."""
        for name, texture in maps.of(self.level).items():
            self.root.setShaderInput(name, texture if name == "rare_look" else self._filtered(texture))

    def _ground_inputs(self, maps: TerrainMaps, light: np.ndarray) -> None:
        world, root = self.world, self.root
        self._look_inputs(maps)
        root.setShaderInput("terrain_light", texture_2d("terrain light", swapped(light), mipmaps=False))
        width, depth = ((count - 1) * world.cell for count in world.heightfield.shape[::-1])
        root.setShaderInput("terrain_rect", LVecBase4f(*world.origin, 1.0 / width, 1.0 / depth))

    def _flat_inputs(self) -> None:
        """Set the ground's inputs for a plane: full sunlight and open sky; PLANE shaders take no weights from them."""
        light = np.tile(np.array([255, 0, 255, 0], np.uint8), (2, 2, 1))
        for name in ("terrain_light", "weights_a", "weights_b"):
            self.root.setShaderInput(name, texture_2d(name, swapped(light), mipmaps=False))
        self.root.setShaderInput("terrain_rect", LVecBase4f(0, 0, 1e-4, 1e-4))

    def _road_input(self, path: Path) -> None:
        world, lines = self.world, read_road_lines(path)
        texture, pixels, texel = road_texture(world, path, lines)
        self._posts = posts_of(world, lines, pixels[..., 1], texel)
        self.root.setShaderInput("road_map", texture)
        width, depth = pixels.shape[1] * texel, pixels.shape[0] * texel
        self.root.setShaderInput("road_rect", LVecBase4f(*world.origin, 1.0 / width, 1.0 / depth))

    def _add_meshes(self) -> None:
        """Add the world's meshes, trees, posts and scenery; large ones are also drawn into the far shadow map."""
        self.meshes = self.root.attachNewNode("meshes")
        far_casters = self._far_casters = self.meshes.attachNewNode("far_casters")
        self._solids.show(self.level, far_casters)
        if self._woods is not None:
            self._woods.show(self.level, self.switches, far_casters)
        if self._posts is not None:
            self._posts.show(self.level, self.switches, self.meshes)
        add_scenery(self.meshes, far_casters, self.world, self.quality.upper(), *self.switches)
        self.meshes.setShader(program("mesh", "mesh", self.quality.upper(), *self.switches))
        self.meshes.setTwoSided(True)
        self.meshes.hide(VEHICLE_MASK)

    def add_vehicle(self, model_path: Path, paint: tuple[float, ...] = (0.03, 0.19, 0.30)) -> VehicleView:
        """Add a vehicle, painted in a linear RGB colour; the first one gets the focus (its own sharp shadow)."""
        view = VehicleView(self, Path(model_path), paint)
        view.prepare(self.preload)
        self.vehicles.append(view)
        if self.ground_shadow:
            self.ground_shadows.append(GroundShadow(self, view, self.ground_shadow))
        self.set_focus(self.focus or view)
        return view

    def set_focus(self, view: VehicleView | None) -> None:
        """Watch a vehicle, or none: it alone casts into the sharp map; the rear image hides it and all trailers."""
        self.focus = view
        for vehicle in self.vehicles:
            hide_or_show = vehicle.root.hide if vehicle is view or vehicle.is_trailer else vehicle.root.show
            hide_or_show(MIRROR_MASK)
            if self.ground_shadow:
                vehicle.root.hide(VEHICLE_MASK | STATIC_MASK)
                continue
            hide, show = (STATIC_MASK, VEHICLE_MASK) if vehicle is view else (VEHICLE_MASK, STATIC_MASK)
            vehicle.root.show(show)
            vehicle.root.hide(hide)
        self._mirrors.watch(view, self.vehicles)

    def update(self, camera_position: tuple[float, ...] | np.ndarray, time: float = 0.0) -> None:
        """Update all that follows the camera or vehicles, once these have their poses of the simulated `time`, s."""
        eye = [float(v) for v in camera_position]
        self._smoothed.follow()
        self.sky.root.setPos(*eye)
        self.preload.drawn()
        if self.terrain is None or not self.terrain.update(eye):
            self.preload.step()
        if self.plane is not None:
            self.plane.setPos(*(round(v / PLANE_STEP) * PLANE_STEP for v in eye[:2]), 0.0)
        zoom = max(1.0, USUAL_LENS / math.tan(math.radians(0.5 * self._base.camLens.getHfov())))
        for view in self.vehicles:
            view.seen_from(eye, view is self.focus, zoom)
        for shadow in self.ground_shadows:
            shadow.update()
        if self.beams:
            self.beams.follow(self.vehicles, eye, self.focus, time)
        centre = eye
        if self.focus is not None and self.focus.frame is not None:
            centre = self.focus.frame.body_position.tolist()
            to_body = LMatrix4f(self.root.getMat(self.focus.body))
            if not self.ground_shadow:
                self._focus_data(self.focus, self.focus.frame, to_body)
            self._update_mirrors(self.focus, eye, to_body)
        ahead = centre
        if math.dist(centre, eye) < 20.0:  # m: near the vehicle, centre the maps as far beyond it as the camera is away
            ahead = [2.0 * centre[0] - eye[0], 2.0 * centre[1] - eye[1], centre[2]]
        others = [view for view in self.vehicles if view is not self.focus and view.frame is not None]
        has_moved = others_moved(others, ahead, self.level.static_width)
        middle = self._shadows.follow(centre, ahead, has_moved or self.moving_others)
        self._inputs.set("shadow_fade_centre", middle[0], middle[1])
        self._inputs.set("frame_time", time)

    def prepare(self) -> None:
        """Upload everything that may be drawn, in one long frame in which the scene is hidden."""
        self.preload.finish(self.root)
        self._base.render.hide()
        self._base.graphicsEngine.renderFrame()
        self._base.render.show()
        self.preload.drawn()

    def redraw_shadows(self) -> None:
        """Redraw all shadow maps in the next frame, because their casters have moved."""
        self._shadows.forget()

    def _focus_data(self, view: VehicleView, frame: VehicleFrame, to_body: LMatrix4f) -> None:
        """Pass the focus vehicle's pose, size and lowest points of its tires to the shaders, for the shade below."""
        self._inputs.set_matrix("to_focus_vehicle", to_body)
        self._inputs.set("focus_half_size", *(float(v) for v in view.half_size))
        self._inputs.set("focus_strength", 1.0)
        for index, (x, y, z) in enumerate(frame.wheel_position[:WHEELS].tolist()):
            below = z - view.wheel_radius[min(index, len(view.wheel_radius) - 1)]
            self._inputs.set(f"tire_contact_{index}", x, y, below, 1.0)

    def _update_mirrors(self, view: VehicleView, eye: list[float], to_body: LMatrix4f) -> None:
        """Tell the shaders whether the eye is in the focus vehicle, and draw the images in its mirrors."""
        inside = view.holds(to_body.xformPoint(LPoint3f(*eye)))
        self._inputs.set("eye_in_vehicle", float(inside))
        self._mirrors.follow(eye, inside)

    def close(self) -> None:
        """Remove all nodes and release the buffers."""
        self._close_maps()
        self.preload.close()
        self.root.removeNode()
