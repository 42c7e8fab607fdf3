"""A test bench of wheels: the records of every slot of a wheel, which it passes to kernels by argument name.

Tests write states of other slots (road plane, steer angle, speeds), run a phase of a component, and read its state.
"""

import numpy as np

from driving_sandbox.physics.aero.drag import AERO
from driving_sandbox.physics.body.rigid_body import BODY
from driving_sandbox.physics.drivetrain.actuation import ActuationState
from driving_sandbox.physics.kernel.jit import JIT
from driving_sandbox.physics.road.query import RAY_QUERY
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY, Schema
from driving_sandbox.physics.steering.response import SteeringState
from driving_sandbox.physics.suspension.antiroll import ANTIROLL
from driving_sandbox.physics.suspension.compliance import COMPLIANCE
from driving_sandbox.physics.suspension.suspension import SUSPENSION
from driving_sandbox.physics.tick.binding import argument_names
from driving_sandbox.physics.tick.component import as_phase
from driving_sandbox.physics.tick.context import EXTERNAL, new_context
from driving_sandbox.physics.tire.combined_slip import COMBINED_SLIP
from driving_sandbox.physics.wheel.wheel import WHEEL

COMPONENTS = (BODY, AERO, RAY_QUERY, SUSPENSION, COMPLIANCE, ANTIROLL, COMBINED_SLIP, WHEEL)


def record(schema):
    """Records of a schema with its defaults, as passed to kernels, compiled or plain."""
    array = np.zeros(WHEEL_CAPACITY if schema.per_wheel else 1, schema.dtype)
    for entry in array:
        schema.defaults(entry)
    array = array if JIT else array.view(np.recarray)
    return array if schema.per_wheel else array[0]


def single_record(array):
    """The first record of an array, as passed to kernels, compiled or plain."""
    return array[0] if JIT else array.view(np.recarray)[0]


class Bench:
    """Records by the argument names of kernels: `bench["suspension"][0]["jounce"]`, `bench["wheel_params"]`."""

    def __init__(self, wheel_count=1, ground=None):
        self.args = {"wheel_count": wheel_count, "context": single_record(new_context())}
        self.args["external"] = single_record(np.zeros(1, EXTERNAL))
        if ground is not None:
            self.args["ground"] = ground.arrays
        for slot, state in (("steering", SteeringState), ("actuation", ActuationState)):
            self.args[slot] = record(state)
        for component in COMPONENTS:
            if component.params is not None:
                self.args[f"{component.slot}_params"] = record(component.params)
            if component.state is not None:
                self.args[component.slot] = record(component.state)
        self["body"]["orientation"] = (0.0, 0.0, 0.0, 1.0)
        self["body_params"]["mass"], self["body_params"]["inertia"] = 1.0, 1.0

    def __getitem__(self, name):
        return self.args[name]

    def set_fields(self, name, wheel=None, **values):
        """Set fields of a record without checks, because tables exceed the limits of vehicle files."""
        target = self[name] if wheel is None else self[name][wheel]
        for key, value in values.items():
            target[key] = value
        return target

    def set_curves(self, name, wheel, schema: type[Schema], **values):
        """Set fields that are curves or lists."""
        target = self[name] if wheel is None else self[name][wheel]
        for key, value in values.items():
            schema.fields[key].kind.write(target, key, value)

    def run(self, entry, dt=1.0 / 240.0):
        """Call the kernel of a component or phase."""
        phase = as_phase(entry)
        slot = phase.component.slot
        slot_names = {"params": f"{slot}_params", "state": slot}
        kernel = phase.component.phases[phase.phase]
        values = {"dt": dt}
        if phase.component.scratch is not None:
            values["scratch"] = single_record(np.zeros(1, phase.component.scratch))
        kernel(*(values[n] if n in values else self.args[slot_names.get(n, n)] for n in argument_names(kernel)))

    # ---- rows of the reference

    def place_body(self, frame, row):
        """Set pose and velocities of the body from a row."""
        position, orientation = frame.pose(row["pose"])
        self.set_fields("body", position=position, orientation=orientation)
        if "lin_vel" in row:
            self.set_fields(
                "body", velocity=frame.vector(row["lin_vel"]), angular_velocity=frame.vector(row["ang_vel"])
            )

    def attach(self, frame, row, wheel=0, prefix=""):
        """Set suspension and wheel of a row; attachments in the tables are relative to the centre of mass."""
        position, rotation = frame.pose(row[f"{prefix}susp_attach"])
        self.set_fields(
            "suspension_params", wheel, attachment=position, arm=position,
            attachment_rotation=rotation, turned=int(np.any(rotation[:3])),
            direction=frame.vector(row[f"{prefix}susp_dir"]), travel=row[f"{prefix}susp_travel"],
        )  # fmt: skip
        offset, rotation = frame.pose(row[f"{prefix}wheel_attach"])
        self.set_fields(
            "wheel_params", wheel, offset=offset, has_offset=int(np.any(offset)), offset_rotation=rotation,
            has_offset_rotation=int(np.any(rotation[:3])),
        )  # fmt: skip

    def lay_road(self, frame, row, wheel=0):
        """Set a wheel's plane of the road from a row."""
        self.set_fields(
            "road", wheel, hit=int(row["hit"]), normal=frame.vector(row["plane_n"]), offset=row["plane_d"],
            friction=row["road_friction"], velocity=frame.vector(row["road_vel"]),
        )  # fmt: skip
