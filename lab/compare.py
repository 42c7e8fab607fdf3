"""Two vehicles, or one vehicle without and with a setup, on the same manoeuvre or with the same commands.

Each drives alone, from the same start in the same world, so that only the vehicles differ. On a manoeuvre each has its
own driver, so that both hold the speed or follow the line where the manoeuvre asks for it (closed loop). With the same
commands (open loop) no driver compensates for differences, so that the responses to the controls are compared; any
difference of the vehicles, such as more engine power, may then show in every figure.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driving_sandbox.lab.difference import Quantity, differences
from driving_sandbox.lab.drive import Drive, drive

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle
    from driving_sandbox.physics.world.world_file import WorldFile

LETTERS = VEHICLE_A, VEHICLE_B = "A", "B"  # labels of the two vehicles


def compare(
    first: "Vehicle",
    second: "Vehicle",
    world_file: "WorldFile",
    ticks: int,
    commands: Any,
    start: Callable[[Any], Any],
    records: Sequence[Path | str | None] = (None, None),
    commands_of: str | None = None,
) -> tuple[Drive, Drive, list[Quantity]]:
    """(Drive of the first, Drive of the second, list of lab.difference.Quantity, empty if a drive has no rows).

    Slip angles are compared only between vehicles with the same axles.

    Args:
        commands, start: as `lab.drive.drive` takes them.
        records: path of each vehicle's recording, None for no recording.
        commands_of: if `commands` makes drivers, VEHICLE_A (the first) or VEHICLE_B (the second): both get the commands
            of this vehicle's driver; None: each has its own driver. None if `commands` is an array.
    """
    vehicles = {VEHICLE_A: first, VEHICLE_B: second}
    drives: dict[str, Drive] = {}
    for name in LETTERS[::-1] if commands_of == VEHICLE_B else LETTERS:  # the one that gives the commands drives first
        source = commands if commands_of in (None, name) else drives[commands_of].commands
        drives[name] = drive(vehicles[name], world_file, ticks, source, start, records[LETTERS.index(name)])
    first_drive, second_drive = drives[VEHICLE_A], drives[VEHICLE_B]
    axles = first.axles if first.axles == second.axles else {}
    rows = first_drive.rows, second_drive.rows
    quantities = differences(*rows, axles) if all(map(len, rows)) else []
    return first_drive, second_drive, quantities
