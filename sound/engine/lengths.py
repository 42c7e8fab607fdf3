"""Lengths of pipes that change while they sound: the delays in use approach those of the parameters sample by sample.

A delay line of D samples is a ring whose elements 0 .. D - 1 are read and written in turn. When it grows, the mean of
the last element and the first is appended; when it shrinks, the last two merge. The pipes take turns: steps of all in
the same block would be heard. Pipes of cylinders beyond the count are empty; a new one has its length from the start.
"""

from typing import Any

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.engine.parameters import BANK_CAPACITY, CYLINDER_CAPACITY, LINE_COUNT
from driving_sandbox.sound.engine.state import EXHAUSTS

TURNS = 4  # blocks from one step of a delay to the next: 3 ms


@kernel
def follow_lengths(parameters: Any, state: Any) -> None:
    """Let the delays of an engine's STATE approach the derived ones of its parameters; to be called once a block."""
    d, turn = parameters.derived, state.turn + 1
    state.turn = turn
    if state.cylinder_count != d.cylinder_count:  # the pipes are joined in another way at once: hidden by a fade-in
        state.cylinder_count = d.cylinder_count
        state.fade = 0.0
    for k in range(d.cylinder_count, CYLINDER_CAPACITY):
        if state.pipe_delay[k] != 0:
            empty_pipe(state, k)
    for k in range(d.cylinder_count):
        state.pipe_delay[k] = nearer(
            state.pipe[k], state.pipe_index[k], state.pipe_delay[k], d.pipe_delay[k], (turn + k) % TURNS == 0
        )
    for bank in range(BANK_CAPACITY):
        for k in range(LINE_COUNT):
            state.line_delay[bank, k] = nearer(
                state.line[bank, k], state.line_index[bank, k], state.line_delay[bank, k], d.line_delay[bank, k],
                (turn + bank + k) % TURNS == 0,
            )  # fmt: skip
    state.runner_delay = nearer(state.runner, state.runner_index, state.runner_delay, d.runner_delay, turn % TURNS == 0)
    state.snorkel_delay = nearer(
        state.snorkel, state.snorkel_index, state.snorkel_delay, d.snorkel_delay, turn % TURNS == 2
    )


@kernel
def empty_pipe(state: Any, cylinder: int) -> None:
    """Remove the waves in a primary pipe, make its delay 0, and let its cylinder wait for the next draw."""
    state.pipe[cylinder] = 0.0
    state.pipe_pole[cylinder] = 0.0
    state.arrived[cylinder] = 0.0
    state.crackle[cylinder] = 0.0
    state.pipe_index[cylinder] = 0
    state.pipe_delay[cylinder] = 0
    state.stage[cylinder] = EXHAUSTS


@kernel
def nearer(line: Any, index: int, delay: int, wanted: int, may_step: bool) -> int:
    """The delay after a block, at most a sample nearer to the wanted one; 0 becomes the wanted one at once.

    Args:
        line: float64 [2, capacity], waves of both directions, changed.
        index: the one that is read next.
        delay: present one; 0 for a pipe that is empty.
    """
    if delay == 0:
        return wanted
    if delay == wanted or not may_step:
        return delay
    for direction in range(2):
        last = line[direction, delay - 1]
        if wanted > delay:
            line[direction, delay] = 0.5 * (last + line[direction, 0]) if index > 0 else last
        elif index < delay - 1:
            line[direction, delay - 2] = 0.5 * (last + line[direction, delay - 2])
    return delay + 1 if wanted > delay else delay - 1
