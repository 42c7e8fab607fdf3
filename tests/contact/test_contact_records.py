"""The contact state is complete: equal bytes give equal futures, whatever scratch contains.

Compiled kernels are compared with plain Python here as well, and the rig's own rotation step with Euler's equations.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from contact_rig import CONTACTS, ENERGY, HEIGHT, REST_HEIGHT, SPIN, Box, box_points, bumpy, flat, gyroscopic_step
from wheel_rig import Car, parked, slope

from driving_sandbox.physics.contact import records
from driving_sandbox.physics.kernel.jit import kernel

DTYPES = [value for value in vars(records).values() if isinstance(value, np.dtype)]


def snapshot(box):
    """Bytes of the body and of the contact state."""
    return box.body.tobytes() + box.state.tobytes()


def tumbling():
    """A box thrown onto random hills."""
    return Box(bumpy(), (0.3, 0.2, 2.5), (0.4, 0.1, 0.2, 0.9), velocity=(3, 8, -2), spin=(1, 0.5, -2))


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: str(d.names[:2]))
def test_fields_do_not_hide_array_attributes(dtype):
    """In plain Python, kernels read fields as attributes of recarrays."""
    assert not set(dtype.names) & set(dir(np.recarray))


def test_equal_starts_give_equal_bytes():
    first, second = tumbling(), tumbling()
    first.run(2)
    second.run(2)
    assert snapshot(first) == snapshot(second)


@pytest.mark.parametrize(
    "make",
    [
        tumbling,
        lambda: parked(*slope(10), yaw=0.4),
    ],
    ids=["hull", "parked"],
)
def test_state_and_not_scratch_decides_the_future(make):
    first, second = make(), make()
    for _ in range(60):
        first.run(1 / 60)
        second.run(1 / 60)
        second.scratch.view(np.uint8)[:] = 0xA5  # leftovers of another vehicle
    assert snapshot(first) == snapshot(second)


def test_rewound_state_repeats_the_drive():
    box = tumbling()
    box.run(1)
    body, state = box.body.copy(), box.state.copy()
    box.run(1)
    after = snapshot(box)
    box.body[:], box.state[:] = body, state
    box.run(1)
    assert snapshot(box) == after


def test_impulses_of_a_box_at_rest_stay_equal_from_tick_to_tick():
    """A tick starts from the impulses of the last one."""
    box = Box(flat(), (0, 0, REST_HEIGHT))
    box.run(1)
    before = box.state["contacts"][0]["normal_impulse"][:4].copy()
    assert (before > 0).all()
    box.run(1 / 240)
    assert box.state["contacts"][0]["normal_impulse"][:4] == pytest.approx(before, rel=1e-9)


def test_parts_of_a_hull_collide_separately():
    parts = {
        "nose": box_points((-0.5, 1.0, -0.6), (0.5, 2.0, 0.0)),
        "tail": box_points((-0.5, -2.0, -0.6), (0.5, -1.0, 0.0)),
    }
    box = Box(flat(), (0, 0, 0.7), parts=parts)
    log = box.run(2)
    assert log[-1, CONTACTS] == 8  # four corners of each part
    assert log[-1, HEIGHT] == pytest.approx(REST_HEIGHT, abs=1e-3)


PLAIN = """
import sys; sys.path.insert(0, sys.argv[1])
import numpy as np
from contact_rig import CONTACTS, Box, bumpy
from wheel_rig import parked, slope
box = Box(bumpy(), (0.3, 0.2, 0.9), (0.1, 0.1, 0.2, 0.9), (3, 8, -2), (1, 0.5, -2)); log = box.run(0.1)
car = parked(*slope(10), 0.4); car.run(0.1)
print(*box.body["position"][0], *box.body["velocity"][0], *car.body["position"][0], *car.body["velocity"][0])
print(*log[:, CONTACTS], *car.wheels["sticky_longitudinal"][:4])
"""


def test_plain_python_agrees_with_compiled():
    """The same program with and without JIT: poses and velocities agree within 1e-9, contacts and sticking exactly."""
    folder = Path(__file__).parent
    outputs = []
    for jit in ("0", "1"):
        result = subprocess.run(
            [sys.executable, "-c", PLAIN, str(folder)],
            capture_output=True,
            text=True,
            timeout=120,
            cwd=folder.parents[1],
            env={**os.environ, "SANDBOX_JIT": jit},
        )
        assert result.returncode == 0, result.stderr
        outputs.append([[float(x) for x in line.split()] for line in result.stdout.splitlines()])
    assert outputs[0][0] == pytest.approx(outputs[1][0], abs=1e-9)
    assert outputs[0][1] == outputs[1][1]
    assert max(outputs[0][1][:24]) > 1  # number of contacts in the 24 ticks of the box


@kernel
def spin(body, inertia, h, count):
    for _ in range(count):
        gyroscopic_step(body[0], inertia, h)


def test_gyroscopic_step_follows_eulers_equations():
    car = Box(flat())
    inertia = np.array([400.0, 900.0, 1200.0])
    w = np.array([0.3, 1.1, -0.7])
    car.body["angular_velocity"] = w
    h = 1e-5
    spin(car.body, inertia, h, 1)
    expected = -np.cross(w, inertia * w) / inertia
    assert (car.body["angular_velocity"][0] - w) / h == pytest.approx(expected, rel=1e-4)


def test_tumbling_never_gains_energy():
    """The spin is about the intermediate axis of inertia, where explicit integrators diverge."""
    car = Car(flat(), position=(0, 0, 500.0), spin=(3.0, 0.02, 0.01), gravity=0.0)
    log = car.run(20)
    assert (np.diff(log[:, ENERGY]) <= 1e-9 * log[0, ENERGY]).all()
    assert np.abs(log[:, SPIN]).max() > 1.0  # rad/s, still spinning
