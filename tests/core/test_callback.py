"""A callback is called by its C address, and its machine code comes from the cache in a new process."""

import ctypes
import subprocess
import sys

import numpy as np
from numba import carray, types

from driving_sandbox.physics.kernel.atomic import load_acquire, store_release
from driving_sandbox.physics.kernel.callback import Callback
from driving_sandbox.physics.kernel.jit import ROOT, kernel

COUNTS = np.dtype([("calls", np.int64), ("counter", np.int64)], align=True)  # counter: address of an int64
C_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)


@kernel
def _note(counts, values):
    counts.calls += 1
    store_release(counts.counter, load_acquire(counts.counter) + values.shape[0])
    for k in range(values.shape[0]):
        values[k] = counts.calls


def _called(counts, values, size):
    _note(carray(counts, (1,), COUNTS)[0], carray(values, (size // 4,), np.float32))


CALLBACK = Callback(_called, types.void(types.voidptr, types.voidptr, types.int32))


def test_a_callback_writes_to_the_memory_it_is_given():
    call = C_FUNCTION(CALLBACK.compile())
    counts, total, values = np.zeros(1, COUNTS), np.zeros(1, np.int64), np.zeros(6, np.float32)
    counts["counter"] = total.ctypes.data
    call(counts.ctypes.data, values.ctypes.data, 20)  # bytes of five values
    call(counts.ctypes.data, values.ctypes.data, 20)
    assert values.tolist() == [2.0] * 5 + [0.0]
    assert counts["calls"][0] == 2
    assert total[0] == 10


def test_a_new_process_finds_the_callback_compiled():
    CALLBACK.compile()
    code = "import sys; sys.path[:0] = ['tests/core', '.']; import test_callback; print(test_callback.CALLBACK.load())"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert int(result.stdout) != 0
