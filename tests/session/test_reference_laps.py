"""Laps are compared at equal distances along the reference lap; the best is stored, the previous one is available."""

import dataclasses
import io
from time import sleep
from types import SimpleNamespace

import numpy as np
import pytest
from flat_drive import ahead

from driving_sandbox.game.experiments.ghosts import Ghosts
from driving_sandbox.game.laps import traces as lap_traces
from driving_sandbox.game.laps.log import LapLog
from driving_sandbox.game.laps.reference import BEST, PREVIOUS, DriveLaps, Laps, Source
from driving_sandbox.game.laps.traces import Request, TraceWorker, trace_of
from driving_sandbox.game.plots.history import ChannelHistory
from driving_sandbox.game.session.session import Session
from driving_sandbox.lab.laps import LapError, LapTrace, Ruler, laps_of, time_difference
from driving_sandbox.lab.timing import clock_text
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.recording import Recording, RecordingError
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.timing import Gate, Track
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

RADIUS = 50.0  # m
GATES = (Gate((40.0, 0.0), (65.0, 0.0), "start"), Gate((-40.0, 0.0), (-65.0, 0.0), "half"))
ROUND = Track("round", GATES, closed=True)
TIMING = """
timing:
  straight:
    gates:
      - {from: [-5, 3], to: [5, 3]}
      - {from: [-5, 20], to: [5, 20], label: middle}
      - {from: [-5, 40], to: [5, 40], label: end}
"""


def circle(radius, seconds=20.0, count=1200):
    """(times, positions) of a lap to the left at constant speed, from the first gate; radius: m."""
    times = np.linspace(0.0, seconds, count)
    angle = 2.0 * np.pi * times / seconds
    return times, radius * np.column_stack([np.cos(angle), np.sin(angle)])


def test_distances_of_a_wider_line_are_those_along_the_reference_line():
    times, positions = circle(RADIUS)
    ruler = Ruler(positions, ROUND)
    assert ruler.length == pytest.approx(2.0 * np.pi * RADIUS, rel=1e-3) and len(ruler.gates) == 1
    inner, wide = ruler.distances(positions), ruler.distances(circle(60.0)[1])
    assert np.all(np.diff(inner) >= 0.0) and np.abs(inner - RADIUS * 2.0 * np.pi * times / 20.0).max() < 0.3
    assert np.abs(wide - inner).max() < 0.5  # although the wide line is 63 m longer
    assert np.abs(time_difference(wide, times, inner, times)).max() < 0.05


def test_time_lost_grows_with_distance_and_ends_with_the_shorter_lap():
    distances = np.arange(0.0, 100.0)
    lost = time_difference(distances, distances / 20.0, distances[:80], distances[:80] / 25.0)
    assert lost[50] == pytest.approx(50 / 20 - 50 / 25) and np.isnan(lost[85:]).all()


def test_distances_are_right_on_a_path_that_crosses_itself_and_after_driving_back():
    angle = np.linspace(0.0, 2.0 * np.pi, 1500)
    eight = 60.0 * np.column_stack([np.sin(angle), np.sin(2.0 * angle)])  # crosses itself half way
    ruler = Ruler(eight)
    shifted = ruler.distances(eight + (1.0, -1.0))
    assert np.abs(shifted - ruler.distances(eight)).max() < 4.0
    turned_round = np.concatenate(
        [eight[:400], eight[400:360:-1], eight[360:]]
    )  # turned round and drove back for 40 points
    distances = ruler.distances(turned_round)
    assert distances[430] == distances[400] and distances[-1] == pytest.approx(ruler.length, abs=1.5)
    assert np.isnan(ruler.walk(1).step(500.0, 500.0))


def test_a_log_begun_late_or_measured_again_agrees():
    times, positions = circle(RADIUS)
    ruler, log, late = Ruler(positions, ROUND), LapLog("round", begin=3.0, ruler=None, gate=1), None
    for k, (time, position) in enumerate(zip(times, positions, strict=True)):
        log.sample(3.0 + time, position, {"a": float(k)} if k < 600 else {"a": float(k), "b": -1.0})
        if k == 700:
            late = LapLog("round", begin=3.0, ruler=ruler, gate=2)
        if late:
            late.sample(3.0 + time, position, {})
    assert np.all(np.diff(log.distances) > 0.0) and log.seconds == times[-1]
    log.measure(ruler)
    assert np.abs(log.distances - ruler.distances(positions)[: log.count]).max() < 1e-9
    assert late.distances[-1] == pytest.approx(log.distances[-1]) and late.distances[0] > 0.5 * ruler.length
    assert log.values("a")[-1] == 1199.0 and np.isnan(log.values("b")[0]) and log.values("c") is None


