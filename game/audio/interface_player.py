"""Plays the sounds of the interface on the device of a stream, which runs for them alone while the drive rests.

    drive plays        the device runs; the interface's sounds are added
    drive rests        the device stands still; a sound of the interface lets it run until it has ended

The stream leaves the drive's ring and voices alone from `rest_drive` to `play_drive`: nothing old is heard meanwhile,
and the program may let the ring begin anew.
"""

from time import monotonic

from driving_sandbox.game.audio.sdl import AudioDevice
from driving_sandbox.sound.device.stream import Stream
from driving_sandbox.sound.interface.kinds import Kind, seconds

TAIL = 0.1  # s that the device runs on after a sound: more than two callbacks, or what a thread has queued


class InterfacePlayer:
    """Lets a device run for a drive and for the interface.

    Args:
        stream: Stream that the device plays; interface sounds posted before are discarded.
        device: AudioDevice, which stands still.
    """

    def __init__(self, stream: Stream, device: AudioDevice) -> None:
        self._stream, self._device = stream, device
        self._until = 0.0  # time of `monotonic` by which all sounds have ended
        self._runs = self._drive_plays = False  # whether the device runs, and for the drive
        stream.interface.clear()

    @property
    def is_sounding(self) -> bool:
        """Whether a sound of the interface may not have ended yet."""
        return monotonic() < self._until

    def post(self, kind: Kind) -> None:
        """Let a sound begin with the device's next samples, and start the device if it stands still."""
        self._stream.interface.post(kind)
        self._until = max(self._until, monotonic() + seconds(kind) + TAIL)
        if not self._runs:
            self._stream.rest_drive(True)
            self._run(True)

    def play_drive(self) -> None:
        """Let the drive be heard."""
        self._stream.rest_drive(False)
        self._drive_plays = True
        self._run(True)

    def rest_drive(self) -> None:
        """Let the drive no longer be computed; its samples have faded out."""
        self._run(False)  # waits for the callback, which must not be in the ring any more
        self._stream.rest_drive(True)
        self._drive_plays = False
        if self.is_sounding:
            self._run(True)

    def step(self) -> None:
        """Once a frame: let the device stand still after the last sound, if the drive rests."""
        if self._runs and not self._drive_plays and not self.is_sounding:
            self._run(False)

    def _run(self, runs: bool) -> None:
        self._runs = runs
        if runs:
            self._device.play()
        else:
            self._device.pause()
