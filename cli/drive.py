"""`main.py drive`: hands over to the program with the window."""

from time import perf_counter

from cli.names import find_recording
from cli.program import Failure

WITHOUT_DISPLAY = "main.py drive --offscreen --driver ai --seconds 20 --screenshot drive.png"


def drive(options):
    """Drive until the window is closed; the exit code."""
    started = perf_counter()
    options.ghost = [find_recording(name).resolve() for name in options.ghost]
    from game.view.shading import read_ahead

    read_ahead()  # pictures are decoded while the modules below are imported, which takes a second
    from cli.names import named_vehicle
    from game.start import drive as run
    from game.window import NoDisplay

    options.vehicle = named_vehicle(options.vehicle)
    try:
        return run(options, started)
    except NoDisplay as error:
        if options.offscreen:
            raise
        raise Failure(f"{error} For example: {WITHOUT_DISPLAY}") from error
