"""One-step tests against drives recorded from the reference, the PhysX 5 vehicle SDK: one per pair of consecutive rows.

A drive is read by its description only (`doc`: columns, time step, substeps, road, vehicle). Its vehicle is imported
and its list of components gets the reference's behaviour (reference_compat.py). For every pair (k, k+1) the complete
state of row k is restored, one step is simulated with the commands and the road of row k+1, and every column of row
k+1 is compared: numbers within TOLERANCE of the channel's scale, discrete states exactly. The scale
is the largest value of the channel in the drive, but at least the channel's floor. Changes of speeds in a step are
compared too, because they show an error of 0.1 % in mass that speeds do not.

The data is single precision, and some steps amplify its rounding: a wheel below the speed where it is numerically
stiff (a substep multiplies a difference by up to 100), a plane far from the origin, an aligning moment proportional to
K^4. The amplification is measured: a pair beyond TOLERANCE is repeated with inputs changed at random by one unit of
float32's last place, and SAFETY times the largest change of the result is its bound. Discrete states have no bound.
"""

import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from drive_channels import EPSILON, FLT_MAX, channels, relative
from group_projection import NO_GROUPS, SLIP_GROUPS, TRACK_GROUPS
from reference_compat import reference_entries

from driving_sandbox.formats.physx import load_physx
from driving_sandbox.formats.physx_convert import lever_sides
from driving_sandbox.physics.gearbox.autobox import LONG_AGO
from driving_sandbox.physics.tick.commands import COMMAND
from driving_sandbox.physics.tick.component import swapped
from driving_sandbox.physics.tick.context import EXTERNAL, new_context
from driving_sandbox.physics.tick.parts import bind_soonest
from driving_sandbox.physics.tick.sequence import sequence_of
from driving_sandbox.physics.tire.combined_slip import COMBINED_SLIP
from driving_sandbox.physics.vehicle.types import VEHICLE_TYPES
from driving_sandbox.physics.vehicle.vehicle import Vehicle

TOLERANCE = 1e-4  # of a channel's scale
SAFETY = 16.0  # a step of the reference rounds some 250 times, its inputs once; errors add up as a random walk
REPEATS = 12  # random perturbations of a pair
LEVERS = 6  # first column of the levers in `Drive.commands`


class HarnessError(Exception):
    """A file has unknown content."""


def round_to_float32(record):
    """Round every number of a parameter record to float32 in place, the precision of the data."""
    for name in record.dtype.names:
        block = record[name]
        if block.dtype.names is not None:
            round_to_float32(block)
        elif block.dtype == np.float64:
            with np.errstate(over="ignore"):
                block[...] = block.astype(np.float32)


@dataclass
class Drive:
    """A recorded drive.

    Attributes:
        doc: description in the file.
        commands: of every step: brake, handbrake, throttle, steer, clutch, gear, levers.
        recorded: steps after which the rows of `body` and `wheels` were recorded.
        body: columns (rows, names), wheels: columns (rows, wheels, names), in the file's axes and order.
        ext: external force and torque in every step.
    """

    path: Path
    doc: dict
    commands: np.ndarray
    recorded: np.ndarray
    body: np.ndarray
    wheels: np.ndarray
    ext: np.ndarray | None

    @classmethod
    def load(cls, path):
        """A drive read from its file, which may contain nothing unknown."""
        with np.load(path) as file:
            arrays = {k: file[k] for k in file.files if k != "doc"}
            doc = json.loads(str(file["doc"]))
        unknown = set(arrays) - {"commands", "recorded_steps", "body", "wheels", "ext"}
        if unknown:
            raise HarnessError(f"{path}: arrays {sorted(unknown)} are not understood")
        return cls(
            path, doc, arrays["commands"].astype(float), arrays["recorded_steps"], arrays["body"].astype(float),
            arrays["wheels"].astype(float), arrays["ext"].astype(float) if "ext" in arrays else None,
        )  # fmt: skip

    @cached_property
    def pairs(self):
        """Rows k of all pairs (k, k + 1) of consecutive steps."""
        return np.flatnonzero(np.diff(self.recorded) == 1)

    def of_body(self, *names):
        """Body columns of all rows."""
        return self.body[:, [self._column("body_columns", n) for n in names]].squeeze()

    def of_wheels(self, *names):
        """Wheel columns of all rows, [rows, wheels] or [rows, wheels, names]."""
        columns = self.wheels[:, :, [self._column("wheel_columns", n) for n in names]]
        return columns[..., 0] if len(names) == 1 else columns

    def _column(self, table, name):
        if name not in self.doc[table]:
            raise HarnessError(f"{self.path}: no column {name!r} in {table}")
        return self.doc[table].index(name)


