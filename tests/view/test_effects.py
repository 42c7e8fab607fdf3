"""Tire marks and particles by slip, surface and speed."""

import numpy as np
import pytest
from panda3d.core import NodePath

from driving_sandbox.game.program.traces import Traced, TraceReader
from driving_sandbox.game.session.frame import Traces, Treads
from driving_sandbox.game.view.gl.quality import level
from driving_sandbox.game.view.particles.effects import Effects, ground_of
from driving_sandbox.game.view.particles.particles import GRAIN, SOFT, SPARK
from driving_sandbox.game.view.particles.pool import CHUNK, QuadPool
from driving_sandbox.physics.ground.surfaces import default_surfaces
from driving_sandbox.physics.tick.commands import COMMAND
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

SURFACES = default_surfaces()
# Columns of a mark's row
MARK_COLOUR, STRENGTH = slice(3, 6), 6
# Columns of a particle's row
VELOCITY, KIND, COLOUR, ALPHA, SLOPE, OWNER = slice(3, 6), 13, slice(15, 18), 18, slice(19, 21), 21
FRAME = 1.0 / 60.0  # s


class Stage:
    """The attributes of a scene that Effects uses."""

    quality = "low"
    level = level("low")
    switches = ()

    def __init__(self):
        self.root = NodePath("scene")


def wheel_on(surface, slide=(0.0, 0.0), roll=20.0, used=0.3, y=0.0):
    """A wheel at (0, y) that drives along +y.

    slide: sliding velocity (longitudinal, lateral), m/s.
    roll: circumferential speed, m/s.
    used: share of the available grip.
    """
    treads = Treads([[0.0, y, 0.0]], [[0.0, 0.0, 1.0]], [[1.0, 0.0, 0.0]], [0.1], [used], [1.0])
    return Traces([SURFACES.index(surface)], [slide], [roll], (0.0, roll, 0.0), read_treads=lambda: treads)


def drive(surface, seconds=1.0, **wheel):
    """(rows of marks, rows of particles) after driving on a surface; wheel: arguments of `wheel_on`."""
    effects = Effects(Stage(), SURFACES)
    for frame in range(round(seconds / FRAME)):
        time = frame * FRAME
        effects.step(time, [wheel_on(surface, y=time * abs(wheel.get("roll", 20.0)), **wheel)])
    rows = [pool.rows[:, 0] for pool in (effects.marks.pool, effects.particles.pool)]
    return tuple(r[np.any(r != 0.0, axis=1)] for r in rows)


def test_on_asphalt_only_a_sliding_tire_leaves_rubber_and_smoke():
    assert [len(rows) for rows in drive("asphalt")] == [0, 0]
    assert [len(rows) for rows in drive("asphalt", slide=(0.0, 2.5), used=0.7)] == [0, 0]  # below the peak
    marks, particles = drive("asphalt", slide=(-20.0, 0.0), used=1.0)
    assert 40 < len(marks) <= 60
    assert np.allclose(marks[:, MARK_COLOUR], ground_of(SURFACES[SURFACES.index("asphalt")]).factor, atol=1e-6)
    assert 30 < len(particles) < 60 and (particles[:, KIND] == SOFT).all()


def test_the_strength_of_a_mark_depends_on_the_surface():
    for name in ("asphalt", "asphalt_wet"):
        marks, _ = drive(name, slide=(-20.0, 0.0), used=1.0)
        assert marks[:, STRENGTH].max() == pytest.approx(SURFACES[SURFACES.index(name)].mark.amount, rel=1e-5)


@pytest.mark.parametrize("surface", list(SURFACES), ids=lambda surface: surface.name)
def test_marks_darken_coloured_ground_without_changing_its_hue(surface):
    factor = np.array(ground_of(surface).factor)
    assert (factor <= 1.0).all() and factor.max() - factor.min() < 0.15


def test_rolling_marks_soft_ground_and_throws_particles():
    marks, particles = drive("gravel")
    assert len(marks) > 40
    dust = particles[particles[:, KIND] == SOFT]
    assert len(dust) > 15 and (particles[:, KIND] == GRAIN).any()
    expected = np.power(SURFACES[SURFACES.index("gravel")].dust.color, 2.2)
    assert np.allclose(dust[:, COLOUR].mean(axis=0), expected, rtol=0.05)
    _, particles = drive("snow")
    assert not (particles[:, KIND] == GRAIN).any()


