"""A keyboard drive of the clubsport, with a held shift key and a stalled engine, replays exactly."""

import sys

import pytest

from driving_sandbox.physics.gearbox.timed_gearbox import IN_NEUTRAL
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.recording import verify
from driving_sandbox.physics.tick.commands import NEUTRAL

sys.path.insert(0, str(ROOT / "tests" / "app"))
from app_rig import Rig  # noqa: E402

pytestmark = pytest.mark.drawn


def test_a_drive_with_a_held_shift_key_and_a_stalled_engine_is_recorded_exactly(tmp_path, monkeypatch):
    monkeypatch.setenv("SANDBOX_HOME", str(tmp_path))
    rig = Rig("--vehicle", "clubsport")
    try:
        rig.app.session.tuning.set_parameters({"clutch.auto_omega": 0.0})
        rig.press("m")  # manual gears
        rig.hold("w", "e")  # full throttle, and the key for shifting up stays down
        rig.run(1.0)
        assert rig.read("gearbox.phase") == IN_NEUTRAL  # waits for the key
        assert rig.read("gearbox.current_gear") == NEUTRAL
        rig.hold("w")
        rig.run(1.0)
        assert rig.read("gearbox.current_gear") > NEUTRAL
        rig.hold("s")
        rig.until(lambda: rig.read("engine.running") == 0, 8.0)  # braked to a stop in gear
        rig.hold("w", "lshift")
        rig.until(lambda: rig.read("engine.running") == 1, 3.0)
        path = rig.session.recorder.path
    finally:
        rig.close()
    report = verify(path)
    assert report.ok, report.text
