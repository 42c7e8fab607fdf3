"""Momentum, energy and frequency of a body with hubs: each is compared with its law."""

import math

import numpy as np
import pytest
from drive_rig import GRAVITY, Drive, field_ground
from row_rig import call, each_wheel
from unsprung_rig import HUB, MASS, SPRING, TIRE, car, rate_of

from driving_sandbox.physics.ground.arrays import FRICTION
from driving_sandbox.physics.maths.quat import rotate_inverse
from driving_sandbox.physics.tick.context import EXTERNAL

TICK = 1.0 / 60.0  # s
UP = (0.0, 0.0, 1.0)  # direction of the hubs' travel, body axes
BARS = ("wheel_a", "wheel_b", "stiffness")


def undamped(tick=TICK, ground=None, **values):
    """A Drive of a car at rest, whose dampers and anti-roll bars are then removed. ground: level by default."""
    vehicle = car(damping=5000.0, force_application="contact", jounce_query="sweep", **values)
    vehicle.set_many({f"antiroll.{name}": [] for name in BARS})
    drive = Drive(vehicle, ground, tick=tick).run(4.0)
    vehicle.set_many(each_wheel("suspension", damping=0.0))
    drive.ground.arrays.surfaces[:, FRICTION:] = 0.0  # tires that scrub as the body rolls would take energy
    return drive


def flying(spin=(0.0, 0.0, 0.0), speeds=(0.3, -0.3, 0.1, 0.6), **values):
    """A Drive of an undamped car in the air, with its angular velocity (rad/s) and its hubs' speeds (m/s)."""
    drive = undamped(**values)
    body = drive.vehicle.state["body"][0]
    body["position"][2] += 5.0
    body["angular_velocity"] = spin
    drive.vehicle.state["suspension"][0]["jounce_speed"][:4] = speeds
    return drive.ticks(drive.commands(1))


def momentum(drive):
    """Momentum of body and hubs, N s."""
    hubs = -HUB * drive.wheels("suspension", "jounce_speed") @ drive.wheels("suspension", "direction")
    return MASS * drive.body("velocity") + hubs


def to_body(drive, v):
    return np.array(rotate_inverse(tuple(drive.body("orientation").tolist()), tuple(v.tolist())))


def angular_momentum(drive):
    """Angular momentum of body and hubs about the centre of mass, N m s, world axes."""
    p, spin = drive.vehicle.params, to_body(drive, drive.body("angular_velocity"))
    hubs = HUB * drive.wheels("suspension", "jounce_speed") @ np.cross(p["suspension"][0]["arm"][:4], UP)
    local = p["body"][0]["inertia"] * spin + hubs
    x, y, z, w = drive.body("orientation").tolist()
    return np.array(rotate_inverse((-x, -y, -z, w), tuple(local.tolist())))


def energy(drive, relaxed=0.0):
    """(energy of body, hubs, springs and tires, its kinetic part) in the middle of the last substep, J.

    relaxed: jounce at which the springs have no force, m.
    """
    vehicle, step = drive.vehicle, drive.dt / int(drive.world.context["substep_count"][0])
    snapshot = vehicle.snapshot()
    call(vehicle, "suspension", dt=step)  # jounce and deflection at the end of that substep
    p, speeds = vehicle.params, drive.wheels("suspension", "jounce_speed")
    jounce = drive.wheels("suspension", "jounce") - 0.5 * step * speeds
    deflection = drive.wheels("suspension", "tire_deflection")
    deflection = deflection - 0.5 * step * drive.wheels("suspension", "deflection_speed")
    v, spin = to_body(drive, drive.body("velocity")), to_body(drive, drive.body("angular_velocity"))
    ratio = p["suspension"][0]["lateral_ratio"][:4]
    travel = np.outer(ratio, (1.0, 0.0, 0.0)) + UP
    hubs = p["suspension"][0]["arm"][:4] - np.outer(p["suspension"][0]["travel"][:4] - jounce, UP)
    hub_speeds = travel @ v + np.cross(hubs, travel) @ spin
    kinetic = 0.5 * MASS * v @ v + 0.5 * p["body"][0]["inertia"] @ spin**2
    kinetic += HUB * speeds @ hub_speeds + 0.5 * HUB * speeds**2 @ (1.0 + ratio**2)
    height = drive.body("position")[2] - 0.5 * step * drive.body("velocity")[2]
    rise = jounce @ -drive.wheels("suspension", "direction")[:, 2]
    stored = 0.5 * SPRING * ((jounce - relaxed) ** 2).sum() + 0.5 * TIRE * (np.maximum(deflection, 0.0) ** 2).sum()
    vehicle.restore(snapshot)
    gravity = -float(drive.world.context["gravity"][0][2])
    return kinetic + stored + gravity * (MASS * height + HUB * rise), kinetic


