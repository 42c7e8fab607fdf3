"""Writes docs/tuning_help.md from the advisor's table: `python -m driving_sandbox.docs.build.tuning_help [--check]`."""

import sys
from pathlib import Path

from driving_sandbox.docs.build.page import write_or_check
from driving_sandbox.lab.advisor.symptoms import SYMPTOMS

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "tuning_help.md"
INTRODUCTION = """\
# Tuning help

<!-- Written by docs/build/tuning_help.py from lab/advisor/symptoms.py; edit that. -->

The advisor checks a vehicle's figures when it is loaded (`./drive check FILE` prints the same, with `--figures` also
natural frequencies, losses, times and resistances), and its motion while it is driven. Each message names a symptom,
the measured figures, the likely cause and the parameter to change. In the panel's *Advisor* section a click on a
message shows its slider, *Apply* sets the proposed value (undo restores the old one), *Check* checks the figures again,
and the other buttons measure a copy of the vehicle on an endless plane:

* *Lift test*: engine and wheel speeds after full throttle in first gear, in the air and on the ground.
* *Coast-down*: deceleration in gear at 20 m/s, and the part of it due to air drag.
* *Step steer*: the largest yaw acceleration after a step of the steering at 15 m/s.
* *Hill test*: the steepest slope that full throttle climbs from rest.
* *Slow stop*: how often the longitudinal slip of the tires changes its sign, coasting for 1 s from 1.5 m/s.

The limits are those of the PhysX vehicle manual's tuning guide and troubleshooting chapter, except where a row says
otherwise: a warning is meant for a vehicle that does not drive well, and the cars of this program raise none.
"""
COLUMNS = "| Id | Symptom | Criterion | Likely cause | Remedy | Source |\n|---|---|---|---|---|---|\n"
HEADINGS = {
    "load": "At load time, from the figures",
    "drive": "While driving",
    "trial": "After a measurement",
}


def page() -> str:
    """The text of the page."""
    parts = [INTRODUCTION]
    for when, heading in HEADINGS.items():
        parts.append(f"\n## {heading}\n\n{COLUMNS}")
        for s in SYMPTOMS.values():
            if s.when == when:
                remedy = f"{s.action} `{s.parameter}`" if s.parameter else s.action
                parts.append(f"| `{s.id}` | {s.title} | {s.criterion} | {s.cause} | {remedy} | {s.source} |\n")
    return "".join(parts)


if __name__ == "__main__":
    sys.exit(write_or_check(PAGE, page(), sys.argv[1:]))
