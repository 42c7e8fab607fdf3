"""Converts the flat layout of a PhysX vehicle file to the sections of our vehicle YAML."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from driving_sandbox.formats.physx_frame import PhysxFrame
from driving_sandbox.formats.physx_read import DIRECT, FOUR_WHEEL, MULTI_WHEEL, TANK, Source
from driving_sandbox.formats.vehicle_yaml import plain
from driving_sandbox.physics.differential.limited_slip import AT_ONCE
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY
from driving_sandbox.physics.tick.context import new_context

PEDALS = ("brake", "handbrake")  # our names of the file's brake commands 0 and 1


@dataclass
class Wheels:
    """Order and names of the wheels.

    Attributes:
        ids: the file's number of each of our wheels.
        names: our names of them.
        axles: {axle name: names of its wheels}.
    """

    ids: list
    names: list
    axles: dict

    def ours(self, node: Source) -> int:
        """Our index of the wheel whose number in the file is the value of `node`."""
        return self.ids.index(node.integer(low=0, high=len(self.ids) - 1))

    def name_of(self, node: Source) -> str:
        """Our name of the wheel whose number in the file is the value of `node`."""
        return self.names[self.ours(node)]


def order_wheels(source: Source, frame: PhysxFrame) -> Wheels:
    """Wheels axle by axle as the file lists the axles, inside an axle from left to right."""
    count = len(source["wheels"].items())
    if not 1 <= count <= WHEEL_CAPACITY:
        raise source["wheels"].error(f"has {count} wheels; 1 to {WHEEL_CAPACITY} are possible")
    axle_nodes = source["axles"].items()
    axle_names = {1: ["wheels"], 2: ["front", "rear"]}.get(
        len(axle_nodes), [f"axle{k + 1}" for k in range(len(axle_nodes))]
    )
    ids: list[int] = []
    names: list[str] = []
    axles: dict[str, list[str]] = {}
    for name, axle in zip(axle_names, axle_nodes, strict=True):
        members = [number.integer(low=0, high=count - 1) for number in axle.items()]
        if set(members) & set(ids) or len(set(members)) < len(members):
            raise axle.error("names a wheel that is already on an axle")
        across = {i: frame.vector(source["wheels"][i]["attach_pos"].numbers(3))[0] for i in members}
        members.sort(key=lambda i: across[i])
        # wheels of two axles: fl, fr, rl, rr; of several: l1, r1, l2 ...; c in place of l and r: a single wheel
        short = name[0] if name in ("front", "rear") else name.removeprefix("axle").removeprefix("wheels")
        sides = {1: ["c"], 2: ["l", "r"]}.get(len(members), [f"w{k + 1}" for k in range(len(members))])
        wheel_names = [f"{short}{side}" if name in ("front", "rear") else f"{side}{short}" for side in sides]
        axles[name] = wheel_names
        ids += members
        names += wheel_names
    if len(ids) != count:
        missing = sorted(set(range(count)) - set(ids))
        raise source["axles"].error(f"wheels {missing} are on no axle")
    return Wheels(ids, names, axles)


def lever_sides(source: Source, frame: PhysxFrame) -> dict[int, str]:
    """{number of a thrust command in the file: "left" or "right"}, by the mean position of its tracks' wheels."""
    lateral: dict[int, list[float]] = {}
    for track in source["diff"]["tracks"].items():
        for wheel in track["wheels"].items():
            at = source["wheels"][wheel.integer(0, len(source["wheels"].value) - 1)]["attach_pos"].numbers(3)
            lateral.setdefault(track["thrust"].integer(0, 1), []).append(frame.vector(at)[0])
    means = {lever: float(np.mean(x)) for lever, x in lateral.items()}
    if len(means) == 2 and means[0] == means[1]:
        return {0: "left", 1: "right"}
    if len(means) == 2:
        return {lever: "left" if means[lever] < means[1 - lever] else "right" for lever in means}
    return {lever: "left" if x < 0.0 else "right" for lever, x in means.items()}


