"""The AI driver: lines with speeds, steering corrections, factors on its car, handing over and back, pace."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from driving_sandbox.game.session.driver_switch import DriverSwitch, line_for, own_line_path
from driving_sandbox.game.session.drivers import DECISION_RATE, AiDriver, PlayerDriver
from driving_sandbox.game.session.session import Session
from driving_sandbox.game.session.situation import Situation
from driving_sandbox.lab.drivers import LineFollower
from driving_sandbox.lab.drivers.ai_body import ai_values
from driving_sandbox.lab.drivers.line_file import DrivenLine, LapRecorder, line_text, read_line
from driving_sandbox.lab.drivers.motion import motion_of
from driving_sandbox.lab.drivers.proportions import end_slips, largest_steer, wheelbase
from driving_sandbox.lab.maneuvers import MANEUVERS
from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.vehicle.ai_settings import DEFAULTS, ai_settings
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle, load_vehicle_text, vehicle_text
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

DT = 1.0 / 240.0  # s
START = (0.0, -35.0)  # m


def oval(straight=90.0, radius=35.0, spacing=5.0):
    """Counter-clockwise stadium around the origin; it begins in the middle of a straight."""
    angle = np.linspace(-math.pi / 2, math.pi / 2, round(math.pi * radius / spacing))
    x = np.arange(0.0, straight / 2, spacing)
    right = np.column_stack([straight / 2 + radius * np.cos(angle), radius * np.sin(angle)])
    half = np.vstack([np.column_stack([x, np.full(len(x), -radius)]), right,
                      np.column_stack([x[:0:-1], np.full(len(x) - 1, radius)])])  # fmt: skip
    return np.vstack([half, -half])


def on_plane(name="roadster", ai=None):
    """A plane with one vehicle, which stands at the oval's start and faces along it; ai: its section `ai`."""
    vehicle = load_vehicle(name)
    if ai:
        vehicle.info["ai"] = ai
        vehicle = load_vehicle_text(vehicle_text(vehicle))
    world = World(load_world("plane"), [vehicle])
    world.place(0, START, -math.pi / 2)
    return world


def lap(world, driver, seconds=90.0):
    """LapRecorder of the second lap, driven from a flying start."""
    vehicle, recorder = world.vehicles[0], None
    for tick in range(round(seconds / DT)):
        motion = motion_of(vehicle, tick * DT)
        world.step(driver.command(motion.position, motion.heading, motion.speed, DT, end_slips(vehicle)))
        if driver.laps == 1 and recorder is None:
            recorder = LapRecorder(vehicle.name)
        if recorder is not None and recorder.add(motion.position, motion.speed, motion.time):
            return recorder
    raise AssertionError("no second lap")


def follower(vehicle, points, **options):
    """A LineFollower of a line with the dimensions of a vehicle."""
    return LineFollower(points, wheelbase(vehicle), largest_steer(vehicle), **options)


@pytest.fixture(scope="module")
def driven():
    """(DrivenLine, lap time) of the roadster around the oval at planned speeds."""
    world = on_plane()
    recorder = lap(world, follower(world.vehicles[0], oval(), top_speed=16.0))
    return recorder.line, recorder.seconds


@pytest.mark.covers("RC-AI-02")
def test_speeds_of_a_default_line_are_shares_of_max_velocity():
    points, speeds = oval(), np.linspace(20.0, 80.0, len(oval()))
    plain = LineFollower(points, speeds=speeds)
    assert plain.line.speed.max() == pytest.approx(80.0, abs=1.0)
    scaled = LineFollower(points, speeds=speeds, max_velocity=50.0)
    assert scaled.line.speed == pytest.approx(plain.line.speed * 50.0 / plain.line.speed.max())
    vehicle = on_plane(ai={"max_velocity": 50.0}).vehicles[0]
    other, own = (AiDriver(vehicle, None, DrivenLine(points, speeds, name)) for name in ("Somebody", vehicle.name))
    assert other._follower.line.speed.max() == pytest.approx(50.0)
    assert own._follower.line.speed.max() == pytest.approx(80.0, abs=1.0), "what it drove itself it drives again"


@pytest.mark.covers("RC-AI-03")
def test_a_lap_becomes_a_line_that_the_ai_repeats(driven, tmp_path):
    line, seconds = driven
    path = tmp_path / "lap.csv"
    path.write_text(line_text(line))
    again = read_line(path)
    assert again.vehicle == "Roadster" and np.allclose(again.points, line.points, atol=1e-3)
    world = on_plane()
    repeated = lap(world, follower(world.vehicles[0], again.points, speeds=again.speeds))
    assert repeated.seconds == pytest.approx(seconds, rel=0.05)
    slow = lap(on_plane(), follower(world.vehicles[0], again.points, speeds=0.7 * again.speeds))
    assert slow.seconds > 1.3 * seconds, "it keeps the line's speeds"


