"""A device that a thread of Python feeds, for machines on which SDL cannot call the compiled callback.

The samples are the same (sound/device/stream.py), but they come later: the thread keeps two to three pieces in SDL's
queue, 21 to 32 ms at 512 samples, as it has to wait for Python's lock. If the program is stuck for longer, nothing is
heard meanwhile; the callback would hold the last row.
"""

import threading
from typing import Any

import numpy as np

from driving_sandbox.game.audio.sdl import AudioDevice
from driving_sandbox.sound.device.stream import CHANNELS, Stream, fill

FEWEST = 2  # pieces that shall always be queued; while no more are, another one is added
BURST = 2  # most pieces taken from the simulation at once, by a thread that had to wait
CHECKS = 4  # checks of the queue in the time that a piece lasts


class FedDevice(AudioDevice):
    """An open device and the thread that feeds it, from `play` on.

    Args:
        stream: Stream whose samples are played.
        rate, frames, name: as for an AudioDevice; a piece has `frames` samples per channel.
    """

    def __init__(self, stream: Stream, rate: int, frames: int, name: str = "") -> None:
        self._stream, self._period = stream, frames / rate / CHECKS  # `_period`: s between checks of the queue
        self._piece = np.zeros((frames, CHANNELS), np.float32)
        # `_wanted` is set except while paused; `_filling` is held while a piece is computed
        self._ended, self._wanted, self._filling = threading.Event(), threading.Event(), threading.Lock()
        self._wanted.set()
        self._thread: Any = None
        super().__init__(callback=0, memory=0, rate=rate, frames=frames, name=name)
        self.burst = BURST * frames

    def play(self) -> None:
        """Let the device play, and feed it; no effect after `close`."""
        if self._ended.is_set():
            return
        self._wanted.set()
        if self._thread is None:
            self._fill_queue()
            self._thread = threading.Thread(target=self._feed, name="feeding the audio device", daemon=True)
            self._thread.start()
        super().play()

    def pause(self) -> None:
        """Let device and thread stand still until `play`."""
        with self._filling:
            self._wanted.clear()
        super().pause()

    def _feed(self) -> None:
        """Keep samples queued until the device is closed or refuses them."""
        while not self._ended.wait(self._period) and self._fill_queue():
            self._wanted.wait()

    def _fill_queue(self) -> bool:
        """Queue pieces until more than FEWEST wait or the device is paused; whether the device takes them."""
        with self._filling:
            while self._wanted.is_set() and self.queued <= FEWEST * len(self._piece):
                fill(self._stream.record, self._piece)
                if not self.queue(self._piece):
                    return False
        return True

    def close(self) -> None:
        """End the thread and close the device. Safe to call twice."""
        self._ended.set()
        self._wanted.set()
        if self._thread is not None:
            self._thread.join()
        super().close()
