"""The multi-body sedan of the CommonRoad vehicle models, driven by the recorded steering and accelerations.

`pytest tests/reference --commonroad DIR` (or SANDBOX_COMMONROAD) drives every .npz of a folder of the same layout: t,
u_accel [m/s2], `mb` with its column names `mb_names` (v_x, v_y, psi_dot, delta are read), v0. The car is one file,
data/commonroad/sedan.yaml, for all of them. Steering follows `delta`, which both front wheels get; accelerations are
pedals, limited as that model limits its engine.

Asked for: root mean square of the differences of yaw rate and lateral acceleration within 8 % of the root mean square
of the reference; of the side slip angle within 8 % or 0.1 degree.

The car's axles are bodies of their own under the springs (`axle_bodies`, `sprung`), as that model has them, and its
tires springs that also pull (`tire_pulls`): inner wheels whose load falls below zero hold it down in bends at the limit
of grip. Its drives begin with the body as high as if the tires did not give way (`lifted`).

Limits: freely rolling wheels slip by no less than 4 m/s. Axles feel their tires half a millisecond late. Shifts
that change sides with the lean push a car that goes straight to the side to which it happens to lean: a small swing,
4 mrad of 2.4 Hz at 29 m/s, in which wheels just reach that, differs by half in lateral acceleration, as the reference
does from itself at twice its step; for 1e-4 more of steering that differs by a third.
"""

import math
from pathlib import Path

import numpy as np
import pytest
from drive_rig import Drive

from driving_sandbox.physics.maths.quat import multiply, rotate
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

CAR = Path(__file__).resolve().parent / "data" / "commonroad" / "sedan.yaml"
A_MAX, V_SWITCH = 11.5, 7.319  # m/s2 and m/s: of the reference's engine; above V_SWITCH its power is constant
FULL_LOCK = 1.066  # rad, of the car file
TICKS = 5  # per sample of 10 ms
SETTLE = 4.0  # s
WITHIN = 0.08
SIDE_SLIP = math.radians(0.1)
NOTHING = {"yaw rate": 0.01, "lateral acceleration": 0.1}  # rad/s, m/s2: where a drive hardly turns


class Recorded:
    """One drive of the reference; columns of `mb` by name."""

    def __init__(self, path):
        with np.load(path) as file:
            self.time, self.accelerations = file["t"], file["u_accel"]
            self._states, self._names = file["mb"], [str(name) for name in file["mb_names"]]
        self.step = float(self.time[1] - self.time[0])

    def __getitem__(self, name):
        return self._states[:, self._names.index(name)]

    def signals(self):
        return signals(self["v_x"], self["v_y"], self["psi_dot"], self.step)


def signals(ahead, left, yaw_rate, step):
    return {
        "yaw rate": yaw_rate,
        "lateral acceleration": np.gradient(left, step) + yaw_rate * ahead,
        "side slip": np.arctan2(left, ahead),
    }


def heading(drive):
    """(direction of the nose, the same along the road)"""
    nose = np.array(rotate(tuple(drive.body("orientation").tolist()), (0.0, 1.0, 0.0)))
    return nose, nose[:2] / np.linalg.norm(nose[:2])


def motion(drive):
    """(speed ahead, speed to the left, rate of the heading) along the road, of the centre of mass."""
    nose, ahead = heading(drive)
    left, v = np.array((-ahead[1], ahead[0])), drive.body("velocity")[:2]
    turned = np.cross(drive.body("angular_velocity"), nose)[:2] @ left / np.linalg.norm(nose[:2])
    return v @ ahead, v @ left, turned


def at_speed(recorded, values=None):
    """A Drive of the car, settled on its springs and rolling at the first speed of a record."""
    vehicle = load_vehicle(CAR)
    drive = Drive(vehicle, tick=recorded.step / TICKS, values=values).run(SETTLE)
    speed = float(recorded["v_x"][0])
    vehicle.state["body"][0]["velocity"] = [speed * x for x in (*heading(drive)[1], 0.0)]
    vehicle.state["wheel"][0]["omega"][:4] = speed / vehicle.get("wheel.fl.radius")
    return lifted(drive)


def lifted(drive):
    """The body as it stands where a drive of the reference begins: as if its tires did not give way; it then sinks."""
    body, suspension = (drive.vehicle.state[slot][0] for slot in ("body", "suspension"))
    places, given = drive.vehicle.params["suspension"][0]["arm"][:4, 1], suspension["tire_deflection"][:4]
    nose_up, rise = np.polyfit(places, given, 1)
    suspension["jounce"][:4] -= given
    suspension["road_jounce"][:4] -= given
    body["position"][2] += rise
    body["orientation"] = multiply(tuple(body["orientation"]), (math.sin(0.5 * nose_up), 0.0, 0.0, 1.0))
    return drive


def driven(recorded, values=None):
    """`signals` of our car with the inputs of a record."""
    drive, angles = at_speed(recorded, values), recorded["delta"]
    found = []
    for k, wanted in enumerate(recorded.accelerations):
        found.append(motion(drive))
        later = angles[min(k + 1, len(angles) - 1)]
        angle = angles[k] + (np.arange(TICKS) + 0.5) / TICKS * (later - angles[k])
        most = A_MAX * min(1.0, V_SWITCH / max(found[-1][0], V_SWITCH))
        pedal = min(max(wanted, -A_MAX), most) / A_MAX
        commands = drive.commands(TICKS, gear=2, steer=-angle / FULL_LOCK, throttle=max(pedal, 0.0),
                                  brake=max(-pedal, 0.0))  # fmt: skip
        drive.ticks(commands)
    return signals(*np.array(found).T, recorded.step)


def size(values):
    return float(np.sqrt(np.mean(np.square(values))))


def differences(recorded, ours):
    """{signal: (difference, share of the reference, whether it is near enough)}"""
    result = {}
    for name, reference in recorded.signals().items():
        off = size(ours[name] - reference)
        near = off <= WITHIN * size(reference) or off <= NOTHING.get(name, SIDE_SLIP)
        result[name] = (off, off / max(size(reference), 1e-12), near)
    return result


def test_every_drive(commonroad_path, report):
    recorded = Recorded(commonroad_path)
    found = differences(recorded, driven(recorded))
    for name, (off, share, _) in found.items():
        report("commonroad", (commonroad_path.stem, name, off, share))
    assert all(near for *_, near in found.values()), found


@pytest.mark.parametrize("axle", [("fl", "fr"), ("rl", "rr")])
def test_another_car_does_not_pass(axle):
    """A fifth less cornering stiffness at one axle."""
    recorded = Recorded(CAR.parent / "step_steer_20_mild.npz")
    values = {f"tire.{wheel}.pky1": 0.8 * -10960.0 for wheel in axle}
    assert not all(near for *_, near in differences(recorded, driven(recorded, values)).values())