def test_the_ai_decides_sixty_times_a_second_and_at_once_after_a_jump():
    world = on_plane()
    vehicle = world.vehicles[0]
    line = DrivenLine(oval(), np.full(len(oval()), 9.0), "")
    situation, driver = Situation(vehicle, DT), AiDriver(vehicle, None, line)
    decisions, decide = [], driver._follower.command  # (tick, s since the last one)
    driver._follower.command = lambda *motion: decisions.append((situation.tick, motion[3])) or decide(*motion)
    for situation.tick in range(1, 13):
        world.step(driver(situation))
    assert decisions == [(tick, pytest.approx(1.0 / DECISION_RATE)) for tick in (1, 4, 8, 12)]
    situation.tick = 6
    driver.jumped(situation)
    driver(situation)
    tick, _ = decisions[-1]
    assert tick == 6
    slow = Situation(vehicle, 0.05)  # with ticks longer than 1/60 s it decides in each
    for slow.tick in (1, 2):
        driver(slow)
    _, seconds = decisions[-1]
    assert len(decisions) == 7 and seconds == pytest.approx(0.05)


def test_a_line_in_the_user_folder_is_used_unless_a_file_is_given(driven, tmp_path, monkeypatch):
    """The world has no line of its own."""
    monkeypatch.setenv("SANDBOX_HOME", str(tmp_path))
    world = on_plane()
    assert line_for(world.vehicles[0], world.file) is None
    path = own_line_path(world.vehicles[0], world.file)
    path.write_text(line_text(driven[0]))
    assert len(line_for(world.vehicles[0], world.file).points) == len(driven[0].points)
    line_path = tmp_path / "line_path.csv"
    line_path.write_text(line_text(DrivenLine(oval(), np.full(len(oval()), 9.0), "")))
    assert len(line_for(world.vehicles[0], world.file, line_path).points) == len(oval())


@pytest.mark.covers("RC-AI-04")
def test_understeer_correction_reduces_the_steer_command():
    motion = ([60.0, -30.0], -math.pi / 2 + 0.4, 15.0, DT)  # position, m; heading, rad; speed, m/s; time step, s

    def steer(slips, **settings):
        """Steer command; slips: mean slip angles of the front and the rear tires, rad."""
        return float(LineFollower(oval(), **settings).command(*motion, slips)["steer"][0])

    plain = steer((0.0, 0.0))
    assert plain < -0.05
    assert steer((-0.3, -0.05)) == steer((-0.3, -0.05), understeer_correct=DEFAULTS["understeer_correct"]) == plain
    assert steer((-0.3, -0.05), understeer_correct=0.4) == pytest.approx(0.5 * plain)
    assert steer((-0.05, -0.02), understeer_correct=0.4) == plain, "tires that do not slide"
    assert steer((-0.3, -0.3), understeer_correct=0.4) == plain, "both ends slide: that is no understeer"


@pytest.mark.covers("RC-AI-05")
def test_oversteer_correction_steers_into_the_slide():
    motion = ([20.0, -35.0], -math.pi / 2, 15.0, DT)  # position, m; heading, rad; speed, m/s; time step, s

    def steer(slips, **settings):
        """Steer command; slips: mean slip angles of the front and the rear tires, rad."""
        return float(LineFollower(oval(), max_steer=0.6, **settings).command(*motion, slips)["steer"][0])

    plain = steer((0.0, 0.0))
    assert steer((0.02, 0.4)) == steer((0.02, 0.4), oversteer_correct=DEFAULTS["oversteer_correct"]) == plain
    # 0.3 rad: the rear slip angle beyond that of the tires' peak
    assert steer((0.02, 0.4), oversteer_correct=2.0) - plain == pytest.approx(0.3 / 2.0 / 0.6), "tail out to the right"
    assert steer((0.02, -0.4), oversteer_correct=2.0) - plain == pytest.approx(-0.3 / 2.0 / 0.6)
    assert steer((0.02, 0.08), oversteer_correct=2.0) == plain


def circle(world, seconds, read):
    """Samples of read(motion, vehicle) in a left-hand circle of 30 m radius, driven at a slowly increasing speed."""
    vehicle, samples = world.vehicles[0], []
    world.place(0, (30.0, 0.0), 0.0)
    driver = MANEUVERS["constant_radius"](vehicle, world, DT)
    for tick in range(round(seconds / DT)):
        motion = motion_of(vehicle, tick * DT)
        world.step(driver(motion))
        if tick % 24 == 0:
            samples.append(read(motion, vehicle))
    return np.array(samples)


