"""Experiments while driving and their windows: what if, ghosts, the effect of a parameter; and the laps to compare."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from driving_sandbox.game.experiments.effect import Effect
from driving_sandbox.game.experiments.effect_window import EffectSection
from driving_sandbox.game.experiments.ghost_display import GhostDisplay
from driving_sandbox.game.experiments.ghosts import Ghosts
from driving_sandbox.game.experiments.ghosts_window import GhostWindow
from driving_sandbox.game.experiments.what_if import Outcome, WhatIf
from driving_sandbox.game.experiments.what_if_window import TryOutRow, WhatIfSection
from driving_sandbox.game.laps.reference import DriveLaps
from driving_sandbox.game.platform.user_folder import subfolder
from driving_sandbox.game.view.vehicle.ghost import COLOURS, GroundLine
from driving_sandbox.game.windows.column import Section
from driving_sandbox.physics.batch.trajectory import POSITION

DRIVEN_COLOUR = (0.92, 0.93, 0.95)  # RGB of the driven path


class Experiments:
    """The experiments of a drive except the twin. Call `step` and `draw` once a frame, and `close` at the end.

    Args:
        session: game.session.session.Session.
        scene: game.view.scene.Scene.
        ui: ImGuiBackend.
        panel: ParameterPanel.
        recordings: folder of the recordings that can be added, or None.
        ghosts: paths of recordings shown as ghosts.
    """

    def __init__(
        self,
        session: Any,
        scene: Any,
        ui: Any,
        panel: Any,
        recordings: Path | str | None,
        ghosts: Sequence[Path | str] = (),
    ) -> None:
        self.what_if = WhatIf(session)
        self.what_if_section = WhatIfSection(ui, self.what_if)
        self.path_lines = [GroundLine(scene, colour) for colour in (DRIVEN_COLOUR, COLOURS[1])]  # driven, changed
        self._outcome_shown: Outcome | None = None  # Outcome of what-if whose paths are on the ground
        player = session.vehicle
        self.ghosts = Ghosts(session, (player.geometry.path, player.paint) if player.geometry else None)
        self._ghost_display = GhostDisplay(scene, self.ghosts)
        self.ghost_window = GhostWindow(ui, self.ghosts, recordings)
        for path in ghosts:
            self.add_ghost(path)
        self.laps = DriveLaps(session, self.ghosts, subfolder("laps"), recordings)
        self.effect = Effect(session)
        self.effect_section = EffectSection(ui, self.effect, session.tuning)
        panel.on_pick = self.effect_section.pick
        panel.try_out = self._row = TryOutRow(ui, self.what_if, session.tuning, session.say)
        self._session = session

    def actions(self) -> dict[str, Callable[[], None]]:
        """{action: function} of the keys."""
        return {
            "what_if": lambda: setattr(self.what_if, "on", not self.what_if.on),
            "flip_setup": self._row.flip,
            "ghosts": self.ghost_window.toggle,
        }

    def sections(self) -> tuple[Section, ...]:
        """The tabs of what-if and of the effect of a parameter in the column."""
        what_if, effect = self.what_if, self.effect_section
        return (
            Section("what-if", "What if", lambda: what_if.on, lambda: setattr(what_if, "on", False),
                    self.what_if_section.draw),
            Section("effect", "Effect", lambda: effect.open, effect.close, effect.draw),
        )  # fmt: skip

    def add_ghost(self, path: Path | str) -> None:
        """Begin to read a recording that becomes a ghost, and show the ghosts."""
        self.ghosts.load(path)
        self.ghosts.visible = self.ghost_window.open = True

    def step(self) -> None:
        """Show a new outcome of what-if, move the ghosts, and offer and store laps."""
        self.what_if.poll()
        outcome = self.what_if.outcome
        if outcome is not self._outcome_shown:
            self._outcome_shown = outcome
            paths = (None, None) if outcome is None else (outcome.driven[:, POSITION], outcome.changed[:, POSITION])
            for line, path in zip(self.path_lines, paths, strict=True):
                line.show(path)
        self.ghosts.step()
        self.laps.step()
        self._ghost_display.update(self._session.world.time)

    def draw(self, left: float, right: float) -> None:
        """Draw the ghosts' window, and fetch new points of the effect's sweep.

        `left` and `right` are pixels between which no panel covers the frame.
        """
        self.ghost_window.draw(left, right)
        self.effect.poll()

    def close(self) -> None:
        """End the threads and workers."""
        self.what_if.close()
        self.laps.close()
        self.effect.close()