# ---- a real drive


@pytest.fixture(scope="module")
def track_file(tmp_path_factory):
    """A world file of the plane with gates."""
    path = tmp_path_factory.mktemp("world") / "gates.yaml"
    worlds = ROOT / "configs" / "worlds"
    text = (worlds / "plane.yaml").read_text().replace("../", f"{worlds.parent.as_posix()}/")
    path.write_text(text + TIMING)
    return path


def timed_session(track_file, record):
    """A recorded session of a roadster before the gates of the straight."""
    world = World(load_world(track_file), [load_vehicle("roadster")])
    world.place(0, (0.0, 0.0), 0.0)
    return Session(world, record=record)


def no_samples(begin, end):
    """No samples from the time while the plots were closed."""
    return ()


def drive_a_lap(session, laps, throttle, side=0.0):
    """Drive from the start to the end of the straight with open plots; returns the lap.

    side: x of the car, m.
    """
    session.world.place(0, (side, 0.0), 0.0)
    session.changes.record_jump("placed")
    driven, channels = len(session.stopwatch.laps), ("car.speed", "tire.rl.load")

    def driver(situation):
        command = ahead(situation)
        command["throttle"] = throttle
        return command

    for _ in range(900):
        session.step(1.0 / 60.0, driver)
        laps.step()
        laps.sample(session.world.time, session.vehicle.model_position(),
                    lambda: dict.fromkeys(channels, session.vehicle.read("tire.rl.load")), no_samples)  # fmt: skip
        if len(session.stopwatch.laps) > driven:
            laps.step()
            for _ in range(20):  # the model's origin passes the gate after the centre of mass
                session.step(1.0 / 60.0, driver)
            return session.stopwatch.laps[-1]
    raise AssertionError("no lap")


@pytest.fixture(scope="module")
def two_laps(track_file, tmp_path_factory):
    """(folder with the recording of a fast and a slow lap, session, laps, timed laps, sources of laps by key)."""
    folder = tmp_path_factory.mktemp("laps")
    with timed_session(track_file, folder / "two.drive") as session:
        laps = DriveLaps(session, Ghosts(session, None), folder / "kept")
        times = [drive_a_lap(session, laps, 1.0), drive_a_lap(session, laps, 0.5, side=2.0)]
        laps.wait()
        chosen = {source.key: source for source in laps.sources()}
        settle(laps, session)
        yield folder, session, laps, times, chosen
        laps.close()


def settle(laps, session):
    """Wait until all chosen laps are overlaid."""
    for _ in range(500):
        laps.step()
        laps.sample(session.world.time, session.vehicle.model_position(), dict, no_samples)
        laps.wait()
        if len(laps.overlays) == len(laps.chosen):
            return
        sleep(0.02)
    raise AssertionError("never overlaid")


def test_the_best_lap_is_stored_and_the_previous_one_is_available(two_laps):
    folder, session, laps, (fast, slow), chosen = two_laps
    assert slow.time > fast.time + 0.3 and laps.problem == ""
    stored_lap = LapTrace.load(laps.path_of_best("straight"))
    assert (
        stored_lap.seconds == pytest.approx(fast.time, abs=1e-9)
        and stored_lap.exact
        and stored_lap.vehicle == "Roadster"
    )
    assert chosen[BEST].track == chosen[PREVIOUS].track == "straight"
    previous = laps.trace(chosen[PREVIOUS])
    assert previous.seconds == pytest.approx(slow.time, abs=1e-9)
    assert len(stored_lap.channels) > 300 and {"car.speed", "tire.rl.load", "input.throttle"} <= set(
        stored_lap.channels
    )
    assert stored_lap.channels["input.throttle"].max() == 1.0 and previous.channels["input.throttle"].max() <= 0.5