@pytest.mark.parametrize("sliding", [4.0, 8.0])
def test_grains_are_thrown_as_the_tread_moves_over_the_ground(sliding):
    """To the side to which the tread slides; backwards by a spinning wheel, forwards by a locked one."""

    def mean_velocity(slide):
        _, particles = drive("gravel", slide=slide)
        return particles[particles[:, KIND] == GRAIN][:, VELOCITY].mean(axis=0)

    right, left = mean_velocity((0.0, sliding)), mean_velocity((0.0, -sliding))
    assert right[0] - left[0] == pytest.approx(2.0 * 0.45 * sliding, rel=0.2)  # grains get 0.45 of the sliding speed
    spinning, locked = mean_velocity((sliding, 0.0)), mean_velocity((-sliding, 0.0))
    assert locked[1] - spinning[1] == pytest.approx(2.0 * 0.45 * sliding, rel=0.2)


def test_mud_gives_less_dust_than_gravel_and_no_fewer_clods():
    particles = {name: drive(name)[1] for name in ("gravel", "mud")}
    amount = {name: SURFACES[SURFACES.index(name)].dust.amount for name in particles}
    gravel, mud = ((particles[name][:, KIND] == SOFT).sum() / amount[name] for name in particles)
    assert mud < 0.6 * gravel  # per unit of the surface's dust amount: mud is damp
    assert (particles["mud"][:, KIND] == GRAIN).sum() >= (particles["gravel"][:, KIND] == GRAIN).sum() > 0


def test_wet_asphalt_sprays_with_speed():
    assert len(drive("asphalt_wet", roll=4.0)[1]) == 0
    slow, fast = (len(drive("asphalt_wet", roll=speed)[1]) for speed in (12.0, 24.0))
    assert fast > 2 * slow > 0


def test_scraping_bodywork_gives_sparks_on_hard_ground_and_dust_on_soft():
    for surface, kind in (("asphalt", SPARK), ("gravel", SOFT)):
        effects = Effects(Stage(), SURFACES)
        for frame in range(60):
            trace = wheel_on(surface, roll=0.0)
            trace.velocity = (0.0, 15.0, 0.0)
            trace.scrapes = [((0.0, 15.0 * frame * FRAME, 0.0), (0.0, 0.0, 1.0), 40.0)]  # point, normal, impulse in N s
            effects.step(frame * FRAME, [trace])
        kinds = effects.particles.pool.rows[:, 0, KIND][effects.particles.pool.rows[:, 0, ALPHA] > 0.0]
        assert len(kinds) > 20 and (kinds == kind).all()


@pytest.mark.parametrize("wind", [(3.0, -2.0, 0.0), (0.0, 6.0, 0.5)])
def test_particles_get_the_wind(monkeypatch, wind):
    effects, shown = Effects(Stage(), SURFACES), []
    monkeypatch.setattr(effects.particles, "set_time", lambda time, wind: shown.append((time, *wind)))
    effects.step(0.5, [wheel_on("gravel")], wind=wind)
    assert shown == [(0.5, *wind)]


def test_a_jump_in_time_clears_particles_and_interrupts_marks():
    effects = Effects(Stage(), SURFACES)
    for frame in range(30):
        effects.step(frame * FRAME, [wheel_on("asphalt", slide=(-20.0, 0.0), used=1.0, y=frame * 0.3)])
    mark_count = int(np.any(effects.marks.pool.rows[:, 0] != 0.0, axis=1).sum())
    effects.step(100.0, [wheel_on("asphalt", slide=(-20.0, 0.0), used=1.0, y=0.5)])
    assert not effects.particles.pool.rows.any() and effects.particles.pool.shown == 0
    effects.step(100.0 + FRAME, [wheel_on("asphalt", slide=(-20.0, 0.0), used=1.0, y=0.6)])
    assert int(np.any(effects.marks.pool.rows[:, 0] != 0.0, axis=1).sum()) == mark_count


def test_a_mark_ends_where_the_wheel_leaves_the_ground():
    effects = Effects(Stage(), SURFACES)
    for frame in range(40):
        trace = wheel_on("asphalt", slide=(-20.0, 0.0), used=1.0, y=0.4 * frame)
        if 10 <= frame < 20:
            trace.surface[0] = -1
        effects.step(frame * FRAME, [trace])
    rows = effects.marks.pool.rows[:, :, 1]  # [piece, corner] y, m
    drawn = rows[np.any(rows != 0.0, axis=1)]
    assert len(drawn) > 10
    # no piece joins the mark before the jump, up to y = 3.6 m, and the one after it, from 8 m
    assert not np.any((drawn.min(axis=1) < 4.5) & (drawn.max(axis=1) > 7.5))


def test_the_count_of_particles_is_independent_of_the_frame_rate():
    def count(rate):
        effects = Effects(Stage(), SURFACES)
        for frame in range(2 * rate):
            effects.step(frame / rate, [wheel_on("gravel", y=frame * 20.0 / rate)])
        rows = effects.particles.pool.rows[:, 0]
        return int((rows[:, ALPHA] > 0.0).sum())

    assert count(144) == pytest.approx(count(30), rel=0.06)