class Conversion:
    """Writes the parts of a file into the config of an ImportedVehicle, with the source of each value."""

    def __init__(self, result: Any) -> None:
        self.source, self.frame, self.wheels = result.source, result.frame, result.wheels
        self.config, self.warnings, self.origins = result.config, result.warnings, result.origins
        # m per length unit of the file; below raised to the length dimension of a value
        self.length = 1.0 / result.frame.scale
        self.count = len(result.wheels.ids)

    def put(self, slot: str, key: str, value: Any, origin: Source, wheel: int | None = None) -> None:
        """Set one value: slot.key, or slot.wheel.key with our wheel index."""
        section = self.config.setdefault(slot, {})
        path = f"{slot}.{key}"
        if wheel is not None:
            section = section.setdefault(self.wheels.names[wheel], {})
            path = f"{slot}.{self.wheels.names[wheel]}.{key}"
        section[key] = plain(value)
        self.origins[path] = origin

    def convert(self) -> None:
        """Convert every section of the file."""
        kind = self.source["type"].integer(DIRECT, TANK)
        self.head(kind)
        self.body()
        for ours, theirs in enumerate(self.wheels.ids):
            self.wheel(ours, self.source["wheels"][theirs])
        self.brakes()
        self.steering()
        self.antiroll()
        if kind == DIRECT:
            self.direct_drive()
        else:
            self.engine()
            self.gears()
            self.clutch(kind)
            self.differential(kind)
        self.compare_context()

    def head(self, kind: int) -> None:
        """Write name, description, type, components and axles; `kind`: type of the vehicle in the file."""
        source = self.source
        self.config["name"] = source["name"].text() if "name" in source else source.path.stem
        if "description" in source:
            self.config["description"] = source["description"].text()
        self.config["type"] = {DIRECT: "direct_drive", TANK: "tank"}.get(kind, "engine_drive")
        self.config["components"] = {"body": "rigid", "tire": "combined_slip"}
        if kind in (FOUR_WHEEL, MULTI_WHEEL):
            self.config["components"]["differential"] = "multi_wheel"
        self.config["axles"] = {name: list(wheels) for name, wheels in self.wheels.axles.items()}

    def body(self) -> None:
        """Write mass and inertia; the origin of the file's positions is the centre of mass."""
        self.put("body", "mass", self.source["mass"].number(), self.source["mass"])
        self.put("body", "centre_of_mass", [0.0, 0.0, 0.0], self.source)
        moi = self.source["moi"]
        self.put("body", "principal_inertia", self.frame.inertia(moi.numbers(3)), moi)

    def wheel(self, i: int, node: Source) -> None:
        """Write wheel `i` with its suspension, compliance and tire, from its node of the file."""
        self.suspension(i, node)
        self.compliance(i, node)
        self.tire(i, node)
        for ours, theirs, power in (
            ("radius", "radius", 1), ("half_width", "half_width", 1), ("mass", "wheel_mass", 0),
            ("spin_inertia", "wheel_moi", 2), ("damping", "wheel_damping", 2),
        ):  # fmt: skip
            self.put("wheel", ours, node[theirs].number() * self.length**power, node[theirs], i)
        self.put("wheel", "offset", self.frame.vector(node["wheel_attach_pos"].numbers(3)), node["wheel_attach_pos"], i)
        turn = node["wheel_attach_quat"]
        self.put("wheel", "offset_rotation", self.rotation(turn), turn, i)

    def rotation(self, node: Source) -> np.ndarray:
        """The quaternion of a node in our axes. Raises ConfigError unless it is a rotation."""
        q = node.numbers(4)
        if abs(np.dot(q, q) - 1.0) > 1e-3:  # tolerance for rounded numbers
            raise node.error("must be a rotation: the squares of x, y, z, w add up to 1")
        return self.frame.quaternion(q)

    def suspension(self, i: int, node: Source) -> None:
        """Write the suspension of wheel `i`."""
        at, direction = node["attach_pos"], node["travel_dir"]
        self.put("suspension", "attachment", self.frame.vector(at.numbers(3)), at, i)
        self.put("suspension", "attachment_rotation", self.rotation(node["attach_quat"]), node["attach_quat"], i)
        self.put("suspension", "direction", self.frame.direction(direction.numbers(3)), direction, i)
        self.put("suspension", "travel", node["travel"].number() * self.length, node["travel"], i)
        for key in ("stiffness", "damping", "sprung_mass"):
            self.put("suspension", key, node[key].number(), node[key], i)
        kind = self.source["jounce_type"]
        self.put("suspension", "jounce_query", ("ray", "sweep")[kind.integer(low=0, high=1)], kind, i)
        limit = self.source["limit_expansion"]
        self.put("suspension", "limit_expansion", limit.flag(), limit, i)

    def compliance(self, i: int, node: Source) -> None:
        """Write toe, camber and force points of wheel `i`."""
        for key in ("toe", "camber"):
            self.put("compliance", key, _points(node[key]), node[key], i)
        for ours, theirs in (("suspension_force_point", "susp_app"), ("tire_force_point", "tire_app")):
            points = [[p.items(2)[0].number(), plain(self.frame.vector(p[1].numbers(3)))] for p in node[theirs].items()]
            self.put("compliance", ours, points, node[theirs], i)

    def tire(self, i: int, node: Source) -> None:
        """Write the tire of wheel `i`."""
        for ours, theirs, power in (
            ("lateral_stiffness_load", "lat_stiff_x", 0), ("lateral_stiffness", "lat_stiff_y", 1),
            ("longitudinal_stiffness", "lng_stiff", 1), ("camber_stiffness", "camber_stiff", 1),
            ("rest_load", "rest_load", 1),
        ):  # fmt: skip
            self.put("tire", ours, node[theirs].number() * self.length**power, node[theirs], i)
        for ours, theirs in (("friction_versus_slip", "friction_vs_slip"), ("load_filter", "load_filter")):
            self.put("tire", ours, _points(node[theirs]), node[theirs], i)
        self.put("tire", "rolling_resistance", 0.0, node, i)  # this model's wheels roll freely

    def brakes(self) -> None:
        """Write the brake torques; the first brake command is the pedal, the second the handbrake."""
        nodes = self.source["brake"].items()
        if len(nodes) > len(PEDALS):
            raise self.source["brake"].error(f"has {len(nodes)} brake commands; {len(PEDALS)} are possible")
        self.config.setdefault("brakes", {n: {"max_torque": 0.0} for n in self.wheels.names})
        for node, pedal, key in zip(nodes, PEDALS, ("max_torque", "handbrake_torque"), strict=False):
            largest = node["max_response"].number() * self.length**2
            for i, m in self.multipliers(node):
                self.put("brakes", key, largest * m.number(), m, i)
            self.table(f"{pedal}_table", node)

    def multipliers(self, node: Source) -> list[tuple[int, Source]]:
        """[(our wheel index, its multiplier)] of a command response."""
        items = node["wheel_multipliers"].items(self.count)
        return [(i, items[theirs]) for i, theirs in enumerate(self.wheels.ids)]

    def table(self, key: str, node: Source) -> None:
        """Write the table over command and speed of a command response, if it has one."""
        rows = [
            [row["command"].number(), [[s * self.length, r] for s, r in _points(row["points"])]]
            for row in node["nonlinear"].items()
        ]
        if rows:
            self.put("response", key, rows, node["nonlinear"])

    def steering(self) -> None:
        """Write the steer angles, their table, and the Ackermann correction of up to two axles."""
        node = self.source["steer"]
        largest = node["max_response"].number()
        for i, m in self.multipliers(node):
            self.put("steering", "max_angle", largest * m.number(), m, i)
        self.table("steer_table", node)
        axles = [a for a in self.source["ackermann"].items() if a["strength"].number() != 0.0]
        if len(axles) > 2:
            raise self.source["ackermann"].error(f"corrects {len(axles)} axles; two are possible")
        for axle, slot in zip(axles, ("ackermann", "ackermann_second"), strict=False):
            right, left = axle["wheels"].items(2)  # the first is on the negative lateral side, to the right
            self.put(slot, "left", self.wheels.name_of(left), left)
            self.put(slot, "right", self.wheels.name_of(right), right)
            for key in ("wheelbase", "track"):
                self.put(slot, key, axle[key].number() * self.length, axle[key])
            self.put(slot, "strength", axle["strength"].number(), axle["strength"])

    def antiroll(self) -> None:
        """Write the anti-roll bars."""
        bars = self.source["antiroll"].items()
        if bars:
            node = self.source["antiroll"]
            self.put("antiroll", "wheel_a", [self.wheels.ours(b["wheel0"]) for b in bars], node)
            self.put("antiroll", "wheel_b", [self.wheels.ours(b["wheel1"]) for b in bars], node)
            self.put("antiroll", "stiffness", [b["stiffness"].number() for b in bars], node)

    def direct_drive(self) -> None:
        """Write the drive torques of a vehicle without engine."""
        node = self.source["throttle"]
        largest = node["max_response"].number() * self.length**2
        for i, m in self.multipliers(node):
            self.put("direct_drive", "max_torque", largest * m.number(), m, i)
        self.table("throttle_table", node)

    def engine(self) -> None:
        """Write the engine."""
        node = self.source["engine"]
        self.put("engine", "torque_curve", _points(node["torque_curve"]), node["torque_curve"])
        for ours, theirs, power in (
            ("peak_torque", "peak_torque", 2), ("idle_omega", "idle_omega", 0), ("max_omega", "max_omega", 0),
            ("inertia", "moi", 2), ("damping_full_throttle", "damp_full", 2),
            ("damping_zero_throttle_clutch_engaged", "damp_zero_engaged", 2),
            ("damping_zero_throttle_clutch_disengaged", "damp_zero_disengaged", 2),
        ):  # fmt: skip
            self.put("engine", ours, node[theirs].number() * self.length**power, node[theirs])

    def gears(self) -> None:
        """Write gearbox and automatic gears."""
        node, box = self.source["gearbox"], self.source["autobox"]
        ratios = node["ratios"].numbers()
        self.put("gearbox", "ratios", ratios, node["ratios"])
        self.put("gearbox", "neutral_gear", node["neutral"].integer(low=0, high=len(ratios) - 1), node["neutral"])
        self.put("gearbox", "final_ratio", node["final"].number(), node["final"])
        self.put("gearbox", "switch_time", node["switch_time"].number(), node["switch_time"])
        up, down = box["up"].numbers(len(ratios)), box["down"].numbers(len(ratios))
        if not box["enabled"].flag():
            up, down = [1.0] * len(up), [0.0] * len(down)
            self.warn(box["enabled"], "automatic gears are off: shifts by itself only out of neutral and reverse")
        self.put("autobox", "up_ratios", up, box["up"])
        self.put("autobox", "down_ratios", down, box["down"])
        self.put("autobox", "latency", box["latency"].number(), box["latency"])

    def clutch(self, kind: int) -> None:
        """Write the clutch and, but for tanks, the method of the drivetrain's solver."""
        node = self.source["clutch"]
        self.put("clutch", "strength", node["strength"].number() * self.length**2, node["strength"])
        if kind == TANK:
            return  # tracks always use the exact solver
        mode = node["accuracy_mode"]
        self.put("drivetrain", "accuracy", ("estimate", "exact")[mode.integer(low=0, high=1)], mode)
        iterations = node["estimate_iterations"]
        self.put("drivetrain", "estimate_iterations", iterations.integer(low=1, high=100), iterations)

    def differential(self, kind: int) -> None:
        """Write the shares of the wheels, and limited slip or tracks."""
        node = self.source["diff"]
        for ours, theirs in (("torque_ratio", "torque_ratios"), ("speed_ratio", "ave_speed_ratios")):
            items = node[theirs].items(self.count)
            for i, theirs_id in enumerate(self.wheels.ids):
                self.put("differential", ours, items[theirs_id].number(), items[theirs_id], i)
        if kind == FOUR_WHEEL:
            self.limited_slip(node)
        elif kind == TANK:
            self.tracks(node)

    def limited_slip(self, node: Source) -> None:
        """Write the limited slip of both axles and between them, if the file uses it."""
        biases = {name: node[f"{name}_bias"].number() for name in ("front", "rear", "center")}
        rate = node["rate"].number()
        if rate == 0.0 or not any(biases.values()):
            return
        if not self.source["use_constraint_groups"].flag():
            self.warn(self.source["use_constraint_groups"], "the vehicle does not apply its limited slip; left out")
            return
        for axle in ("front", "rear"):
            pair = sorted(node[axle].items(2), key=self.wheels.ours)
            for wheel, side in zip(pair, ("left", "right"), strict=True):
                self.put("limited_slip", f"{axle}_{side}", self.wheels.name_of(wheel), wheel)
        for name, bias in biases.items():
            if bias != 0.0:
                self.put("limited_slip", f"{name}_bias", bias, node[f"{name}_bias"])
                self.put("limited_slip", f"{name}_target", node[f"{name}_target"].number(), node[f"{name}_target"])
        self.put("limited_slip", "rate", min(rate, AT_ONCE), node["rate"])

    def tracks(self, node: Source) -> None:
        """Write track and lever of each wheel of a tank."""
        sides = lever_sides(self.source, self.frame)
        for number, track in enumerate(node["tracks"].items(), start=1):
            for wheel in track["wheels"].items():
                i = self.wheels.ours(wheel)
                if "track" in self.config["differential"][self.wheels.names[i]]:
                    raise wheel.error(f"wheel {wheel.value} is in two tracks")
                self.put("differential", "track", number, wheel, i)
                self.put("differential", "lever", sides[track["thrust"].value], track["thrust"], i)

    def compare_context(self) -> None:
        """Warn of the file's world parameters that differ from the defaults of our context."""
        if "context" not in self.source:
            return
        node, ours = self.source["context"], new_context()[0]
        names = {
            "min_lat_denom": "min_lateral_slip_speed", "min_passive_lng_denom": "min_passive_slip_speed",
            "min_active_lng_denom": "min_active_slip_speed", "wheel_angle_threshold": "wheel_angle_speed",
        }  # fmt: skip
        for theirs, name in names.items():
            if theirs in node and abs(node[theirs].number() * self.length - float(ours[name])) > 1e-6:
                value = node[theirs].number() * self.length
                self.warn(node[theirs], f"{value:g} m/s belongs to the world, which has {float(ours[name]):g} m/s")
        if "gravity" in node:
            gravity = self.frame.vector(node["gravity"].numbers(3))
            if np.abs(gravity - ours["gravity"]).max() > 1e-3:
                self.warn(node["gravity"], f"{np.linalg.norm(gravity):g} m/s2 belongs to the world")

    def warn(self, node: Source, text: str) -> None:
        """Add a remark on a value of the file."""
        self.warnings.append(f"{node.path}: {node.key}: {text}")


def _points(node: Source) -> list[list[float]]:
    """The points of a curve: list of [x, y]."""
    return [p.numbers(2) for p in node.items()]
