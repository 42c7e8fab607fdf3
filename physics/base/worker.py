"""Worker processes, which keep long work out of the interactive process.

    python -m driving_sandbox.physics.base.worker MODULE [ARGUMENT]...

runs a module as `python -m MODULE` does, as a worker.

Requests are lines of JSON on the worker's standard input, results are lines on its standard output; on failure the last
line on standard error is the message for the user. Standard input stays open for the lifetime of the program: when it
closes, for whatever reason, the worker exits too.
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
from pathlib import Path
from time import sleep
from typing import Any

ROOT = Path(__file__).resolve().parents[2]  # the program's folder, in which the worker runs
GRACE = 2.0  # s in which a worker cleans up after the program has ended; the longest compiler step takes about one


class Worker:
    """A running worker process. A thread reads its output; subclasses process it.

    Args:
        module: name of the module to run.
        arguments: its command-line arguments.
        request: first request, a JSON value, or None.
        niceness: added to the niceness of the program, where the system has priorities.
    Attributes:
        done: whether the worker has ended and all its output is processed.
        error: one-line message if it failed, or None.
    """

    def __init__(self, module: str, *arguments: Any, request: Any = None, niceness: int = 0) -> None:
        self.done = False
        self.error: str | None = None
        self._cancelled = False  # whether `cancel` ended it
        self._error_lines: list[str] = []  # of its standard error
        self._process = subprocess.Popen(
            [sys.executable, "-m", "driving_sandbox.physics.base.worker", module, *map(str, arguments)], cwd=ROOT,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
        )  # fmt: skip
        if niceness:
            self.step_back(niceness)
        self._listeners = [threading.Thread(target=listen, name=f"{listen.__name__} of {module}", daemon=True)
                           for listen in (self._listen, self._read_errors)]  # of its output, of its errors  # fmt: skip
        for listener in self._listeners:
            listener.start()
        if request is not None:
            self.ask(request)

    def ask(self, request: Any) -> None:
        """Send a further request, a JSON value."""
        with contextlib.suppress(OSError, ValueError):  # it has ended; see `error`
            print(json.dumps(request), file=self._process.stdin, flush=True)

    def _take(self, line: str) -> None:
        """Process a line of the worker's output; for subclasses."""

    def _ended(self) -> None:
        """React to the worker's end, when `error` is known; for subclasses."""

    def _listen(self) -> None:
        """Process the worker's output until it ends, then set `error` and `done`; runs in a thread."""
        try:
            assert self._process.stdout is not None  # a pipe, as the other two
            for line in self._process.stdout:
                if line.endswith("\n"):  # else it was ended while writing the line
                    self._take(line)
            self._listeners[1].join()  # then all error lines are read
            code = self._process.wait()
            if code and not self._cancelled:
                self.error = (
                    self._error_lines[-1] if self._error_lines else f"the worker process ended with code {code}"
                )
            self._ended()
        except Exception as error:  # in processing its output: report it to the waiting caller
            self.error = f"{type(error).__name__}: {error}"
            self._process.kill()
        finally:
            for stream in (self._process.stdin, self._process.stdout):
                assert stream is not None
                with contextlib.suppress(OSError):  # a request was pending
                    stream.close()
            self.done = True

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as stream:
            self._error_lines.extend(line.strip() for line in stream if line.strip())

    def poll(self) -> bool:
        """Whether the worker is still running."""
        return not self.done

    def wait(self) -> bool:
        """Block until the worker has ended; returns whether it succeeded."""
        self._listeners[0].join()
        return self._process.wait() == 0 and self.error is None

    def step_back(self, niceness: int) -> None:
        """Give the worker a lower priority, where the system has priorities."""
        with contextlib.suppress(AttributeError, OSError):  # no priorities on this system, or it has ended already
            os.setpriority(os.PRIO_PROCESS, self._process.pid, niceness)

    def cancel(self, at_once: bool = False) -> None:
        """Terminate the worker and wait for its end, without setting `error`.

        at_once: do not wait for a long step of the compiler; only for a worker that has nothing to clean up.
        """
        if not self.done:
            self._cancelled = True
            (self._process.kill if at_once else self._process.terminate)()
            self.wait()


class _Requests:
    """Standard input of a worker, read ahead by a thread, so that its end is noticed at once."""

    def __init__(self) -> None:
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()

    def follow(self, stream: Any) -> None:
        """Read lines until the parent program has ended; then end this process."""
        for line in stream:
            self._lines.put(line)
        _thread.interrupt_main(signal.SIGTERM)
        sleep(GRACE)
        os._exit(1)

    def readline(self) -> str:
        return self._lines.get()

    def __iter__(self) -> Any:
        return iter(self.readline, None)


def _end(*_: Any) -> None:
    """Handler of SIGTERM: exit, so that folders and own workers are cleaned up, within `GRACE` in any case.

    The timer is for the case that Python drops the exception of `sys.exit`, as it does within a callback of compiled
    code or a destructor.
    """
    last = threading.Timer(GRACE, os._exit, (1,))
    last.daemon = True  # it does not keep the process from ending at once
    last.start()
    sys.exit(1)


def main(module: str, *arguments: Any) -> None:
    """Run a module in this process, as the worker."""
    signal.signal(signal.SIGTERM, _end)
    requests, stream = _Requests(), sys.stdin
    threading.Thread(target=requests.follow, args=(stream,), name="following the program", daemon=True).start()
    sys.stdin, sys.argv = requests, [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
