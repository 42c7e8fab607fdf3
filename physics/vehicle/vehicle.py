"""A vehicle: list of components, parameters and state as records, and access to both by name.

A parameter has a path: `engine.peak_torque`, or with the wheel in the middle `suspension.fl.stiffness`. Setting one
checks it, writes it and recomputes everything derived (sprung masses, rest loads, inertia, hull) before the next tick.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Sequence as PySequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np

from driving_sandbox.physics.base.user_error import UnknownName, UserError, WrongValue
from driving_sandbox.physics.estimate import Estimate
from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY, Field, Quat, SchemaError, Vec3
from driving_sandbox.physics.shape.geometry import Geometry
from driving_sandbox.physics.tick.binding import OWN_RECORDS, argument_names, binding
from driving_sandbox.physics.tick.component import Component
from driving_sandbox.physics.tick.context import new_context
from driving_sandbox.physics.tick.parts import untried_misfits
from driving_sandbox.physics.tick.sequence import Sequence as TickSequence
from driving_sandbox.physics.vehicle.fixed_array import FixedArray
from driving_sandbox.physics.vehicle.old_names import current_channel
from driving_sandbox.physics.vehicle.state_limits import first_beyond

_AXES = {Vec3: ("x", "y", "z"), Quat: ("x", "y", "z", "w")}  # suffixes of their channels


@dataclass(frozen=True)
class Parameter:
    """An authored or derived value of a vehicle."""

    path: str
    slot: str
    wheel: int | None  # index, or None for a value of the whole vehicle
    field: Field


@dataclass(frozen=True)
class Channel:
    """A number of a vehicle's state that can be plotted and exported."""

    name: str
    unit: str
    doc: str
    slot: str
    wheel: int | None  # index, or None
    key: str  # name of the field
    axis: int | None  # index into a vector, or None


