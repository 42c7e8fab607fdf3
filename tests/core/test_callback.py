"""A callback is called by its C address, and its machine code comes from the cache in a new process."""

import ctypes
import subprocess
import sys

import numpy as np
from numba import carray, types

from driving_sandbox.physics.kernel.atomic import load_acquire, store_release
from driving_sandbox.physics.kernel.callback import Callback
from driving_sandbox.physics.kernel.jit import ROOT, kernel

COUNTS = np.dtype([("calls", np.int64), ("counter_address", np.int64)], align=True)  # the counter is an int64
C_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)


@kernel
def _count_call(counts, values):
    """Add 1 to the calls and the number of values to the counter, and set all values to the calls."""
    counts.calls += 1
    store_release(counts.counter_address, load_acquire(counts.counter_address) + values.shape[0])
    for k in range(values.shape[0]):
        values[k] = counts.calls


def _count_call_from_pointers(counts, values, size):
    """`_count_call` with addresses; size: bytes of the values, float32."""
    _count_call(carray(counts, (1,), COUNTS)[0], carray(values, (size // 4,), np.float32))


CALLBACK = Callback(_count_call_from_pointers, types.void(types.voidptr, types.voidptr, types.int32))


def test_a_callback_writes_to_the_memory_it_is_given():
    call = C_FUNCTION(CALLBACK.compile())
    counts, counter, values = np.zeros(1, COUNTS), np.zeros(1, np.int64), np.zeros(6, np.float32)
    counts["counter_address"] = counter.ctypes.data
    call(counts.ctypes.data, values.ctypes.data, 20)  # bytes of five values
    call(counts.ctypes.data, values.ctypes.data, 20)
    assert values.tolist() == [2.0] * 5 + [0.0]
    assert counts["calls"][0] == 2
    assert counter[0] == 10


def test_a_new_process_finds_the_callback_compiled():
    CALLBACK.compile()
    code = "import sys; sys.path[:0] = ['tests/core', '.']; import test_callback; print(test_callback.CALLBACK.load())"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert int(result.stdout) != 0  # `load` never compiles: 0 without machine code in the cache