def momentum_error(drive, ticks, impulse=(0.0, 0.0, 0.0), at=0):
    """Largest error of the momentum in free flight, as a share of the impulse of the body's weight in a tick.

    ticks: number of ticks. impulse: on the body, N s, world axes. at: its tick.
    """
    start, impulse_sum, worst = momentum(drive), np.zeros(3), 0.0
    for tick in range(ticks):
        external = np.zeros(1, EXTERNAL)
        if tick == at:
            external["impulse"] = impulse
            impulse_sum = impulse_sum + impulse
        drive.ticks(drive.commands(1), external)
        impulse_sum = impulse_sum - (0.0, 0.0, MASS * GRAVITY * drive.dt)
        worst = max(worst, abs(momentum(drive) - start - impulse_sum).max() / MASS / GRAVITY / drive.dt)
    return worst


@pytest.mark.parametrize("spin", [(0.0, 0.0, 0.0), (0.5, 0.4, 0.3)])
@pytest.mark.parametrize("stiffness", [0.0, 20e3])
def test_momentum_changes_by_outside_impulses_only(spin, stiffness):
    """Hubs swing, meet their stops and are thrown by an impulse; all that acts between hubs and body cancels.

    stiffness: of anti-roll bars, also between a hub at full droop and another, N/m.
    """
    drive = flying(spin)
    bars = dict(zip(BARS, ([0, 2], [1, 3], [stiffness] * 2), strict=True)) | {"loads_tires": False}
    drive.vehicle.set_many({f"antiroll.{name}": value for name, value in bars.items()})
    moved = drive.wheels("suspension", "jounce")
    assert momentum_error(drive, 45, (100.0, 50.0, 900.0), at=2) < 1e-9
    assert (moved > 0.01).all() and (drive.wheels("suspension", "jounce") < 1e-3).all()


@pytest.mark.parametrize("spin", [(0.0, 0.0, 0.0), (0.5, 0.4, 0.3)])
def test_hubs_that_swing_sideways_keep_the_momentum(spin):
    """They do so by their links and in their joints."""
    drive = flying(spin, links="solid_axle", roll_centre_height=0.1, joint_compliance=1e-5)

    def total():
        x, y, z, w = drive.vehicle.state["suspension"][0]["orientation_before"][0].tolist()
        p, s = drive.vehicle.params["suspension"][0][:4], drive.vehicle.state["suspension"][0][:4]
        right = np.array(rotate_inverse((-x, -y, -z, w), (1.0, 0.0, 0.0)))
        sideways = s["jounce_speed"] @ p["lateral_ratio"] + s["joint_speed"].sum()
        return momentum(drive) + HUB * sideways * right

    start, worst, swing = total(), 0.0, 0.0
    for tick in range(1, 41):
        drive.ticks(drive.commands(1))
        expected = start - (0.0, 0.0, MASS * GRAVITY * tick * drive.dt)
        worst = max(worst, abs(total() - expected).max() / MASS / GRAVITY / drive.dt)
        swing = max(swing, abs(drive.wheels("suspension", "joint_travel")).max())
    assert swing > 1e-4
    assert worst < 1e-9