@dataclass
class Rig:
    """An imported vehicle with the reference's behaviour, and the states of many rows."""

    drive: Drive
    imported: object
    vehicle: Vehicle
    context: np.ndarray
    order: list  # for each of our wheels, its index in the file
    is_direct: bool
    is_tank: bool
    levers: dict = field(default_factory=dict)  # {number of a lever in the commands: its side}

    def commands(self):
        """COMMAND records of all steps of the drive."""
        values = self.drive.commands
        records = np.zeros(len(values), COMMAND)
        for key, column in (("brake", 0), ("handbrake", 1), ("throttle", 2), ("clutch", 4), ("gear", 5)):
            records[key] = values[:, column]
        records["steer"] = -values[:, 3]
        return records

    def externals(self):
        """EXTERNAL records of all steps."""
        records = np.zeros(len(self.drive.commands), EXTERNAL)
        if self.drive.ext is not None:
            records["force"] = self.imported.frame.vector(self.drive.ext[:, :3])
            records["torque"] = self.imported.frame.torque(self.drive.ext[:, 3:])
        return records

    def lay_road(self, states, rows):
        """Write the road planes of the given rows into states."""
        d, frame, n = self.drive, self.imported.frame, self.vehicle.wheel_count
        road = states["road"]
        road["hit"][:, :n] = d.of_wheels("road_hit")[rows][:, self.order]
        road["normal"][:, :n] = frame.direction(d.of_wheels("plane_nx", "plane_ny", "plane_nz")[rows][:, self.order])
        road["offset"][:, :n] = d.of_wheels("plane_d")[rows][:, self.order] / frame.scale
        road["friction"][:, :n] = d.of_wheels("road_friction")[rows][:, self.order]


def build_rig(drive, folder):
    """Import the vehicle of a drive, with the reference's behaviour."""
    name = drive.doc["vehicle"]["name"]
    path = folder / "vehicles" / f"{name}.json"
    if not path.is_file():
        raise HarnessError(f"{drive.path}: no vehicle file {path}")
    if json.loads(path.read_text()) != drive.doc["vehicle"]:
        raise HarnessError(f"{drive.path}: its vehicle differs from {path}")
    imported = load_physx(path)
    kind = imported.config["type"]
    tank, direct = kind == "tank", kind == "direct_drive"
    four_wheel = drive.doc["vehicle_type"] == "engine_four_wheel"
    groups = TRACK_GROUPS if tank else SLIP_GROUPS if four_wheel else NO_GROUPS
    sequence = sequence_of(reference_entries(swapped(VEHICLE_TYPES[kind], COMBINED_SLIP), tank, direct, groups))
    ours = imported.vehicle
    vehicle = Vehicle(sequence, ours.wheel_names, ours.axles, None, {"name": name})
    for slot in sequence.dtypes["params"].names:
        if slot in ours.params.dtype.names and slot not in ("drivetrain", "groups"):
            vehicle.params[slot] = ours.params[slot]
    rig = Rig(drive, imported, vehicle, _context(drive, imported), imported.wheels.ids, direct, tank)
    _reference_params(rig, four_wheel)
    for slot in sequence.dtypes["params"].names:
        if slot != "wheel_count":
            round_to_float32(vehicle.params[slot])
    return rig


def _context(drive, imported):
    """The world's context, as in the recorded drive."""
    node = drive.doc["vehicle"]["context"]
    if drive.of_wheels("sticky_lng_active", "sticky_lat_active").any():
        raise HarnessError(f"{drive.path}: sticky tires need a scene")
    context = new_context(
        min_lateral_slip_speed=node["min_lat_denom"], min_passive_slip_speed=node["min_passive_lng_denom"],
        min_active_slip_speed=node["min_active_lng_denom"], wheel_angle_speed=node["wheel_angle_threshold"],
        gravity=imported.frame.vector(node["gravity"]), substep_count=int(drive.doc["substeps"]),
    )  # fmt: skip
    round_to_float32(context)
    return context


