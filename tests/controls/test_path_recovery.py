"""The AI put down away from its line: it drives back, turns and reverses where it must, and says when it cannot."""

import math

import numpy as np
import pytest
from walls import driven, walled

from driving_sandbox.game.session.driver_switch import DriverSwitch
from driving_sandbox.game.session.drivers import AiDriver, PlayerDriver
from driving_sandbox.game.session.session import Session
from driving_sandbox.lab.drivers.driving_line import DrivingLine
from driving_sandbox.lab.drivers.line_follower import NO_PATH, STUCK, LineFollower
from driving_sandbox.lab.drivers.path_search import search
from driving_sandbox.lab.drivers.recovery_path import RecoveryPath
from driving_sandbox.lab.drivers.reversing import BACK, DRIVE, GO, STOP, Reversing
from driving_sandbox.lab.drivers.road_map import STEEPEST, RoadMap
from driving_sandbox.physics.ground.ground import Ground, Heightfield, plane_ground
from driving_sandbox.physics.ground.road_file import Road, read_roads
from driving_sandbox.physics.tick.commands import COMMAND
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER, load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

SHIPPED = sorted(path.stem for path in VEHICLE_FOLDER.glob("*.yaml"))
# (position, m; heading, degrees) beside the circle of the plane's driving line, on it backwards, and inside it
BESIDE, BACKWARDS, INSIDE = ((30.0, 0.0), 0.0), ((0.0, 0.0), 180.0), ((-60.0, 0.0), 60.0)
WALL = ((5.0, 6.0, -1.0), (40.0, 8.0, 3.0))  # m, low and high corner of a block ahead of a car at (12, 0)


def ring(radius=60.0, count=72):
    """A circle around the origin, driven to the left, that begins at (radius, 0)."""
    turn = np.linspace(0.0, 2.0 * math.pi, count, endpoint=False)
    return DrivingLine(radius * np.column_stack([np.cos(turn), np.sin(turn)]))


def finished(queries):
    """Result of a generator that yields after each query of the ground, run to its end."""
    while True:
        try:
            next(queries)
        except StopIteration as end:
            return end.value


def path_of(roads, position, heading, line, **options):
    """The path back to a line that the search finds, None if there is none."""
    heights = finished(roads.survey(line.points))
    return finished(search(roads, position, heading, line, heights, **options))


def is_free(roads, start, end, avoid=()):
    """Whether a vehicle can drive straight from `start` to `end` without coming near the points to avoid."""
    return finished(roads.free(start, end, avoid, STEEPEST))


# ---- shipped vehicles


@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.parametrize("pose", [BESIDE, BACKWARDS, INSIDE], ids=["beside", "backwards", "inside"])
def test_every_shipped_vehicle_drives_back_to_its_line(name, pose):
    drive = driven(name, *pose, seconds=40.0)
    assert drive.back is not None and drive.trouble == ""


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_vehicle_gets_away_from_a_wall_before_its_nose(name):
    front, _, _ = AiDriver(load_vehicle(name), load_world("plane"))._follower.reach
    drive = driven(name, (12.0, 5.8 - front), 0.0, seconds=90.0, ground=walled(WALL))
    assert drive.back is not None and drive.trouble == "" and drive.reversed


# ---- spawn points of the worlds


@pytest.mark.parametrize(("spawn", "seconds"), [("hills", 20.0), ("slope_10", 60.0), ("skid_pad", 110.0)])
def test_the_ai_drives_back_from_spawn_points_of_the_proving_ground(proving_ground, spawn, seconds):
    start = proving_ground.spawn(spawn)
    drive = driven("roadster", start.position, math.degrees(start.heading), seconds, world_file=proving_ground)
    assert drive.back is not None and drive.trouble == ""


def test_out_of_the_tunnel_the_ai_follows_the_road(proving_ground):
    """For 30 s and over 250 m it stays on the road, and does not push against the hillside beside the portal."""
    start = proving_ground.spawn("tunnel")
    (road,) = [road for road in read_roads(proving_ground.roads_path) if road.name == "country"]
    drive = driven("roadster", start.position, math.degrees(start.heading), 30.0, world_file=proving_ground)
    deviations = [np.linalg.norm(road.points - position, axis=1).min() for position in drive.path]
    assert max(deviations) < road.half_width and not drive.reversed and drive.trouble == ""
    assert np.linalg.norm(np.diff(drive.path, axis=0), axis=1).sum() > 250.0
    assert not drive.advice & {"hull_contact", "low_friction", "no_longitudinal_force", "pedal_slew"}


