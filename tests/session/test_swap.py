"""Components swapped while driving: values that stay, swaps that are refused, and recordings of swaps."""

import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from flat_drive import ahead, flat_world, run, weave

from driving_sandbox.game.session import component_swap
from driving_sandbox.game.session.drivers import PlayerDriver
from driving_sandbox.game.session.session import Session
from driving_sandbox.physics.compile import CompileWorker
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.recording import Recording, verify
from driving_sandbox.physics.recording.exports import export
from driving_sandbox.physics.recording.verification import build_world, state_at
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.tick.binding import SequenceError
from driving_sandbox.physics.vehicle.swap import choice_of, choices, inverse_swap, plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import UntrustedCode, load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

EXAMPLES = ROOT / "docs" / "examples"
MAGIC = {"file": str(EXAMPLES / "magic_formula_tire.py"), "name": "MAGIC_FORMULA"}
BUSHES = "graphs_and_bushes"
TIME_LIMIT = 600.0  # s a worker process may take on a busy machine


def trust(path):
    """Allow the Python files of the examples."""
    return path.parent == EXAMPLES


def fit(session, slot, choice):
    """Request a component and drive until it is in use; returns the name of the component in the slot per frame."""
    names = []
    assert session.component_swap.request(slot, choice), session.component_swap.status
    deadline = time.monotonic() + TIME_LIMIT
    while session.component_swap.job is not None:
        assert time.monotonic() < deadline
        names.append(session.vehicle.sequence.by_slot[slot].name)
        session.step(1.0 / 240.0, weave)
        time.sleep(0.02)
    return names


@pytest.fixture(scope="module")
def drive(tmp_path_factory):
    """Values of a drive in which the roadster gets Magic Formula tires, which are then undone and redone."""
    # compiles the sequence at full priority; on a busy machine the swap's low-priority worker would take minutes
    assert CompileWorker(EXAMPLES / "magic_formula_roadster.yaml", "plane", trusted=[MAGIC["file"]]).wait()
    asked = []
    monkeypatch = pytest.MonkeyPatch()
    # is_warm is False when asked for the first two times, so that the old tires drive for some frames
    monkeypatch.setattr(component_swap, "is_warm", lambda vehicle: len(asked) > 1 or asked.append(vehicle) or False)
    path = tmp_path_factory.mktemp("swap") / "a.drive"
    drive_log = SimpleNamespace(path=path, moments=[])
    with Session(flat_world(), record=path, trust=trust) as session:
        run(session, 1.5)
        session.tuning.set_parameter("tire.fl.rolling_resistance", 0.02)
        old = session.vehicle
        session.changes.on_swap.append(lambda: drive_log.moments.append((session.world.tick, session.vehicle)))
        drive_log.components = fit(session, "tire", MAGIC)
        drive_log.status, drive_log.new = session.component_swap.status["tire"], session.vehicle
        drive_log.old = old
        tick = session.world.tick
        run(session, 1.0)
        drive_log.speed, drive_log.ticks = session.situation.forward_speed, session.world.tick - tick
        drive_log.forces = session.vehicle.state["tire"]["lateral_force"][0, :4].copy()
        session.tuning.set_parameter("tire.fl.trail", 0.06)
        session.tuning.undo()
        session.tuning.undo()
        drive_log.undone = session.vehicle
        drive_log.undone_values = [
            session.vehicle.get(f"tire.fl.{k}") for k in ("rolling_resistance", "lateral_stiffness")
        ]
        run(session, 0.5)
        session.tuning.redo()
        session.tuning.redo()
        drive_log.redone = session.vehicle.get("tire.fl.trail")
        run(session, 0.5)
        assert session.changes.rewind(1.0) <= 0.51  # at most to the last swap, 0.5 s ago
        run(session, 0.25)
    monkeypatch.undo()
    return drive_log


