"""Reflections: reverberation time, walls, tunnels of the worlds, and open land without any."""

import math

import numpy as np
import pytest
from device_rig import new_stream, samples_of
from heard import Scene, chord, click, level

from driving_sandbox.physics.ground.ground import plane_ground
from driving_sandbox.physics.tick.commands import neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world
from driving_sandbox.sound.base.block import BLOCK, SAMPLE_RATE, SPEED_OF_SOUND
from driving_sandbox.sound.soundtrack import Soundtrack
from driving_sandbox.sound.space.listener import LISTENER
from driving_sandbox.sound.space.reverb import LINES, REFLECTED, REVERB, SHADED, SOURCE, add_reverb
from driving_sandbox.sound.space.room import DIRECTIONS, RAYS, Room

TICK = 1.0 / 240.0  # s
BRIDGE, BESIDE = (-85.0, 72.0), 12.0  # m, a position under the bridge of the proving ground; how far beside it
OFF = 24000  # sample at which a burst ends
NOISE = np.random.default_rng(7).uniform(-0.3, 0.3, 2 * OFF)
TUNNELS = {  # {world: ((x, y) in m, heading in degrees, (left, right, above) in m)} in the middle of its tunnel
    "mountain_road": ((-330.0, 141.4), 180.0, (4.6, 4.8, 2.8)),
    "proving_ground": ((-212.0, 657.0), -114.8, (7.0, 2.4, 2.8)),
}


def burst(n, vehicle):
    """White noise that ends with the sample OFF."""
    return np.where(n < OFF, NOISE[n % len(NOISE)], 0.0)


def ahead():
    """A scene with a vehicle SOURCE ahead."""
    scene = Scene()
    scene.frames["position"] = [0.0, SOURCE, 0.0]
    return scene


