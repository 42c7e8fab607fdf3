"""Vehicles at the hard limits of their parameters refuse them, or drive without fault or NaN (parameter_sets.py)."""

import json
from pathlib import Path

import numpy as np
import parameter_sets
import pytest
import yaml
from parameter_sets import VEHICLES, Drives, Outcome, at_limit, groups_of, limits_of

from driving_sandbox.physics.schema.schema import Bool, Choice, SchemaError
from driving_sandbox.physics.tick.guard import MAX_SPEED
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

GOAL = 10_000  # sets; docs/reliability.md says how to try as many where the night is too short


def sets_of(name):
    """Parameter sets of a YAML file next to this one."""
    return yaml.safe_load(Path(__file__).with_name(name).read_text(encoding="utf8"))


def values_of(kept, wheel_names):
    """{path: value} of a kept set."""
    return {
        path.replace("*", wheel): value
        for path, value in kept["values"].items() for wheel in (wheel_names if "*" in path else [""])
    }  # fmt: skip


def name_of(kept):
    """Test id: vehicle and first seed of a kept set."""
    return f"{kept['vehicle']}-{kept['seeds'][0]}"


@pytest.fixture(scope="module")
def drives():
    return Drives()


@pytest.mark.parametrize("kept", sets_of("driven_sets.yaml"), ids=name_of)
def test_a_kept_set_drives(drives, kept):
    world, _ = drives.world(kept["vehicle"])
    tried = drives.drive(kept["seeds"][0], kept["vehicle"], values_of(kept, world.vehicles[0].wheel_names))
    assert not tried.refused and not tried.fault, tried


@pytest.mark.parametrize("kept", sets_of("refused_sets.yaml"), ids=name_of)
def test_a_set_that_was_faulty_is_refused(kept):
    vehicle = load_vehicle(kept["vehicle"])
    with pytest.raises(SchemaError, match="must be "):
        vehicle.set_many(values_of(kept, vehicle.wheel_names))


def test_the_fuzzer_notices_refused_values_and_faults(drives, monkeypatch):
    """A value beyond its limits is refused, and a vehicle faster than the guard allows ends in a fault."""
    values = {f"suspension.{wheel}.travel": 100.0 for wheel in ("fl", "fr", "rl", "rr")}
    assert drives.drive(0, "roadster", values).refused.startswith("suspension.fl.travel: 100.0: must be less than")
    world, _ = drives.world("roadster")
    monkeypatch.setattr(type(world.vehicles[0]), "set_many", lambda vehicle, values: None)
    monkeypatch.setattr(world, "place", lambda *where: world.vehicles[0].put((0, 0, 1), (0, 0, 0, 1), (0, 0, 2000.0)))
    assert drives.drive(0, "roadster", {}).fault and MAX_SPEED < 2000.0


def test_a_run_goes_on_after_the_last_set_in_its_log(tmp_path, monkeypatch, capsys):
    """The line of the third set was cut by a kill, so that it is tried again; the fault of the first one counts."""
    tried, log = [], tmp_path / "log"

    def attempt(self, seed):
        tried.append(seed)
        return Outcome(seed, "roadster", {"body.mass": 1.0}, "", "" if seed else "code 3 in tick 7")

    monkeypatch.setattr(Drives, "attempt", attempt)
    parameter_sets.main(0, 3, log)
    log.write_text(log.read_text()[:-5])
    parameter_sets.main(0, 5, log)
    assert tried == [0, 1, 2, 2, 3, 4]
    assert "5 sets: {'faults': 1, 'fine': 4}" in capsys.readouterr().out
    assert [json.loads(line)["seed"] for line in log.read_text().splitlines()] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("name", VEHICLES)
def test_every_number_has_two_hard_limits(name):
    vehicle = load_vehicle(name)
    for group, paths in groups_of(vehicle).items():
        field, value = vehicle.parameter(paths[0]).field, vehicle.get(paths[0])
        numbers = not isinstance(field.kind, Bool | Choice)
        if numbers and at_limit(field, value, np.random.default_rng(0)) is not None:
            smallest, largest = limits_of(field)
            assert -1e9 < smallest <= largest <= 1e9, group
            assert field.suggest is None or (smallest <= field.suggest[0] and field.suggest[1] <= largest), group


@pytest.mark.nightly
def test_random_sets_at_the_hard_limits_cause_no_fault(seeds, report_row):
    drives, faults, tried, refused = Drives(), [], 0, 0
    for seed in seeds(minimum=200):
        outcome = drives.attempt(seed)
        tried, refused = tried + 1, refused + bool(outcome.refused)
        if outcome.fault:
            faults.append(outcome)
    report_row(
        "parameters at their hard limits: drop, launch, bend, brake",
        f"{tried:,} sets{'' if tried >= GOAL else f' (fewer than {GOAL:,})'}, {refused:,} of them refused",
        f"{len(faults)} faults",
    )  # fmt: skip
    assert not faults, faults[:5]