def test_the_aero_component_road_car_is_swapped_in_while_driving_in_a_wind(tmp_path):
    path = tmp_path / "windy.drive"
    with Session(flat_world(), record=path) as session:
        session.tuning.set_parameter("world.wind", [8.0, 0.0, 0.0])
        run(session, 1.5, ahead)
        before, after = inverse_swap(session.vehicle, "aero"), plan_swap(session.vehicle, "aero", "road_car")
        session.tuning.swap(before, after)
        run(session, 0.5, ahead)
        drag = session.vehicle.read("aero.force.y")
        assert session.vehicle.read("aero.airspeed") > 8.0 and session.vehicle.read("aero.yaw_angle") > 0.5
        session.tuning.set_parameter("aero.drag_over_yaw", 1.5)
        run(session, 0.25, ahead)
        assert session.vehicle.read("aero.force.y") < drag - 2.0
        session.tuning.undo()
        session.tuning.undo()
        assert session.vehicle.sequence.by_slot["aero"].name == "drag"
        run(session, 0.25, ahead)
    report = verify(path)
    assert report.ok, report.text


def test_bushes_are_swapped_in_while_a_car_drives_round_a_bend_and_out_again(tmp_path):
    path = tmp_path / "bushes.drive"
    with Session(flat_world(), record=path) as session:
        run(session, 1.5)
        before, after = inverse_swap(session.vehicle, "compliance"), plan_swap(session.vehicle, "compliance", BUSHES)
        session.tuning.swap(before, after)
        assert session.vehicle.get("compliance.fr.camber") == [[0.0, 0.005], [1.0, -0.035]]  # the graphs stay
        run(session, 0.5)
        assert session.vehicle.read("compliance.fr.toe") == 0.0
        session.tuning.set_parameter("compliance.fr.lateral_force_steer", -5e-6)
        run(session, 0.5)
        force, steer = (session.vehicle.read(f"{name}") for name in ("tire.fr.lateral_force", "compliance.fr.toe"))
        assert abs(force) > 100.0 and steer * force > 0.0  # out of the bend
        session.tuning.undo()
        session.tuning.undo()
        assert session.vehicle.sequence.by_slot["compliance"].name == "graphs"
        run(session, 0.25)
    report = verify(path)
    assert report.ok, report.text


@pytest.mark.covers("PX-ARCH-03")
def test_the_old_component_drives_until_the_new_one_is_ready_and_the_car_drives_on(drive):
    assert set(drive.components) == {"combined_slip"} and len(drive.components) >= 2
    assert drive.status == ("magic_formula: in use", False)
    assert drive.new is not drive.old and drive.new.sequence.by_slot["tire"].name == "magic_formula"
    assert drive.ticks == 240 and drive.speed > 3.0  # the second after the swap
    assert np.abs(drive.forces).max() > 50.0
    assert drive.new.get("tire.fl.rolling_resistance") == 0.02  # a common parameter
    assert drive.new.get("tire.fl.tire_type") == "street"


def test_undo_brings_the_old_component_back_and_redo_the_new_one(drive):
    assert drive.undone.sequence is drive.old.sequence
    assert drive.undone_values == [0.02, 50000.0]  # set before the swap; as in the vehicle's file
    assert drive.redone == 0.06


def test_a_recording_with_swaps_verifies_bit_for_bit(drive):
    report = verify(drive.path, trust)
    assert report.ok and report.snapshots >= 3, report.text
    events = [e for e in Recording.open(drive.path).events if e["kind"] == "swap"]
    assert [e["choice"] if isinstance(e["choice"], str) else e["choice"]["name"] for e in events] == [
        "MAGIC_FORMULA", "combined_slip", "MAGIC_FORMULA",
    ]  # fmt: skip
    refused = verify(drive.path)
    assert not refused.ok and refused.kind == "setup" and "was not allowed" in refused.text


