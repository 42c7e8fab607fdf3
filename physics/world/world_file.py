"""World files: `configs/worlds/*.yaml` and the files they name, read and checked.

    name: Proving ground
    description: ...
    gravity: 9.81            # m/s^2, downwards
    tick_rate: 240           # Hz
    substeps: 4              # per tick
    air_density: 1.204       # kg/m^3
    wind: [0, 0, 0]          # m/s, velocity of the air, world axes
    surfaces: ../surfaces/default.yaml
    terrain: {plane: 0.0, surface: asphalt}                     # an endless plane, or
    terrain:                                                    # a heightfield
      heights: ../../assets/worlds/x/heights.npy                # float32[rows + 1, columns + 1], m, or a 16 bit .png
      cell_surface: ../../assets/worlds/x/surface.npy           # uint8[rows, columns], or a .png
      surfaces: [grass, asphalt]                                # surfaces of the values 0, 1 ...; 255 is a hole
      origin: [-512, -512]                                      # m, x and y of the first vertex
      cell: 1.0                                                 # m; all keys: physics/ground/terrain_file.py
    meshes: [../../assets/worlds/x/meshes.glb]                  # drawn and driven on
    collision: [../../assets/worlds/x/collision.glb]            # not drawn: simple solids in place of detailed scenery
    scenery: [../../assets/worlds/x/scenery.npz]                # drawn only: see game/view/ground/scenery.py
    roads: ../../assets/worlds/x/roads.npz                      # drawn only: centre lines of roads
    rails: ../../assets/worlds/x/rails.npz                      # drawn only: guard rails
    spawn_points:                                               # the first one is the default
      start: {position: [0, 0], heading_deg: 0}                 # m, on the ground; or [x, y, z]
    driving_line: ../../assets/worlds/x/line.csv                # closed loop, m: file of lines x,y or list of [x, y]
    timing: {course: {closed: true, gates: [...]}}              # see physics/world/timing.py
    props: [{kind: cone, position: [10, 0]}]                    # see physics/world/props.py
    parked: [{vehicle: hatchback, position: [20, 0]}]           # driverless vehicles, see the same file

Paths are relative to the world file. A heading of 0 points along +y; positive headings are to the left. Units are SI.
"""

import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from driving_sandbox.physics.base.input_file import MEGABYTE, read_text
from driving_sandbox.physics.base.user_error import WrongValue
from driving_sandbox.physics.base.visible import brief
from driving_sandbox.physics.ground.ground import Ground, Heightfield, Plane
from driving_sandbox.physics.ground.meshes import load_meshes
from driving_sandbox.physics.ground.surfaces import SurfaceTable, default_surfaces, load_surfaces, number
from driving_sandbox.physics.ground.terrain_file import coordinates, existing_file, read_terrain
from driving_sandbox.physics.ground.world_mesh import Mesh
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.props.placing import PlacedProp
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.schema.yaml_file import ConfigError, YamlList, YamlMap, check_keys, key_hint, load_yaml
from driving_sandbox.physics.tick.context import new_context
from driving_sandbox.physics.world.parameters import WorldParams, unsigned_zeros
from driving_sandbox.physics.world.placing import ground_under
from driving_sandbox.physics.world.props import ParkedVehicle, read_parked, read_props
from driving_sandbox.physics.world.timing import Track, read_timing

KEYS = (
    "name",
    "description",
    "gravity",
    "tick_rate",
    "substeps",
    "air_density",
    "wind",
    "surfaces",
    "terrain",
    "meshes",
    "collision",
    "scenery",
    "roads",
    "rails",
    "spawn_points",
    "driving_line",
    "timing",
    "props",
    "parked",
)
MAX_SUBSTEPS = 64  # substeps of a tick
MAX_SPAWN_POINTS = 1000  # each is checked on loading
MAX_FILES = 200  # files in each of the lists meshes, collision and scenery
MAX_LINE_SIZE = 16 * MEGABYTE  # bytes of a driving line's file; a thousand times the largest of the program's own
WORLD_FOLDER = ROOT / "configs" / "worlds"


@dataclass(frozen=True)
class SpawnPoint:
    """A pose at which vehicles start."""

    name: str
    position: tuple[float, float]  # x, y of the model's origin, m
    height: float | None  # z of the model's origin, m; None: standing on the ground
    heading: float  # rad, 0 along +y, positive to the left

    @property
    def coordinates(self) -> tuple[float, ...]:
        """(x, y), or (x, y, z) with a height, m, for World.place."""
        return tuple(self.position) if self.height is None else (*self.position, self.height)


