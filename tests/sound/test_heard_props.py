"""Props that are hit: the same blow on a crate, a cone, a barrel, a tire and walls, as frames and as samples."""

import sys

import numpy as np
import pytest

from driving_sandbox.physics.ground.ground import Ground, Plane
from driving_sandbox.physics.ground.surfaces import default_surfaces
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.props.kinds import PROP_FOLDER, load_kind
from driving_sandbox.physics.props.placing import PlacedProp
from driving_sandbox.physics.tick.commands import NEUTRAL, neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER, load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world
from driving_sandbox.sound.base.block import SAMPLE_RATE
from driving_sandbox.sound.base.frame import ABSENT, FRAME
from driving_sandbox.sound.body.materials import (
    DRUM,
    MATERIALS,
    MODES,
    NOTHING,
    OWN,
    PANEL,
    PLASTIC,
    PROP_MATERIALS,
    RAIL,
    RUBBER,
    STONE,
    WOOD,
)
from driving_sandbox.sound.heard import HeardVehicles
from driving_sandbox.sound.heard_props import MOST_PROPS, SIZE, STILL_SECONDS
from driving_sandbox.sound.soundtrack import Soundtrack
from driving_sandbox.sound.surroundings import STOP_MATERIAL, struck_materials
from driving_sandbox.sound.vehicle_sound import sound_of

sys.path.insert(0, str(ROOT / "tests" / "contact"))
from contact_rig import block  # noqa: E402

SPEED = 8.0  # m/s
KINDS = {"crate": WOOD, "cone": PLASTIC, "barrel": DRUM, "tire": RUBBER}


def prop(kind, x=0.0, y=5.0, rise=0.0):
    return PlacedProp(kind, (x, y), height=None, rise=rise, heading=0.0, group=0)


def coasting(world, speed=SPEED):
    """The world with its first vehicle at the origin, rolling north."""
    world.place(0, (0.0, 0.0), 0.0)
    vehicle, wheels = world.vehicles[0], slice(world.vehicles[0].wheel_count)
    vehicle.state["body"]["velocity"][0] = (0.0, speed, 0.0)
    vehicle.state["wheel"]["omega"][0, wheels] = speed / vehicle.params["wheel"]["radius"][0, wheels]
    return world


def among(*props, speed=SPEED):
    """A plane with props, on which a roadster rolls north from the origin."""
    return coasting(World(load_world("plane"), [load_vehicle("roadster_simple")], props=props), speed)


def before_a_wall(surface):
    """A roadster that rolls towards a wall of a surface, 5 m ahead."""
    surfaces = default_surfaces()
    wall = block((-10.0, 5.0, -1.0), (10.0, 9.0, 3.0))
    wall.triangle_surfaces[:] = surfaces.index(surface)
    ground = Ground(Plane(0.0, surfaces.index("asphalt")), [wall], surfaces)
    return coasting(World(ground, [load_vehicle("roadster_simple")]))


class Drive:
    """A world whose vehicle coasts, with the FRAMEs of its vehicles and props."""

    def __init__(self, world):
        self.world, self.heard, self.command = world, HeardVehicles(world), neutral_command()
        self.command["gear"] = NEUTRAL

    def run(self, seconds):
        """FRAME array [ticks, slots]."""
        frames = np.zeros((round(240 * seconds), self.heard.scene.vehicle_count), FRAME)
        for row in frames:
            self.world.step(self.command)
            self.heard.gather(row)
        return frames


def hardest(frames):
    return frames[frames["impact"].argmax()]


@pytest.mark.parametrize("kind", KINDS)
def test_a_prop_that_is_hit_rings_in_its_slot_and_the_body_with_it(kind):
    drive = Drive(among(prop(kind)))
    frames = drive.run(1.0)
    car, heard = frames[:, 0], frames[:, 1]
    assert (frames["attenuation"][:, 2:] == ABSENT).all()
    first = np.flatnonzero(car["impact"])[0]
    assert (heard["attenuation"][:first] == ABSENT).all() and heard["attenuation"][first] == 0.0
    mass = drive.world.props.kinds[0].mass
    blow, answer = car[first], heard[first]
    assert 0.3 * mass * SPEED < answer["impact"] < 3.0 * mass * SPEED
    assert blow["impact"] == pytest.approx(answer["impact"], rel=0.5)
    assert (blow["impact_material"], blow["struck_material"], blow["struck_rings"]) == (OWN, KINDS[kind], 0)
    assert (answer["impact_material"], answer["struck_material"], answer["struck_rings"]) == (OWN, PANEL, 0)
    assert drive.heard.parameters()[1]["body"]["material"] == KINDS[kind]
    assert np.linalg.norm(answer["position"] - drive.world.props.state["position"][0]) < 20.0


@pytest.mark.parametrize(("surface", "material"), [("concrete", STONE), ("steel", RAIL), ("wood", WOOD)])
def test_a_wall_rings_from_the_vehicle(surface, material):
    blow = hardest(Drive(before_a_wall(surface)).run(1.0)[:, 0])
    assert blow["impact"] > 3.0 * 1000.0
    assert (blow["impact_material"], blow["struck_material"], blow["struck_rings"]) == (OWN, material, 1)


