"""Two vehicles, or one vehicle without and with a setup, on the same manoeuvre or with the same commands.

Each drives alone, from the same start in the same world, so that only the vehicles differ. On a manoeuvre each has its
own driver (closed loop): both hold the speed and follow the line. With the same commands (open loop) no driver
compensates for differences: responses to the controls are compared, and more engine power affects every figure.
Optionally both drives are recorded, to be watched together.
"""

from driving_sandbox.lab.difference import differences
from driving_sandbox.lab.drive import drive

LETTERS = FIRST, SECOND = "A", "B"  # labels of the two vehicles


def compare(first, second, world_file, ticks, commands, start, records=(None, None), commands_of=None):
    """(Drive of the first, Drive of the second, list of lab.difference.Quantity).

    Args:
        commands: as `lab.drive.drive` takes them. commands_of: FIRST or SECOND, whose commands the other is given, too;
        None for a driver each.
    """
    pair, made = {FIRST: first, SECOND: second}, {}
    for name in LETTERS[::-1] if commands_of == SECOND else LETTERS:
        given = commands if commands_of in (None, name) else made[commands_of].commands
        made[name] = drive(pair[name], world_file, ticks, given, start, records[LETTERS.index(name)])
    one, other = made[FIRST], made[SECOND]
    axles = first.axles if first.axles == second.axles else {}
    found = differences(one.rows, other.rows, axles) if len(one.rows) and len(other.rows) else []
    return one, other, found