def reverberation_time(samples, low, high):
    """Time of a decay by 60 dB between two frequencies, s: slope of the power of 50 ms, from -3 to -35 dB."""
    n = 2400
    frequency = np.fft.rfftfreq(n, 1.0 / SAMPLE_RATE)
    band = (frequency > low) & (frequency < high)
    power = [
        10.0 * np.log10((np.abs(np.fft.rfft(samples[k : k + n] * np.hanning(n))[band]) ** 2).sum())
        for k in range(0, len(samples) - n, n // 2)
    ]
    power, time = np.array(power), np.arange(len(power)) * n / 2 / SAMPLE_RATE
    chosen = (power < power[0] - 3.0) & (power > power[0] - 35.0)
    return -60.0 / np.polyfit(time[chosen], power[chosen], 1)[0]


# ---- reverberation


@pytest.mark.parametrize("decay", [0.6, 1.5, 2.5])
def test_the_sound_decays_within_the_reverberation_time(decay):
    scene = ahead()
    scene.listener["enclosure"], scene.listener["decay"] = 1.0, decay
    heard = scene.hear(burst, blocks=round((0.6 + 0.75 * decay) * SAMPLE_RATE / BLOCK))[OFF + 1200 :, 0]
    assert reverberation_time(heard, 50.0, 800.0) == pytest.approx(decay, rel=0.2)
    assert reverberation_time(heard, 3000.0, 8000.0) < 0.7 * decay  # walls and air absorb high frequencies


def test_a_tunnel_is_louder_than_open_land_but_does_not_drown_the_vehicle():
    wet, dry = ahead(), ahead()
    wet.listener["enclosure"], wet.listener["decay"] = 1.0, 1.5
    louder = level(wet.hear(burst, blocks=600)[12000:]) - level(dry.hear(burst, blocks=600)[12000:])
    assert (louder > 1.0).all() and (louder < 4.0).all()


def test_the_reverberation_of_the_ears_differs():
    scene = ahead()
    scene.listener["enclosure"], scene.listener["decay"] = 1.0, 1.5
    tail = scene.hear(burst, blocks=1200)[OFF + 1200 :]
    assert abs(np.corrcoef(tail.T)[0, 1]) < 0.2


def add(reverb, listener, signal):
    """Samples [n, 2] after `add_reverb`, of float64 [n]."""
    heard = np.repeat(signal[:, None], 2, axis=1)
    for start in range(0, len(signal), BLOCK):
        add_reverb(heard[start : start + BLOCK], listener[0], reverb[0])
    return heard


def test_nothing_is_added_in_the_open_not_even_after_a_tunnel():
    reverb, listener = np.zeros(1, REVERB), np.zeros(1, LISTENER)
    signal = NOISE[: 600 * BLOCK]
    assert np.array_equal(add(reverb, listener, signal)[:, 0], signal)
    listener["enclosure"], listener["decay"], listener["reflection"], listener["wall"] = 1.0, 1.5, 1.0, 4.0
    assert not np.allclose(add(reverb, listener, signal)[:, 0], signal, atol=0.01)
    listener["enclosure"], listener["decay"], listener["reflection"] = 0.0, 0.3, 0.0
    for _ in range(8):
        last = add(reverb, listener, signal)
    assert np.array_equal(last[:, 1], signal)
    assert not reverb["network"].any() and not reverb["damped"].any()


def test_silence_becomes_exact_silence_within_a_tunnel():
    reverb, listener = np.zeros(1, REVERB), np.zeros(1, LISTENER)
    listener["enclosure"], listener["decay"], listener["reflection"], listener["wall"] = 1.0, 2.0, 1.0, 4.0
    add(reverb, listener, NOISE[: 600 * BLOCK])
    for _ in range(20):
        last = add(reverb, listener, np.zeros(600 * BLOCK))
    assert np.abs(last).max() < 1e-12
    tiny = np.abs(reverb["network"])
    assert ((tiny == 0.0) | (tiny > 1e-15)).all()  # no denormal numbers, which are slow


# ---- walls


@pytest.mark.parametrize("distance", [1.0, 3.0, 9.0])
@pytest.mark.parametrize("wall", [0, 1, 2])  # left, right, above
def test_a_wall_is_an_image_of_the_vehicle(wall, distance):
    reverb, listener = np.zeros(1, REVERB), np.zeros(1, LISTENER)
    listener["reflection"][0, wall], listener["wall"][0, wall] = 1.0, distance
    signal = np.zeros(300 * BLOCK)
    signal[200 * BLOCK] = 1.0  # when the gain is complete
    heard = add(reverb, listener, signal)[200 * BLOCK :]
    path = math.hypot(SOURCE, 2.0 * distance)
    samples = (path - SOURCE) / SPEED_OF_SOUND * SAMPLE_RATE
    near, far = (1, 0) if wall == 1 else (0, 1)
    reflected = heard[1:]
    centroid = (reflected[:, near] * np.arange(1, len(heard))).sum() / reflected[:, near].sum()
    assert centroid == pytest.approx(samples, abs=1.1)
    assert reflected[:, near].sum() == pytest.approx(REFLECTED * SOURCE / path, rel=1e-6)
    share = reflected[:, far].sum() / reflected[:, near].sum()
    assert share == pytest.approx(1.0 if wall == 2 else SHADED)


CHANGES = {
    "tunnel": {"enclosure": 1.0, "decay": 1.5},
    "wall": {"reflection": (1.0, 0.0, 0.0), "wall": (3.0, 0.0, 0.0)},
}


@pytest.mark.parametrize("way", [(0, 1), (1, 0)])
@pytest.mark.parametrize("what", CHANGES)
def test_the_mouth_of_a_tunnel_and_the_end_of_a_wall_do_not_click(what, way):
    """The values change at once, which is faster than a Room lets them."""
    scene, parts = ahead(), []
    for there in way:
        for name, value in CHANGES[what].items():
            scene.listener[name] = value if there else 0.2 if name == "decay" else 0.0
        parts.append(scene.hear(chord, blocks=600))
    assert click(np.concatenate(parts), 600 * BLOCK, 600 * BLOCK + 6000) < 1.5


def test_a_wall_that_comes_nearer_does_not_click():
    scene = ahead()
    scene.listener["reflection"][0, 0], parts = 1.0, []
    for k in range(1800):
        scene.listener["wall"][0, 0] = 8.0 if k < 600 else 2.0
        parts.append(scene.hear(chord))
    assert click(np.concatenate(parts), 600 * BLOCK, 600 * BLOCK + 12000) < 1.5


# ---- rays


@pytest.fixture(scope="module", params=TUNNELS)
def tunnel(request):
    """(WorldFile, Ground, TUNNELS entry) of a world."""
    world_file = load_world(request.param)
    return world_file, world_file.ground(), TUNNELS[request.param]


def listeners_at(ground, x, y, heading=0.0, count=1):
    """LISTENERs 2 m above the ground."""
    listeners = np.zeros(count, LISTENER)
    listeners["position"] = (x, y, max(ground.height(x, y), 0.0) + 2.0)
    listeners["right"] = (math.cos(heading), math.sin(heading), 0.0)
    return listeners


def test_the_rays_are_unit_vectors_that_do_not_point_downwards():
    assert [math.hypot(*ray) for ray in DIRECTIONS] == pytest.approx([1.0] * RAYS)
    assert min(ray[2] for ray in DIRECTIONS) == 0.0 and LINES == 8


def test_a_tunnel_is_enclosed_with_walls_and_reverberates(tunnel):
    _, ground, ((x, y), heading_deg, walls) = tunnel
    listeners = listeners_at(ground, x, y, math.radians(heading_deg))
    Room(TICK).fill(listeners, ground)
    assert listeners["enclosure"][0] == 1.0 and 1.0 < listeners["decay"][0] < 2.0
    assert listeners["wall"][0] == pytest.approx(walls, abs=0.3)
    assert (listeners["reflection"][0] > 0.7).all()


def test_open_land_reflects_nothing(tunnel):
    world_file, ground, _ = tunnel
    names = [
        n for n in ("pad", "start", "dragstrip", "grade_40", "skid_pad", "hairpins") if n in world_file.spawn_points
    ]
    for name in names:
        spawn = world_file.spawn_points[name]
        listeners = listeners_at(ground, *spawn.position[:2], spawn.heading, 240)
        Room(TICK).fill(listeners, ground)
        assert not listeners["enclosure"].any() and not listeners["reflection"].any(), name


def test_a_bridge_reverberates_below_and_not_beside_it():
    ground = load_world("proving_ground").ground()
    below, beside = (listeners_at(ground, BRIDGE[0], BRIDGE[1] + y, count=240) for y in (0.0, BESIDE))
    for listeners in (below, beside):
        listeners["position"][:, 2] = 2.0  # m, under the deck
        Room(TICK).fill(listeners, ground)
    assert below["enclosure"][-1] > 0.9 and below["decay"][-1] > 0.5
    assert beside["enclosure"][-1] < 0.1


def test_the_values_change_slowly_on_the_way_into_a_tunnel(tunnel):
    _, ground, ((x, y), heading_deg, _) = tunnel
    heading = math.radians(heading_deg)
    listeners = listeners_at(ground, x, y, heading, 960)
    way = np.linspace(-60.0, 0.0, len(listeners))  # m ahead of the tunnel's middle, at 15 m/s
    listeners["position"][:, 0] = x - math.sin(heading) * way
    listeners["position"][:, 1] = y + math.cos(heading) * way
    Room(TICK).fill(listeners, ground)
    assert listeners["enclosure"][0] < 0.01 and listeners["enclosure"][-1] > 0.9
    assert np.abs(np.diff(listeners["enclosure"])).max() < 0.05
    assert np.abs(np.diff(listeners["reflection"], axis=0)).max() < 0.05
    moved = np.abs(np.diff(listeners["wall"], axis=0)) > 0.2
    assert not (moved & (listeners["reflection"][1:] > 0.0)).any()  # a wall only jumps while it is silent


def test_a_plane_is_open_for_any_direction_of_the_head():
    listeners = np.zeros(3, LISTENER)
    listeners["position"], listeners["right"] = (0.0, 0.0, 1.0), [(1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.6, -0.8)]
    Room(TICK).fill(listeners, plane_ground())
    assert not listeners["enclosure"].any() and not listeners["reflection"].any()


# ---- a soundtrack


def revving(world_file, ground, position, heading):
    """Samples of 1.2 s in which a car revs in neutral, standing."""
    world = World(ground, [load_vehicle("roadster_simple")])
    world.place(world.trains[0].start, position, heading)
    world.vehicles[0].state["body"]["position"][0, 2] = ground.height(*position) + 0.4  # not on the roof of a tunnel
    track, command, blocks = Soundtrack(world), neutral_command(), []
    command["throttle"] = 1.0
    for tick in range(288):
        if tick == 120:
            command["throttle"] = 0.0
        world.step(command)
        track.add()
        blocks += [block.copy() for block in track.blocks()]
    return np.concatenate(blocks)


def test_a_soundtrack_in_a_tunnel_is_fuller_and_equal_twice(tunnel):
    world_file, ground, (position, heading_deg, _) = tunnel
    inside = [revving(world_file, ground, position, math.radians(heading_deg)) for _ in range(2)]
    outside = revving(world_file, ground, world_file.spawn_points["start"].position[:2], 0.0)
    assert inside[0].tobytes() == inside[1].tobytes()
    assert level(inside[0])[0] > level(outside)[0] + 1.5


def test_the_stream_reverberates_too():
    loud = []
    for enclosure in (0.0, 1.0):
        stream = new_stream(rows=9)
        stream.ring.listeners["enclosure"], stream.ring.listeners["decay"] = enclosure, 1.5
        loud.append(level(samples_of(stream, 24000)[12000:].astype(np.float64))[0])
    assert loud[1] > loud[0] + 0.5