def test_a_fast_car_leaves_dust_evenly_along_its_path():
    """At 30 frames a second and 40 m/s the car moves 1.33 m a frame; its 42 particles a second are 0.95 m apart."""
    effects, rate, speed = Effects(Stage(), SURFACES), 30, 40.0
    for frame in range(rate):
        effects.step(frame / rate, [wheel_on("gravel", roll=speed, y=frame * speed / rate)])
    rows = effects.particles.pool.rows[:, 0]
    dust = rows[(rows[:, ALPHA] > 0.0) & (rows[:, KIND] == SOFT)]
    gaps = np.diff(np.sort(dust[:, 1]))
    assert len(gaps) > 30 and gaps.max() < 1.15 and gaps.min() > 0.75


def test_dust_rows_hold_the_slope_of_the_ground_and_the_index_of_the_vehicle():
    effects = Effects(Stage(), SURFACES)
    for frame in range(30):
        trace = wheel_on("gravel", y=frame * 0.3)
        trace.treads.normal = [[0.0, -0.6, 0.8]]  # uphill
        effects.step(frame * FRAME, [Traces(), trace])
    rows = effects.particles.pool.rows[:, 0]
    rows = rows[rows[:, ALPHA] > 0.0]
    assert len(rows) > 5
    assert np.allclose(rows[:, SLOPE], (0.0, 0.75)) and (rows[:, OWNER] == 1.0).all()


def test_the_pool_overwrites_the_oldest_and_uploads_only_new_rows():
    pool = QuadPool("quads", CHUNK + 1, "look", width=4)
    assert pool.count == 2 * CHUNK and pool.shown == 0
    for k in range(2 * CHUNK + 3):
        pool.add(5.0)[:] = k
    pool.flush(0.0)
    assert pool.rows[2, 0, 0] == 2 * CHUNK + 2 and pool.rows[3, 0, 0] == 3
    sent = pool.root.getChild(0).node().getGeom(0).getVertexData().getArray(0)
    assert np.array_equal(np.frombuffer(memoryview(sent).cast("B"), np.float32).reshape(CHUNK, 4, 4), pool.rows[:CHUNK])
    pool.flush(6.0)
    assert pool.shown == 0


def test_traces_of_a_car_that_rolls_and_then_locks_its_rear_wheels():
    vehicle = load_vehicle("roadster")
    world = World(load_world("plane"), [vehicle])
    world.spawn()
    reader, command = TraceReader(vehicle), np.zeros(1, COMMAND)
    command["gear"], command["throttle"] = 255, 1.0  # 255: AUTOMATIC
    for _ in range(900):
        world.step(command)
    rolling = reader.read()
    assert max(abs(s[0]) for s in rolling.slide[:2]) < 0.3 and rolling.exhaust > 0.5
    assert rolling.roll[0] == pytest.approx(np.linalg.norm(rolling.velocity), rel=0.02)
    assert max(rolling.treads.saturation) < 0.9  # a view of the state, which changes below
    command["throttle"], command["handbrake"] = 0.0, 1.0
    for _ in range(90):
        world.step(command)
    locked = reader.read()
    # wheel 2 is at the rear, where the handbrake acts
    assert locked.slide[2][0] < -3.0 and locked.treads.saturation[2] > 0.95
    assert abs(locked.slide[0][0]) < 1.0
    assert sum(locked.treads.relative_load) == pytest.approx(4.0, rel=0.1)
    assert np.abs(np.array(locked.treads.point)[:, 2]).max() < 0.01 and np.allclose(
        locked.treads.normal, [0, 0, 1], atol=0.02
    )
    assert Traced([vehicle], 1).read()[0].surface == locked.surface


def test_chunks_of_a_pool_are_drawn_in_the_order_of_the_ring():
    pool = QuadPool("quads", 3 * CHUNK, "vertex", "look", "age", width=11)
    assert not pool.root.getChildren()
    for k in range(3 * CHUNK):
        pool.add(1.0 if k < CHUNK else 9.0)
    pool.flush(0.0)
    assert [path.getName() for path in pool.root.getChildren()] == [f"quads {k * CHUNK}" for k in range(3)]
    pool.flush(2.0)  # the first has expired
    assert pool.root.getNumChildren() == 2 and pool.shown == 2
    pool.add(9.0)  # and drawn again, before the others
    assert [path.getName() for path in pool.root.getChildren()] == [f"quads {k * CHUNK}" for k in range(3)]
