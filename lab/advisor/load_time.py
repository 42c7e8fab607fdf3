"""Checks of a vehicle's parameters at load time: the tuning guide's rules of thumb."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from driving_sandbox.lab.advisor.advice import Advice
from driving_sandbox.lab.advisor.load_body import BODY_CHECKS
from driving_sandbox.lab.advisor.load_brakes import BRAKE_CHECKS
from driving_sandbox.lab.advisor.load_drivetrain import DRIVETRAIN_CHECKS
from driving_sandbox.lab.advisor.load_parts import PART_CHECKS
from driving_sandbox.lab.advisor.planar_report import planar
from driving_sandbox.lab.advisor.source_location import documents, location_of

if TYPE_CHECKING:
    from driving_sandbox.physics.schema.yaml_file import YamlMap
    from driving_sandbox.physics.vehicle.vehicle import Vehicle


def check_vehicle(
    vehicle: "Vehicle", step: float | None = None, doc: "YamlMap | None" = None, setup: "YamlMap | None" = None
) -> list[Any]:
    """[Advice] on a vehicle's parameters, with file and line.

    Args:
        step: substep of the vehicle's world, s; None: the one at 240 ticks per second with the substep count of the
            vehicle's context.
        doc: the vehicle's parsed file; None reads it again.
        setup: the parsed setup that was applied to it, or None.
    """
    if planar(vehicle):
        return []
    if step is None:
        step = 1.0 / 240.0 / int(vehicle.context["substep_count"][0])
    checks = (*BODY_CHECKS, *DRIVETRAIN_CHECKS, *BRAKE_CHECKS, *PART_CHECKS)
    advice_list = [advice for check in checks for advice in check(vehicle, step)]
    docs = [setup, *documents(vehicle, doc)] if advice_list else []
    return [_located(vehicle, advice, docs) for advice in advice_list]


def _located(vehicle: "Vehicle", advice: Advice, docs: Sequence[Any]) -> Advice:
    """The advice with file and line of its parameter, where these are known."""
    file, line = location_of(vehicle, advice.path, *docs) if advice.path else (None, None)
    return advice if file is None else advice.at(file, line)
