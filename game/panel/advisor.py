"""Tuning help in the panel: advice found at load time and while driving, and measurements that a button begins.

A click on a line shows its parameter in the panel, "Apply" applies the proposed changes, if any (with undo), and the
question mark opens the explanation of docs/tuning_help.md.
`Advisor` listens to a session: `sample` once a tick, `poll` once a frame. `AdvisorList` draws it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

from imgui_bundle import imgui

from driving_sandbox.game.platform.error_message import message_of
from driving_sandbox.game.session.edits import PanelModel
from driving_sandbox.game.toolkit.theme import ACCENT, ERROR, TEXT_DIM, WARNING, Icon
from driving_sandbox.lab.advisor import Monitor, check_vehicle
from driving_sandbox.lab.advisor.advice import Advice
from driving_sandbox.lab.advisor.trials import TRIALS
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle_text, vehicle_text

MAX_ADVICE = 30  # messages that remain, the newest
MAX_RESULTS = 8  # results of measurements that remain
MAX_HEIGHT = 13.0  # lines of text, maximum height of the list
_log = logging.getLogger(__name__)


class Advisor:
    """Advice about the vehicle of a session.

    Args:
        session: game.session.session.Session (or anything with vehicle, world, say).
    Attributes:
        advice: list of lab.advisor's Advice, newest first.
        results: lines of the measurements, newest first.
        running: name of the measurement in progress, or None.
    """

    def __init__(self, session: Any) -> None:
        self._session = session
        self.advice: list[Advice] = []
        self.results: list[str] = []
        self.running: str | None = None
        self._done: list[Any] = []  # results of the measuring thread: Trial or text of an error
        self._monitor = Monitor(session.vehicle, session.world.tick_seconds)

    def check(self) -> None:
        """Check the vehicle's parameters again, and replace and announce the advice that follows from them."""
        world = self._session.world
        substep_seconds = world.tick_seconds / int(world.context["substep_count"][0])
        vehicle_advice = check_vehicle(self._session.vehicle, substep_seconds)
        driving_advice = [a for a in self.advice if a.symptom.when != "load"]
        self.advice = (vehicle_advice + driving_advice)[:MAX_ADVICE]
        for advice in vehicle_advice:
            _log.warning("%s", advice)
        if vehicle_advice:
            first = vehicle_advice[0]
            others_text = f" and {len(vehicle_advice) - 1} more, see the panel" if len(vehicle_advice) > 1 else ""
            self._session.say(f"{first.symptom.title}: {first.path}: {first.evidence}{others_text}", "warning")

    def sample(self) -> None:
        """Watch the state after a tick; call once a tick."""
        if self._session.vehicle is not self._monitor.vehicle:  # a component was changed
            self._monitor = Monitor(self._session.vehicle, self._session.world.tick_seconds)
        self._monitor.sample()

    def watched(self, driver: Callable[..., Any]) -> Callable[..., Any]:
        """A driver function that samples the state in every tick and then calls `driver` for the command."""

        def drive(situation: Any) -> Any:
            self.sample()
            return driver(situation)

        return drive

    def poll(self) -> None:
        """Announce new advice, and take finished measurements. Call once a frame."""
        for advice in self._monitor.detect():
            self.advice = [advice, *(a for a in self.advice if a.id != advice.id)][:MAX_ADVICE]
            self._session.say(f"{advice.symptom.title}: {advice.evidence}. {advice.remedy}", "warning")
        while self._done:
            trial = self._done.pop(0)
            self.running = None
            if isinstance(trial, str):
                self.results.insert(0, trial)
                continue
            self.results.insert(0, trial.text)
            self.advice = [*trial.advice, *(a for a in self.advice if a.id not in {t.id for t in trial.advice})]
            del self.advice[MAX_ADVICE:]
        del self.results[MAX_RESULTS:]

    def restart(self) -> None:
        """Discard the watched past after a jump of the vehicle."""
        self._monitor.restart()

    def measure(self, name: str) -> None:
        """Begin a measurement on a copy of the vehicle in a thread, unless another one is running.

        `poll` then takes its result to `results` and its advice to `advice`.

        Args:
            name: a key of lab.advisor's TRIALS.
        """
        if self.running:
            return
        self.running = name
        vehicle = self._session.vehicle
        text, path = vehicle_text(vehicle), vehicle.info.get("path", "copy")
        threading.Thread(target=self._measure, args=(name, text, path), daemon=True).start()

    def _measure(self, name: str, text: str, path: str) -> None:
        """Carry out a measurement, in the thread; arguments: its name, the vehicle's text and path."""
        try:
            self._done.append(TRIALS[name](load_vehicle_text(text, path, trust=lambda file: True)))
        except Exception as error:  # whatever it is: else the buttons would stay disabled
            self._done.append(f"{name}: {message_of(error)}")


