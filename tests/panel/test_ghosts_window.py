"""The window of the ghosts."""

import numpy as np
import pytest

from driving_sandbox.game.experiments.ghosts import Ghost, GhostDrive, Ghosts, ReplayGhosts
from driving_sandbox.game.experiments.ghosts_window import GhostWindow


@pytest.mark.parametrize("make", [lambda: Ghosts(None, None), lambda: ReplayGhosts(())])
def test_a_click_removes_a_ghost(ui, user, make):
    times, poses = np.arange(2.0), {"model_position": np.zeros((2, 3)), "model_orientation": np.zeros((2, 4))}
    ghosts = make()
    ghosts.running += [Ghost(GhostDrive(name, times, poses, times, None)) for name in ("first", "second")]
    window = GhostWindow(ui, ghosts)
    window.open = True
    ui.add(lambda: window.draw(0.0, 400.0))
    user.step()
    user.click("ghost:0:remove")
    assert [ghost.drive.name for ghost in ghosts.running] == ["second"]
