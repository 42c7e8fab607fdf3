"""The line follower on a kinematic bicycle, driving lines, command tables, and what importing drivers loads."""

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from driving_sandbox.lab.drivers import CommandFile, LineFollower
from driving_sandbox.lab.drivers.driving_line import DrivingLine
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST, NEUTRAL, REVERSE

DT = 1 / 60  # s
WHEELBASE, MAX_STEER = 2.6, 0.6  # m, rad


def oval(straight=120.0, radius=35.0, spacing=8.0):
    """Counter-clockwise stadium around the origin, bends sampled coarsely like points drawn by hand."""
    angle = np.linspace(-math.pi / 2, math.pi / 2, round(math.pi * radius / spacing))
    x = np.arange(-straight / 2 + spacing, straight / 2, spacing)
    right = np.column_stack([straight / 2 + radius * np.cos(angle), radius * np.sin(angle)])
    left = -right
    bottom = np.column_stack([x, np.full(len(x), -radius)])
    return np.vstack([bottom, right, -bottom, left])


class Bicycle:
    """Kinematic bicycle; steering lags by 0.1 s, its acceleration by 0.15 s.

    position: m. heading: rad, 0 along +y, positive to the left. wall: whether a wall stops forward motion.
    """

    def __init__(self, position, heading, speed=0.0):
        self.position, self.heading, self.speed = np.array(position, float), heading, speed
        self.steer = self.acceleration = 0.0
        self.wall = False

    def step(self, command):
        """Advance by DT; returns the lateral acceleration, m/s^2, positive to the left."""
        self.steer += (command["steer"] - self.steer) * DT / 0.1
        drive = 4.0 * command["throttle"] * (-1.0 if command["gear"] == REVERSE else 1.0)  # m/s^2
        self.acceleration += (drive - self.acceleration) * DT / 0.15
        # rolling resistance and brake, m/s^2; they stop the car but do not reverse it
        resistance = math.copysign(min(0.4 + 8.0 * command["brake"], abs(self.speed) / DT), self.speed)
        self.speed += (self.acceleration - resistance) * DT
        if self.wall:
            self.speed = min(self.speed, 0.0)
        # positive to the left, while the steer command is positive to the right
        yaw_rate = self.speed * math.tan(-self.steer * MAX_STEER) / WHEELBASE
        self.heading += yaw_rate * DT
        self.position += self.speed * DT * np.array([-math.sin(self.heading), math.cos(self.heading)])
        return self.speed * yaw_rate


def follower(points, **options):
    """A LineFollower of a line with the dimensions of Bicycle."""
    return LineFollower(points, WHEELBASE, MAX_STEER, understeer=0.0, **options)


def distance_to(points, position):
    """Distance to the closed polyline."""
    a, b = points, np.roll(points, -1, axis=0)
    fraction = np.clip(np.sum((position - a) * (b - a), axis=1) / np.sum((b - a) ** 2, axis=1), 0.0, 1.0)
    return np.min(np.hypot(*(a + fraction[:, None] * (b - a) - position).T))


@pytest.mark.parametrize("mirrored", [False, True])
def test_drives_round_the_oval_near_the_line_and_near_its_limits(mirrored):
    """Distance to the line is below 1.5 m; acceleration and speed exceed their limits by less than 20 and 3 %."""
    points = oval() * [-1.0 if mirrored else 1.0, 1.0]
    driver, car = follower(points, top_speed=22.0), Bicycle([0.0, -35.0], math.pi / 2 if mirrored else -math.pi / 2)
    deviations, lateral, top = [], [], 0.0
    for _ in range(round(120 / DT)):
        command = driver.command(car.position, car.heading, car.speed, DT)[0]
        assert 0 <= command["throttle"] <= 1 and 0 <= command["brake"] <= 1 and abs(command["steer"]) <= 1
        assert command["gear"] == AUTOMATIC and command["digital"] == 0
        lateral.append(abs(car.step(command)))
        deviations.append(distance_to(points, car.position))
        top = max(top, car.speed)
    assert driver.laps >= 3
    assert max(deviations) < 1.5
    assert 3.0 < max(lateral) < 5.4  # the limit is 4.5 m/s²
    assert 19.0 < top < 22.5


def test_the_follower_joins_the_line_from_one_side_and_facing_away():
    driver, car = follower(oval()), Bicycle([0.0, -20.0], math.pi / 2)
    for _ in range(round(25 / DT)):
        car.step(driver.command(car.position, car.heading, car.speed, DT)[0])
    assert distance_to(oval(), car.position) < 1.0 and car.speed > 8.0


