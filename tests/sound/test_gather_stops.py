"""The FRAME of vehicles whose suspension reaches its stops, and of vehicles that rub along each other."""

import numpy as np
import pytest
from gather_rig import Drive

from driving_sandbox.physics.suspension.hub_system import note_stops
from driving_sandbox.physics.tick.commands import FIRST, neutral_command
from driving_sandbox.physics.tick.component import MAX_COUNT
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world
from driving_sandbox.sound.base.frame import FRAME
from driving_sandbox.sound.body.materials import RUBBER
from driving_sandbox.sound.heard import HeardVehicles
from driving_sandbox.sound.state.contact import stop_impulse
from driving_sandbox.sound.state.words import words


def stops(drive):
    """N s, of the suspension's stops in the last tick."""
    scratch, dt = drive.vehicle.scratch, drive.world.tick_seconds
    layout = drive.gatherer.record["layout"][0]
    return stop_impulse(words(scratch, np.float64), words(scratch, np.int64), layout, dt)


def landing(name, height):
    """FRAMEs of a fall from a height, m."""
    drive = Drive(name)
    drive.run(0.5)
    drive.vehicle.state["body"]["position"][0, 2] += height
    return drive.run(1.5)


def test_higher_drops_hit_the_stops_harder():
    """In whichever substep a stop is hit."""
    hardest = []
    for height in (0.8, 1.0, 1.25, 1.5, 2.0):
        frames = landing("roadster_simple", height)
        k = frames["impact"].argmax()
        assert frames["impact_material"][k] == RUBBER
        hardest.append(frames["impact"][k])
    assert hardest[0] > 1000.0 and (np.diff(hardest) > 0.0).all()


def test_hubs_with_mass_hit_the_ends_of_their_travel():
    frames, low = landing("roadster", 0.8), landing("roadster", 0.2)
    k = frames["impact"].argmax()
    wheels = 4 * load_vehicle("roadster").get("wheel.fl.mass")
    assert frames["impact_material"][k] == RUBBER
    assert frames["impact"][k] > 4.0 * wheels > low["impact"].max()  # more than the wheels' own momentum


@pytest.mark.parametrize("name", ["roadster_simple", "roadster"])
def test_no_stop_is_hit_in_a_smooth_drive(name):
    drive = Drive(name)
    drive.run(0.5)
    frames = drive.run(1.5, throttle=0.5, gear=FIRST)
    assert frames["velocity"][-1, 1] > 1.0  # m/s
    assert frames["impact"].max() == 0.0 and stops(drive) == 0.0


@pytest.mark.parametrize("substeps", [4, 64, MAX_COUNT])
def test_hubs_that_hit_their_ends_in_the_first_substep_of_many_are_heard(substeps):
    """And those of the tick before are not."""
    drive = Drive("roadster")
    dt = drive.world.tick_seconds
    system, state = (a["suspension"].view(np.recarray)[0] for a in (drive.vehicle.scratch, drive.vehicle.state))
    for first in (70.0, 30.0):  # N s, of each of four hubs
        for k in range(substeps):
            state["stop_impulse"][:] = first if k == 0 else 0.0
            note_stops(system, state, 4, dt / substeps)
        assert stops(drive) == 4 * first


def rubbing(gap):
    """FRAMEs [ticks, 2] of two roadsters side by side, one of which passes the other at 18 m/s.

    gap: m, between their middles.
    """
    world = World(load_world("plane"), [load_vehicle("roadster_simple"), load_vehicle("roadster_simple")])
    for index, x in enumerate((0.0, gap)):
        world.place(index, (x, 0.0), 0.0)
    world.vehicles[0].state["body"]["velocity"] = (1.0, 18.0, 0.0)
    heard = HeardVehicles(world)
    frames, command = np.zeros((60, 2), FRAME), neutral_command(2)
    for row in frames:
        world.step(command)
        heard.gather(row)
    return frames


def test_vehicles_that_rub_along_each_other_scrape():
    frames = rubbing(1.6)
    scraping = (frames["scrape_force"] > 0.0) & (frames["scrape_speed"] > 5.0)
    assert (scraping.sum(0) > 3).all()
    both = scraping.all(1)
    assert frames["scrape_force"][both, 0] == pytest.approx(frames["scrape_force"][both, 1])
    assert frames["scrape_speed"][both].max() < 25.0
    assert (rubbing(4.0)["scrape_force"] == 0.0).all()


def test_vehicles_that_have_parted_do_not_scrape():
    frames = rubbing(1.6)
    assert frames["scrape_force"][:30].any() and not frames["scrape_force"][-5:].any()
