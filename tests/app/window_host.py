"""The program in a real window, queried over pipes.

Each line on stdin is a Python expression in which `app` is the App; its value is printed as a line of JSON.
"""

import faulthandler
import json
import queue
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import driving_sandbox.game.program.program  # noqa: E402

_questions = queue.SimpleQueue()
_answers = sys.stdout


def _read():
    for line in sys.stdin:
        _questions.put(line)


class HostedApp(driving_sandbox.game.program.program.App):
    """The App, which answers the questions read from stdin once a frame."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.ui.items.enabled = True
        self.base.taskMgr.remove("answer")  # of the previous drive
        self.base.taskMgr.add(self._answer, "answer", sort=60)

    def _answer(self, task):
        """Print the value of each question, a Python expression about `app`, as JSON."""
        while not _questions.empty():
            value = eval(_questions.get(), {"app": self})
            print(json.dumps(value, default=str), file=_answers, flush=True)
        return task.cont


if __name__ == "__main__":
    faulthandler.enable()
    threading.Thread(target=_read, daemon=True).start()
    from driving_sandbox.cli.program import main

    driving_sandbox.game.program.program.App = HostedApp
    sys.exit(main(sys.argv[1:]))
