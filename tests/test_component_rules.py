"""Rules for components: phases are kernels, declarations are complete, kernels write declared slots only."""

import json
import os
import subprocess
import sys
from functools import cache

import numpy as np
import pytest
from plain_run import commands, first_push, scene
from source_tree import ROOT

from driving_sandbox.physics.kernel.jit import JIT
from driving_sandbox.physics.schema.schema import Block
from driving_sandbox.physics.tick.component import components_of, phases_of
from driving_sandbox.physics.tick.context import Context, External
from driving_sandbox.physics.tick.record_fields import returns_value
from driving_sandbox.physics.vehicle.types import VARIANTS, VEHICLE_TYPES


def every_component():
    listed = [c for entries in VEHICLE_TYPES.values() for c in components_of(entries)]
    offered = [c for variants in VARIANTS.values() for c in variants.values()]
    return list(dict.fromkeys(listed + offered))


@pytest.mark.skipif(not JIT, reason="without JIT kernels are plain functions")
def test_every_phase_is_a_kernel_that_releases_the_gil():
    for component in every_component():
        for name, function in component.phases.items():
            options = getattr(function, "targetoptions", None)
            assert options, f"{component.slot}.{name} is not a kernel"
            assert options.get("nogil") and options.get("error_model") == "numpy"
            assert not options.get("fastmath")


def test_only_phases_that_may_end_the_tick_return_a_value():
    for component in every_component():
        for name in component.phases:
            phase = component.phase(name)
            assert returns_value(phase.function) == phase.ends_tick, f"{component.slot} {component.name}.{name}"


def declarations():
    """Every declared field of parameters and states, as parameters of a test."""
    schemas = {c.params for c in every_component()} | {c.state for c in every_component()} | {Context, External}
    for schema in sorted((s for s in schemas if s is not None), key=lambda s: (s.__name__, s.__module__)):
        for field in schema.fields.values():
            yield pytest.param(field, id=f"{schema.__name__}.{field.name}")


@pytest.mark.parametrize("field", list(declarations()))
def test_every_value_has_a_unit_and_a_description(field):
    """A block needs no description. A suggested range lies within the field's limits."""
    assert field.unit
    if not isinstance(field.kind, Block):
        assert field.doc
    if field.suggest is not None:
        low, high = field.suggest
        assert low < high
        assert field.gt is None or low >= field.gt
        assert field.ge is None or low >= field.ge
        assert field.le is None or high <= field.le


def test_a_vehicle_list_has_every_phase_of_its_components():
    """A missing phase would be dead code in that vehicle."""
    for kind, entries in VEHICLE_TYPES.items():
        used = {(p.component.slot, p.phase) for p in phases_of(entries)}
        for component in components_of(entries):
            missing = {name for name in component.phases if (component.slot, name) not in used}
            assert not missing, f"{kind}: {component.slot} never runs {missing}"


@cache
def run_without_jit(vehicle):
    """What plain_run.py prints for a vehicle: slots whose state each phase changed, and channels at the end."""
    environment = {**os.environ, "SANDBOX_JIT": "0"}
    result = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "plain_run.py"), vehicle],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize("vehicle", ["roadster", "buggy"])
def test_kernels_change_only_declared_slots(vehicle):
    """Driven, braked, pushed and steered without JIT, each phase changes its own slot and its `writes` only."""
    components = {c.slot: c for c in scene(vehicle).vehicles[0].sequence.components}
    changed_slots = set()
    for name, slots in run_without_jit(vehicle)["writes"].items():
        slot = name.split(".")[0]
        allowed = {slot, *components[slot].writes}
        assert set(slots) <= allowed, f"{name} changes {sorted(set(slots) - allowed)} without declaring it"
        changed_slots |= set(slots)
    assert {"body", "tire", "suspension", "wheel", "road", "steering", "brakes"} <= changed_slots


@pytest.mark.parametrize("vehicle", ["roadster", "buggy"])
def test_compiled_and_plain_kernels_agree(vehicle):
    """The same ticks with and without JIT: every channel is equal but for rounding (1e-7, relative above 1)."""
    world = scene(vehicle)
    car = world.vehicles[0]
    external = first_push()
    for driver_command in commands(car):
        assert world.step(driver_command, external) is None
        external = None
    for name, value in run_without_jit(vehicle)["channels"].items():
        scale = max(1.0, abs(value))
        assert abs(car.read(name) - value) <= 1e-7 * scale, name
    assert np.hypot(*car.state["body"]["velocity"][0][:2]) > 0.5