def test_the_time_lost_at_the_end_is_the_difference_of_the_laps(two_laps):
    _, _, laps, (fast, slow), _ = two_laps
    best_lap = next(overlay for overlay in laps.overlays if overlay.name.startswith("best"))
    assert laps.current.times[-1] > fast.time
    end = best_lap.distances[-1] - 0.5
    lost = time_difference(laps.current.distances, laps.current.times, best_lap.distances, best_lap.trace.times)
    at_end = float(np.interp(end, laps.current.distances, lost))
    assert at_end == pytest.approx(slow.time - fast.time, abs=0.05)


def test_live_samples_equal_those_of_the_recording(two_laps):
    _, _, laps, _, chosen = two_laps
    trace, log = laps.trace(chosen[PREVIOUS]), laps.current
    recorded = np.interp(log.times, trace.times, trace.channels["tire.rl.load"])
    within = (log.times > 0.5) & (log.times < trace.seconds - 0.1)
    # N; the load is about 3 kN
    assert within.sum() > 50 and np.abs(recorded - log.values("tire.rl.load"))[within].max() < 60.0


def test_a_new_best_lap_replaces_the_stored_one(two_laps):
    folder, session, laps, (fast, _), _ = two_laps
    path = laps.path_of_best("straight")
    trace = LapTrace.load(path)
    with path.open("wb") as file:
        dataclasses.replace(trace, seconds=fast.time + 5.0).save(file)
    laps = DriveLaps(session, Ghosts(session, None), folder / "kept")
    better = drive_a_lap(session, laps, 1.0)
    laps.wait()
    assert LapTrace.load(path).seconds == pytest.approx(better.time, abs=1e-9)
    laps.close()


def test_laps_of_a_recording_are_found_and_can_be_chosen(two_laps, track_file):
    folder, session, laps, (fast, slow), _ = two_laps
    session.recorder.sync()
    found = laps_of(Recording.open(folder / "two.drive"), load_world(track_file).timing)
    assert [lap.time for lap in found[:2]] == pytest.approx([fast.time, slow.time], abs=0.03)
    laps.open(folder / "two.drive")
    for _ in range(200):
        laps.step()
        if laps._files:
            break
        sleep(0.02)
    assert [source.name for source in laps._files] == [f"two, lap {k + 1}: {clock_text(lap.time)}"
                                                       for k, lap in enumerate(found)]  # fmt: skip
    fastest = min(range(len(found)), key=lambda k: found[k].time)
    assert laps._files[fastest].key == laps.chosen[-1]
    laps.choose(laps._files[fastest].key, False)
    assert laps._files[fastest].key not in laps.chosen


def test_a_recording_that_cannot_be_simulated_again_gives_laps_from_its_poses(two_laps, monkeypatch):
    folder, session, *_ = two_laps
    session.recorder.sync()
    recording = Recording.open(folder / "two.drive")
    request = Request(str(folder / "two.drive"), start=1.0, end=3.0, name="a", track="straight", out="")
    whole = trace_of(recording, request)

    def gone(recording, trust=None):
        raise RecordingError("its world is not here")

    monkeypatch.setattr(lap_traces, "build_world", gone)
    incomplete = trace_of(recording, request)
    assert whole.exact and not incomplete.exact and np.abs(incomplete.positions - whole.positions).max() < 1e-3
    assert "tire.fl.lateral_force" in whole.channels and "tire.fl.lateral_force" not in incomplete.channels
    for name, tolerance in (("car.speed", 0.01), ("tire.rl.load", 5.0), ("input.throttle", 1e-9)):
        assert np.abs(incomplete.channels[name] - whole.channels[name]).max() <= tolerance, name
    with pytest.raises(RecordingError, match="nothing between"):
        trace_of(recording, dataclasses.replace(request, start=900.0, end=901.0))


