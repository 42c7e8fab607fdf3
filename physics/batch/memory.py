"""Memory layout and prefetching of a batch's step.

The records of a thousand vehicles exceed the processor's caches, so that a step would often wait for memory. Therefore
the working set of a step is kept small, and it is prefetched:

* Only the words in which the parameters of the vehicles differ are stored per vehicle (`DifferingWords`); a step copies
  them into one record per thread. Where too many words differ (a change of the centre of mass moves every vertex of the
  hull), vehicles are stepped with their full records.
* While a vehicle is stepped, the state of the next but one and the heightfield cells under it are prefetched into the
  L2 cache.
"""

from collections.abc import Iterable
from typing import Any

import numba
import numpy as np
from numba import extending

from driving_sandbox.physics.ground.arrays import HEIGHTFIELD, INVERSE_CELL, ORIGIN_X, ORIGIN_Y, TERRAIN_KIND
from driving_sandbox.physics.kernel.jit import JIT, kernel
from driving_sandbox.physics.kernel.numba_internals import cgutils, llvm_ir
from driving_sandbox.physics.tick.machine_code import call_tick
from driving_sandbox.physics.tick.used_state import WORD, used_ranges

LINE = 64  # bytes of a cache line
MAX_DIFFERING = 2048  # words; beyond this, using the record in place is faster than copying
MAX_GAP = 4  # words; two ranges with at most so many equal words between them are copied as one, which is faster
PREFETCH_DISTANCE = 2  # prefetch for the next vehicle but one: one step may be too short for a hundred cache lines
L2 = 2  # locality argument of LLVM's prefetch; L1 holds little more than the working set of the running step
REACH = 2.5  # m, half the side of the square around a vehicle whose cells are prefetched
# Entries of `layout`: addresses of the arrays of states, heights, cell surfaces and parameters; SIZE, PARAMS_SIZE:
# bytes of a state and of a parameter record; POSITION_WORD: word of the body's position in the state
STATES, SIZE, HEIGHTS, SURFACES, PARAMS, PARAMS_SIZE, POSITION_WORD = range(7)


