"""A drivetrain on a bench: the records of its slots, and its kernels called in the order of a tick.

There is no body and no tire: tests write their values (tire torques, speeds) and read what the drivetrain does.
"""

import hashlib

import numpy as np

from driving_sandbox.physics.brakes.response import BRAKES
from driving_sandbox.physics.command.response import RESPONSE
from driving_sandbox.physics.command.smoothing import SMOOTHING
from driving_sandbox.physics.differential.limited_slip import LIMITED_SLIP
from driving_sandbox.physics.differential.multi_wheel import OPEN
from driving_sandbox.physics.drivetrain.actuation import DIRECT_ACTUATION, ENGINE_ACTUATION, INTENT
from driving_sandbox.physics.drivetrain.clutch import CLUTCH
from driving_sandbox.physics.drivetrain.coupling import COUPLING
from driving_sandbox.physics.drivetrain.direct import DIRECT_DRIVE, DIRECT_WHEELS
from driving_sandbox.physics.drivetrain.engine import ENGINE
from driving_sandbox.physics.gearbox.autobox import AUTOBOX
from driving_sandbox.physics.gearbox.gearbox import GEARBOX
from driving_sandbox.physics.kernel.jit import JIT
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY, Float, PerWheel, field
from driving_sandbox.physics.steering.response import STEERING
from driving_sandbox.physics.tick.binding import argument_names
from driving_sandbox.physics.tick.commands import AUTOMATIC, neutral_command
from driving_sandbox.physics.tick.component import swapped


class TireState(PerWheel):
    wheel_torque: Float = field()


class WheelParams(PerWheel):
    inertia: Float = field()
    damping: Float = field()


class WheelState(PerWheel):
    omega: Float = field()


BODY = np.dtype([("orientation", np.float64, (4,)), ("velocity", np.float64, (3,))], align=True)

ENGINE_TICK = (SMOOTHING, RESPONSE, AUTOBOX, BRAKES, STEERING, GEARBOX.phase("command"), CLUTCH, ENGINE, OPEN,
               ENGINE_ACTUATION, INTENT)  # fmt: skip
ENGINE_SUBSTEP = (GEARBOX, COUPLING, LIMITED_SLIP)

DIRECT_TICK = (SMOOTHING, RESPONSE, BRAKES, DIRECT_DRIVE, DIRECT_ACTUATION, INTENT, DIRECT_WHEELS)

ENGINE_CAR = {
    "gearbox": {"ratios": [-4.0, 0.0, 4.0, 2.0, 1.5, 1.1, 1.0], "final_ratio": 4.0, "switch_time": 0.5},
    "autobox": {"up_ratios": [0.65] * 7, "down_ratios": [0.5] * 7, "latency": 2.0},
    "clutch": {"strength": 10.0},
    "engine": {
        "peak_torque": 500.0,
        "torque_curve": [[0.0, 1.0], [0.33, 1.0], [1.0, 0.8]],
        "idle_omega": 0.0,
        "max_omega": 600.0,
        "inertia": 1.0,
        "damping_full_throttle": 0.15,
        "damping_zero_throttle_clutch_engaged": 2.0,
        "damping_zero_throttle_clutch_disengaged": 0.35,
    },
    "differential": [{"torque_ratio": 0.25}] * 4,
    "brakes": [{"max_torque": 1875.0}] * 4,
    "steering": [{"max_angle": 0.5}] * 2 + [{}] * 2,
}


def element(array):
    """The one record of a length-1 array in the form kernels take, compiled or plain."""
    return array[0] if JIT else array.view(np.recarray)[0]


def record(dtype, count=None):
    """A zeroed record, or `count` of them as a per-wheel array."""
    if count is None:
        return element(np.zeros(1, dtype))
    array = np.zeros(count, dtype)
    return array if JIT else array.view(np.recarray)


def filled(schema, values=None):
    """A parameter or state record with defaults and these values, checked like those of a vehicle file."""
    if schema.per_wheel:
        array = record(schema.dtype, WHEEL_CAPACITY)
        for i, wheel_values in enumerate(values or [{}] * 4):
            fill(schema, array[i], wheel_values)
        return array
    target = record(schema.dtype)
    fill(schema, target, values or {})
    return target


def fill(schema, target, values):
    """Write defaults and values to a record."""
    schema.defaults(target)
    for name, value in values.items():
        schema.fields[name].kind.write(target, name, schema.fields[name].parse(value))


