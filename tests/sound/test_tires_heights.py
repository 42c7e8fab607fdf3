"""Joints and edges of the ground, from the state of a rolling car to the sound of its tires."""

from dataclasses import replace

import numpy as np
import pytest
from driveline_blocks import Scene, rms

from driving_sandbox.physics.ground.ground import Ground, Heightfield, plane_ground
from driving_sandbox.physics.ground.surfaces import SurfaceTable, default_surfaces
from driving_sandbox.physics.tick.commands import NEUTRAL, neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.sound.base.block import BLOCK_SECONDS, FRONT_TIRES, REAR_TIRES, SAMPLE_RATE
from driving_sandbox.sound.base.frame import FRAME
from driving_sandbox.sound.base.heights import departure
from driving_sandbox.sound.gather import Gatherer
from driving_sandbox.sound.soundtrack import Soundtrack
from driving_sandbox.sound.state.path import knee_of
from driving_sandbox.sound.tires import tires

VOICE = (tires.TireSound, tires.STATE, tires.begin, tires.render_tires)
RATE = 240  # ticks per second
BLOCKS = 5  # of a tick
BENDS = ("bend_start", "bend_end", "knee", "knee_height")
RISE, KNEE = 0.1, 20.0  # slope of a ramp; m, where it begins


def slabs(**joints):
    """Level smooth concrete with these joints."""
    smooth = {"roughness_amplitude": 0.0, "joint_spacing": 5.0, "joint_width": 0.02, "joint_depth": 0.0, **joints}
    surfaces = default_surfaces().surfaces
    table = SurfaceTable(tuple(replace(s, **smooth) if s.name == "concrete" else s for s in surfaces))
    return plane_ground(surface="concrete", surfaces=table)


def ramp(rise):
    """Smooth ground that is level up to KNEE and rises from there on."""
    heights = np.zeros((81, 17), np.float32)
    heights[:] = rise * np.maximum(np.arange(-10.0, 71.0) - KNEE, 0.0)[:, None]
    ice = default_surfaces().index("ice")
    return Ground(Heightfield(heights, np.full((80, 16), ice, np.uint8), (-8.0, -10.0), 1.0))


class Ride:
    """A car that rolls along +y at x = 2.5 m with the throttle shut; distances, m, and times, s, are from its start.

    start: y of its origin.
    """

    def __init__(self, ground, speed, start=1.0):
        self.world = World(ground, [load_vehicle("roadster_simple")], tick_seconds=1.0 / RATE)
        self.world.place(0, (2.5, start), 0.0)
        self.car, self.command = self.world.vehicles[0], neutral_command()
        self.command["gear"] = NEUTRAL
        self.run(1.0, brake=1.0)
        self.car.state["body"]["velocity"][0, 1] = speed
        self.car.state["wheel"]["omega"][0, :4] = speed / self.car.params["wheel"]["radius"][0, :4]

    def run(self, seconds, brake=0.0, tick=lambda: None):
        """Roll; tick() is called after every tick."""
        self.command["brake"] = brake
        for _ in range(round(seconds * RATE)):
            assert self.world.step(self.command) is None
            tick()

    def tires(self, seconds, bent=True):
        """Buses of the tires without tread [BUS_COUNT, samples], and the frames of the ticks. The paths between ticks
        are as in a soundtrack or, without `bent`, straight.
        """
        gatherer, frames = Gatherer(self.car, self.world), np.zeros(round(seconds * RATE), FRAME)
        left = iter(frames)
        self.run(seconds, tick=lambda: gatherer.gather(next(left)))
        if not bent:
            for name in BENDS:
                frames[name] = 0.0
        scene = Scene(VOICE, tread=0.0, blocks=0.0)
        rows = iter(blocks_between(frames))
        out = scene.run(BLOCKS * (len(frames) - 1) * BLOCK_SECONDS, lambda _: next(rows))
        return out, frames

    def wheelbase(self):
        y = self.car.state["road"]["point"][0, :4, 1]
        return y[0] - y[2]


def blocks_between(frames):
    """Values of the FRAMEs at the ends of the blocks between those of ticks."""
    names = [
        name for name in FRAME.names if name.startswith(("wheel", "slip", "used", "contact_x", "contact_y", "road"))
    ]
    for earlier, later in zip(frames, frames[1:], strict=False):
        for k in range(1, BLOCKS + 1):
            values = {name: later[name] for name in FRAME.names}
            for name in names:
                values[name] = earlier[name] + k / BLOCKS * (later[name] - earlier[name])
            bends = zip(*(later[name] for name in BENDS), strict=True)
            values["road_height"] = values["road_height"] + [departure(*bend, k / BLOCKS) for bend in bends]
            yield values


def thumps(x, least=0.25):
    """Times, s, of the largest sample of every thump; they are at least 0.05 s apart."""
    loud = np.flatnonzero(abs(x) > least * abs(x).max())
    groups = np.split(loud, np.flatnonzero(np.diff(loud) > 0.05 * SAMPLE_RATE) + 1)
    return np.array([group[np.argmax(abs(x[group]))] for group in groups]) / SAMPLE_RATE


def joints_of(speed, **joints):
    """(sound of the joints alone on both buses of the tires, FRAMEs): without what slabs without joints sound like."""
    sound, frames = Ride(slabs(**joints), speed).tires(2.0)
    level, _ = Ride(slabs(), speed).tires(2.0)
    return (sound - level)[[FRONT_TIRES, REAR_TIRES]], frames