def test_every_tick_of_a_recording_with_swaps_can_be_reached(drive, tmp_path):
    """Seeking forwards and backwards fits the component that was in use at the tick."""
    recording = Recording.open(drive.path)
    swaps = [e["tick"] for e in recording.events if e["kind"] == "swap"]
    world = build_world(recording, trust)
    for tick in (swaps[0] + 30, swaps[0] - 30, swaps[1] + 10, 5):
        state_at(recording, world, tick, trust)
        expected = "magic_formula" if swaps[0] < tick < swaps[1] else "combined_slip"
        assert world.vehicles[0].sequence.by_slot["tire"].name == expected
    out = tmp_path / "o.npz"
    assert export(recording, out, ["tire.fl.load", "body.position.y"], trust=trust) == recording.ticks
    data = np.load(out)
    load = data["data"][:, list(data["names"]).index("tire.fl.load")]
    assert (load[120:] > 500.0).all()  # N, once the car has settled


# ---- plans, without a tick


def on_a_plane(name="roadster_simple", path=None):
    """A vehicle in a world with the plane."""
    vehicle = load_vehicle(path or name, trust=trust)
    return World(load_world("plane"), [vehicle]).vehicles[0]


@pytest.mark.parametrize(("slot", "choice"), [("suspension", "legacy"), ("tire", MAGIC), ("road", "ray"),
                                              ("clutch", "torsion_damper")])  # fmt: skip