def _reference_params(rig, four_wheel):
    """Set the parameters of components that only the reference has."""
    doc, params, wheels = rig.drive.doc["vehicle"], rig.vehicle.params, rig.imported.wheels
    params["antiroll"]["loads_tires"] = 0
    if not rig.is_direct:
        params["drivetrain"]["estimate"] = doc["clutch"]["accuracy_mode"] == 0
        params["drivetrain"]["sweeps"] = doc["clutch"]["estimate_iterations"]
        order = [wheels.ids.index(i) for axle in doc["axles"] for i in axle]
        params["drivetrain"]["order"]["values"][0, : len(order)] = order
    diff = doc["diff"]
    if four_wheel:
        p = params["groups"][0]
        for axle in ("front", "rear"):
            for side, wheel in zip(("left", "right"), diff[axle], strict=True):
                p[f"{axle}_{side}"] = wheels.ids.index(wheel)
        for key in ("front_bias", "front_target", "rear_bias", "rear_target", "center_bias", "center_target", "rate"):
            p[key] = diff[key]
        p["passed_on"] = doc["use_constraint_groups"]
    elif rig.is_tank:
        group = params["groups"][0]
        group["group"], group["passed_on"] = -1, doc["use_constraint_groups"]
        number = 0
        for track in diff["tracks"]:
            if len(track["wheels"]) < 2:
                continue
            first_radius = doc["wheels"][track["wheels"][0]]["radius"]
            for wheel in track["wheels"]:
                i = wheels.ids.index(wheel)
                group["group"][i], group["multiplier"][i] = number, first_radius / doc["wheels"][wheel]["radius"]
            number += 1
        rig.levers = lever_sides(rig.imported.source, rig.imported.frame)


# ---- rows as states


def states_of(rig, rows):
    """State records of the given rows, with everything that a step reads."""
    d, frame = rig.drive, rig.imported.frame
    states = np.repeat(rig.vehicle.state, len(rows))
    body = states["body"]
    body["position"] = frame.vector(d.of_body("px", "py", "pz")[rows])
    body["orientation"] = frame.quaternion(d.of_body("qx", "qy", "qz", "qw")[rows])
    body["velocity"] = frame.vector(d.of_body("vx", "vy", "vz")[rows])
    body["angular_velocity"] = frame.direction(d.of_body("wx", "wy", "wz")[rows])
    n = rig.vehicle.wheel_count

    def wheel(slot, key, name):
        states[slot][key][:, :n] = d.of_wheels(name)[rows][:, rig.order]

    wheel("suspension", "jounce", "jounce")
    wheel("suspension", "jounce_speed", "jounce_speed")
    states["suspension"]["jounce_known"][:, :n] = d.of_wheels("jounce")[rows][:, rig.order] < FLT_MAX / 2
    for key in ("omega", "corrected_omega", "rotation_angle"):
        wheel("wheel", key, key)
    if not rig.is_direct:
        states["engine"]["omega"] = d.of_body("engine_omega")[rows]
        states["gearbox"]["current_gear"] = d.of_body("current_gear")[rows]
        states["gearbox"]["target_gear"] = d.of_body("target_gear")[rows]
        states["gearbox"]["switch_time"] = d.of_body("gear_switch_time")[rows]
        since = d.of_body("autobox_time_since_shift")[rows]
        states["autobox"]["time_since_shift"] = np.where(since > FLT_MAX / 2, LONG_AGO, since)
        states["autobox"]["active"] = d.of_body("autobox_active")[rows]
    return states


def inputs_of(rig, states, rows):
    """(commands, external) of the steps to the given rows; road and levers are written into the states."""
    steps = rig.drive.recorded[rows]
    for lever, side in rig.levers.items():
        states["levers"][f"thrust_{side}"] = rig.drive.commands[steps, LEVERS + lever]
    rig.lay_road(states, rows)
    return rig.commands()[steps], rig.externals()[steps]


def step_of(rig, state, ground):
    """The tick of the rig's vehicle, (external, command, dt) -> fault code, on a STATE array [1]."""
    return bind_soonest(
        rig.vehicle.sequence, rig.vehicle.params, state, rig.vehicle.scratch, rig.context, ground.arrays
    )[0]