@pytest.fixture(scope="module")
def proving_ground():
    return load_world("proving_ground")


class CountedGround:
    """A Ground that counts its queries."""

    def __init__(self, ground):
        self._ground, self.queries = ground, 0

    def __getattr__(self, name):
        if name in ("cast", "distance", "height"):
            self.queries += 1
        return getattr(self._ground, name)


def standing(world_file, spawn, seconds):
    """(AI commands for a car that does not move, as bytes; largest number of ground queries for one of them)."""
    ground, start = CountedGround(world_file.ground()), world_file.spawn(spawn)
    follower = LineFollower(world_file.driving_line, road_map=RoadMap(ground, read_roads(world_file.roads_path)))
    position = (*start.position[:2], ground.height(*start.position[:2]))
    commands, max_queries = [], 0
    for _ in range(round(seconds * 60.0)):
        before = ground.queries
        commands.append(follower.command(position, start.heading, 0.0, 1.0 / 60.0).tobytes())
        max_queries = max(max_queries, ground.queries - before)
    assert follower.on_recovery_path
    return commands, max_queries


def test_the_path_search_takes_a_little_of_each_command_and_begins_with_braking(proving_ground):
    """Every command takes fewer than 1200 queries of the ground; a repetition gives the same commands."""
    commands, max_queries = standing(proving_ground, "open_hills", 6.0)
    assert max_queries < 1200, "a query takes about 3 us"
    first = np.frombuffer(commands[0], COMMAND)[0]
    assert first["brake"] > 0.0 and first["throttle"] == 0.0
    repeated, _ = standing(proving_ground, "open_hills", 6.0)
    assert commands == repeated


@pytest.mark.parametrize("spawn", ["open_hills", "gravel"])
def test_a_path_goes_round_what_a_car_cannot_climb_on_grass(proving_ground, spawn):
    """Rear-driven cars on street tires climb a slope of 0.15 there, with a run-up a little more."""
    ground, start = proving_ground.ground(), proving_ground.spawn(spawn)
    position = (*start.position[:2], ground.height(*start.position[:2]))
    roads = RoadMap(ground, read_roads(proving_ground.roads_path))
    path = path_of(roads, position, start.heading, DrivingLine(proving_ground.driving_line))
    heights = np.array([ground.height(*point) for point in path.points])
    points_in_20_m = round(20.0 / path.step)
    assert ((heights[points_in_20_m:] - heights[:-points_in_20_m]) / 20.0).max() < 0.18


# ---- messages


def test_the_ai_shut_in_by_walls_reports_that_and_brakes():
    pen = [((-4.0, -7.0, -1.0), (4.0, -4.0, 3.0)), ((-4.0, 4.0, -1.0), (4.0, 7.0, 3.0)),
           ((-4.0, -7.0, -1.0), (-2.0, 7.0, 3.0)), ((2.0, -7.0, -1.0), (4.0, 7.0, 3.0))]  # fmt: skip
    pen = [(np.add(low, (30.0, 0.0, 0.0)), np.add(high, (30.0, 0.0, 0.0))) for low, high in pen]
    drive = driven("roadster", (30.0, 0.0), 0.0, 90.0, ground=walled(*pen))
    command = drive.follower._command[0]
    assert drive.back is None and drive.trouble in (NO_PATH, STUCK)
    assert command["brake"] == 1.0 and command["throttle"] == 0.0
    assert not drive.advice & {"hull_contact", "low_friction", "no_longitudinal_force", "pedal_slew"}


def test_the_message_comes_once_and_again_after_another_try(tmp_path):
    world = World(load_world("plane"), [load_vehicle("roadster")])
    world.place(0, (9000.0, 0.0), 0.0)
    with Session(world, setups=tmp_path) as session:
        switch = DriverSwitch(session, PlayerDriver(session.vehicle))
        switch.toggle()
        for _ in range(20):
            session.step(0.05, switch.driver)
            switch.poll()
        assert [m.text for m in session.messages if m.level == "warning"] == [NO_PATH]
        switch.toggle()
        switch.toggle()
        session.step(0.05, switch.driver)
        switch.poll()
        assert [m.text for m in session.messages if m.level == "warning"] == [NO_PATH, NO_PATH]
        world.place(0, (0.0, 0.0), 0.0)
        session.changes.record_jump("recover")
        switch.jumped()
        for _ in range(60):
            session.step(0.05, switch.driver)
            switch.poll()
        assert switch.driver.trouble == "" and session.situation.forward_speed > 3.0