def corner_speed(world, seconds=75.0):
    """Largest speed of the car within 1 m of the circle, m/s."""
    samples = circle(world, seconds, lambda m, v: (m.speed, math.hypot(m.position[0], m.position[1])))
    return samples[np.abs(samples[:, 1] - 30.0) < 1.0][:, 0].max()


@pytest.mark.covers("RC-AI-06")
def test_grip_factor_raises_the_corner_speed_of_the_ai_only():
    plain = on_plane()
    settings = {**DEFAULTS, "grip_factor": 1.5}
    world = on_plane()
    world.vehicles[0].set_many(ai_values(world.vehicles[0], settings))
    assert corner_speed(world) / corner_speed(plain) == pytest.approx(math.sqrt(1.5), rel=0.08)
    assert ai_values(plain.vehicles[0], DEFAULTS) == {} and plain.vehicles[0].changed_values() == {}
    planar = load_vehicle("planar_roadster")
    assert ai_values(planar, settings)["tire.fl.side_friction"] == pytest.approx(1.5 * 1.02)


def roll_at_half_g(settings):
    """(roll angle, rad; lateral acceleration, g) in a turn of about 0.5 g, mean of the last second."""
    world = on_plane()
    vehicle = world.vehicles[0]
    vehicle.set_many(ai_values(vehicle, {**DEFAULTS, **settings}))
    seconds = (math.sqrt(0.5 * 9.81 * 30.0) - 4.0) / 0.25  # the manoeuvre begins at 4 m/s and gains 0.25 m/s^2

    def sample(motion, v):
        return math.asin(rotate(v.model_orientation(), (1.0, 0.0, 0.0))[2]), motion.speed * motion.yaw_rate / 9.81

    rows = circle(world, seconds, sample)[-10:]
    return rows.mean(axis=0)


@pytest.mark.covers("RC-AI-07", "RC-AI-08")
def test_cg_and_roll_centre_factors_keep_the_body_upright():
    """Each factor at 1 reduces roll to less than 25 % (tires still give way), cg_factor at 0.5 to about 50 %."""
    plain, acceleration = roll_at_half_g({})
    assert acceleration == pytest.approx(0.5, abs=0.05) and abs(plain) > math.radians(1.0)
    for name in ("cg_factor", "rc_factor"):
        roll, acceleration = roll_at_half_g({name: 1.0})
        assert acceleration == pytest.approx(0.5, abs=0.05) and abs(roll) < 0.25 * abs(plain)
    half, _ = roll_at_half_g({"cg_factor": 0.5})
    assert half / plain == pytest.approx(0.5, abs=0.15), "progressively"


@pytest.mark.covers("RC-AI-09")
def test_performance_scales_the_pace(driven):
    line, times = driven[0], []
    for performance in (1.0, 1.1):
        world = on_plane()
        driver = follower(world.vehicles[0], line.points, speeds=line.speeds)
        driver.performance = performance
        times.append(lap(world, driver).seconds)
        assert driver._target_speed(0.0) == pytest.approx(performance * driver.line.speed[driver._index])
    assert times[1] < 0.96 * times[0]


@pytest.mark.covers("RC-AI-01")
def test_the_car_is_handed_to_the_ai_and_back_while_driving(driven, tmp_path, monkeypatch):
    monkeypatch.setenv("SANDBOX_HOME", str(tmp_path))
    line_path = tmp_path / "lap.csv"
    line_path.write_text(line_text(driven[0]))
    world = on_plane(ai={"grip_factor": 1.2, "cg_factor": 0.5})
    vehicle = world.vehicles[0]
    params = vehicle.params.copy()
    with Session(world, setups=tmp_path) as session:
        switch = DriverSwitch(session, PlayerDriver(vehicle), line_path)
        for _ in range(20):
            session.step(0.05, switch.driver)
        assert abs(session.situation.forward_speed) < 0.1
        switch.toggle()
        assert switch.by_ai and vehicle.changed_values()
        deviations = []
        for _ in range(20 * 20):
            session.step(0.05, switch.driver)
            position = np.array(session.situation.position[:2])
            deviations.append(np.hypot(*(driven[0].points - position).T).min())
        assert session.situation.forward_speed > 8.0 and max(deviations) < 2.5, "it follows the line without input"
        switch.faster()
        assert switch.driver.performance == pytest.approx(1.1)
        switch.toggle()
        assert isinstance(switch.driver, PlayerDriver) and vehicle.changed_values() == {}
        assert vehicle.params.tobytes() == params.tobytes(), "the player's car is as it was"
        speed = session.situation.forward_speed
        for _ in range(60):
            session.step(0.05, switch.driver)
        assert session.situation.forward_speed < speed - 1.0, "nobody presses a pedal now"


