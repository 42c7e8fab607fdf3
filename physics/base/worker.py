"""A process of this program that works beside the one a person sits at, so that its picture never waits.

    python -m driving_sandbox.physics.base.worker MODULE [ARGUMENT]...

runs a module as `python -m MODULE` does, as a helper.

Requests are lines of JSON on the helper's standard input, what it has found are lines on its standard output, and of
one that fails the last line on standard error is for the person. Standard input stays open for as long as the program
lives: its end tells a helper that the program is gone, in whatever way, and it ends as well.
"""

import _thread
import contextlib
import json
import os
import queue
import runpy
import signal
import subprocess
import sys
import threading
from time import sleep
from typing import Any

from driving_sandbox.physics.kernel.import_closure import ROOT

GRACE = 2.0  # s a helper has for cleaning up when its program is gone; the longest step of a compiler takes about one


class Worker:
    """A helper process at work. What it says is taken in by a thread; subclasses say what becomes of it.

    Args:
        module, arguments: what it runs. request: plain values it is asked for at first, or None. niceness: lowers its
        priority, where processes have one.
    Attributes:
        done: it has ended, and all it said is taken in. error: what went wrong, one line, or None.
    """

    def __init__(self, module, *arguments, request=None, niceness=0):
        self.done, self.error = False, None
        self._cancelled, self._complaints = False, []
        self._process = subprocess.Popen(
            [sys.executable, "-m", "driving_sandbox.physics.base.worker", module, *map(str, arguments)], cwd=ROOT,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
        )  # fmt: skip
        if niceness:
            with contextlib.suppress(AttributeError, OSError):  # a system without priorities, or it has ended already
                os.setpriority(os.PRIO_PROCESS, self._process.pid, niceness)
        self._listeners = [threading.Thread(target=listen, name=f"{listen.__name__} of {module}", daemon=True)
                           for listen in (self._listen, self._listen_to_complaints)]  # fmt: skip
        for listener in self._listeners:
            listener.start()
        if request is not None:
            self.ask(request)

    def ask(self, request):
        """Give it plain values to work on, once more."""
        with contextlib.suppress(OSError, ValueError):  # it has ended, which `error` tells
            print(json.dumps(request), file=self._process.stdin, flush=True)

    def _take(self, line: str) -> None:
        """A line it said."""

    def _ended(self) -> None:
        """It has ended, well or not; `error` is known."""

    def _listen(self) -> None:
        try:
            for line in self._process.stdout:
                if line.endswith("\n"):  # else it was ended within it
                    self._take(line)
            self._listeners[1].join()
            code = self._process.wait()
            if code and not self._cancelled:
                self.error = self._complaints[-1] if self._complaints else f"the helper process ended with code {code}"
            self._ended()
        except Exception as error:  # of what it said: whoever waits for it is told
            self.error = f"{type(error).__name__}: {error}"
            self._process.kill()
        finally:
            for stream in (self._process.stdin, self._process.stdout):
                with contextlib.suppress(OSError):  # something was still to be given to it
                    stream.close()
            self.done = True

    def _listen_to_complaints(self) -> None:
        with self._process.stderr as stream:
            self._complaints.extend(line.strip() for line in stream if line.strip())

    def poll(self):
        """True while it is at work."""
        return not self.done

    def wait(self):
        """Block until it has ended; True when it did all it was asked for."""
        self._listeners[0].join()
        return self._process.wait() == 0 and self.error is None

    def cancel(self) -> None:
        """End it, which is no error; what it has found stays."""
        if not self.done:
            self._cancelled = True
            self._process.terminate()
            self.wait()


class _Requests:
    """Standard input of a helper: lines that a thread has taken in already, so that their end is noticed at once."""

    def __init__(self) -> None:
        self._lines = queue.SimpleQueue()

    def follow(self, stream: Any) -> None:
        """Take in lines until the program that writes them is gone; then end this process."""
        for line in stream:
            self._lines.put(line)
        _thread.interrupt_main(signal.SIGTERM)
        sleep(GRACE)
        os._exit(1)

    def readline(self) -> str:
        return self._lines.get()

    def __iter__(self) -> Any:
        return iter(self.readline, None)


def main(module: str, *arguments: Any) -> None:
    """The helper process."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # folders and helpers of its own are cleared away
    requests, stream = _Requests(), sys.stdin
    threading.Thread(target=requests.follow, args=(stream,), name="following the program", daemon=True).start()
    sys.stdin, sys.argv = requests, [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
