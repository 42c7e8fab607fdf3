"""Impacts, scraping and ground in the FRAMEs of vehicles that fall, land, lie on their roof or collide."""

import numpy as np
import pytest
from gather_rig import RATE, Drive

from driving_sandbox.physics.tick.commands import neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world
from driving_sandbox.sound.base.frame import FRAME
from driving_sandbox.sound.body.materials import OWN, RUBBER, STONE
from driving_sandbox.sound.gather import Gatherer
from driving_sandbox.sound.surroundings import surface_kinds


def test_a_drop_has_few_impacts_none_far_above_its_momentum():
    """The strongest is at most a little above the momentum of the fall; there is none in the air and none at rest."""
    drive = Drive("roadster_simple")
    drive.run(0.3)
    drive.vehicle.state["body"]["position"][0, 2] += 3.0
    falling = drive.run(0.6)
    assert (falling["impact"] == 0.0).all() and (falling["wheel_load"][-1] == 0.0).all()
    landing = drive.run(0.6)
    mass = drive.vehicle.get("body.mass")
    fired = landing["impact"][landing["impact"] > 0.0]
    assert 0.3 * mass < fired.max() < 9.0 * mass and len(fired) < 20
    assert set(landing["impact_material"][landing["impact"] > 0.0]) <= {RUBBER, OWN}
    assert (drive.run(3.0)[-RATE:]["impact"] == 0.0).all()


def test_wheels_that_land_are_heard_before_the_suspension_hits_its_stops():
    drive = Drive("roadster_simple")
    drive.run(0.3)
    drive.vehicle.state["body"]["position"][0, 2] += 0.8
    frames = drive.run(1.0)
    (impacts,) = np.nonzero(frames["impact"])
    at_stops = frames["impact"].argmax()  # the frame in which the suspension hits its stops
    landings = impacts[impacts < at_stops]
    fall = -frames["velocity"][landings[0] - 1, 2]
    masses = [drive.vehicle.get(f"wheel.{name}.mass") for name in drive.vehicle.wheel_names]
    assert 3.0 < fall < 4.0 and frames["impact"][at_stops] > 4.0 * fall * sum(masses)
    assert frames["impact"][landings].sum() == pytest.approx(fall * sum(masses), rel=0.2)
    assert (frames["impact_material"][impacts] == RUBBER).all()


def test_scraping_on_the_roof():
    drive = Drive("roadster_simple")
    body = drive.vehicle.state["body"]
    body["orientation"] = (0.0, 1.0, 0.0, 0.0)  # on its roof
    body["position"][0, 2] += 0.8
    body["velocity"] = (0.0, 12.0, 0.0)
    frames = drive.run(1.5)
    hardest = frames[frames["impact"].argmax()]
    assert hardest["impact"] > 100.0 and hardest["impact_material"] == OWN
    assert (hardest["struck_material"], hardest["struck_rings"]) == (STONE, 1)
    assert (frames[-60:]["scraped_material"] == STONE).all()
    sliding = frames[-60:]
    assert np.median(sliding["scrape_force"]) == pytest.approx(9.81 * drive.vehicle.get("body.mass"), rel=0.3)
    speeds = np.linalg.norm(sliding["velocity"], axis=1)
    assert np.median(sliding["scrape_speed"] / speeds) == pytest.approx(1.0, abs=0.25)
    assert (sliding["impact"] > 0.0).mean() < 0.3


def test_vehicles_that_collide_both_have_the_impact():
    world = World(load_world("plane"), [load_vehicle("roadster_simple"), load_vehicle("roadster_simple")])
    for index, y in enumerate((0.0, 5.0)):
        world.place(index, (0.0, y), 0.0)
    gatherers = [Gatherer(vehicle, world) for vehicle in world.vehicles]
    world.vehicles[0].state["body"]["velocity"] = (0.0, 10.0, 0.0)
    impacts = np.zeros((48, 2))
    for row in impacts:
        world.step(neutral_command(2))
        frame = np.zeros(1, FRAME)
        for k, gatherer in enumerate(gatherers):
            gatherer.gather(frame[0])
            row[k] = frame["impact"][0]
    hit = impacts.argmax(0)
    mass = world.vehicles[0].get("body.mass")
    assert hit[0] == hit[1] and impacts[hit[0], 0] == pytest.approx(impacts[hit[0], 1], rel=0.05)
    assert 2.0 * mass < impacts.max() < 10.0 * mass  # half the speed difference and some restitution, times the mass


def test_forget_leaves_no_impact_of_a_jump():
    drive = Drive("roadster_simple")
    drive.run(0.1)
    # N s, external impulse of the tick before: from it, any in the next tick would be a rise and so an impact
    drive.gatherer.record["memory"]["external"] = -1e5
    drive.gatherer.forget()
    assert drive.run(0.1)["impact"].max() == 0.0


def test_frames_of_several_ticks_have_their_strongest_impact():
    """Where ticks are short, only every n-th frame is used; a blow is in one tick."""
    merged, every = Drive("roadster_simple"), Drive("roadster_simple")
    merged.vehicle.state["body"]["position"][0, 2] += 1.0
    every.vehicle.state["body"]["position"][0, 2] += 1.0
    frame, impacts = np.zeros(1, FRAME), []
    for tick in range(1, 241):
        merged.world.step(merged.command)
        merged.gatherer.gather(frame[0], complete=tick % 5 == 0)
        if tick % 5 == 0:
            impacts.append((float(frame["impact"][0]), int(frame["impact_material"][0])))
    frames = every.run(1.0).reshape(48, 5)
    strongest = frames[np.arange(48), frames["impact"].argmax(1)]
    assert (strongest["impact"] > 0.0).sum() >= 1
    assert [impact for impact, _ in impacts] == strongest["impact"].tolist()
    assert [m for impact, m in impacts if impact] == strongest["impact_material"][strongest["impact"] > 0.0].tolist()


def test_a_car_that_lies_on_its_roof_after_a_jump_has_no_impact():
    """What holds it up is no blow, although nothing is known of the tick before."""
    drive = Drive("roadster_simple")
    body = drive.vehicle.state["body"]
    body["orientation"] = (0.0, 1.0, 0.0, 0.0)
    body["position"][0, 2] += 0.5
    assert drive.run(4.0)["impact"].max() > 100.0
    assert drive.run(0.5)["impact"].max() == 0.0
    drive.gatherer.forget()
    frames = drive.run(0.5)
    assert frames["impact"].max() == 0.0 and frames["scrape_force"].min() > 1000.0
    drive.gatherer = Gatherer(drive.vehicle, drive.world)  # as after a swap
    assert drive.run(0.5)["impact"].max() == 0.0


def test_a_wheel_in_the_air_keeps_the_ground_it_was_on():
    """It does so whatever the FRAME held before: the FRAMEs of the ring buffer are used again."""
    drive = Drive("roadster_simple")
    surfaces = drive.world.ground.surfaces
    kinds, wetness = surface_kinds(surfaces)
    wet = surfaces.index("asphalt_wet")
    drive.run(0.1)
    drive.gatherer.record["memory"]["surface"], drive.gatherer.record["memory"]["wetness"] = kinds[wet], wetness[wet]
    drive.vehicle.state["body"]["position"][0, 2] += 3.0
    drive.world.step(drive.command)
    assert (drive.vehicle.state["road"]["surface"][0, :4] < 0).all()
    reused = np.zeros(1, FRAME)
    reused["surface"], reused["wetness"] = 3, 0.1
    drive.gatherer.gather(reused[0])
    assert (reused["surface"][0, :4] == kinds[wet]).all() and (reused["wetness"][0, :4] == wetness[wet]).all()