def test_a_kept_lap_is_written_and_a_jump_discards_it(tmp_path, monkeypatch):
    monkeypatch.setenv("SANDBOX_HOME", str(tmp_path))
    world = on_plane("planar_roadster")
    line_path = tmp_path / "lap.csv"
    line_path.write_text(line_text(DrivenLine(oval(), np.full(len(oval()), 14.0), "")))
    with Session(world, setups=tmp_path) as session:
        switch = DriverSwitch(session, AiDriver(world.vehicles[0], world.file, read_line(line_path)), line_path)
        switch.keep_lap()
        for _ in range(round(40.0 / 0.05)):
            session.step(0.05, switch.driver)
            switch.poll()
        path = own_line_path(world.vehicles[0], world.file)
        assert switch.lap is None and read_line(path).vehicle == "Planar roadster"
        length = np.hypot(*np.diff(read_line(path).points, axis=0).T).sum()
        assert length == pytest.approx(2 * 90.0 + 2 * math.pi * 35.0, rel=0.03)
        switch.keep_lap()
        switch.poll()
        session.changes.recover()
        switch.jumped()
        assert switch.lap is None and "gap" in session.messages[-1].text
        switch.lap = SimpleNamespace(
            add=lambda *moment: True, line=read_line(line_path), seconds=20.0
        )  # a lap at its end

        def full(path, content):
            raise OSError(28, "No space left on device", str(path))

        monkeypatch.setattr("driving_sandbox.game.platform.user_folder._write", full)
        switch.poll()
        assert switch.lap is None and "could not be saved" in session.messages[-1].text


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", "", "at least 3 points"),
        ("a,b\n", ":1: ", "must start with the row x,y,speed"),
        ("x,y,speed\n1,2,3\n", ":2: ", "at least 3 points, has 1"),
        ("# note\nx,y,speed\n1,2\n", ":3: ", "2 values"),
        ("x,y,speed\n1,two,3\n", ":2: y: ", "'two' is not a usable number"),
        ("x,y,speed\n1,nan,3\n", ":2: y: ", "not a usable number"),
        ("x,y,speed\n1,2,0\n", ":2: speed: ", "0 must be > 0"),
    ],
)
def test_a_faulty_line_file_is_refused_with_the_row_and_column(tmp_path, text, line, words):
    path = tmp_path / "line.csv"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        read_line(path)
    assert str(caught.value).startswith(f"{path}{line}") and words in str(caught.value)


def test_the_check_command_distinguishes_lines_from_command_tables(tmp_path, capsys):
    from driving_sandbox.cli.program import main

    line, table = tmp_path / "lap.csv", tmp_path / "table.csv"
    line.write_text(line_text(DrivenLine(oval(), np.full(len(oval()), 9.0), "Roadster")))
    table.write_text("time,throttle\n0,1\n")
    assert main(["check", str(line), str(table)]) == 0
    output = capsys.readouterr().out
    assert f"line of Roadster, {len(oval())} points, at most 9 m/s" in output and "command table, 1 rows" in output
    line.write_text(line.read_text().replace(",9.000", ",-9.000"))
    assert main(["check", str(line)]) == 2


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ("{grip_factr: 1.2}", 'did you mean "grip_factor"'),
        ("{grip_factor: 0}", "ai.grip_factor: 0: must be greater than 0"),
        ("{cg_factor: 1.5}", "must be less than or equal to 1"),
        ("{max_velocity: fast}", "ai.max_velocity: 'fast': must be a valid number"),
        ("7", "ai: must be a mapping of keys"),
    ],
)
def test_a_wrong_ai_section_is_refused(section, words):
    text = vehicle_text(load_vehicle("planar_roadster")) + f"\nai: {section}\n"
    with pytest.raises(ConfigError, match=".*") as caught:
        load_vehicle_text(text, "car.yaml")
    assert words in str(caught.value) and "car.yaml:" in str(caught.value)


def test_the_ai_section_is_kept_in_the_vehicles_text():
    vehicle = on_plane(ai={"grip_factor": 1.5, "rc_factor": 0.25}).vehicles[0]
    again = load_vehicle_text(vehicle_text(vehicle))
    assert ai_settings(again) == {**DEFAULTS, "grip_factor": 1.5, "rc_factor": 0.25}


def test_a_world_without_a_file_has_no_line_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("SANDBOX_HOME", str(tmp_path))
    world = on_plane("planar_roadster")
    world.file = None
    with Session(world, setups=tmp_path) as session:
        switch = DriverSwitch(session, PlayerDriver(world.vehicles[0]))
        switch.toggle()
        assert not switch.by_ai and "no line to follow" in session.messages[-1].text
    assert own_line_path(world.vehicles[0], None).name == "unnamed-planar_roadster.csv"
