"""What SDL's callback runs allocates nothing."""

import ctypes

import numpy as np
import pytest
from device_rig import TARGET, TICK, drive
from numba.core.runtime import _nrt_python, rtsys

from driving_sandbox.physics.kernel.jit import JIT
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.sound.device.stream import STREAM_CALLBACK, Stream
from driving_sandbox.sound.scene import Scene
from driving_sandbox.sound.vehicle_sound import sound_of

CALLBACKS, SAMPLES = 200, 512
ROWS = (3, 3, 2, 3, 2)  # ticks per callback: 512 samples are 2.6 of 200


@pytest.mark.skipif(not JIT, reason="without compiled code there is no callback")
def test_callbacks_of_a_car_allocate_nothing():
    if not STREAM_CALLBACK.load():
        STREAM_CALLBACK.compile()
    sound = sound_of(load_vehicle("roadster"))
    stream = Stream(Scene(np.array([sound.parameters]), np.array([sound.emitters])), TICK, TARGET)
    drive(stream, 9)
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(STREAM_CALLBACK.load())
    samples = np.zeros((SAMPLES, 2), np.float32)
    _nrt_python.memsys_enable_stats()
    try:
        allocated, peak = 0, 0.0
        for k in range(CALLBACKS):
            drive(stream, ROWS[k % len(ROWS)])
            before = rtsys.get_allocation_stats()
            call(stream.address, samples.ctypes.data, samples.nbytes)
            allocated += rtsys.get_allocation_stats().alloc - before.alloc
            peak = max(peak, float(np.abs(samples).max()))
    finally:
        _nrt_python.memsys_disable_stats()
    assert peak > 0.01 and allocated == 0