@dataclass
class WorldFile:
    """A checked world file; `ground()` builds the ground it describes."""

    path: Path
    name: str
    description: str
    gravity: float  # m/s^2
    tick_rate: float  # Hz
    substeps: int
    air_density: float  # kg/m^3
    wind: list[float]  # three numbers: velocity of the air, world axes, m/s
    surfaces: SurfaceTable
    terrain: Plane | Heightfield | None
    mesh_paths: list[Path]  # files of `meshes`, which are both drawn and driven on
    meshes: list[Mesh]  # those of `meshes`, then of `collision`
    roads_path: Path | None
    spawn_points: dict[str, SpawnPoint]
    driving_line: np.ndarray  # float64[n, 2], m; closed from the last point to the first; n is 0 without a line
    # the parsed file, which knows the line of each key, for later errors
    source: YamlMap | None = field(repr=False, default=None)
    props: list[PlacedProp] = field(default_factory=list)
    parked: list[ParkedVehicle] = field(default_factory=list)  # a World does not add them
    timing: list[Track] = field(default_factory=list)
    scenery_paths: list[Path] = field(default_factory=list)  # only drawn
    rails_path: Path | None = None

    def ground(self) -> Ground:
        """The Ground of this world.

        Raises ConfigError if there is no ground under a spawn point or parked vehicle whose height is not given.
        """
        ground = Ground(self.terrain, self.meshes, self.surfaces)
        points = self.source["spawn_points"].values() if self.source else ()
        for entry in (*points, *(self.source.get("parked", ()) if self.source else ())):
            position = entry["position"]
            if len(position) == 2:  # with a third number, the height, no ground is needed
                try:
                    ground_under(ground, *position)
                except ValueError as error:
                    raise entry.error("position", str(error)) from None
        return ground

    def spawn(self, name: str | None = None) -> SpawnPoint:
        """A spawn point by name, the first one by default. Raises ConfigError for an unknown name."""
        if name is None:
            return next(iter(self.spawn_points.values()))
        if name not in self.spawn_points:
            known = ", ".join(self.spawn_points)
            message = f'no spawn point "{name}"{key_hint(name, self.spawn_points)}; known: {known}'
            line = self.source.line("spawn_points") if self.source else None
            raise ConfigError(self.path, line, "spawn_points", message)
        return self.spawn_points[name]


def find_world(name: str | Path) -> Path:
    """Path of a world: a file, or the name of one in configs/worlds. Raises ConfigError with the nearest name."""
    path = Path(name)
    if path.suffix in (".yaml", ".yml") or path.exists():
        return path
    known = sorted(p.stem for p in WORLD_FOLDER.glob("*.yaml"))
    if str(name) not in known:
        hint = key_hint(name, known)
        raise ConfigError(name, None, "", f"no such world{hint}; known: {', '.join(known)}, or give a .yaml file")
    return WORLD_FOLDER / f"{name}.yaml"


def context_of(file: WorldFile | None, substeps: int | None) -> np.ndarray:
    """CONTEXT array, length 1, with the values of a world file, if there is one. Raises WrongValue.

    substeps: number per tick; None: the file's, or 4 without a file.
    """
    count = substeps if substeps is not None else (file.substeps if file else 4)
    if not 1 <= count <= MAX_SUBSTEPS or count != int(count):
        raise WrongValue(f"{count} substeps: a tick has 1 to {MAX_SUBSTEPS}")
    context = new_context(substep_count=int(count))
    if file:
        context["gravity"][0] = (0.0, 0.0, -file.gravity)
        context["air_density"] = file.air_density
        context["wind"][0] = file.wind
    return context


def load_world(name: str | Path) -> WorldFile:
    """The WorldFile of a YAML file or a name. Raises ConfigError for anything wrong in it or in a file it names."""
    path = find_world(name)
    doc = load_yaml(path)
    if not isinstance(doc, YamlMap):
        raise ConfigError(path, 1, "", "a world file must be a mapping of keys to values")
    check_keys(doc, KEYS, ("name", "terrain", "spawn_points"))
    surfaces = load_surfaces(existing_file(doc, "surfaces")) if "surfaces" in doc else default_surfaces()
    mesh_paths, collision_paths = _paths(doc, "meshes"), _paths(doc, "collision")
    return WorldFile(
        path=path,
        name=_text(doc, "name"),
        description=_text(doc, "description", default=""),
        gravity=_world_parameter(doc, "gravity"),
        tick_rate=_number(doc, "tick_rate", default=240.0, low=10.0, high=10000.0),
        substeps=_integer(doc, "substeps", default=4, low=1, high=MAX_SUBSTEPS),
        air_density=_world_parameter(doc, "air_density"),
        wind=_wind(doc),
        surfaces=surfaces,
        terrain=read_terrain(doc, surfaces),
        mesh_paths=mesh_paths,
        meshes=[mesh for file in (*mesh_paths, *collision_paths) for mesh in load_meshes(file, surfaces)],
        roads_path=existing_file(doc, "roads") if "roads" in doc else None,
        spawn_points=_spawn_points(doc),
        driving_line=_driving_line(doc),
        source=doc,
        props=read_props(doc),
        parked=read_parked(doc),
        timing=read_timing(doc),
        scenery_paths=_paths(doc, "scenery"),
        rails_path=existing_file(doc, "rails") if "rails" in doc else None,
    )