def step_all(rig, states, commands, external, ground):
    """Step every record separately."""
    dt, state = float(np.float32(rig.drive.doc["dt"])), states[:1].copy()
    step = step_of(rig, state, ground)
    for i in range(len(states)):
        state[:] = states[i : i + 1]
        fault = step(external[i : i + 1], commands[i : i + 1], dt)
        states[i : i + 1] = state
        if fault:
            raise HarnessError(f"{rig.drive.path}: fault {fault} in pair {i}")


# ---- comparison


def disturbed(states, rng):
    """The states with poses, speeds, jounces and roads changed at random by up to one unit in float32's last place."""

    def perturb(block, size=None):
        size = np.abs(block) if size is None else size
        block += EPSILON * size * rng.uniform(-1.0, 1.0, block.shape)

    states = states.copy()
    for name in ("position", "velocity", "angular_velocity"):
        perturb(states["body"][name])
    perturb(states["body"]["orientation"], 1.0)
    perturb(states["road"]["normal"], 1.0)
    for slot, key in (("road", "offset"), ("suspension", "jounce"), ("suspension", "jounce_speed"), ("wheel", "omega")):
        perturb(states[slot][key])
    if "engine" in states.dtype.names:
        perturb(states["engine"]["omega"])
    return states


def rounding_bounds(rig, rows, before, commands, external, ground, outcome):
    """{channel: largest change of each pair's result when inputs are changed like by rounding}, in units of scale.

    outcome: {name: (channel, unperturbed values)}.
    """
    rng = np.random.default_rng(20261120)
    change_of = {name: np.zeros(len(rows)) for name in outcome}
    for _ in range(REPEATS):
        disturbed_before = disturbed(before, rng)
        states = disturbed_before.copy()
        step_all(rig, states, commands, external.copy(), ground)
        for channel in channels(rig, disturbed_before, states, rows):
            if channel.floor is not None:
                unperturbed, ours = outcome[channel.name]
                change = relative(unperturbed, channel.ours, ours)
                change_of[channel.name] = np.maximum(change_of[channel.name], change)
    return change_of


@dataclass
class Comparison:
    """Result of a drive, in units of each channel's scale.

    Attributes:
        rows: second row of every pair.
        errors: {channel: [pairs]}.
        usual: {channel: tolerance of a pair without a bound of its own}.
        allowed: {channel: [pairs] bounds}.
    """

    rig: Rig
    rows: np.ndarray
    errors: dict
    usual: dict
    allowed: dict

    @property
    def sensitive(self):
        """Pairs with a channel that needs its own bound."""
        return sorted({i for name, e in self.errors.items() for i in np.flatnonzero(e > self.usual[name])})

    def failures(self):
        """[(step, channel, error, bound)] beyond the bounds."""
        return [
            (int(self.rig.drive.recorded[self.rows[i]]), name, float(e[i]), float(self.allowed[name][i]))
            for name, e in self.errors.items()
            for i in np.flatnonzero(e > self.allowed[name])
        ]


def compare_steps(drive, folder, ground, change=None):
    """All one-step tests of a drive as a Comparison; `change`: function that changes the vehicle before them."""
    rig = build_rig(drive, folder)
    if change is not None:
        change(rig.vehicle)
    rows = drive.pairs + 1
    before = states_of(rig, rows - 1)
    commands, external = inputs_of(rig, before, rows)
    states = before.copy()
    step_all(rig, states, commands, external.copy(), ground)
    channels_by_name = {c.name: c for c in channels(rig, before, states, rows)}
    errors = {name: relative(c, c.ours, c.theirs) for name, c in channels_by_name.items()}
    usual = {
        name: TOLERANCE + (c.grain / c.scale if c.floor is not None else 0.0) for name, c in channels_by_name.items()
    }
    result = Comparison(rig, rows, errors, usual, {name: np.full(len(rows), usual[name]) for name in errors})
    sensitive = result.sensitive
    if sensitive:
        outcome = {name: (c, np.asarray(c.ours)[sensitive]) for name, c in channels_by_name.items()}
        bounds = rounding_bounds(
            rig, rows[sensitive], before[sensitive], commands[sensitive], external[sensitive], ground, outcome
        )
        for name, channel in channels_by_name.items():
            result.allowed[name][sensitive] += SAFETY * bounds[name] if channel.floor is not None else 0.0
    return result
