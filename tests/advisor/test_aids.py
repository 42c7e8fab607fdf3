"""Advice on driving aids: for traction control that stays active, a min_velocity_ratio at which it releases."""

import pytest
from watched import WatchedDrive, reported

SETTINGS = {"traction_control.mode": "axles", "traction_control.max_velocity_ratio": 1.1,
          "traction_control.driven_end": "front", "traction_control.min_velocity": 0.0}  # fmt: skip


@pytest.mark.covers("RC-TC-06")
def test_traction_control_that_stays_active_is_reported():
    """A min_velocity_ratio of 1.0 is never reached; at 1.05 traction control releases, and nothing is reported.

    `driven_end` is wrongly set to the front: with the throttle closed the engine brakes the rear wheels, which keeps
    the ratio of front to rear wheel speed above 1.
    """
    drive = WatchedDrive("track_roadster", {**SETTINGS, "traction_control.min_velocity_ratio": 1.0}).settle().roll(20.0)
    drive.vehicle.state["traction_control"][0]["active"] = 1
    advice = reported(drive.run(1.9, throttle=0.8).run(0.6, throttle=0.8), "stuck_traction_control")
    assert advice.path == "traction_control.min_velocity_ratio" and "1.05" in advice.text
    assert advice.changes == {advice.path: 1.05} and "returns at 1" in advice.evidence
    values = {**SETTINGS, "traction_control.min_velocity_ratio": 1.05}
    drive = WatchedDrive("track_roadster", values).settle().roll(20.0)
    drive.vehicle.state["traction_control"][0]["active"] = 1
    assert "stuck_traction_control" not in drive.run(2.5, throttle=0.8).advice