def _text(doc: YamlMap, key: str, default: Any = None) -> Any:
    """Text under a key; the key is required if the default is None. Raises ConfigError."""
    value = doc.get(key, default)
    if not isinstance(value, str):
        raise doc.error(key, f"{brief(value)} must be text")
    return value


def _number(doc: YamlMap, key: str, default: Any, low: float, high: float) -> Any:
    """Number under a key, from `low` to `high`; the default without the key. Raises ConfigError."""
    return number(doc, key, low, high) if key in doc else default


def _world_parameter(doc: YamlMap, key: str) -> Any:
    """Value of the world's parameter named `key`, with the limits and the default of its declaration in WorldParams."""
    declared = WorldParams.fields[key]
    return _number(doc, key, declared.default, declared.ge, declared.le)


def _wind(doc: YamlMap) -> list[float]:
    """Velocity of the air in a world file, [x, y, z] in m/s. Raises ConfigError."""
    declared = WorldParams.fields["wind"]
    if "wind" not in doc:
        return list(map(float, declared.default))
    try:
        return list(map(float, unsigned_zeros(declared.parse(doc["wind"]))))
    except SchemaError as error:
        raise doc.error("wind", str(error)) from None


def _integer(doc: YamlMap, key: str, default: Any, low: float, high: float) -> Any:
    """Whole number under a key, from `low` to `high`. Raises ConfigError."""
    value = _number(doc, key, default, low, high)
    if value != int(value):
        raise doc.error(key, f"{brief(doc[key])} must be a whole number")
    return int(value)


def _paths(doc: YamlMap, key: str) -> list[Path]:
    """List of the existing files under a key. Raises ConfigError."""
    files = doc.get(key, YamlList())
    if not isinstance(files, YamlList):
        raise doc.error(key, "must be a list of files")
    if len(files) > MAX_FILES:
        raise doc.error(key, f"{len(files)} files; at most {MAX_FILES} are possible")
    return [existing_file(files, index) for index in range(len(files))]


def _spawn_points(doc: YamlMap) -> dict[str, SpawnPoint]:
    """{name: SpawnPoint}. Raises ConfigError."""
    points = doc["spawn_points"]
    if not isinstance(points, YamlMap) or not points:
        raise doc.error("spawn_points", "must map names to {position: [x, y], heading_deg: ...}")
    if len(points) > MAX_SPAWN_POINTS:
        raise doc.error("spawn_points", f"{len(points)} spawn points; at most {MAX_SPAWN_POINTS} are possible")
    result = {}
    for name, entry in points.items():
        if not isinstance(entry, YamlMap):
            raise points.error(name, "must be {position: [x, y], heading_deg: ...}")
        check_keys(entry, ("position", "heading_deg"), ("position",))
        position = coordinates(entry, "position")
        heading = np.radians(_number(entry, "heading_deg", default=0.0, low=-360.0, high=360.0))
        x, y = position[:2]
        height = position[2] if len(position) == 3 else None
        result[str(name)] = SpawnPoint(str(name), (x, y), height, float(heading))
    return result


def _driving_line(doc: YamlMap) -> np.ndarray:
    """Points of the line that AI drivers follow, float64[n, 2]; n is 0 without one. Raises ConfigError."""
    if "driving_line" not in doc:
        return np.zeros((0, 2))
    line = doc["driving_line"]
    if isinstance(line, str):
        path = existing_file(doc, "driving_line")
        try:
            points = np.loadtxt(io.StringIO(read_text(path, MAX_LINE_SIZE)), delimiter=",", ndmin=2)
        except (OSError, ValueError) as error:
            raise doc.error("driving_line", f"{path.name} must hold lines of x,y: {error}") from None
    elif isinstance(line, YamlList):
        points = np.array([coordinates(line, index, lengths=(2,)) for index in range(len(line))]).reshape(-1, 2)
    else:
        raise doc.error("driving_line", "must be a list of [x, y] or the path of a .csv file")
    if points.shape[0] < 3 or points.shape[1] != 2 or not np.isfinite(points).all():
        raise doc.error("driving_line", f"needs at least 3 points of two finite numbers, has shape {points.shape}")
    return points