@pytest.mark.parametrize("spin", [(0.5, 0.0, 0.0), (0.5, 0.4, 0.3)])
def test_swinging_hubs_keep_the_angular_momentum(spin):
    drive = flying(spin, speeds=(0.6, -0.6, -0.4, 0.5))
    start = angular_momentum(drive)
    worst, swing = 0.0, 0.0
    for _ in range(40):
        drive.ticks(drive.commands(1))
        worst = max(worst, np.linalg.norm(angular_momentum(drive) - start))
        swing = max(swing, np.abs(drive.body("angular_velocity") - spin).max())
    assert swing > 0.02  # the hubs turn the body meanwhile
    assert worst < 1e-3 * np.linalg.norm(start)


@pytest.mark.parametrize(("spin", "fall"), [((0.0, 0.0, 0.0), -0.4), ((0.5, 0.0, 0.0), -0.3)])
def test_an_undamped_car_on_its_tires_keeps_its_energy(spin, fall):
    """Within 0.2 % of the largest kinetic energy, over 4 s of bounce, pitch and hop at 60 Hz."""
    drive = undamped()
    drive.vehicle.state["body"][0]["velocity"][2] = fall
    drive.vehicle.state["body"][0]["angular_velocity"] = spin
    drive.ticks(drive.commands(2))
    energies = np.array([energy(drive.ticks(drive.commands(1))) for _ in range(round(4.0 / TICK))])
    assert drive.wheels("suspension", "on_ground").all()
    assert np.ptp(energies[:, 0]) < 2e-3 * energies[:, 1].max()


def test_a_solid_axle_in_a_valley_keeps_its_energy():
    """Its hubs move sideways as they rise, along roads that slope by 0.2 to the middle of the car."""
    valley = field_ground(lambda x, y: 0.2 * np.abs(x), half_size=32.0)
    drive = undamped(ground=valley, links="solid_axle", roll_centre_height=0.1)
    drive.vehicle.state["body"][0]["velocity"][2] = -0.3
    drive.ticks(drive.commands(2))
    energies = np.array([energy(drive.ticks(drive.commands(1))) for _ in range(round(2.0 / TICK))])
    assert drive.wheels("suspension", "on_ground").all()
    assert np.ptp(energies[:, 0]) < 0.01 * energies[:, 1].max()


def test_hubs_swinging_without_weight_keep_their_energy():
    """Their springs are relaxed in the middle of the travel."""
    drive, middle = flying(), 0.2
    drive.vehicle.set_many(each_wheel("suspension", preload=-middle * SPRING))
    drive.world.context["gravity"] = 0.0
    drive.vehicle.state["suspension"][0]["jounce"][:4] = middle
    drive.vehicle.state["suspension"][0]["jounce_speed"][:4] = (0.6, -0.6, -0.3, 0.5)
    drive.ticks(drive.commands(1))
    energies, kinetic = np.array([energy(drive.ticks(drive.commands(1)), middle) for _ in range(180)]).T
    assert kinetic.min() < 0.3 * kinetic.max()  # springs take most of it at times
    assert np.ptp(energies) < 2e-3 * kinetic.max()


@pytest.mark.parametrize("rate", [60.0, 120.0])
def test_wheels_hop_at_their_natural_frequency(rate):
    """That of a hub between a fixed body and the road: sqrt((k + k_t) / m)."""
    drive = undamped(1.0 / rate)
    drive.vehicle.state["suspension"][0]["jounce_speed"][:4] = (0.3, -0.3, -0.3, 0.3)  # the body hardly moves
    jounces = drive.log(0.8, lambda d: d.wheels("suspension", "jounce") @ (0.25, -0.25, -0.25, 0.25), every=1.0 / rate)
    hop = math.sqrt((SPRING + TIRE) / HUB)
    assert rate_of(jounces, 1.0 / rate) == pytest.approx(hop, rel=0.02)
