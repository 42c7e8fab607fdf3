"""Component swap while driving: time until the new component runs, and the longest frame meanwhile.

Two swaps of the tire: to a component whose kernels are already compiled, as after any earlier swap, and to one from a
new file, whose kernels a worker process compiles while the old tire drives on. After either, the vehicle runs kernel by
kernel until a worker has compiled its whole tick into one function (the merged step) and that has taken over. Frames
are timed until 2 s after that. The program runs offscreen in a new process with Mesa's no-op driver (see `frame.py`),
at 60 frames a second of wall time. Other programs lengthen frames, so the longest frame of 10 s without a swap is given
for comparison.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

from driving_sandbox.physics.kernel.jit import ROOT

FRAME = 1.0 / 60.0  # s
SETTLE = 120  # frames: run before the measurements and, still timed, after each swap
QUIET = 600  # frames without a swap
AIM = 50.0  # ms, longest frame
TIME_LIMIT = 300.0  # s for a swap
SIZE = (960, 540)  # px
TIRE = ROOT / "docs" / "examples" / "magic_formula_tire.py"


def measure() -> list[dict[str, Any]]:
    """Rows of figures."""
    with tempfile.TemporaryDirectory() as home:
        environment = dict(os.environ, GALLIUM_NOOP="1", SANDBOX_HOME=home)
        run = [sys.executable, "-m", "driving_sandbox.benchmarks.swap", home]
        result = subprocess.run(run, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    figures = json.loads(result.stdout.splitlines()[-1])
    rows = [{"what": "longest frame, no swap", "value": figures["quiet"], "unit": "ms", "note": "of 10 s"}]
    for name, what in (("known", "compiled component"), ("unknown", "new file")):
        swapped, merged, longest = figures[name]
        note = f"its step merged after {merged:.1f} s"
        rows.append({"what": f"swap to a {what}", "value": swapped, "unit": "s", "note": note})
        rows.append(
            {"what": "longest frame until 2 s after merging", "value": longest, "unit": "ms", "note": f"aim: {AIM:.0f}"}
        )
    return rows


class _Frames:
    """Runs a program at sixty frames a second; `longest` is the longest frame so far, ms."""

    def __init__(self, base: Any) -> None:
        self._base, self.longest = base, 0.0

    def run(self, count: int) -> None:
        """Run some frames."""
        for _ in range(count):
            start = perf_counter()
            self._base.taskMgr.step()
            elapsed = perf_counter() - start
            self.longest = max(self.longest, elapsed * 1e3)
            sleep(max(0.0, FRAME - elapsed))


def _swap(base: Any, session: Any, slot: str, choice: str | dict[str, str]) -> tuple[float, float, float]:
    """(time until swapped, s, time until merged, s, longest frame, ms) of a swap of component."""
    frames, start = _Frames(base), perf_counter()
    if not session.component_swap.request(slot, choice):
        raise RuntimeError(session.component_swap.status[slot][0])
    swapped = None
    while swapped is None or session.world.in_parts():
        frames.run(1)
        if swapped is None and session.component_swap.job is None:
            text, wrong = session.component_swap.status[slot]
            if wrong:
                raise RuntimeError(text)
            swapped = perf_counter() - start
        if perf_counter() - start > TIME_LIMIT:
            raise RuntimeError(f"{slot} was not swapped within {TIME_LIMIT:.0f} s")
    frames.run(SETTLE)
    return swapped, perf_counter() - start - SETTLE * FRAME, frames.longest


def _unknown_tire(folder: str) -> dict[str, str]:
    """A component choice from a file that has never been compiled."""
    path = Path(folder) / "unknown_tire.py"
    path.write_text(f"{TIRE.read_text(encoding='utf8')}\nWRITTEN = {perf_counter()!r}\n", encoding="utf8")
    return {"file": str(path), "name": "MAGIC_FORMULA"}


def main() -> None:
    """Entry point of the new process: measures the swaps and prints one line of JSON."""
    from driving_sandbox.benchmarks.scenes import drive_options
    from driving_sandbox.game.platform.window import WindowSettings, open_window
    from driving_sandbox.game.program.app import App
    from driving_sandbox.game.program.settings import Settings
    from driving_sandbox.game.session.component_swap import ComponentSwap
    from driving_sandbox.game.session.drivers import make_driver
    from driving_sandbox.game.toolkit.backend import ImGuiBackend
    from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
    from driving_sandbox.physics.world.world import World
    from driving_sandbox.physics.world.world_file import load_world

    world_file, vehicle = load_world("proving_ground"), load_vehicle("roadster_simple")
    base = open_window(WindowSettings(offscreen=True, size=SIZE))
    ui = ImGuiBackend(base)
    world = World(world_file, [vehicle])
    world.spawn()
    for index in world.in_parts():
        world.merge(index)
    app = App(base, ui, world, make_driver("ai", vehicle, world_file), drive_options(), Settings(first_start=False))
    app.first_frame()
    session = app.session
    session.component_swap = ComponentSwap(session.changes, session.tuning, session.say, trust=lambda path: True)
    _Frames(base).run(SETTLE)
    quiet = _Frames(base)
    quiet.run(QUIET)
    figures: dict[str, Any] = {"quiet": quiet.longest}
    figures["known"] = _swap(base, session, "tire", "legacy")
    figures["unknown"] = _swap(base, session, "tire", _unknown_tire(sys.argv[1]))
    app.close()
    base.destroy()
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
