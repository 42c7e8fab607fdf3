"""The FRAME's turn signals, brake and rams of a hydraulic suspension, and which vehicle has voices for them."""

import numpy as np
import pytest
from gather_rig import RATE, Drive, finite

from driving_sandbox.game.view.vehicle.lamps import FLASHES
from driving_sandbox.physics.tick.commands import NEUTRAL
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.sound.state import signals
from driving_sandbox.sound.vehicle_sound import sound_of


def test_turn_signals_blink_with_the_lamps():
    drive = Drive("roadster")
    assert not drive.run(1.0)["indicator"].any()
    drive.gatherer.switch(horn=False, indicator=True)
    lit = drive.run(2.0)["indicator"]
    assert set(lit.tolist()) == {0, 1}
    assert (np.diff(lit) == 1).sum() == round(2.0 * FLASHES)
    assert lit.mean() == pytest.approx(0.5, abs=0.01)
    assert signals.FLASHES == FLASHES


@pytest.mark.parametrize("brake", [0.0, 0.4, 1.0])
def test_the_brake_is_that_of_the_pedal(brake):
    assert Drive("truck").run(1.0, brake=brake, gear=NEUTRAL)["brake"][-1] == pytest.approx(brake, abs=0.02)


def test_rams_move_while_the_pedal_is_held():
    drive = Drive("lowrider")
    assert drive.run(0.5)["ram_speed"].max() == 0.0
    frames = drive.run(2.0, clutch=1.0)
    assert finite(frames)
    assert 0.2 < frames["ram_speed"][RATE // 2 :].mean() < 0.8  # stroke 0.11 m at 1.25 Hz: 4 x 0.11 x 1.25 = 0.55
    assert Drive("roadster").run(0.5, clutch=1.0)["ram_speed"].max() == 0.0


def test_a_jump_of_the_rams_is_not_a_motion():
    drive = Drive("lowrider")
    drive.run(0.2)
    drive.vehicle.state["suspension"]["ram"] += 0.1
    drive.gatherer.forget()
    assert drive.run(1.0 / RATE)["ram_speed"][0] == 0.0


@pytest.mark.parametrize("name", ["truck", "road_train", "lowrider", "roadster", "tank"])
def test_lorries_have_air_brakes_and_rams_have_a_pump(name):
    parameters = sound_of(load_vehicle(name)).parameters
    present = parameters["present"]
    assert (present["air_brake"] == 1) == (name in ("truck", "road_train"))
    assert (present["hydraulics"] == 1) == (name == "lowrider")
    assert present["indicator"] == 1
    for voice in ("air_brake", "hydraulics"):
        assert parameters[voice]["level"] == present[voice]