def test_common_fields_of_a_swap_are_kept_bit_for_bit(slot, choice):
    vehicle = on_a_plane()
    vehicle.set("body.mass", 1200.0)
    noise = np.random.default_rng(1).random(vehicle.state_bytes.size // 8)
    vehicle.state_bytes.view(np.float64)[:] = noise
    other = swapped_vehicle(vehicle, plan_swap(vehicle, slot, choice, trust))
    assert other.sequence.by_slot[slot] != vehicle.sequence.by_slot[slot]
    assert choice_of(other, slot) == choice
    for name in vehicle.state.dtype.names:
        fields = set(vehicle.state.dtype[name].base.names or ()) & set(other.state.dtype[name].base.names or ())
        if name != slot:
            assert vehicle.state[name].tobytes() == other.state[name].tobytes(), name
        for field in fields:
            assert vehicle.state[name][field].tobytes() == other.state[name][field].tobytes(), (name, field)
    changed = [p.path for p in vehicle.parameters() if p.slot != slot and vehicle.get(p.path) != other.get(p.path)
               if p.field.kind.dtype().names is None or not p.field.derived]  # fmt: skip
    assert changed == []
    assert other.changed_values() == {"body.mass": 1200.0}
    back = swapped_vehicle(other, inverse_swap(vehicle, slot))
    assert back.sequence is vehicle.sequence
    assert back.values() == vehicle.values() and back.base_values() == vehicle.base_values()


@pytest.mark.parametrize(
    ("slot", "choice", "error", "message"),
    [
        ("actuation", "direct_drive", SequenceError, "nothing in this vehicle provides"),
        ("tire", "sticky", ConfigError, "'sticky' is not a component for this slot"),
        ("tire", {**MAGIC, "name": "MAGIC"}, ConfigError, "has no component of this name; it has: MAGIC_FORMULA"),
        ("suspension", MAGIC, ConfigError, "is a component for slot tire, not suspension"),
        ("wings", "large", SchemaError, "this vehicle has no such slot"),
    ],
)  # fmt: skip
def test_components_that_do_not_fit_are_refused_with_the_reason(slot, choice, error, message):
    vehicle = on_a_plane()
    with pytest.raises(error) as caught:
        swapped_vehicle(vehicle, plan_swap(vehicle, slot, choice, trust))
    assert message in str(caught.value)


@pytest.mark.parametrize("choice", ["multi_wheel", "legacy_four_wheel"])
def test_a_swapped_differential_drives_the_same_wheels(choice):
    vehicle = on_a_plane()
    other = swapped_vehicle(vehicle, plan_swap(vehicle, "differential", choice))
    if choice == "multi_wheel":
        for name in ("torque_ratio", "speed_ratio"):
            assert [other.get(f"differential.{w}.{name}") for w in vehicle.wheel_names] == [0.0, 0.0, 0.5, 0.5]
    with pytest.raises(SchemaError, match="must add up to 1, not 2"):
        vehicle.set_many({"differential.rl.torque_ratio": 1.0, "differential.rr.torque_ratio": 1.0})
        swapped_vehicle(vehicle, plan_swap(vehicle, "differential", "multi_wheel"))


def test_untrusted_code_is_not_run_and_missing_values_are_named():
    with pytest.raises(UntrustedCode, match="was not allowed"):
        plan_swap(on_a_plane(), "tire", MAGIC)
    magic = on_a_plane(path=EXAMPLES / "magic_formula_roadster.yaml")
    with pytest.raises(SchemaError, match="tire.fl.lateral_stiffness: has no value"):
        plan_swap(magic, "tire", "combined_slip", trust)


def test_a_refused_swap_leaves_the_session_driving(tmp_path):
    unknown = tmp_path / "magic_formula_tire.py"  # its content differs from the file that has run in this process
    unknown.write_text(Path(MAGIC["file"]).read_text(encoding="utf8") + "# changed\n", encoding="utf8")
    with Session(flat_world()) as session:
        vehicle = session.vehicle
        assert not session.component_swap.request("actuation", "direct_drive")
        text, wrong = session.component_swap.status["actuation"]
        assert wrong and "nothing in this vehicle provides" in text
        assert not session.component_swap.request("tire", {**MAGIC, "file": str(unknown)})
        assert "was not allowed" in session.component_swap.status["tire"][0]
        assert session.vehicle is vehicle and session.component_swap.job is None
        assert not session.tuning.can_undo
        run(session, 0.1)


def test_only_slots_with_a_choice_are_offered():
    vehicle = on_a_plane()
    offered = choices(vehicle, [("tire", MAGIC)])
    tires = offered["tire"]
    assert tires[:2] == ["mf_62", "combined_slip"] and tires[-1] == MAGIC
    assert {"legacy", "mf_52", "coulomb"} < set(tires[2:-1])
    assert "linear_clamp" not in tires  # this sequence runs none of its phases
    assert "sine_power" in offered["engine"] and "intent" not in offered
    assert choice_of(vehicle, "clutch") == "automatic" and choice_of(vehicle, "tire") == "combined_slip"


def test_closing_while_a_merged_step_is_loaded_restores_the_switch_interval(monkeypatch):
    may_end = threading.Event()

    class SlowSequence:
        @property
        def code(self):
            return may_end.wait()

    monkeypatch.setattr(component_swap, "is_merged", lambda sequence: True)
    world = SimpleNamespace(in_parts=lambda: [0], vehicles=[SimpleNamespace(sequence=SlowSequence())])
    swap = component_swap.ComponentSwap(SimpleNamespace(world=world), tuning=None, say=None)
    usual = sys.getswitchinterval()
    swap.poll()
    assert sys.getswitchinterval() == pytest.approx(component_swap.LOADING_INTERVAL)
    may_end.set()
    swap.close()
    assert sys.getswitchinterval() == usual


def test_the_player_follows_a_swapped_gearbox_in_the_same_gear_and_mode():
    vehicle, other = load_vehicle("roadster"), load_vehicle("clubsport")  # both have five forward gears
    driver = PlayerDriver(vehicle)
    moment = SimpleNamespace(vehicle=vehicle, forward_speed=10.0, gear=4, target_gear=4, dt=1.0 / 240.0)
    driver.human_driver.press("toggle_automatic")
    driver.human_driver.press("gear_up")
    driver(moment)
    for moment.vehicle, reads_lever_time in ((other, True), (vehicle, False)):
        driver(moment)
        human_driver = driver.human_driver
        assert human_driver.gearing.reads_lever_time == reads_lever_time
        assert (human_driver.automatic, human_driver.gear) == (False, 5)