@pytest.mark.parametrize("speed", [10.0, 20.0])
@pytest.mark.parametrize("spacing", [2.5, 4.0])
def test_joints_thump_at_the_speed_by_their_spacing(speed, spacing):
    """Both axles, the rear one a wheelbase after the other; within 1 %."""
    heard, frames = joints_of(speed, joint_spacing=spacing, joint_depth=0.01)
    distance = np.concatenate([[0.0], np.cumsum(frames["wheel_speed"][:, 0]) / RATE])
    front, rear = (np.interp(thumps(x), np.arange(len(distance)) / RATE, distance) for x in heard)
    for places in (front, rear):
        assert len(places) >= 4
        assert np.diff(places).mean() == pytest.approx(spacing, rel=0.01)
    late = (rear[:3] - front[0] - Ride(slabs(), speed).wheelbase()) / spacing  # in slabs
    assert late == pytest.approx(np.round(late), abs=0.02)


def test_deeper_joints_are_louder():
    shallow, deep = (joints_of(15.0, joint_depth=depth)[0] for depth in (0.005, 0.01))
    assert rms(deep) == pytest.approx(2.0 * rms(shallow), rel=0.05)
    assert rms(shallow) > 0.0


def test_the_sound_has_the_joints_of_the_surface_by_the_factor_of_the_wheel():
    ride = Ride(slabs(joint_spacing=3.0, joint_width=0.03, joint_depth=0.008), 10.0)
    ride.car.set_many({"road.fl.roughness": 0.5})
    frame = ride.tires(2.0 / RATE)[1][-1]
    assert frame["joint_depth"][:4] == pytest.approx([0.004, 0.008, 0.008, 0.008])
    assert (frame["joint_spacing"][:4] == 3.0).all() and (frame["joint_width"][:4] == 0.03).all()


def blow_of(shift, bent):
    """s, time at which the blow of the front wheels on the ramp begins, less that at which the rigid wheels meet it."""
    speed, seconds = 20.0, 0.3
    start = 15.0 + shift * speed / RATE
    ride = Ride(ramp(RISE), speed, start)
    out, _ = ride.tires(seconds, bent)
    level, frames = Ride(ramp(0.0), speed, start).tires(seconds, bent)
    meets = KNEE - ride.car.params["wheel"]["radius"][0, 0] * np.tan(0.5 * np.arctan(RISE))
    time = np.interp(meets, frames["contact_y"][:, 0], np.arange(len(frames)) / RATE)
    begin, end = (round((time + seconds) * SAMPLE_RATE) for seconds in (-0.01, 0.01))
    blow = abs(out - level)[FRONT_TIRES, begin:end]
    return np.argmax(blow > 0.3 * blow.max()) / SAMPLE_RATE - 0.01


def test_the_blow_of_an_edge_is_when_the_wheel_meets_it_and_not_when_a_tick_ends():
    """At 20 m/s, for cars that start up to a tick's way apart; also, that the test would see it."""
    shifts = np.arange(8) / 8.0
    bent, straight = (np.array([blow_of(shift, bent) for shift in shifts]) for bent in (True, False))
    print("\nspread of the times of a blow, ms:", round(1e3 * np.ptp(bent), 2), round(1e3 * np.ptp(straight), 2))
    assert np.ptp(bent) < 0.5 * BLOCK_SECONDS < 2.0 * BLOCK_SECONDS < np.ptp(straight)


@pytest.mark.parametrize("knee", [0.1, 0.5, 0.83])
@pytest.mark.parametrize("square", [0.0, -0.02])
def test_a_path_has_its_knee_where_both_curves_meet(knee, square):
    """Level up to the knee, then a rise that begins with 0.06 m a tick: straight on a face, bent on an edge."""

    def height(u):
        return max(u - knee, 0.0) * (0.06 + square * (u - knee))

    mean, last = height(1.0), 0.06 + 2.0 * square * (1.0 - knee)
    start, end = -mean, mean - last
    bend = start, end, *knee_of(start, 0.0, end, square)
    for u in np.linspace(0.0, 1.0, 13):
        assert u * mean + departure(*bend, u) == pytest.approx(height(u), abs=2e-5)


@pytest.mark.parametrize(("start", "end"), [(0.2, 0.1), (-0.2, 0.3), (0.2, -0.1)])
def test_other_paths_keep_heights_and_rates_of_both_ticks(start, end):
    h = 1e-6
    bend = start, end, *knee_of(start, 0.0, end, 0.0)
    assert departure(*bend, 0.0) == departure(*bend, 1.0) == 0.0
    assert departure(*bend, h) / h == pytest.approx(start, rel=1e-4)
    assert departure(*bend, 1.0 - h) / h == pytest.approx(end, rel=1e-4)


def test_level_ground_jumps_and_flights_bend_no_path():
    frames = Ride(slabs(), 10.0).tires(0.2)[1]
    assert not abs(frames["bend_start"]).max() > 1e-12 and not abs(frames["bend_end"]).max() > 1e-12
    ride = Ride(ramp(RISE), 10.0, start=30.0)
    gatherer, frame = Gatherer(ride.car, ride.world), np.zeros(1, FRAME)
    for height in (0.0, 0.5, 0.0):  # in the air, and back
        ride.run(2.0 / RATE, tick=lambda: gatherer.gather(frame[0]))
        ride.car.state["body"]["position"][0, 1:] += 3.0, 3.0 * RISE + height
        ride.run(1.0 / RATE, tick=lambda: gatherer.gather(frame[0]))
        assert not frame["bend_start"].any() and not frame["bend_end"].any()


def test_a_soundtrack_is_the_same_for_the_same_joints_and_edges():
    def samples():
        ride = Ride(slabs(joint_depth=0.01), 15.0)
        track, parts = Soundtrack(ride.world), []

        def tick():
            track.add()
            parts.extend(block.copy() for block in track.blocks())

        ride.run(0.5, tick=tick)
        return np.concatenate(parts)

    first, second = samples(), samples()
    assert first.any()
    np.testing.assert_array_equal(first, second)
