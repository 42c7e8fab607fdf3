"""Monitors a vehicle while it is driven and reports each symptom once.

`sample` stores the state of every tick. `detect` runs a few detectors per frame in turn, so that each runs about six
times a second at 60 frames per second. A symptom is reported when it appears, and again only after it was absent for
SILENCE.
"""

from typing import TYPE_CHECKING

from driving_sandbox.lab.advisor.advice import Advice
from driving_sandbox.lab.advisor.planar_report import planar
from driving_sandbox.lab.advisor.sample_history import SampleHistory
from driving_sandbox.lab.advisor.symptoms_aids import AID_DETECTORS
from driving_sandbox.lab.advisor.symptoms_driving import COMMAND_DETECTORS, not_stepped
from driving_sandbox.lab.advisor.symptoms_tires import TIRE_DETECTORS

if TYPE_CHECKING:
    from driving_sandbox.lab.drivers.motion import Driver
    from driving_sandbox.physics.vehicle.vehicle import Vehicle
    from driving_sandbox.physics.world.world import World

DETECTORS = (*COMMAND_DETECTORS, *TIRE_DETECTORS, *AID_DETECTORS)
PER_FRAME = 2  # number of detectors run per frame; all of them have run after eleven frames
SILENCE = 20.0  # s without a symptom after which it is reported again


class Monitor:
    """Detects dynamic symptoms of one vehicle.

    Args:
        vehicle: physics.vehicle.vehicle.Vehicle.
        tick: time between calls of `sample`, s.
    Attributes:
        history: SampleHistory.
        advice: list of the latest Advice on each symptom reported, newest last.
        time: time sampled so far, s.
    """

    def __init__(self, vehicle: "Vehicle", tick: float) -> None:
        self.history = SampleHistory(vehicle, tick)
        self.advice: list[Advice] = []
        self.time = 0.0
        self._tick = tick
        self._last: dict[str, float] = {}  # {id of a symptom: time at which it was last detected}
        self._next = 0  # index of the detector to run next

    vehicle = property(lambda self: self.history.vehicle)

    def restart(self) -> None:
        """Discard the history, after the vehicle was teleported."""
        self.history.restart()

    def sample(self) -> None:
        """Store the present state; to be called once a tick."""
        self.history.sample()
        self.time += self._tick

    def detect(self, count: int = PER_FRAME, asleep: bool | None = None) -> list[Advice]:
        """Run the next detectors and return the list of new Advice; to be called once a frame.

        Args:
            count: number of detectors to run.
            asleep: the body's sleep flag, None where it has none.
        """
        fresh: list[Advice] = []
        if planar(self.vehicle):
            return fresh
        for _ in range(count):
            detector = DETECTORS[self._next]
            self._next = (self._next + 1) % len(DETECTORS)
            self._report(detector(self.history), fresh)
        if self._next < count:  # once per round of the detectors
            self._report(not_stepped(self.history, asleep), fresh)
        return fresh

    def _report(self, advice: Advice | None, fresh: list[Advice]) -> None:
        """Add an Advice to `fresh` unless it is None or was reported recently."""
        if advice is None:
            return
        last = self._last.get(advice.id)
        self._last[advice.id] = self.time
        if last is None or self.time - last > SILENCE:
            self.advice = [known for known in self.advice if known.id != advice.id] + [advice]
            fresh.append(advice)


def watched_run(world: "World", driver: "Driver", seconds: float, frame_ticks: int = 4) -> list[Advice]:
    """Drive the world's first vehicle for some seconds and return the list of Advice.

    Args:
        driver: called with the Motion before each tick, returns a length-1 COMMAND array.
        frame_ticks: ticks per frame.
    """
    from driving_sandbox.lab.drivers.motion import motion_of

    monitor, advice = Monitor(world.vehicles[0], world.tick_seconds), []
    for tick in range(round(seconds / world.tick_seconds)):
        world.step(driver(motion_of(world.vehicles[0], tick * world.tick_seconds)))
        monitor.sample()
        if tick % frame_ticks == 0:
            advice.extend(monitor.detect())
    return advice