# ---- paths


def test_a_path_begins_at_the_car_and_meets_the_line_at_a_shallow_angle():
    line = ring()
    for position, heading in (((90.0, 0.0), 0.0), ((0.0, 0.0), -1.0), ((-100.0, 20.0), 2.0)):
        path = path_of(RoadMap(), position, heading, line)
        assert np.allclose(path.points[0], position) and line.distance_from(path.points[-1], path.end) < 1.0
        last = path.points[-1] - path.points[-3]
        heading_at_end = math.atan2(-last[0], last[1])
        assert abs(math.remainder(heading_at_end - line.heading(path.end), 2.0 * math.pi)) < 0.3
        assert path.remaining(0) == pytest.approx(path.length) and path.remaining(len(path.points) - 1) == 0.0


def test_a_leg_through_a_wall_up_a_cliff_or_past_the_ground_is_not_free():
    walls = RoadMap(walled(((5.0, -20.0, 0.0), (6.0, 20.0, 2.0))))
    assert not is_free(walls, (0.0, 0.0, 0.0), (12.0, 0.0)) and is_free(walls, (0.0, 0.0, 0.0), (0.0, 30.0))
    assert not is_free(walls, (0.0, 21.0, 0.0), (12.0, 21.0)), "one side of the vehicle would hit the wall"
    assert is_free(walls, (0.0, 23.0, 0.0), (12.0, 23.0))
    heights = np.zeros((61, 61), np.float32)
    heights[:, 40:] = 6.0
    hill = RoadMap(Ground(Heightfield(heights, np.zeros((60, 60), np.uint8))))
    assert is_free(hill, (5.0, 5.0, 0.0), (35.0, 50.0)) and not is_free(hill, (5.0, 5.0, 0.0), (50.0, 5.0))
    assert not is_free(hill, (5.0, 5.0, 0.0), (5.0, 80.0))
    assert not is_free(hill, (5.0, 5.0, 0.0), (30.0, 5.0, 20.0)), "the line is on another level"


