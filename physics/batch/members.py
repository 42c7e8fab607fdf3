"""A vehicle and its trailers in a batch: concatenated records and one step for all.

Without trailers the records are the vehicle's. With trailers a record has a field for each member, `vehicle`,
`trailer1`, `trailer2` and so on, and the step is that of the chain (`physics/contact/chain.py`), which takes each
member's parameters, state and scratch by an address of its own.
"""

from itertools import accumulate
from typing import Any

import numpy as np

from driving_sandbox.physics.batch.memory import used_words
from driving_sandbox.physics.contact.chain import chain_of
from driving_sandbox.physics.vehicle.state_limits import first_beyond
from driving_sandbox.physics.vehicle.trailers import split_name

KINDS = ("params", "state", "scratch")  # records of a vehicle, in the order of a step's arguments


class Members:
    """A vehicle and its trailers as one.

    Attributes:
        count: number of vehicles, the towing one first. dtypes: {kind: record type of all of them}.
        offsets: [count, 2] bytes before each one's parameters and state. used: [n, 2] words of the state in use, see
        `used_words`.
    """

    def __init__(self, vehicle):
        self._all = (vehicle, *vehicle.trailers)
        self._step = chain_of(vehicle) if vehicle.trailers else vehicle.sequence
        self.count = len(self._all)
        self.dtypes = {kind: self._dtype(kind) for kind in KINDS}
        starts = [[0, *accumulate(getattr(m, kind).nbytes for m in self._all[:-1])] for kind in KINDS[:2]]
        self.offsets = np.array(starts, np.int64).T.copy()
        self.used = used_words(self._all, starts[1])

    def _dtype(self, kind):
        kinds = [getattr(member, kind).dtype for member in self._all]
        if self.count == 1:
            return kinds[0]
        return np.dtype([(f"trailer{k}" if k else "vehicle", one) for k, one in enumerate(kinds)], align=True)

    def words(self, kind):
        """The current parameters or state of all members as one row of words."""
        return np.concatenate([getattr(member, kind).view(np.uint64) for member in self._all])

    def put(self, kind, words):
        """Write a row of words to the parameters or state of the members."""
        end = 0
        for member in self._all:
            own = getattr(member, kind).view(np.uint64)
            start, end = end, end + len(own)
            own[:] = words[start:end]

    def parts(self, records):
        """Views of an array of records, one for each member."""
        return [records] if self.count == 1 else [records[name] for name in records.dtype.names]

    def first_beyond(self, states: Any, surface_count: int) -> str | None:
        """Description of the first integer in state records outside of its limits, or None."""
        texts = (
            first_beyond(member.sequence, part, surface_count)
            for member, part in zip(self._all, self.parts(states), strict=True)
        )
        return next((text for text in texts if text), None)

    def tables(self, params, state, scratch):
        """First arguments of a step, from arrays of records: params, state and scratch of each member in turn."""
        each = zip(self.parts(params), self.parts(state), self.parts(scratch), strict=True)
        return [array for arrays in each for array in arrays]

    def set_many(self, values):
        """Set parameters {path: value} as `Vehicle.set_many` does; paths of a trailer begin with `trailer1.`
        and so on.
        """
        of_each = [{} for _ in self._all]
        for path, value in values.items():
            k, own = split_name(self._all[0], path)
            of_each[k][own] = value
        for member, own in zip(self._all, of_each, strict=True):
            if own:
                member.set_many(own)

    def channel_view(self, name, states):
        """View of a channel in an array of state records; names of a trailer begin with `trailer1.` and so on."""
        k, own = split_name(self._all[0], name)
        return self._all[k].channel_view(own, self.parts(states)[k])

    @property
    def code(self):
        """Address of the machine code of the step."""
        return self._step.code

    def plain_step(self, params, state, scratch, *others):
        """The step without compiled code, on length-1 arrays of records."""
        return self._step.step(*self.tables(params, state, scratch), *others)
