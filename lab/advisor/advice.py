"""A piece of advice: the symptom, the evidence, the cause, and the parameter to change.

Every kind of advice is an entry of `SYMPTOMS` (lab/advisor/symptoms.py) with a stable id; a check or a detector adds
the evidence, a number with its unit, and the path of the parameter. Advice is a plain value.
"""

from dataclasses import dataclass, field, replace

from driving_sandbox.lab.advisor.symptoms import SYMPTOMS, Symptom


@dataclass(frozen=True)
class Advice:
    """One symptom found on one vehicle.

    Attributes:
        symptom: Symptom. evidence: the measured numbers. path: of the parameter to change, None where the remedy is a
        command. move: how to change it. remedy: {path: value} that may be applied at once, or {}. file, line: where the
        parameter is set, or None.
    """

    symptom: Symptom
    evidence: str
    path: str | None
    move: str
    remedy: dict = field(default_factory=dict)
    file: str | None = None
    line: int | None = None

    id = property(lambda self: self.symptom.id)
    cause = property(lambda self: self.symptom.cause)

    @property
    def text(self):
        """The advice in one line, without the file location."""
        target = f"{self.move} {self.path}" if self.path else self.move
        return f"{self.symptom.title}: {self.evidence}. Likely cause: {self.cause}. Remedy: {target} [{self.id}]"

    def __str__(self):
        if self.file is None:
            return self.text
        location = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{location}: warning: {f'{self.path}: ' if self.path else ''}{self.text}"

    def at(self, file, line):
        """The same advice with the file location of its parameter."""
        return replace(self, file=str(file), line=line)


def advise(name, evidence, path, remedy=None, move=None):
    """The Advice of a symptom by its id; `move` replaces that of the table."""
    symptom = SYMPTOMS[name]
    return Advice(symptom, evidence, path, symptom.move if move is None else move, dict(remedy or {}))