def test_a_path_avoids_places_where_the_car_got_stuck():
    open_ground = RoadMap()
    assert is_free(open_ground, (0.0, 0.0, 0.0), (40.0, 0.0), avoid=[(20.0, 6.0)])
    assert not is_free(open_ground, (0.0, 0.0, 0.0), (40.0, 0.0), avoid=[(20.0, 1.0)])
    line = ring()
    plain = path_of(open_ground, (90.0, 0.0), 0.8, line)
    middle = plain.points[len(plain.points) // 3]
    other = path_of(open_ground, (90.0, 0.0), 0.8, line, avoid=[tuple(middle)])
    assert np.hypot(*(other.points - middle).T).min() > 2.0
    everywhere = [(90.0 + x, y) for x in range(-60, 60, 3) for y in range(-60, 60, 3)]
    path = path_of(open_ground, (90.0, 0.0), 0.8, line, avoid=everywhere)
    assert path is not None, "if every path is near such a place, one of them is better than none"


def test_the_ai_takes_the_road_where_walls_shut_the_straight_path():
    walls = walled(((70.0, -200.0, 0.0), (72.0, 100.0, 2.0)))
    road = Road(
        "round",
        np.array([[100.0, 0.0, 0.0], [100.0, 130.0, 0.0], [0.0, 130.0, 0.0]]),
        half_width=4.0,
        closed=False,
        kind="painted",
    )
    # a painted line is no road: through the wall it must not be taken for a way
    mark = Road("mark", np.array([[100.0, 0.0, 0.0], [0.0, 0.0, 0.0]]), half_width=0.1, closed=False, kind="mark")
    path = path_of(RoadMap(walls, [road, mark]), (100.0, -5.0, 0.0), 0.0, ring())
    crossing = path.points[np.abs(path.points[:, 0] - 71.0) < 2.0]  # where it passes the wall's line
    assert len(crossing) and (crossing[:, 1] > 100.0).all()


def test_without_a_straight_path_or_a_road_the_open_country_is_searched():
    pocket = walled(((70.0, -60.0, 0.0), (72.0, 60.0, 2.0)), ((70.0, -60.0, 0.0), (130.0, -58.0, 2.0)),
                    ((70.0, 58.0, 0.0), (130.0, 60.0, 2.0)))  # fmt: skip
    line = ring(20.0)
    path = path_of(RoadMap(pocket), (90.0, 0.0, 0.0), 0.0, line)
    assert path is not None and path.points[:, 0].max() > 120.0, "round the end of the pocket"
    assert path_of(RoadMap(plane_ground()), (90.0, 0.0, 0.0), 0.0, line).points[:, 0].max() < 100.0


def test_a_path_slows_for_its_corners_and_for_its_end():
    corner = RecoveryPath([[0.0, 0.0], [0.0, 60.0], [60.0, 60.0]], limits=[14.0, 14.0], end=0, end_speed=6.0)
    assert corner.speed.max() == 14.0 and corner.speed[-1] == pytest.approx(6.0)
    at_corner = corner.nearest((0.0, 60.0), 50)
    assert corner.speed[at_corner] < 8.0 and np.hypot(*(corner.points[at_corner] - [0.0, 60.0])) < 6.0
    drop = corner.speed[:-1] ** 2 - corner.speed[1:] ** 2  # of v^2 per step of the path
    assert drop.max() <= 2.0 * 2.5 * corner.step + 1e-9  # it brakes by at most 2.5 m/s^2
    assert corner.ahead(len(corner.points) - 1, 3.0) == pytest.approx((63.0, 60.0), abs=0.1)


@pytest.mark.parametrize(("spin", "low", "high"), [(0.0, 1.0, 1.0), (2.5, 0.3, 0.7), (20.0, 0.01, 0.2)])
def test_on_a_path_back_the_throttle_closes_for_spinning_wheels(spin, low, high):
    follower = LineFollower(ring().points)
    for _ in range(3):
        command = follower.command((90.0, 0.0), 0.8, 0.0, 1.0 / 60.0, spin=spin)[0]
    assert follower.on_recovery_path and low <= command["throttle"] <= high


# ---- reversing


def phases_without_motion(reversing, seconds, bearing=0.3, dt=0.1, ahead=False, behind=False, target_speed=5.0):
    """For every step while the vehicle does not move: True if it was just found stuck, else the phase.

    bearing: of the target, rad, positive to the left.
    ahead, behind: whether there is an obstacle.
    target_speed: m/s.
    """
    return [reversing.step((0.0, 0.0), 0.0, bearing, target_speed, lambda: ahead, lambda: behind, dt) or reversing.phase
            for _ in range(round(seconds / dt))]  # fmt: skip


def test_a_vehicle_without_progress_reverses_and_swings_its_nose_to_the_target():
    reversing = Reversing()
    assert set(phases_without_motion(reversing, 1.8)) == {DRIVE}
    phases_without_motion(reversing, 0.4)
    assert reversing.phase == STOP and reversing.stuck == 1
    phases_without_motion(reversing, 0.8)
    assert reversing.phase == BACK and reversing.steer > 0.0, "target on the left: back to the right"
    assert phases_without_motion(Reversing(), 10.0, target_speed=0.0) == [DRIVE] * 100, "a waiting vehicle is not stuck"


def test_a_vehicle_stops_before_an_obstacle_and_backs_no_further_than_there_is_room():
    reversing = Reversing()
    phases_without_motion(reversing, 0.1, bearing=1.5, ahead=True)
    assert reversing.phase == STOP and (reversing.stuck, reversing.turns) == (0, 1)
    phases_without_motion(reversing, 0.8, bearing=1.5)
    assert reversing.phase == BACK
    phases_without_motion(reversing, 0.1, bearing=1.5, behind=True)
    assert reversing.phase == GO


def test_a_vehicle_gives_up_after_a_few_tries_at_one_spot_and_elsewhere_begins_anew():
    reversing = Reversing()
    for _ in range(40):
        phases_without_motion(reversing, 1.0)
    assert reversing.given_up
    reversing = Reversing()
    phases_without_motion(reversing, 8.0)
    assert reversing.stuck == 2
    reversing.step((100.0, 0.0), 5.0, 0.0, 5.0, lambda: False, lambda: False, 0.1)
    assert reversing.stuck == 0
