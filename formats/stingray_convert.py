"""Converts a Stingray vehicle block and the shapes of its unit to the sections of our vehicle YAML.

Quantities that the format gives relative to rest, load or gravity become absolute values:

    suspension   at rest the wheel is where the mesh has it; full compression is max_compression above, full droop
                 max_droop below it. The spring carries the sprung mass at rest for any rate (our `legacy` suspension).
    tire         lateral stiffness = lateral_stiffness_y x rest load (per rad); longitudinal = stiffness x 9.81 m/s^2.
    force points offsets from (wheel x, wheel y, z of the centre of mass), as in PhysX 3, which Stingray used.
    wheel        inertia m r^2 where no moi is given. Radius = half the shape's height x radius_scale.

Parameters that the format lacks have the defaults of PhysX 3: see the constants, and stingray_drive.py for the
drivetrain.
"""

from typing import Any

import numpy as np

from driving_sandbox.formats.stingray_drive import convert_drivetrain
from driving_sandbox.formats.stingray_read import Part
from driving_sandbox.formats.stingray_scene import Shape
from driving_sandbox.formats.vehicle_yaml import plain
from driving_sandbox.physics.body.inertia import UNIFORM_BOX
from driving_sandbox.physics.ground.arrays import TIRE_TYPES
from driving_sandbox.physics.ground.surfaces import raycast_filters
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY
from driving_sandbox.physics.schema.yaml_file import key_hint

GRAVITY = 9.81  # m/s^2, for rest loads and for the longitudinal stiffness, which the format gives divided by gravity
CAMBER_STIFFNESS = 1.0  # 1/rad, camber stiffness divided by rest load: camber thrust is about load x angle
SUM_TOLERANCE = 1e-3  # of the sum of the sprung masses, as a fraction of the chassis mass
WHEEL_MASSES = (20.0, 80.0)  # kg, usual range of a wheel's mass
# {tire type of the format: tire type of our surfaces}
TIRES = {"normal": "street", "road": "street", "slick": "sport", "slicks": "sport", "mud": "offroad"}
PEDALS = {"acceleration": "throttle", "brake": "brake", "handbrake": "handbrake"}  # {their name: ours}