@extending.intrinsic
def _prefetch(typing_context: Any, address: Any) -> Any:
    """Prefetch the cache line at an address for reading."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word, byte = llvm_ir.IntType(32), llvm_ir.IntType(8).as_pointer()
        function_type = llvm_ir.FunctionType(llvm_ir.VoidType(), [byte, word, word, word])
        call = cgutils.get_or_insert_function(builder.module, function_type, "llvm.prefetch.p0i8")
        builder.call(call, [builder.inttoptr(arguments[0], byte), word(0), word(L2), word(1)])  # 0: to read; 1: data
        return context.get_dummy_value()

    return numba.types.none(numba.types.int64), generate


prefetch: Any = _prefetch if JIT else None


@kernel
def copy_words(source: Any, i: int, target: Any, j: int, ranges: Any) -> None:
    """Copy ranges of words from row i of an array to row j of another; vectorised if the ranges are unsigned."""
    for k in range(ranges.shape[0]):
        for a in range(ranges[k, 0], ranges[k, 1]):
            target[j, a] = source[i, a]


@kernel
def put_words(packed: Any, i: int, target: Any, ranges: Any) -> None:
    """Write the words of row i of `packed` into the ranges of row 0 of `target`."""
    position = 0
    for k in range(ranges.shape[0]):
        for a in range(ranges[k, 0], ranges[k, 1]):
            target[0, a] = packed[i, position]
            position += 1


@kernel
def fetch_state(layout: Any, lines: Any, i: int) -> None:
    """Prefetch the state of vehicle i."""
    start = layout[STATES] + i * layout[SIZE]
    for k in range(lines.shape[0]):
        prefetch(start + lines[k])


@kernel
def fetch_cells(layout: Any, x: float, y: float, heights: Any, cell_surface: Any, terrain: Any) -> None:
    """Prefetch the cells of a heightfield around a position, m; none on other terrain or outside of the field."""
    rows, columns = heights.shape
    inverse = terrain[INVERSE_CELL]
    u, v, reach = (x - terrain[ORIGIN_X]) * inverse, (y - terrain[ORIGIN_Y]) * inverse, REACH * inverse
    if terrain[TERRAIN_KIND] != HEIGHTFIELD or not (0.0 <= u < columns - 1 and 0.0 <= v < rows - 1):
        return
    left, right = int(max(u - reach, 0.0)), int(min(u + reach, columns - 2.0))
    for j in range(int(max(v - reach, 0.0)), int(min(v + reach, rows - 2.0)) + 1):
        row = layout[HEIGHTS] + 4 * j * columns  # 4 bytes for a height, 1 for a cell's surface
        prefetch(row + 4 * left)
        prefetch(row + 4 * right)
        prefetch(layout[SURFACES] + j * (columns - 1) + left)


@kernel
def step_slice(
    code: int, addresses: Any, layout: Any, lines: Any, members: Any, params_words: Any, packed: Any,
    packed_ranges: Any, words: Any, numbers: Any, before: Any, ranges: Any, external: Any, commands: Any, faults: Any,
    first: int, last: int, dt: float, heights: Any, cell_surface: Any, terrain: Any,
) -> None:  # fmt: skip
    """Do all ticks of the vehicles from `first` to `last` - 1; writes (fault code, tick) of vehicle i to faults[i].

    code: address of the step.
    addresses: the first argument of the step for this thread; those of parameters and state are set for each vehicle.
    layout: addresses and sizes of arrays, see STATES.
    lines: `used_lines`.
    members: [n, 2], offsets in bytes, in a vehicle's records, of the parameters and of the state of itself and of each
        trailer.
    params_words: a row per vehicle, or one for all that receives the differing words.
    packed, packed_ranges: `packed` and `ranges` of the `DifferingWords`.
    words, numbers: the states as uint64 and float64.
    before: buffer for the state before a tick.
    ranges: `used_words`.
    external: [count or 1, n].
    commands: [ticks, count].
    heights, cell_surface, terrain: of the ground's arrays.
    """
    for i in range(first, last):
        external_row = min(i, external.shape[0] - 1)
        next_but_one = min(i + PREFETCH_DISTANCE, last - 1)
        put_words(packed, i, params_words, packed_ranges)
        x_word = layout[POSITION_WORD]
        fetch_cells(
            layout, numbers[next_but_one, x_word], numbers[next_but_one, x_word + 1], heights, cell_surface, terrain
        )
        for k in range(members.shape[0]):  # each has three addresses; that of the scratch stays
            addresses[3 * k] = layout[PARAMS] + min(i, params_words.shape[0] - 1) * layout[PARAMS_SIZE] + members[k, 0]
            addresses[3 * k + 1] = layout[STATES] + i * layout[SIZE] + members[k, 1]
        for tick in range(commands.shape[0]):
            copy_words(words, i, before, 0, ranges)
            if tick == 0:
                fetch_state(layout, lines, next_but_one)
            fault = call_tick(code, addresses, external[external_row], commands[tick, i : i + 1], dt)
            if fault != 0:
                copy_words(before, 0, words, i, ranges)
                faults[i, 0] = fault
                faults[i, 1] = tick
                break


def used_words(members: Iterable[Any], starts: Iterable[int]) -> np.ndarray:
    """[n, 2] ranges (first word, last + 1) of a state, without unused wheel slots.

    Args:
        members: the vehicles whose states it holds, in order.
        starts: offset in bytes of each one's state.
    """
    ranges = [words for member, start in zip(members, starts, strict=True)
              for words in used_ranges(member.state.dtype, member.wheel_count, start)]  # fmt: skip
    joined = ranges[:1]
    for start, stop in ranges[1:]:
        if start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(stop, joined[-1][1]))
        else:
            joined.append((start, stop))
    return np.array(joined, np.uint64)


def used_lines(ranges: np.ndarray) -> np.ndarray:
    """Offsets in bytes of the cache lines that contain the words of `ranges`, for `fetch_state`."""
    words_per_line = LINE // WORD
    lines = {
        line
        for first, last in ranges.tolist()
        for line in range(first // words_per_line, (last - 1) // words_per_line + 1)
    }
    return np.array(sorted(lines), np.int64) * LINE


class DifferingWords:
    """The words in which the rows of an array differ.

    Args:
        rows: [count, n] words.
    Attributes:
        ranges: [m, 2], (first, last + 1) of runs of these words, which may include up to MAX_GAP equal ones in a row.
        packed: [count, k], the words of these ranges, of every row.
        whole: True if there are too many; then rows are used in place, and `ranges` and `packed` are empty.
    """

    def __init__(self, rows: np.ndarray) -> None:
        differing = np.flatnonzero(np.any(rows[1:] != rows[0], axis=0)) if len(rows) > 1 else np.zeros(0, np.int64)
        cuts = np.flatnonzero(np.diff(differing) > MAX_GAP + 1) + 1
        ranges = [(run[0], run[-1] + 1) for run in np.split(differing, cuts) if len(run)]
        self.whole = sum(stop - start for start, stop in ranges) > MAX_DIFFERING
        self.ranges = np.array([] if self.whole else ranges, np.uint64).reshape(-1, 2)
        columns = [np.arange(start, stop) for start, stop in self.ranges.tolist()]
        self.packed = np.ascontiguousarray(rows[:, np.concatenate(columns)] if columns else rows[:, :0])
