"""Driving aids switched, fitted and removed while driving, and recordings of it."""

import math

import pytest
from flat_drive import flat_world, run

from driving_sandbox.game.session.aid_switch import AIDS, AidSwitch
from driving_sandbox.game.session.session import Session
from driving_sandbox.physics.recording import Recording, verify
from driving_sandbox.physics.tick.commands import AUTOMATIC, neutral_command
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

FITTED = {  # slot: component with which the empty slot is filled
    "brake_distribution": "rear_follows_front", "stability_control": "yaw_rate_reference",
    "hill_hold": "until_drive_suffices",
}  # fmt: skip


def slide(situation):
    """Full throttle and brake in turn, steering at both limits: every aid but hill hold has something to do."""
    command = neutral_command()
    braking = situation.time % 2.0 > 1.5
    command["throttle"], command["brake"] = float(not braking), float(braking)
    command["steer"] = math.sin(3.0 * situation.time)
    command["gear"] = AUTOMATIC
    return command


def test_switches_are_recorded_and_replayed(tmp_path):
    path, messages = tmp_path / "a.drive", []
    with Session(flat_world(("coupe",)), record=path) as session:
        switch = AidSwitch(session.tuning, messages.append)
        run(session, 4.0, slide)
        for slot in AIDS:
            switch.toggle(slot)
        run(session, 2.0, slide)
        assert not any(session.vehicle.get(f"{slot}.enable") for slot in AIDS)
        switch.toggle("stability_control")
        run(session, 2.0, slide)
    assert messages == [*(f"{name} off" for _, name in AIDS.values()), "stability control on"]
    report = verify(path)
    assert report.ok and report.ticks == 1920
    # 240 ticks a second: after 4 s all are switched off, after 6 s one is switched on
    switched = [event for event in Recording.open(path).events if ".enable" in str(event)]
    assert [event["tick"] for event in switched] == [960] * len(AIDS) + [1440]


def test_switching_an_aid_that_the_car_lacks_gives_a_message():
    messages = []
    with Session(flat_world(("roadster_simple",))) as session:
        AidSwitch(session.tuning, messages.append).toggle("hill_hold")
    assert messages == ["this vehicle has no hill hold"]


@pytest.mark.parametrize("slot", sorted(FITTED))
def test_an_empty_slot_can_be_filled_and_emptied_again(slot):
    """The aid is enabled; pose and motion are kept, and after its removal the state is as before."""
    car = load_vehicle("roadster")
    assert car.sequence.by_slot[slot].name == "none"
    car.state["body"]["velocity"][0, 1] = 20.0
    fitted = swapped_vehicle(car, plan_swap(car, slot, FITTED[slot]))
    assert fitted.get(f"{slot}.enable") is True
    assert fitted.state["body"].tobytes() == car.state["body"].tobytes()
    removed = swapped_vehicle(fitted, plan_swap(fitted, slot, "none"))
    assert removed.state.tobytes() == car.state.tobytes()