def wheel_names(count: int) -> tuple[list[str], dict[str, list[str]]]:
    """(names, axles) of wheels that stand axle by axle, left first."""
    if count == 4:
        return ["fl", "fr", "rl", "rr"], {"front": ["fl", "fr"], "rear": ["rl", "rr"]}
    axles = {f"axle{k + 1}": [f"l{k + 1}", f"r{k + 1}"] for k in range(count // 2)}
    return [name for pair in axles.values() for name in pair], axles


class Conversion:
    """Writes a vehicle block into the config of an ImportedVehicle, with the source of each value.

    Args:
        result: the ImportedVehicle.
        block: Part of the vehicle.
        scene: {node: Shape} of its unit.
        from_model: True if the shapes come from a model, False if they are assumed.
    """

    def __init__(self, result: Any, block: Part, scene: dict[str, Shape], from_model: bool) -> None:
        self.result, self.block, self.scene, self.from_model = result, block, scene, from_model
        self.config, self.origins = result.config, result.origins
        self.tank = block.text("vehicle_physics_model", options=("car", "tank")) == "tank"
        self.wheels = block.parts("wheels")
        self.names, self.axles = wheel_names(self._count())
        self.chassis = block.part("chassis")
        self.hull = scene[self.chassis.text("scene_graph_shape_node")]
        self.mass = self.chassis.number("mass", above=0.0)
        offset = self.chassis.numbers("center_of_mass_offset", default=[0.0, 0.0, 0.0], count=3)
        self.centre_of_mass = self.hull.origin + offset
        self.positions = [self._position(i, wheel) for i, wheel in enumerate(self.wheels)]

    def _count(self) -> int:
        """Number of wheels. Raises ConfigError for a number that is not possible."""
        count = len(self.wheels)
        kind = "a tank" if self.tank else "a car"
        if not 4 <= count <= WHEEL_CAPACITY or count % 2:
            raise self.block.error("wheels", f"{kind} has 4 to {WHEEL_CAPACITY} wheels in pairs, not {count}")
        return count

    def _position(self, i: int, wheel: Part) -> np.ndarray:
        """Centre of a wheel in the model, m."""
        shape = self.scene[wheel.text("scene_graph_shape_node")]
        return shape.centre + wheel.numbers("position_offset", default=[0.0, 0.0, 0.0], count=3)

    def put(self, slot: str, key: str, value: Any, part: Part, source: str, wheel: int | None = None) -> None:
        """Set one value: slot.key, or slot.wheel.key with our wheel index; `source` is its key in the part."""
        section, path = self.config.setdefault(slot, {}), f"{slot}.{key}"
        if wheel is not None:
            section, path = section.setdefault(self.names[wheel], {}), f"{slot}.{self.names[wheel]}.{key}"
        section[key] = plain(value)
        self.origins[path] = part.origin(source)

    def convert(self) -> None:
        """Convert every section of the file."""
        self.head()
        self.body()
        if self.from_model:
            self.check_order()
        masses = self.sprung_masses()
        for i, wheel in enumerate(self.wheels):
            self.wheel(i, wheel)
            self.suspension(i, wheel.part("suspension"), masses[i])
            self.tire(i, wheel.part("tire"), masses[i])
            self.bind(wheel, self.names[i])
        self.steering()
        self.smoothing()
        convert_drivetrain(self)
        for part in (self.block, self.chassis, *self.wheels):
            part.finish()

    def head(self) -> None:
        """Write name, type, components and axles."""
        self.config["name"] = self.block.text("name")
        self.config["type"] = "tank" if self.tank else "engine_drive"
        self.config["components"] = {
            "body": "inertia_methods", "suspension": "legacy", "clutch": "torsion_damper", "tire": "combined_slip",
        }  # fmt: skip
        if not self.tank:
            self.config["components"]["differential"] = "open"
        self.config["axles"] = {name: list(pair) for name, pair in self.axles.items()}

    # ---- chassis

    def body(self) -> None:
        """Write the chassis: mass, centre of mass, box and inertia."""
        part = self.chassis
        self.put("body", "mass", self.mass, part, "mass")
        self.put("body", "centre_of_mass", self.centre_of_mass, part, "center_of_mass_offset")
        self.put("body", "box_size", self.hull.size, part, "scene_graph_shape_node")
        self.bind(part, None)
        self.inertia(part.part("moment_of_inertia", required=False))

    def inertia(self, part: Part) -> None:
        """Write the values of every method that the file gives; the body component selects the method."""
        if "raw" in part:
            raw = part.numbers("raw", count=3)
            if min(raw) <= 0.0:
                raise part.error("raw", "all three must be > 0")
            self.put("body", "principal_inertia", raw, part, "raw")
        if "cuboid" in part:
            cuboid = part.part("cuboid")
            factor = cuboid.number("mass_factor", usual=UNIFORM_BOX, above=0.0)
            self.put("body", "cuboid_mass_factor", factor, cuboid, "mass_factor")
            scale = cuboid.numbers("scale", default=[1.0, 1.0, 1.0], count=3)
            self.put("body", "cuboid_scale", scale, cuboid, "scale")
            cuboid.finish()
        self.put("body", "mass_factor", part.number("mass_factor", default=UNIFORM_BOX, above=0.0), part, "mass_factor")
        self.put(
            "body", "responsiveness", part.number("responsiveness", default=1.0, above=0.0), part, "responsiveness"
        )
        part.finish()

    def bind(self, part: Part, wheel: str | None) -> None:
        """Bind drawn nodes to the pose of the chassis (wheel None) or of a wheel."""
        for node in part.parts("scene_graph_render_nodes", default=()):
            kind = node.text("transform_type", default="full", options=("full", "translation", "rotation"))
            self.result.bindings.append((node.text("node"), kind, wheel))
            node.finish()

    # ---- wheels

    def check_order(self) -> None:
        """Raise ConfigError unless the wheels come axle by axle from front to rear, left before right."""
        for k in range(0, len(self.wheels), 2):
            left, right = self.positions[k], self.positions[k + 1]
            if not left[0] < right[0]:
                text = f"is at x = {left[0]:.3f} and the next at {right[0]:.3f} m: the left wheel comes first"
                raise self.wheels[k].error("scene_graph_shape_node", text)
            if k and not left[1] + right[1] < self.positions[k - 2][1] + self.positions[k - 1][1]:
                text = f"is at y = {left[1]:.3f} m, not behind the wheels before it: axles come from front to rear"
                raise self.wheels[k].error("scene_graph_shape_node", text)

    def sprung_masses(self) -> list[float]:
        """Sprung mass on each wheel, kg; 0 in the file stands for an equal share."""
        share = self.mass / len(self.wheels)
        given = [wheel.part("suspension").number("sprung_mass", default=0.0, low=0.0) for wheel in self.wheels]
        masses = [m if m > 0.0 else share for m in given]
        if abs(sum(masses) - self.mass) > SUM_TOLERANCE * self.mass:
            key = "sprung_mass"
            text = f"the wheel loads sum to {sum(masses):g} kg, not to the chassis mass of {self.mass:g} kg"
            raise self.wheels[0].part("suspension").error(key, text)
        return masses

    def wheel(self, i: int, part: Part) -> None:
        """Write wheel `i` with its brake, steering and raycast filter, from its section `part`."""
        shape = self.scene[part.text("scene_graph_shape_node")]
        radius = 0.5 * shape.size[2] * part.number("radius_scale", default=1.0, above=0.0)
        mass = part.number("mass", above=0.0)
        if not WHEEL_MASSES[0] <= mass <= WHEEL_MASSES[1]:
            part.warn("mass", f"{mass:g} kg; usually {WHEEL_MASSES[0]:g} to {WHEEL_MASSES[1]:g} kg")
        moi = part.number("moi", default=mass * radius**2, above=0.0)
        self.put("wheel", "radius", radius, part, "radius_scale", i)
        self.put("wheel", "half_width", 0.5 * shape.size[0], part, "scene_graph_shape_node", i)
        self.put("wheel", "mass", mass, part, "mass", i)
        self.put("wheel", "spin_inertia", moi, part, "moi" if "moi" in part else "mass", i)
        self.put("wheel", "damping", part.number("damping_rate", usual=0.25, above=0.0), part, "damping_rate", i)
        for ours, theirs, usual in (("max_torque", "max_brake_torque", 1500.0),
                                    ("handbrake_torque", "max_handbrake_torque", 0.0)):  # fmt: skip
            self.put("brakes", ours, part.number(theirs, usual=usual, low=0.0), part, theirs, i)
        self.put("steering", "max_angle", part.number("max_steer", default=0.0), part, "max_steer", i)
        filter_name = part.text("wheel_raycast_filter", default=None)
        if filter_name in raycast_filters():
            self.put("road", "raycast_filter", filter_name, part, "wheel_raycast_filter", i)
        elif filter_name is not None:
            known = f"our surfaces have {', '.join(raycast_filters())}"
            part.warn("wheel_raycast_filter", f"no filter {filter_name!r}, the wheel collides with everything; {known}")

    def suspension(self, i: int, part: Part, mass: float) -> None:
        """Write the suspension and camber of wheel `i` from its section `part`; `mass`: sprung mass, kg."""
        up, down = part.number("max_compression", above=0.0), part.number("max_droop", above=0.0)
        direction = np.array(part.numbers("travel_direction", default=[0.0, 0.0, -1.0], count=3))
        if not np.linalg.norm(direction) > 1e-6:
            raise part.error("travel_direction", "must not be a zero vector")
        direction /= np.linalg.norm(direction)
        attachment = self.positions[i] - direction * up
        self.put("suspension", "attachment", attachment, part, "max_compression", i)
        self.put("suspension", "direction", direction, part, "travel_direction", i)
        self.put("suspension", "travel", up + down, part, "max_droop", i)
        self.put("suspension", "rest_distance", up, part, "max_compression", i)
        self.put("suspension", "stiffness", part.number("spring_strength", above=0.0), part, "spring_strength", i)
        damping = part.number("spring_damper_rate", low=0.0)
        self.put("suspension", "damping", damping, part, "spring_damper_rate", i)
        self.put("suspension", "sprung_mass", mass, part, "sprung_mass", i)
        camber = [part.number(f"camber_{where}", default=0.0) for where in ("max_droop", "rest", "max_compression")]
        if any(camber):
            graph = [[x, y] for x, y in zip((0.0, down / (up + down), 1.0), camber, strict=True)]
            self.put("compliance", "camber", graph, part, "camber_rest", i)
        self.force_point(i, "suspension_force_point", part, attachment)
        part.finish(known=("sprung_mass",))  # read by sprung_masses through another Part

    def force_point(self, i: int, ours: str, part: Part, attachment: np.ndarray) -> None:
        """Write a force application point, relative to the suspension's attachment."""
        offset = part.numbers("force_application_offset", usual=[0.0, 0.0, -0.3], count=3)
        base = np.array([self.positions[i][0], self.positions[i][1], self.centre_of_mass[2]])
        self.put("compliance", ours, [[0.0, plain(base + offset - attachment)]], part, "force_application_offset", i)

    def tire(self, i: int, part: Part, mass: float) -> None:
        """Write the tire of wheel `i` from its section `part`; `mass`: sprung mass, kg."""
        load = mass * GRAVITY
        saturation = part.number("lateral_stiffness_x", usual=2.0, low=0.0)
        self.put("tire", "lateral_stiffness_load", saturation, part, "lateral_stiffness_x", i)
        lateral = part.number("lateral_stiffness_y", above=0.0) * load
        self.put("tire", "lateral_stiffness", lateral, part, "lateral_stiffness_y", i)
        key = part.one_of("longitudal_stiffness", "longitudinal_stiffness")
        self.put("tire", "longitudinal_stiffness", part.number(key, above=0.0) * GRAVITY, part, key, i)
        constant = [0.0, 1.0, 0.5, 1.0, 1.0, 1.0]  # three points: friction 1 at every slip
        graph = part.points("friction_versus_slip", max_count=3, default=constant, min_count=3)
        self.put("tire", "friction_versus_slip", graph, part, "friction_versus_slip", i)
        self.put("tire", "camber_stiffness", CAMBER_STIFFNESS * load, part, "lateral_stiffness_y", i)
        self.put("tire", "rolling_resistance", 0.0, part, "type", i)  # the format's wheels roll freely
        kind = part.text("type", default="normal")
        if kind not in TIRES and kind not in TIRE_TYPES:
            known = ", ".join((*TIRE_TYPES, *TIRES))
            hint = key_hint(kind, (*TIRE_TYPES, *TIRES))
            part.warn("type", f"no tire {kind!r}{hint}; street is used; known: {known}")
        self.put("tire", "tire_type", kind if kind in TIRE_TYPES else TIRES.get(kind, "street"), part, "type", i)
        attachment = np.array(self.config["suspension"][self.names[i]]["attachment"])
        self.force_point(i, "tire_force_point", part, attachment)
        part.finish()

    # ---- controls

    def steering(self) -> None:
        """Write the steering's table over speed, and the Ackermann correction of the steered axles."""
        block = self.block
        graph = block.points("steer_vs_forward_speed", max_count=8, default=None)
        if graph is not None:
            if not all(0.0 <= y <= 1.0 for _, y in graph):
                raise block.error("steer_vs_forward_speed", "the second number of each pair must be within 0..1")
            table = [[0.0, [[0.0, 0.0]]], [1.0, graph]]
            self.put("response", "steer_table", table, block, "steer_vs_forward_speed")
        part = block.part("ackermann_correction", required=False)
        accuracy = part.number("accuracy", default=1.0, low=0.0, high=1.0)
        part.finish()
        steered = [k for k in range(0, len(self.names), 2)
                   if all(self.config["steering"][n]["max_angle"] for n in self.names[k : k + 2])]  # fmt: skip
        fixed = [self.positions[k][1] for k in range(0, len(self.names), 2) if k not in steered]
        if len(steered) > 2 and accuracy > 0.0:
            part.warn("accuracy", f"{len(steered)} axles steer; the first two are corrected")
        for k, slot in zip(steered, ("ackermann", "ackermann_second"), strict=False):
            others = fixed or [self.positions[j][1] for j in range(0, len(self.names), 2) if j != k]
            left, right = self.positions[k], self.positions[k + 1]
            self.put(slot, "left", self.names[k], part, "accuracy")
            self.put(slot, "right", self.names[k + 1], part, "accuracy")
            self.put(slot, "wheelbase", float(left[1] - np.mean(others)), part, "accuracy")
            self.put(slot, "track", float(right[0] - left[0]), part, "accuracy")
            self.put(slot, "strength", accuracy, part, "accuracy")

    def smoothing(self) -> None:
        """Write the rise and fall rates of the inputs, for keys and for analog devices."""
        section = self.block.part("input_smoothing", required=False)
        for direction in ("rise", "fall"):
            part = section.part(f"{direction}_rates", required=False)
            for theirs, ours in PEDALS.items():
                if theirs in part:
                    rate = part.number(theirs, above=0.0)
                    self.put("input", f"{ours}_{direction}", rate, part, theirs)
                    self.put("input", f"analog_{ours}_{direction}", rate, part, theirs)
            sides = [part.number(f"steer_{side}", default=None, above=0.0) for side in ("left", "right")]
            for side, rate in zip(("left", "right"), sides, strict=True):
                if rate is not None:
                    self.put("input", f"steer_{side}_{direction}", rate, part, f"steer_{side}")
            if None not in sides:
                if sides[0] != sides[1]:
                    part.warn("steer_right", "differs from steer_left: keys use both, analog sticks their mean")
                self.put("input", f"analog_steer_{direction}", sum(sides) / 2.0, part, "steer_left")
            part.finish()
        section.finish()
