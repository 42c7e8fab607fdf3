"""Monitors a vehicle while it is driven and reports each symptom once.

`sample` stores the state of every tick. `look` runs a few detectors per frame, round robin, so that each runs about six
times a second. A symptom is reported when it appears, and again only after it was absent for a while.
"""

from typing import TYPE_CHECKING

from driving_sandbox.lab.advisor.planar_report import planar
from driving_sandbox.lab.advisor.sample_history import SampleHistory
from driving_sandbox.lab.advisor.symptoms_aids import AID_DETECTORS
from driving_sandbox.lab.advisor.symptoms_driving import COMMAND_DETECTORS, not_stepped
from driving_sandbox.lab.advisor.symptoms_tires import TIRE_DETECTORS

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

DETECTORS = (*COMMAND_DETECTORS, *TIRE_DETECTORS, *AID_DETECTORS)
PER_LOOK = 2  # detectors per frame: all of them run within ten frames
SILENCE = 20.0  # s without a symptom after which it is reported again


class Monitor:
    """Detects dynamic symptoms of one vehicle.

    Args:
        vehicle: physics.vehicle.vehicle.Vehicle. tick: seconds between calls of `sample`.
    Attributes:
        advice: reported advice, newest last. time: seconds watched.
    """

    def __init__(self, vehicle: "Vehicle", tick: float) -> None:
        self.watch = SampleHistory(vehicle, tick)
        self.advice = []
        self.time = 0.0
        self._tick = tick
        self._last = {}  # id -> time it was last seen
        self._turn = 0

    vehicle = property(lambda self: self.watch.vehicle)

    def restart(self) -> None:
        """Discard the history, after the vehicle was teleported."""
        self.watch.restart()

    def sample(self) -> None:
        """Call once a tick."""
        self.watch.sample()
        self.time += self._tick

    def look(self, count=PER_LOOK, asleep=None):
        """Call once a frame; returns the Advice that is new. asleep: the body's sleep flag, None when there is none."""
        fresh = []
        if planar(self.vehicle):
            return fresh
        for _ in range(count):
            detector = DETECTORS[self._turn]
            self._turn = (self._turn + 1) % len(DETECTORS)
            self._tell(detector(self.watch), fresh)
        if self._turn < count:
            self._tell(not_stepped(self.watch, asleep), fresh)
        return fresh

    def _tell(self, advice, fresh):
        if advice is None:
            return
        last = self._last.get(advice.id)
        self._last[advice.id] = self.time
        if last is None or self.time - last > SILENCE:
            self.advice = [known for known in self.advice if known.id != advice.id] + [advice]
            fresh.append(advice)


def watched_run(world, driver, seconds, frame_ticks=4):
    """Drive the world's first vehicle and return every Advice.

    Args:
        driver: called with the Motion before each tick, returns a length-1 COMMAND array. frame_ticks: ticks a frame.
    """
    from driving_sandbox.lab.drivers.motion import motion_of

    monitor, found = Monitor(world.vehicles[0], world.tick_seconds), []
    for tick in range(round(seconds / world.tick_seconds)):
        world.step(driver(motion_of(world.vehicles[0], tick * world.tick_seconds)))
        monitor.sample()
        if tick % frame_ticks == 0:
            found.extend(monitor.look())
    return found