def test_the_understeer_term_adds_to_the_steer_command():
    neutral, understeering = follower(oval()), LineFollower(oval(), WHEELBASE, MAX_STEER, understeer=0.01)
    motion = ([75.0, -31.0], -math.pi / 2 + 0.3, 12.0, DT)
    a, b = (math.tan(d.command(*motion)[0]["steer"] * MAX_STEER) for d in (neutral, understeering))
    assert a < 0.0 and b / a == pytest.approx((WHEELBASE + 0.01 * 12.0**2) / WHEELBASE)


def test_stuck_driver_reverses_turns_and_goes_on():
    driver, car = follower(oval()), Bicycle([0.0, -35.0], -math.pi / 2)
    car.wall = True
    gears, reversed_distance = set(), 0.0
    for _ in range(round(8 / DT)):
        command = driver.command(car.position, car.heading, car.speed, DT)[0]
        gears.add(int(command["gear"]))
        car.step(command)
        reversed_distance = max(reversed_distance, -car.position[0])
    assert gears == {REVERSE, AUTOMATIC} and reversed_distance > 1.0
    car.wall = False
    for _ in range(round(10 / DT)):
        car.step(driver.command(car.position, car.heading, car.speed, DT)[0])
    assert car.speed > 8.0 and distance_to(oval(), car.position) < 1.5


def test_a_direct_drive_gets_its_forward_gear():
    driver = follower(oval(), forward_gear=FIRST)
    assert driver.command([0.0, -35.0], heading=0.0, speed=5.0, dt=DT)[0]["gear"] == FIRST


def test_the_same_motion_gives_the_same_bytes_also_after_a_reset():
    def drive(driver):
        car, commands = Bicycle([0.0, -35.0], -math.pi / 2), []
        for _ in range(600):
            command = driver.command(car.position, car.heading, car.speed, DT)
            commands.append(command.tobytes())
            car.step(command[0])
        return b"".join(commands)

    driver = follower(oval())
    first = drive(driver)
    driver.reset()
    assert drive(driver) == first == drive(follower(oval()))


