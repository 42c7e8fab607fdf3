"""Swaps of components together with other tuning: undo during a preparation, setups A and B, what-if.

No tick is driven here: a vehicle is replaced at once, without compiling.
"""

from pathlib import Path
from types import SimpleNamespace

import pytest

from driving_sandbox.game.experiments import what_if
from driving_sandbox.game.experiments.what_if_window import TryOutRow
from driving_sandbox.game.session import component_swap
from driving_sandbox.game.session.session import Session
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.vehicle.swap import inverse_swap, plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world


class Job:
    """A swap that is ready at the first poll."""

    made = []
    worker, doing = None, ""

    def __init__(self, session, slot, choice, plan):
        self.slot, self.choice, self.sequence = slot, choice, plan(slot, choice).sequence
        Job.made.append(self)

    def advance(self):
        return True


class Worker:
    """A worker that compiles until `done` is set."""

    started = []
    error = None

    def __init__(self, path, world, trusted=()):
        self.text, self.done, self.cancelled = Path(path).read_text(), False, False
        Worker.started.append(self)

    def poll(self):
        return not self.done

    def cancel(self):
        self.cancelled = not self.done


@pytest.fixture
def session(monkeypatch):
    """A session whose swaps are made at once, with jobs in place of worker processes."""
    monkeypatch.setattr(Job, "made", [])
    monkeypatch.setattr(component_swap, "_Job", Job)
    with Session(World(load_world("plane"), [load_vehicle("roadster_simple")])) as session:

        def swap(change):
            session.world.vehicles[0] = swapped_vehicle(session.vehicle, change)

        monkeypatch.setattr(session.changes, "swap", swap)
        yield session


def component_names(session, *slots):
    """Names of the components in slots."""
    return [session.vehicle.sequence.by_slot[slot].name for slot in slots]


def test_an_undo_while_a_swap_is_prepared_starts_the_preparation_again(session):
    """The sequence that was compiled is no longer the right one; a swap would then compile in the middle of a frame."""
    component_swaps = session.component_swap
    assert component_swaps.request("suspension", "legacy")
    component_swaps.poll()
    assert component_swaps.request("tire", "legacy")
    session.tuning.undo()
    component_swaps.poll()
    assert len(Job.made) == 3 and component_names(session, "suspension", "tire") == ["standard", "combined_slip"]
    component_swaps.poll()
    assert component_swaps.job is None and component_names(session, "suspension", "tire") == ["standard", "legacy"]


def test_a_setup_whose_values_do_not_fit_the_current_component_is_refused_with_the_reason(session):
    tuning, messages = session.tuning, []
    row = TryOutRow(None, None, tuning, lambda text, level="info": messages.append((text, level)))
    vehicle = session.vehicle
    session.tuning.set_parameter("steering.rl.max_angle", -0.05)  # rear wheels that steer against the front ones
    row.flip()
    row.flip()  # A is driven again, and B is as in the file
    tuning.pair.copy_to_other(vehicle)
    session.tuning.set_parameter("steering.rl.max_angle", 0.0)
    tuning.swap(inverse_swap(vehicle, "steering"), plan_swap(vehicle, "steering", "ahead_of_mass"))
    before = session.vehicle.values()
    row.flip()
    text, level = messages[-1]
    assert level == "warning" and text.startswith("setup B cannot be driven: steering.rl.max_angle"), text
    assert tuning.pair.active == "A" and session.vehicle.values() == before
    session.tuning.undo()
    row.flip()
    assert tuning.pair.active == "B" and session.vehicle.get("steering.rl.max_angle") == -0.05


@pytest.mark.parametrize("name", ["roadster", "clubsport"])
def test_a_swap_says_what_it_estimated_and_from_what(session, name):
    session.world.vehicles[0] = load_vehicle(name)
    assert session.component_swap.request("stability_control", "yaw_rate_reference")
    session.component_swap.poll()
    speed = session.vehicle.get("stability_control.characteristic_speed")
    expected = f"stability_control.characteristic_speed is not given: estimated as {speed:.3g} m/s from wheelbase and"
    assert [m for m in session.messages if m.level == "warning" and m.text.startswith(expected)]
    session.tuning.undo()
    assert not session.vehicle.info["estimated"]


@pytest.mark.parametrize("name", ["roadster_simple", "truck_trailer"])
def test_what_if_is_compiled_for_the_current_components(name, monkeypatch):
    monkeypatch.setattr(Worker, "started", [])
    monkeypatch.setattr(what_if, "CompileWorker", Worker)
    monkeypatch.setattr(what_if, "is_warm", lambda vehicle, rerun: False)
    vehicle = load_vehicle(name)
    spans = []  # s, of the segments asked for: each begins a rerun
    changes = SimpleNamespace(on_change=[], on_jump=[], on_swap=[], segment=spans.append)
    session = SimpleNamespace(vehicle=vehicle, world=SimpleNamespace(file=None), changes=changes)
    experiment = what_if.WhatIf(session)
    experiment.on = True
    experiment.poll()
    Worker.started[0].done = True
    experiment.poll()
    assert spans == [experiment.span]
    session.vehicle = swapped_vehicle(vehicle, plan_swap(vehicle, "tire", "mf_52"))
    session.vehicle.trailers = vehicle.trailers
    experiment.changed()
    experiment.poll()
    assert len(spans) == 1 and len(Worker.started) == 2  # nothing is compiled in a frame: a worker does it
    assert ['"tire": "mf_52"' in worker.text for worker in Worker.started] == [False, True]
    experiment.close()
    assert Worker.started[1].cancelled


def test_a_component_whose_code_fails_is_refused_and_the_old_one_stays(session, monkeypatch):
    def failing_job(session, slot, choice, plan):
        raise TypeError("what a user's file does")

    monkeypatch.setattr(component_swap, "_Job", failing_job)
    assert not session.component_swap.request("tire", "legacy")
    assert session.component_swap.status["tire"] == ("legacy: TypeError: what a user's file does", True)
    assert session.component_swap.job is None and component_names(session, "tire") == ["combined_slip"]


def test_a_steering_with_an_inner_factor_is_refused_without_suspensions():
    flat = load_vehicle("planar_roadster")
    with pytest.raises(SchemaError, match="inner_factor: needs a suspension"):
        swapped_vehicle(flat, plan_swap(flat, "steering", "inner_factor"))
