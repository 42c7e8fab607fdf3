"""The suspension with roll centres: the component alone, and on a car."""

import pytest
from drive_rig import Drive
from row_rig import call, each_wheel, rolling

from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

CAR = "track_roadster"
RIGHT = 1  # index of the right front wheel


@pytest.mark.covers("RC-SUSP-01")
def test_attachment_points_position_the_wheels_and_the_set_up_offers_rates():
    """A shift of the attachment moves the wheel by the same distance; the set-up view offers rates, not geometry."""
    vehicle = load_vehicle(CAR)
    before = Drive(vehicle).run(2.0).wheels("wheel", "position")[RIGHT]
    x, y, z = vehicle.get("suspension.fr.attachment")
    vehicle.set("suspension.fr.attachment", [x + 0.05, y + 0.1, z])
    after = Drive(vehicle).run(2.0).wheels("wheel", "position")[RIGHT]
    assert after[:2] - before[:2] == pytest.approx([0.05, 0.1], abs=0.004)
    fields = vehicle.sequence.by_slot["suspension"].params.fields
    offered = {name for name, field in fields.items() if field.mechanic}
    assert {"stiffness", "bump_damping", "rebound_damping"} <= offered
    assert not offered & {"attachment", "attachment_rotation", "direction", "travel"}


def link_car(**values):
    """The car without preload, bump stops and roll centre height, with other suspension values."""
    vehicle = load_vehicle(CAR)
    plain = {"preload": 0.0, "bump_stop_length": 0.0, "roll_centre_height": 0.0, **values}
    vehicle.set_many(each_wheel("suspension", **plain))
    return vehicle


def load_at(vehicle, jounce, speed=0.0, side_force=0.0):
    """Load of the right front wheel, N, on level ground.

    jounce: m.
    speed: of the jounce, m/s.
    side_force: lateral tire force to the right, N.
    """
    for slot, key, value in (("suspension", "jounce", jounce), ("suspension", "jounce_speed", speed),
                             ("suspension", "on_ground", 1), ("tire", "lateral_force", side_force)):  # fmt: skip
        vehicle.state[slot][0][key][:4] = value
    vehicle.state["suspension"][0]["direction"][:4] = (0.0, 0.0, -1.0)
    vehicle.state["road"][0]["normal"][:4] = (0.0, 0.0, 1.0)
    call(vehicle, "suspension", "line_force")
    call(vehicle, "suspension", "force")
    return float(vehicle.state["suspension"][0]["force"][RIGHT])


def test_dampers_distinguish_bump_and_rebound():
    vehicle = link_car(damping=1000.0, bump_damping=1500.0, rebound_damping=4000.0)
    still = load_at(vehicle, 0.1)
    assert load_at(vehicle, 0.1, 0.2) == pytest.approx(still + 1500.0 * 0.2)
    assert load_at(vehicle, 0.1, -0.2) == pytest.approx(still - 4000.0 * 0.2)
    vehicle = link_car(damping=1000.0, bump_damping=0.0, rebound_damping=0.0)  # 0: the common rate
    assert load_at(vehicle, 0.1, 0.2) - load_at(vehicle, 0.1, -0.2) == pytest.approx(2 * 1000.0 * 0.2)


def test_preload_adds_to_the_load_and_the_bump_stops_rate_rises():
    """Over the last 4 cm the bump stop's rate grows linearly from 0 to its value at full compression."""
    bare = load_at(link_car(), 0.05)
    assert load_at(link_car(preload=500.0), 0.05) == pytest.approx(bare + 500.0)
    travel, rate = 0.16, 200e3  # m, of the car; N/m
    vehicle, plain = link_car(bump_stop_length=0.04, bump_stop_stiffness=rate), link_car()
    extra = [load_at(vehicle, j) - load_at(plain, j) for j in (travel - 0.04, travel - 0.02, travel)]
    assert extra == pytest.approx([0.0, 0.5 * rate * 0.02**2 / 0.04, 0.5 * rate * 0.04], abs=1e-6)


def test_links_transfer_load_by_the_height_of_the_roll_centre():
    """The transfer is side force times height divided by half the track.

    With a roll centre above the ground, a wheel pushed inward has more load; with one below it, less.
    """
    plain = load_at(link_car(), 0.1)
    x = load_vehicle(CAR).get("suspension.fr.attachment")[0]  # m, half the track
    for height in (0.2, -0.1):
        vehicle = link_car(roll_centre_height=height)
        for side_force in (-2000.0, 800.0):
            expected = plain - side_force * height / x
            assert load_at(vehicle, 0.1, side_force=side_force) == pytest.approx(expected)


def test_lateral_compliance_moves_the_contact_patch_with_the_side_force():
    """It moves at most half way to the centre line."""
    x = load_vehicle(CAR).get("suspension.fr.attachment")[0]

    def shift(compliance, side_force):
        vehicle = link_car(lateral_compliance=compliance)
        load_at(vehicle, 0.1, side_force=0.0)
        before = vehicle.state["suspension"][0]["force_arm"][RIGHT][0]
        load_at(vehicle, 0.1, side_force=side_force)
        return vehicle.state["suspension"][0]["force_arm"][RIGHT][0] - before

    assert shift(0.0, -3000.0) == 0.0
    assert shift(1.6e-5, -3000.0) == pytest.approx(-0.048)
    assert shift(1.6e-5, 800.0) == pytest.approx(0.0128)
    assert shift(5e-5, -30e3) == pytest.approx(-0.5 * x)


def test_roll_centres_at_the_centre_of_mass_keep_the_body_level():
    """In a steady bend roll is proportional to the height of the centre of mass above the roll centre."""
    roll_gradients = []  # rad per m/s^2
    for height in (0.0, 0.23, 0.46):  # m; the last is that of the centre of mass
        drive = Drive(CAR, values={**each_wheel("suspension", roll_centre_height=height), "abs.enable": False}).run(3.0)
        rolling(drive, 20.0)
        samples = drive.log(2.0, lambda d: (float(d.body("orientation")[1]), float(d.body("acceleration")[0])),
                          steer=-0.25)[120:]  # fmt: skip
        roll_gradients.append(2.0 * samples[:, 0].mean() / -samples[:, 1].mean())
    assert roll_gradients[0] > 0.004
    assert roll_gradients[1] == pytest.approx(0.5 * roll_gradients[0], rel=0.15)
    assert abs(roll_gradients[2]) < 0.1 * roll_gradients[0]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("suspension.fl.bump_stop_length", 0.5, "must not be longer than the travel"),
        ("suspension.fl.preload", -1.0, "greater than or equal to 0"),
    ],
)
def test_bad_values_are_refused(path, value, message):
    with pytest.raises(SchemaError, match=message):
        load_vehicle(CAR).set(path, value)