def test_an_unexpected_error_ends_reading(tmp_path, monkeypatch):
    laps = Laps([ROUND], "plane", "car", SimpleNamespace(running=[]), tmp_path)
    monkeypatch.setattr(Recording, "open", lambda path: 1 // 0)
    monkeypatch.setattr(LapTrace, "load", lambda path: 1 // 0)
    laps.open(tmp_path / "a.drive")
    for _ in range(200):
        laps.step()
        if laps.problem:
            break
        sleep(0.02)
    assert "unexpected ZeroDivisionError" in laps.problem
    laps.problem = ""
    assert laps.trace(Source(BEST, "best", "round", tmp_path / "best.npz")) is None
    laps.wait()
    assert "unexpected ZeroDivisionError" in laps.problem
    laps.close()


def test_a_worker_reports_a_missing_recording(tmp_path):
    path, out = str(tmp_path / "none.drive"), str(tmp_path / "a.npz")
    worker = TraceWorker(Request(path, start=0.0, end=1.0, name="a", track=None, out=out))
    worker.wait()
    assert worker.done and worker.trace is None and "no such file" in worker.error


def test_a_damaged_lap_file_is_an_error(tmp_path):
    """The program catches it and goes on without a stored lap."""
    times = np.linspace(0.0, 2.0, 20)
    trace = LapTrace(name="a", track="straight", vehicle="Car", world="flat", seconds=2.0, exact=True,
                     times=times, positions=np.zeros((20, 2)), channels={"car.speed": times})  # fmt: skip
    path = tmp_path / "lap.npz"
    with path.open("wb") as file:
        trace.save(file)
    intact, array = path.read_bytes(), io.BytesIO()
    np.save(array, times)
    assert LapTrace.load(path).seconds == LapTrace.seconds_of(path) == 2.0
    middle = intact.index(b"times.npy") + 60  # inside packed numbers
    for damaged in (b"", b"nothing", intact[:40], intact[:-30], array.getvalue(),
                    intact[:middle] + bytes(20) + intact[middle + 20 :]):  # fmt: skip
        path.write_bytes(damaged)
        with pytest.raises(LapError):
            LapTrace.load(path)


def put_before_the_first_gate(session):
    """Move the car so that at its speed it passes the first gate before the next state is logged, 4 ticks from now."""
    body, position = session.vehicle.state["body"][0], session.vehicle.model_position()
    body["position"][1] += 3.0 - 2.5 * body["velocity"][1] * session.world.tick_seconds - position[1]
    session.changes.record_jump("placed")


@pytest.mark.parametrize(
    ("away", "jump"), [((0.0, 1.5), None), ((1.0, 2.0), None), ((2.2, 2.6), None), ((0.0, 1.5), 0.5)], ids=str
)
def test_what_was_driven_while_the_plots_were_closed_is_in_the_lap(track_file, tmp_path, away, jump):
    """Plots are closed from the start on, in the middle, past a gate, and in a lap that begins with a jump.

    away: (begin, end) of the time without samples, s of the lap.
    jump: time of the first lap, s, at which the car is put before the gate.
    """
    channels = ("car.speed", "tire.rl.load")
    with timed_session(track_file, tmp_path / "lap.drive") as session:
        live, late = (DriveLaps(session, Ghosts(session, None), tmp_path / name) for name in ("live", "late"))
        history = ChannelHistory()
        history.log = lambda: session.changes.log
        history.follow(session.vehicle, channels)
        times = session.stopwatch.tracks[0]
        while not times.splits or session.world.time - times.begin < away[1] + 0.2:
            session.step(1.0 / 60.0, ahead)
            if jump is not None and times.begin is not None and session.world.time - times.begin > jump:
                put_before_the_first_gate(session)
                history.jumped()
                jump = None
            history.sample(session.world.time)
            for laps in (live, late):
                closed = times.begin is None or away[0] <= session.world.time - times.begin < away[1]
                if laps is live or not closed:
                    laps.sample(session.world.time, session.vehicle.model_position(),
                                lambda: {name: history.read(name) for name in channels},
                                lambda begin, end: history.past(channels, begin, end))  # fmt: skip
        for laps in (live, late):
            laps.close()
        whole, filled = live.current, late.current
        assert filled.times[0] < 0.03 and np.diff(filled.times).max() < 0.03 and filled.count > 100
        assert np.ptp(filled.values("car.speed")) > 5.0
        assert filled.distances[-1] == pytest.approx(whole.distances[-1], abs=0.1)
        for name, tolerance in (("car.speed", 0.02), ("tire.rl.load", 60.0)):
            live_values = np.interp(filled.times, whole.times, whole.values(name))
            assert np.abs(live_values - filled.values(name))[1:].max() < tolerance, name
