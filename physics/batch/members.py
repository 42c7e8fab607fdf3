"""A vehicle and its trailers in a batch: concatenated records and one step for all.

Without trailers the records are the vehicle's. With trailers a record has a field for each member, `vehicle`,
`trailer1`, `trailer2` and so on, and the step is that of the chain (`physics/contact/chain.py`), which takes each
member's parameters, state and scratch by an address of its own.
"""

from collections.abc import Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.physics.base.record import field_names
from driving_sandbox.physics.batch.memory import used_words
from driving_sandbox.physics.contact.chain import chain_of
from driving_sandbox.physics.vehicle.state_limits import first_beyond
from driving_sandbox.physics.vehicle.trailers import split_name

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

KINDS = ("params", "state", "scratch")  # records of a vehicle, in the order of a step's arguments


class Members:
    """A vehicle and its trailers, handled like one vehicle.

    Attributes:
        count: number of vehicles, the towing one included, which is the first.
        dtypes: {kind: record type that holds the records of all of them}.
        offsets: [count, 2], offsets in bytes of each one's parameters and of its state in these records.
        used: [n, 2] ranges of the state's words in use, see `used_words`.
    """

    def __init__(self, vehicle: "Vehicle") -> None:
        self._vehicles = (vehicle, *vehicle.trailers)
        self._step = chain_of(vehicle) if vehicle.trailers else vehicle.sequence
        self.count = len(self._vehicles)
        self.dtypes = {kind: self._dtype(kind) for kind in KINDS}
        params_starts, state_starts = (
            [0, *accumulate(getattr(member, kind).nbytes for member in self._vehicles[:-1])]
            for kind in ("params", "state")
        )
        self.offsets = np.array([params_starts, state_starts], np.int64).T.copy()
        self.used = used_words(self._vehicles, state_starts)

    def _dtype(self, kind: str) -> np.dtype:
        """Record type that holds the records of this kind of all members."""
        dtypes = [getattr(member, kind).dtype for member in self._vehicles]
        if self.count == 1:
            return dtypes[0]
        return np.dtype([(f"trailer{k}" if k else "vehicle", dtype) for k, dtype in enumerate(dtypes)], align=True)

    def words(self, kind: str) -> np.ndarray:
        """The current parameters or state of all members as one row of words."""
        return np.concatenate([getattr(member, kind).view(np.uint64) for member in self._vehicles])

    def put(self, kind: str, words: np.ndarray) -> None:
        """Write a row of words to the parameters or state of the members."""
        end = 0
        for member in self._vehicles:
            member_words = getattr(member, kind).view(np.uint64)
            start, end = end, end + len(member_words)
            member_words[:] = words[start:end]

    def parts(self, records: np.ndarray) -> list[np.ndarray]:
        """Views of an array of records, one for each member."""
        return [records] if self.count == 1 else [records[name] for name in field_names(records.dtype)]

    def first_beyond(self, states: Any, surface_count: int) -> str | None:
        """Description of the first integer in state records that is outside its limits, or None."""
        texts = (
            first_beyond(member.sequence, part, surface_count)
            for member, part in zip(self._vehicles, self.parts(states), strict=True)
        )
        return next((text for text in texts if text), None)

    def tables(self, params: np.ndarray, state: np.ndarray, scratch: np.ndarray) -> list[np.ndarray]:
        """The first arguments of a step, from joint records: parameters, state and scratch of each member in turn."""
        members = zip(self.parts(params), self.parts(state), self.parts(scratch), strict=True)
        return [record for records in members for record in records]

    def set_many(self, values: Mapping[str, Any]) -> None:
        """Set parameters {path: value} like `Vehicle.set_many`; a trailer's paths begin with `trailer1.` and so on."""
        values_of_members: list[dict[str, Any]] = [{} for _ in self._vehicles]
        for path, value in values.items():
            k, member_path = split_name(self._vehicles[0], path)
            values_of_members[k][member_path] = value
        for member, member_values in zip(self._vehicles, values_of_members, strict=True):
            if member_values:
                member.set_many(member_values)

    def channel_view(self, name: str, states: np.ndarray) -> np.ndarray:
        """View of a channel in an array of state records; names of a trailer begin with `trailer1.` and so on."""
        k, member_channel = split_name(self._vehicles[0], name)
        return self._vehicles[k].channel_view(member_channel, self.parts(states)[k])

    @property
    def code(self) -> int:
        """Address of the machine code of the step."""
        return self._step.code

    def plain_step(self, params: np.ndarray, state: np.ndarray, scratch: np.ndarray, *others: Any) -> int:
        """The step without compiled code, on length-1 arrays of records; returns the fault code or 0."""
        return self._step.step(*self.tables(params, state, scratch), *others)
