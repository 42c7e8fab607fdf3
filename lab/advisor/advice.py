"""A piece of advice: the symptom, the evidence, the cause, and the parameter to change.

Every kind of advice is an entry of `SYMPTOMS` (lab/advisor/symptoms.py) with a stable id; a check or a detector adds
the evidence (numbers with units) and the path of the parameter. Advice is immutable.
"""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from driving_sandbox.lab.advisor.symptoms import SYMPTOMS, Symptom


@dataclass(frozen=True)
class Advice:
    """One symptom found on one vehicle.

    Attributes:
        symptom: the Symptom found.
        evidence: the measured numbers.
        path: path of the parameter to change, or None where the driver or the program has to act.
        action: how to change it, or what to do.
        changes: {path: value} that can be applied at once, or {}.
        file, line: where the parameter is set, or None.
    """

    symptom: Symptom
    evidence: str
    path: str | None
    action: str
    changes: dict = field(default_factory=dict)
    file: str | None = None
    line: int | None = None

    id = property(lambda self: self.symptom.id)
    cause = property(lambda self: self.symptom.cause)

    @property
    def remedy(self) -> str:
        """What to do, in words."""
        return f"{self.action} {self.path}" if self.path else self.action

    @property
    def text(self) -> str:
        """The advice in one line, without the file location."""
        return f"{self.symptom.title}: {self.evidence}. Likely cause: {self.cause}. Remedy: {self.remedy} [{self.id}]"

    def __str__(self) -> str:
        if self.file is None:
            return self.text
        location = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{location}: warning: {f'{self.path}: ' if self.path else ''}{self.text}"

    def at(self, file: Path | str, line: int | None) -> "Advice":
        """The same advice with the file location of its parameter."""
        return replace(self, file=str(file), line=line)


def advise(
    symptom_id: str, evidence: str, path: str | None, changes: dict[str, Any] | None = None, action: str | None = None
) -> Advice:
    """The Advice of a symptom by its id; `action`, if given, replaces the symptom's."""
    symptom = SYMPTOMS[symptom_id]
    return Advice(symptom, evidence, path, symptom.action if action is None else action, dict(changes or {}))