def explanation(advice: Advice) -> tuple[str, ...]:
    """Lines of text that explain a piece of advice, as in docs/tuning_help.md."""
    symptom = advice.symptom
    return (f"Likely cause: {symptom.cause}.", f"Criterion: {symptom.criterion}.",
            f"Remedy: {f'{symptom.action} {symptom.parameter}'.strip()}.",
            f"docs/tuning_help.md, {advice.id}; source {symptom.source}")  # fmt: skip


class AdvisorList:
    """Draws an Advisor inside the panel.

    Args:
        ui: ImGuiBackend.
        advisor: Advisor.
        model: PanelModel.
        show: function(path) that shows a parameter.
    """

    def __init__(self, ui: Any, advisor: Advisor, model: PanelModel, show: Callable[[str], None]) -> None:
        self._ui, self._advisor, self._model, self._show = ui, advisor, model, show
        self._error = ""
        self.explained: set[str] = set()  # ids of advice whose explanation is open

    def draw(self) -> None:
        """Draw the list under its heading: buttons, results of measurements, then the advice."""
        advice = self._advisor.advice
        title = f"Advisor, {len(advice)} message{'s' * (len(advice) > 1)}" if advice else "Advisor"
        imgui.push_font(self._ui.fonts.bold, 0.0)
        opened = imgui.collapsing_header(f"{title}###advisor")
        imgui.pop_font()
        self._ui.items.note("advisor")
        if not opened:
            return
        self._buttons()
        # height in lines of text: 3.4 for a piece of advice with its buttons, 1.2 for a result
        lines = min(MAX_HEIGHT, 3.4 * len(advice) + 1.2 * len(self._advisor.results))
        if lines and imgui.begin_child("advice", imgui.ImVec2(0.0, lines * imgui.get_text_line_height_with_spacing())):
            imgui.push_text_wrap_pos(0.0)
            for line in self._advisor.results:
                imgui.text_colored(imgui.ImVec4(*TEXT_DIM), line)
            for item in list(advice):  # a copy, as a click may remove an item
                self._line(item)
            imgui.pop_text_wrap_pos()
        if lines:
            imgui.end_child()
        if self._error:
            imgui.text_colored(imgui.ImVec4(*ERROR), self._error)

    def _buttons(self) -> None:
        """Draw the buttons that check the vehicle and that begin measurements."""
        if imgui.small_button("Check##advisor-check"):
            self._advisor.check()
        self._ui.items.note("advisor-check")
        imgui.begin_disabled(self._advisor.running is not None)
        for name in TRIALS:
            imgui.same_line()
            if imgui.small_button(f"{name}##trial"):
                self._advisor.measure(name)
            self._ui.items.note(f"trial:{name}")
        imgui.end_disabled()

    def _line(self, advice: Advice) -> None:
        """Draw a piece of advice: title, evidence, remedy, its buttons, and the explanation if it is open."""
        imgui.text_colored(imgui.ImVec4(*WARNING), Icon.WARNING)
        imgui.same_line()
        if imgui.selectable(f"{advice.symptom.title}##{advice.id}", False)[0] and advice.path:
            self._show(advice.path)
        self._ui.items.note(f"advice:{advice.id}")
        if imgui.is_item_hovered():
            self._explain(advice)
        imgui.text_unformatted(advice.evidence)
        self._ui.items.note(f"evidence:{advice.id}")
        imgui.text_colored(imgui.ImVec4(*ACCENT), advice.remedy)
        imgui.same_line()
        if imgui.small_button(f"?##{advice.id}"):
            self.explained ^= {advice.id}
        self._ui.items.note(f"explain:{advice.id}")
        if advice.changes:
            imgui.same_line()
            if imgui.small_button(f"Apply##{advice.id}"):
                self._apply(advice)
            self._ui.items.note(f"apply:{advice.id}")
        imgui.same_line()
        if imgui.small_button(f"{Icon.CLOSE}##{advice.id}"):
            self._advisor.advice.remove(advice)
        self._ui.items.note(f"dismiss:{advice.id}")
        if advice.id in self.explained:
            for text in explanation(advice):
                imgui.text_colored(imgui.ImVec4(*TEXT_DIM), text)

    def _apply(self, advice: Advice) -> None:
        """Apply the changes that a piece of advice proposes, and remove it."""
        try:
            self._model.set_parameters(advice.changes)
            self._error = ""
            self._advisor.advice.remove(advice)
        except UserError as error:
            self._error = str(error)

    def _explain(self, advice: Advice) -> None:
        """Draw the tooltip with the explanation of a piece of advice."""
        if not imgui.begin_tooltip():
            return
        imgui.push_text_wrap_pos(imgui.get_font_size() * 26.0)
        for text in explanation(advice):
            imgui.text_unformatted(text)
        if advice.file:
            imgui.text_colored(imgui.ImVec4(*TEXT_DIM), f"{advice.file}:{advice.line}")
        imgui.pop_text_wrap_pos()
        imgui.end_tooltip()
