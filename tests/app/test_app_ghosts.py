"""A ghost of a recording, drawn and compared with the player's car in the running program."""

from time import sleep

import numpy as np
import pytest

from driving_sandbox.physics.recording import Recording

pytestmark = pytest.mark.drawn


@pytest.fixture
def rig(open_rig, drive):
    """The program with a running ghost."""
    rig = open_rig("--size", "480x270", "--world", "proving_ground", "--driver", "none", "--ghost", drive.recording)
    rig.app.welcome = None
    ghosts = rig.app.experiments.ghosts
    for _ in range(200):
        rig.step()
        if ghosts.running:
            return rig
        sleep(0.05)
    raise AssertionError(f"not read within ten seconds: {rig.shown}")


def test_a_ghost_follows_its_recorded_path_and_is_shown_or_hidden(rig, drive):
    experiments = rig.app.experiments
    (ghost,) = experiments.ghosts.running
    start = ghost.set_off_at
    rig.run(1.0)
    (index, view) = experiments._ghost_display.views[ghost]
    assert index == 0
    recorded = Recording.open(drive.recording).pose_at(rig.session.world.time - start).vehicles[0]["model_position"]
    assert np.allclose(np.array(view.body.getPos()), recorded, atol=0.02)
    assert ghost.ahead > 0.2  # the recorded car drives off, the player's stands still
    rig.ui.items.point("ghost:0:gap", 0.5)  # fails if the window does not show the gap
    position = view.body.getPos()
    rig.press("k")
    assert not experiments.ghosts.visible and not experiments.ghost_window.open
    rig.run(0.5)
    assert view.body.getPos() == position  # a hidden ghost is not moved
    rig.press("k")
    rig.run(1.0)
    assert experiments.ghosts.visible and not ghost.shown(rig.session.world.time)  # its two seconds are over
    experiments.ghosts.remove(ghost)
    rig.step()
    assert experiments._ghost_display.views == {}