class Rig:
    """Records by the argument names of kernels, and `run` to call phases on them."""

    each_tick, each_substep = ENGINE_TICK, ENGINE_SUBSTEP

    def __init__(self, entries, car, wheel_count=4, inertia=1.0, damping=0.0):
        self.args = {"wheel_count": wheel_count}
        for entry in entries:
            component = getattr(entry, "component", entry)
            slot = component.slot
            if component.params is not None:
                self.args[f"{slot}_params"] = filled(component.params, car.get(slot))
            if component.state is not None:
                self.args[slot] = filled(component.state)
            if component.scratch is not None:
                self.args[f"{slot}_scratch"] = record(component.scratch)
        self.args["command"] = element(neutral_command())
        self.args["body"] = record(BODY)
        self.args["body"]["orientation"][3] = 1.0
        self.args["tire"] = record(TireState.dtype, WHEEL_CAPACITY)
        self.args["wheel"] = record(WheelState.dtype, WHEEL_CAPACITY)
        self.args["wheel_params"] = record(WheelParams.dtype, WHEEL_CAPACITY)
        self.args["wheel_params"]["inertia"][:wheel_count] = inertia
        self.args["wheel_params"]["damping"][:wheel_count] = damping

    def __getitem__(self, name):
        return self.args[name]

    def run(self, entries, dt):
        """Call components' or phases' kernels in turn; dt: step, s."""
        for entry in entries:
            component, phase = getattr(entry, "component", entry), getattr(entry, "phase", "update")
            phase = phase if isinstance(phase, str) else "update"
            own = {  # records that a kernel asks for without naming its own slot
                "params": self.args.get(f"{component.slot}_params"),
                "state": self.args.get(component.slot),
                "scratch": self.args.get(f"{component.slot}_scratch"),
                "dt": dt,
            }
            kernel = component.phases[phase]
            kernel(*(own[name] if name in own else self.args[name] for name in argument_names(kernel)))

    def tick(self, dt=1 / 60, substeps=4):
        """One tick of the engine car, or of the rig's own lists."""
        self.run(self.each_tick, dt)
        for _ in range(substeps):
            self.run(self.each_substep, dt / substeps)

    def derive(self, component):
        """Compute a component's derived parameters."""
        own = {"params": self.args[f"{component.slot}_params"]}
        component.derive(*(own.get(name) or self.args[name] for name in argument_names(component.derive)))


def engine_rig(wheel_count=4, inertia=1.0, damping=0.0, components=(), **changes):
    """A rig of the engine car, some components replaced by others; `changes` replace values per slot."""
    car = {slot: dict(v) if isinstance(v, dict) else [dict(w) for w in v] for slot, v in ENGINE_CAR.items()}
    for slot, values in changes.items():
        car[slot] = {**car.get(slot, {}), **values} if isinstance(values, dict) else values
    tick, substep = ENGINE_TICK, ENGINE_SUBSTEP
    for component in components:
        tick, substep = swapped(tick, component), swapped(substep, component)
        known = component.params.fields
        if isinstance(car.get(component.slot), dict):
            values = car[component.slot].items()
            car[component.slot] = {k: v for k, v in values if k in known and not known[k].derived}
    rig = Rig(tick + substep, car, wheel_count, inertia, damping)
    rig.each_tick, rig.each_substep = tick, substep
    for component in components:
        if component.derive is not None:
            rig.derive(component)
    return rig


def direct_rig(**car):
    """A rig of a direct drive; `car`: values per slot."""
    rig = Rig(DIRECT_TICK, car)
    rig.each_tick, rig.each_substep = DIRECT_TICK, ()
    return rig


def in_gear(rig, gear, omega=0.0, engine=0.0):
    """Put the gearbox into a gear at once; omega, engine: speeds of all wheels and of the engine, rad/s."""
    rig["gearbox"]["current_gear"] = rig["gearbox"]["target_gear"] = gear
    rig["command"]["gear"] = gear
    rig["wheel"]["omega"][: rig["wheel_count"]] = omega
    rig["engine"]["omega"] = engine
    return rig


def drive_hash():
    """Hash of every record after two seconds of a scripted drive with gear changes, brakes and limited slip."""
    rig = engine_rig(
        inertia=np.array([1.0, 1.1, 1.2, 0.9]),
        damping=0.1,
        differential=[{"torque_ratio": ratio} for ratio in (0.2, 0.2, 0.3, 0.3)],
        limited_slip={"rear_bias": 1.3, "rear_target": 1.2, "center_bias": 1.1, "center_target": 1.05, "rate": 20.0},
    )
    rig["command"]["digital"], rig["command"]["gear"] = 1, AUTOMATIC
    for tick in range(120):
        rig["command"]["throttle"] = 1.0 if tick < 80 else 0.0
        rig["command"]["brake"] = 1.0 if tick > 90 else 0.0
        rig["command"]["steer"] = (-1.0, 1.0)[tick // 30 % 2]
        for i in range(4):
            rig["tire"]["wheel_torque"][i] = -(10.0 + 7.0 * i) * rig["wheel"]["omega"][i]
        rig.tick()
    records = (value for value in rig.args.values() if isinstance(value, np.ndarray | np.void))
    return hashlib.sha256(b"".join(value.tobytes() for value in records)).hexdigest()


if __name__ == "__main__":
    print(drive_hash())