def test_a_crate_that_falls_hits_the_ground_and_a_barrel_rolls():
    world = among(prop("crate", 30.0, 0.0, 1.0), prop("barrel", 30.0, 5.0), speed=0.0)
    world.props.state["awake"] = 1
    world.props.state["orientation"][1] = (0.0, np.sqrt(0.5), 0.0, np.sqrt(0.5))  # lies, its axis along x
    world.props.state["position"][1, 2] = 0.30
    world.props.state["velocity"][1] = (0.0, 2.0, 0.0)
    world.props.state["angular_velocity"][1] = (-2.0 / 0.29, 0.0, 0.0)
    world.props.check_again()
    drive = Drive(world)
    frames = drive.run(1.5)
    of_crate = int(np.abs(frames["position"][:, 1:3, 1]).mean(axis=0).argmin()) + 1
    crate, barrel = frames[:, of_crate], frames[:, 3 - of_crate]
    fall = hardest(crate)
    assert fall["impact"] == pytest.approx(28.0 * np.sqrt(2.0 * 9.81), rel=0.3)  # 28 kg after a fall of 1 m
    assert (fall["struck_material"], fall["struck_rings"]) == (STONE, 1)
    rolling = barrel[(barrel["attenuation"] == 0.0) & (barrel["scrape_force"] > 0.0)][-120:]
    speeds = rolling["velocity"][:, 1]
    assert speeds.min() > 0.3 and np.median(rolling["roll_speed"] / speeds) == pytest.approx(1.0, abs=0.2)
    assert np.median(rolling["scrape_speed"]) < 0.3 * np.median(rolling["roll_speed"])
    assert np.median(crate["roll_speed"]) == 0.0 and (rolling["scraped_material"] == STONE).all()


def test_props_at_rest_and_after_a_jump_are_silent():
    drive = Drive(among(prop("crate"), prop("cone", 3.0)))
    drive.run(1.0)
    drive.world.place(0, (0.0, -50.0), 0.0)
    drive.heard.forget()
    drive.run(STILL_SECONDS + 4.0)
    frames = drive.run(0.5)
    assert (frames["attenuation"][:, 1:] == ABSENT).all()
    state = drive.world.props.state
    state["awake"], state["velocity"][:, 2] = 1, 0.0
    drive.world.props.check_again()
    drive.heard.forget()
    frames = drive.run(0.5)
    assert (frames["impact"][:, 1:] == 0.0).all(), "weight is no blow"


def test_more_props_than_slots_ring_from_the_vehicle():
    drive = Drive(among(*(prop("crate", 0.85 * k - 0.8, 5.0 + 0.85 * j) for k in range(3) for j in range(4))))
    frames = drive.run(1.0)
    taken = (frames["attenuation"][:, 1 : 1 + MOST_PROPS] == 0.0).sum(axis=1)
    assert taken.max() == MOST_PROPS
    loud = frames[:, 0][frames["impact"][:, 0] > 0.0]
    assert set(loud["struck_rings"]) == {0, 1} and set(loud["struck_material"]) >= {WOOD}


def test_every_material_is_of_something_that_is_shipped():
    vehicles = [load_vehicle(path.stem) for path in VEHICLE_FOLDER.glob("*.yaml")]
    bodies = {MATERIALS[sound_of(vehicle).parameters["body"]["material"]]: vehicle.name for vehicle in vehicles}
    assert {"panel", "plastic", "armour", "tubes"} == set(bodies)
    props = {load_kind(path.stem).sound for path in PROP_FOLDER.glob("*.yaml")}
    of_props = {MATERIALS[PROP_MATERIALS[name]] for name in props}
    grounds = {MATERIALS[k] for k in struck_materials(default_surfaces()) if k != NOTHING}
    assert set(bodies) | of_props | grounds | {MATERIALS[STOP_MATERIAL]} == set(MATERIALS)


def samples_of(world, seconds, voices_of_vehicle=()):
    """What the props are heard as, and these voices of the vehicle."""
    track = Soundtrack(world)
    for parameters in (track.scene.tuned, track.scene.arrays["parameters"]):
        for name in parameters.dtype["present"].names:
            if name not in voices_of_vehicle:
                parameters["present"][name][0] = 0
    command, blocks = neutral_command(), []
    command["gear"] = NEUTRAL
    for _ in range(round(240 * seconds)):
        world.step(command)
        track.add()
        blocks += [piece.copy() for piece in track.blocks()]
    return np.concatenate(blocks).mean(axis=1)


def spectrum_of_the_blow(samples):
    """(Hz, power) of the second after the loudest moment."""
    start = int(np.abs(samples).argmax())
    ring = samples[start : start + int(SAMPLE_RATE)]
    return np.fft.rfftfreq(len(ring), 1.0 / SAMPLE_RATE), np.square(np.abs(np.fft.rfft(ring * np.hanning(len(ring)))))


def test_the_same_hit_sounds_as_what_is_hit():
    """Brightness and ringing as the modes say: a barrel and a rail ring on, a tire is dull, a wooden crate is short."""
    heard = {kind: samples_of(among(prop(kind)), 1.3) for kind in KINDS}
    heard |= {name: samples_of(before_a_wall(name), 1.3, ("body",)) for name in ("steel", "concrete")}
    tones, left = {}, {}
    for name, samples in heard.items():
        f, power = spectrum_of_the_blow(samples)
        tones[name] = np.average(f, weights=power)
        start = int(np.abs(samples).argmax())
        left[name] = np.sqrt(np.mean(np.square(samples[start + 2880 : start + 4800]))) / np.abs(samples).max()
    found = {name: (float(tones[name]), float(left[name])) for name in heard}
    assert tones["tire"] < 0.85 * min(tones["crate"], tones["cone"], tones["barrel"]), found
    assert left["barrel"] > 2.0 * max(left["crate"], left["tire"]), found
    assert left["steel"] > 1.3 * left["concrete"] and left["steel"] > 2.0 * left["crate"], found
    f, power = spectrum_of_the_blow(heard["barrel"])
    pitch = np.sqrt(SIZE / load_kind("barrel").radius)
    assert min(abs(f[power.argmax()] / (mode[0] * pitch) - 1.0) for mode in MODES[DRUM]) < 0.05, found