class Vehicle:
    """A vehicle ready to be stepped.

    Args:
        sequence: physics.tick.sequence.Sequence.
        wheel_names: one per wheel, axle by axle, left first.
        axles: {name: [wheel indices]}.
        geometry: hull parts and node positions of the model, or None.
        info: name, description, model, paint, type, chosen components and other entries of the YAML, for writing it.
    Attributes:
        trailers: vehicles hitched behind this one, in order; a World steps all of them as one chain.
        params, state, scratch: the records of a tick (physics/tick/binding.py), arrays of length 1.
        state_bytes: the state as uint8.
        base_params: parameters that reset and setups refer to, an array like `params`.
        context: CONTEXT array of the world, length 1.
    Raises:
        ValueError: no wheels, or more than WHEEL_CAPACITY.
    """

    def __init__(
        self,
        sequence: TickSequence,
        wheel_names: PySequence[str],
        axles: Mapping[str, PySequence[int]],
        geometry: Geometry | None = None,
        info: dict[str, Any] | None = None,
    ) -> None:
        if not 1 <= len(wheel_names) <= WHEEL_CAPACITY:
            raise ValueError(f"a vehicle has 1 to {WHEEL_CAPACITY} wheels, not {len(wheel_names)}")
        self.sequence = sequence
        self.wheel_names = tuple(wheel_names)
        self.axles = dict(axles)
        self.geometry = geometry
        self.info = dict(info or {})
        self.trailers: tuple[Vehicle, ...] = ()
        self._params, self._state, self._scratch = (np.zeros(1, sequence.dtypes[name]) for name in OWN_RECORDS)
        self._state_bytes = self.state.view(np.uint8)
        self.params["wheel_count"] = len(wheel_names)
        self._clear_state()
        self.context = new_context()
        self.derivations = 0  # counts calls of `derive`; others compare it to notice a change of parameters
        self._parameters = {p.path: p for p in self._list_parameters()}
        self._channels = {c.name: c for c in self._list_channels()}
        self.base_params = self.params.copy()

    params = FixedArray("[1] record of parameters: a sub-record per slot, arrays of 20 for wheels.",
                        "Use set() or set_many(), or write into the array: params[:] = ...")  # fmt: skip
    state = FixedArray("[1] record of the state, as `params`.",
                       "Use restore() or put(), or write into the array: state[:] = ...")  # fmt: skip
    state_bytes = FixedArray("The state as [n] uint8, the same memory.",
                             "Use restore(), or write into the array: state_bytes[:] = ...")  # fmt: skip
    scratch = FixedArray("[1] record of working memory.", "Nothing in it outlives a tick.")

    @property
    def name(self) -> str:
        """Display name."""
        return str(self.info.get("name", "vehicle"))

    @property
    def description(self) -> str:
        """A sentence or two about the vehicle."""
        return str(self.info.get("description", ""))

    @property
    def model(self) -> str | None:
        """Path of the model as in the file, or None."""
        return self.info.get("model")

    @property
    def paint(self) -> tuple[float, ...]:
        """Colour of the body: linear red, green, blue in 0 to 1."""
        return tuple(self.info.get("paint", (0.06, 0.2, 0.35)))

    @property
    def wheel_count(self) -> int:
        """Number of wheels."""
        return len(self.wheel_names)

    # ---- parameters

    def _list_parameters(self) -> Iterator[Parameter]:
        for component in self.sequence.components:
            if component.params is None:
                continue
            for f in component.params.fields.values():
                if not component.params.per_wheel:
                    yield Parameter(f"{component.slot}.{f.name}", component.slot, wheel=None, field=f)
                    continue
                for wheel, wheel_name in enumerate(self.wheel_names):
                    yield Parameter(f"{component.slot}.{wheel_name}.{f.name}", component.slot, wheel=wheel, field=f)

    def parameters(self) -> list[Parameter]:
        """Every Parameter, derived ones included, in the order of the components."""
        return list(self._parameters.values())

    def parameter(self, path: str) -> Parameter:
        """The Parameter of a path. Raises UnknownName with the nearest known path."""
        if path not in self._parameters:
            from driving_sandbox.physics.schema.yaml_file import key_hint

            raise UnknownName(f"{path}: no such parameter{key_hint(path, self._parameters)}")
        return self._parameters[path]

    def _record(self, records: np.ndarray, parameter: Parameter) -> np.ndarray:
        block: np.ndarray = records[parameter.slot][0]
        return block if parameter.wheel is None else block[parameter.wheel]

    def get(self, path: str) -> Any:
        """Plain value of a parameter: number, bool, word or (nested) list."""
        parameter = self.parameter(path)
        return parameter.field.kind.read(self._record(self.params, parameter), parameter.field.name)

    def base(self, path: str) -> Any:
        """Value that a parameter had when the vehicle was loaded, or at the last `mark_base`."""
        parameter = self.parameter(path)
        return parameter.field.kind.read(self._record(self.base_params, parameter), parameter.field.name)

    def set(self, path: str, value: Any) -> None:
        """Set one parameter, see `set_many`."""
        self.set_many({path: value})

    def set_many(self, values: Mapping[str, Any]) -> None:
        """Set several parameters at once, all or none.

        Raises SchemaError `path: rule` for a value outside its limits or an invalid combination of values, UnknownName
        for an unknown path, UserError as `derive`.
        """
        params_before = self.params.copy()
        try:
            for path, value in values.items():
                self._write(path, value)
            if problems := self.problems():
                raise SchemaError("; ".join(f"{path}: {text}" for path, text in problems))
            self._derive_keeping_position(params_before)
        except Exception:
            self.params[:] = params_before
            raise

    def _write(self, path: str, value: Any) -> None:
        parameter = self.parameter(path)
        if parameter.field.derived:
            raise SchemaError(f"{path}: is computed from other parameters and cannot be set")
        try:
            checked = parameter.field.parse(value)
        except SchemaError as error:
            raise SchemaError(f"{path}: {error}") from None
        parameter.field.kind.write(self._record(self.params, parameter), parameter.field.name, checked)

    def _python_arguments(
        self, component: Component, function: Callable[..., Any], given: Mapping[str, AbstractSet[Any]] | None = None
    ) -> list[Any]:
        """Arguments of a `derive`, `check` or `estimate`; parameters of a slot missing in the list are None."""
        known = {"wheel_count": self.wheel_count, "wheel_names": self.wheel_names, "context": self.context[0],
                 "geometry": self.geometry, "names": {slot: c.name for slot, c in self.sequence.by_slot.items()},
                 "given": (given or {}).get(component.slot, frozenset())}  # fmt: skip

        def value(name: str) -> Any:
            bound = binding(name, component)
            if bound.record != "params":
                raise TypeError(f"{component.slot} {component.name}: {name!r} exists during a tick only")
            return self.params[bound.slot][0] if bound.provided(self.sequence.by_slot) else None

        return [known[name] if name in known else value(name) for name in argument_names(function)]

    def estimate(self, given: Mapping[str, AbstractSet[Any]]) -> dict[str, Estimate]:
        """Write what components estimate for parameters that are not given; returns {parameter path: Estimate}.

        given: {slot: set of names, or of (wheel index, name) for components per wheel}; other slots are left out.
        """
        estimates = {}
        for component in self.sequence.components:
            if component.estimate is None or component.params is None or component.slot not in given:
                continue
            for estimated in component.estimate(*self._python_arguments(component, component.estimate, given)):
                values = estimated.value if component.params.per_wheel else [estimated.value]
                names = self.wheel_names if component.params.per_wheel else [None]
                for wheel, value in zip(names, values, strict=True):
                    if value is not None:
                        path = ".".join(filter(None, (component.slot, wheel, estimated.name)))
                        self._write(path, value)
                        estimates[path] = estimated
        return estimates

    def problems(self) -> list[tuple[str, str]]:
        """[(path, text)] of invalid combinations of values and components.

        They come from the components' own checks. If these find nothing, they are fields that a chosen component reads
        but the others do not provide.
        """
        found = []
        for component in self.sequence.components:
            if component.check is not None:
                for name, text in component.check(*self._python_arguments(component, component.check)):
                    found.append((f"{component.slot}.{name}", text))
        return found or list(untried_misfits(self.sequence, frozenset(self.info.get("components", {}))))

    def derive(self) -> None:
        """Recompute every derived parameter, in the order of the list. Raises UserError for impossible values."""
        self.derivations += 1
        for component in self.sequence.components:
            if component.derive is not None:
                try:
                    component.derive(*self._python_arguments(component, component.derive))
                except UserError:
                    raise
                except (ValueError, ArithmeticError) as error:  # the component rejects these values
                    raise WrongValue(f"{component.slot}: {error}") from error

    def _derive_keeping_position(self, before: Any) -> None:
        """Derive all parameters; if the centre of mass has changed, keep the pose of the model."""
        self.derive()
        shift = self.params["body"]["centre_of_mass"][0] - before["body"]["centre_of_mass"][0]
        if np.any(shift != 0.0):
            body = self.state["body"][0]
            body["position"] += rotate(tuple(body["orientation"].tolist()), tuple(shift.tolist()))

    def mark_base(self) -> None:
        """Make the present values the base that reset and setups refer to."""
        self.base_params[:] = self.params

    def _authored(self) -> Iterator[Parameter]:
        return (p for p in self._parameters.values() if not p.field.derived)

    def values(self) -> dict[str, Any]:
        """{path: value} of every authored parameter."""
        return {p.path: self.get(p.path) for p in self._authored()}

    def base_values(self) -> dict[str, Any]:
        """{path: `base` value} of every authored parameter."""
        return {p.path: self.base(p.path) for p in self._authored()}

    def changed_values(self) -> dict[str, Any]:
        """{path: value} of the authored parameters that differ from the base."""
        return {p.path: self.get(p.path) for p in self._authored() if self.get(p.path) != self.base(p.path)}

    # ---- state

    def channels(self) -> list[Channel]:
        """Every Channel of the state."""
        return list(self._channels.values())

    def _list_channels(self) -> Iterator[Channel]:
        for component in self.sequence.components:
            if component.state is None:
                continue
            wheels = enumerate(self.wheel_names) if component.state.per_wheel else [(None, None)]
            for wheel, wheel_name in wheels:
                prefix = component.slot if wheel is None else f"{component.slot}.{wheel_name}"
                for f in component.state.fields.values():
                    if f.kind.dtype().fields is not None:
                        continue  # a record of its own, not a number
                    axes = _AXES.get(type(f.kind))
                    for axis, suffix in enumerate("." + a for a in axes) if axes else [(None, "")]:
                        name = f"{prefix}.{f.name}{suffix}"
                        yield Channel(name, f.unit, f.doc, component.slot, wheel=wheel, key=f.name, axis=axis)

    def channel(self, name: str) -> Channel:
        """The Channel of a present or former name. Raises UnknownName with the nearest known name."""
        if name not in self._channels:
            name = current_channel(name)
        if name not in self._channels:
            from driving_sandbox.physics.schema.yaml_file import key_hint

            raise UnknownName(f"{name}: no such channel{key_hint(name, self._channels)}")
        return self._channels[name]

    def channel_view(self, name: str, state: np.ndarray | None = None) -> np.ndarray:
        """Live numpy view of one channel, one element per state record; `state` defaults to the vehicle's own."""
        c = self.channel(name)
        view = (self.state if state is None else state)[c.slot]
        view = (view if c.wheel is None else view[:, c.wheel])[c.key]
        return view if c.axis is None else view[:, c.axis]

    def read(self, name: str) -> float | int:
        """Present value of a channel."""
        value: float | int = self.channel_view(name)[0].item()
        return value

    def snapshot(self) -> bytes:
        """The whole state as bytes."""
        return self.state_bytes.tobytes()

    def restore(self, data: bytes) -> None:
        """Restore a state from `snapshot`. Raises ValueError for one that is invalid for this vehicle."""
        self.check_state(data)
        self.state_bytes[:] = np.frombuffer(data, np.uint8)

    def check_state(self, data: bytes, surface_count: int | None = None) -> None:
        """Raise ValueError for an invalid state: of another size, or with an index or count out of bounds.

        surface_count: number of surfaces of the world, or None if unknown.
        """
        if len(data) != len(self.state_bytes):
            raise ValueError(f"a snapshot of {self.name} has {len(self.state_bytes)} bytes, this one {len(data)}")
        wrong = first_beyond(self.sequence, np.frombuffer(data, self.state.dtype), surface_count)
        if wrong:
            raise ValueError(f"not a valid state of {self.name}: {wrong}")

    def state_hash(self) -> int:
        """64-bit hash of every byte of the state."""
        return int.from_bytes(hashlib.blake2b(self.state_bytes.data, digest_size=8).digest(), "little")

    def model_orientation(self) -> tuple[float, float, float, float]:
        """Rotation (x, y, z, w) of the model in the world."""
        return tuple(self.state["body"]["orientation"][0].tolist())

    def model_pose(self) -> tuple[tuple[float, float, float], tuple[float, float, float, float]]:
        """(position in m, orientation) of the model's origin in the world, as tuples: faster here than arrays."""
        orientation = self.model_orientation()
        x, y, z = self.state["body"]["position"][0].tolist()
        cx, cy, cz = self.params["body"]["centre_of_mass"][0].tolist()
        ox, oy, oz = rotate(orientation, (-cx, -cy, -cz))
        return (x + ox, y + oy, z + oz), orientation

    def model_position(self) -> tuple[float, float, float]:
        """Position of the model's origin in the world, m."""
        return self.model_pose()[0]

    def put(
        self,
        position: PySequence[float] | np.ndarray,
        orientation: PySequence[float] | np.ndarray,
        velocity: PySequence[float] | np.ndarray = (0.0, 0.0, 0.0),
    ) -> None:
        """Reset the state to its start values, with this pose of the model and this velocity.

        position: of the model's origin, m. orientation: x, y, z, w. velocity: m/s.
        """
        self._clear_state()
        body = self.state["body"][0]
        body["orientation"] = orientation
        centre = tuple(self.params["body"]["centre_of_mass"][0].tolist())
        body["position"] = np.add(position, rotate(tuple(float(c) for c in orientation), centre))
        body["velocity"] = velocity

    def _clear_state(self) -> None:
        """Reset the state to zeros and the declared defaults."""
        self.state_bytes[:] = 0
        self.state["body"]["orientation"][0] = (0.0, 0.0, 0.0, 1.0)
        for component in self.sequence.components:
            if component.state is not None:
                block = self.state[component.slot][0]
                for record in block if component.state.per_wheel else [block]:
                    component.state.defaults(record)