def test_on_a_figure_of_eight_the_follower_keeps_its_branch_at_the_crossing():
    t = np.linspace(0, 2 * math.pi, 120, endpoint=False)
    eight = np.column_stack([80 * np.sin(t), 60 * np.sin(t) * np.cos(t)])
    driver, car = follower(eight, top_speed=15.0), Bicycle(eight[10], -math.pi / 4)
    passed = set()  # eighths of the line
    for _ in range(round(60 / DT)):
        car.step(driver.command(car.position, car.heading, car.speed, DT)[0])
        passed.add(driver._index * 8 // len(driver.line.points))
    assert passed == set(range(8)) and driver.laps >= 1


def test_after_a_teleport_the_follower_finds_the_nearest_point_of_the_line():
    driver = follower(oval())
    driver.command([0.0, -35.0], heading=-math.pi / 2, speed=10.0, dt=DT)
    driver.command([0.0, 35.0], heading=math.pi / 2, speed=10.0, dt=DT)
    assert driver.line.distance_from([0.0, 35.0], driver._index) < 1.0


def test_line_of_a_circle_has_its_curvature_and_speed():
    t = np.linspace(0, 2 * math.pi, 90, endpoint=False)
    line = DrivingLine(40.0 * np.column_stack([np.cos(t), np.sin(t)]), lateral_limit=4.0)
    assert line.curvature == pytest.approx(1 / 40.0, rel=0.04)  # smoothing makes the line cut the bend a little
    assert line.speed == pytest.approx(math.sqrt(4.0 * 40.0), rel=0.02)
    other = DrivingLine(40.0 * np.column_stack([np.cos(-t), np.sin(-t)]))
    assert (other.curvature < 0).all()


def test_the_speeds_of_a_line_fall_no_faster_than_the_braking_limit():
    line = DrivingLine(oval(), lateral_limit=4.5, braking=3.0, top_speed=40.0)
    gain = line.speed**2 - np.roll(line.speed, -1) ** 2
    assert gain.max() <= 2 * 3.0 * line.step + 1e-9
    assert line.speed.max() > line.speed.min() + 3.0


@pytest.mark.parametrize("points", [[[0, 0], [1, 1]], [[0, 0], [1, float("nan")], [2, 2]], [[1, 1]] * 5, [1, 2, 3]])
def test_lines_that_cannot_be_followed_are_refused(points):
    with pytest.raises(ValueError, match="driving line needs"):
        LineFollower(points)


GOOD = """# launch, then brake
time,throttle,brake,steer,gear
0, 0.5, 0, 0, auto

1.5, 0, 1, -0.25, 1
"""


def write(tmp_path, text):
    path = tmp_path / "drive.csv"
    path.write_text(text)
    return path


def test_command_table_holds_each_row_until_the_next(tmp_path):
    table = CommandFile(write(tmp_path, GOOD))
    assert table.duration == 1.5
    first, last = table.command(1.4999)[0], table.command(99.0)[0]
    assert first["throttle"] == 0.5 and first["gear"] == AUTOMATIC and first["digital"] == 0
    assert last["brake"] == 1.0 and last["steer"] == -0.25 and last["gear"] == NEUTRAL
    assert table.command(1.5).tobytes() == last.tobytes()


def test_before_the_first_row_the_command_is_neutral_and_then_has_the_default_gear(tmp_path):
    table = CommandFile(write(tmp_path, "time,throttle\n1,1\n"), default_gear=FIRST)
    assert table.command(0.5)[0]["throttle"] == 0.0 and table.command(0.5)[0]["gear"] == NEUTRAL
    assert table.command(1.0)[0]["gear"] == FIRST


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", "", "is empty"),
        ("time,throttle\n", ":1: ", "no row"),
        ("throttle\n1\n", ":1: time: ", "missing"),
        ("time,trottle\n0,1\n", ":1: trottle: ", 'did you mean "throttle"'),
        ("time,brake,brake\n0,1,1\n", ":1: brake: ", "twice"),
        ("time,brake\n0,1.5\n", ":2: brake: ", "1.5 must lie within 0..1"),
        ("time,steer\n0,-2\n", ":2: steer: ", "-1..1"),
        ("time,brake\n0,nan\n", ":2: brake: ", "not a usable number"),
        ("time,brake\n0,hard\n", ":2: brake: ", '"hard"'),
        ("time,brake\n0,0\n\n# pause\n0,1\n", ":5: time: ", "must be > 0"),
        ("time,brake\n-1,0\n", ":2: time: ", "must be >= 0"),
        ("time,brake\n0,0,0\n", ":2: ", "3 values for 2 columns"),
        ("time,gear\n0,2.5\n", ":2: gear: ", "must be a gear"),
        ("time,gear\n0,7\n", ":2: gear: ", "this vehicle has 0..6"),
        ('time,gear\n0,"2\n', ":2: ", "not valid CSV"),
    ],
)
def test_a_faulty_table_is_refused_with_the_row_and_column(tmp_path, text, line, words):
    path = write(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        CommandFile(path, gear_count=7)
    assert str(caught.value).startswith(f"{path}{line}") and words in str(caught.value)


def test_missing_table_is_named(tmp_path):
    with pytest.raises(ConfigError, match="no such file"):
        CommandFile(tmp_path / "none.csv")


def modules_after(module):
    """Names of the modules loaded by importing one in a new process."""
    code = f"import sys, {module}; print(*sys.modules)"
    root = Path(__file__).resolve().parents[2]
    run = subprocess.run([sys.executable, "-c", code], check=True, cwd=root, capture_output=True, text=True)
    return set(run.stdout.split())


def test_headless_drivers_import_neither_window_nor_game():
    loaded = modules_after("driving_sandbox.lab.drivers")
    assert "driving_sandbox.lab.drivers" in loaded
    assert not {"panda3d", "direct", "pygame", "driving_sandbox.game"} & loaded


def test_human_driver_imports_no_window():
    loaded = modules_after("driving_sandbox.game.controls.driver")
    assert "driving_sandbox.game" in loaded
    assert not {"panda3d", "direct", "pygame"} & loaded


@pytest.mark.parametrize("count", [16, 240])
def test_nearest_point_of_the_line_is_that_of_a_search_of_all_points(count):
    turn = np.linspace(0.0, 2.0 * math.pi, count, endpoint=False)
    line = DrivingLine(np.column_stack([np.cos(turn), np.sin(turn)]) * count / (2.0 * math.pi))
    total = len(line.points)
    for around in (0, 3, total // 2, total - 1):
        indices = [(around + k) % total for k in range(-10, 40)]
        for position in ((0.0, 0.0), tuple(line.points[around] + 0.3), (5.0, -40.0), tuple(line.points[-1] * 1.1)):
            squares = [float(np.sum((line.points[n] - position) ** 2)) for n in indices]
            nearest_index = line.nearest((*position, 7.0), around)
            assert nearest_index in indices
            assert np.sum((line.points[nearest_index] - position) ** 2) == pytest.approx(min(squares), rel=1e-12)
            nearest_of_all = line.nearest(position)
            assert math.dist(line.points[nearest_of_all], position) == pytest.approx(
                np.hypot(*(line.points - position).T).min(), rel=1e-12
            )
