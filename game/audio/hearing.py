"""What is heard of a drive or a replay: from the ticks of its world to SDL's audio device.

    after every tick: tick()     a row of the ring (sound/device/ring.py)
    once a frame:     frame()    adds the camera as listener, and lets the audio thread see the rows;
                                 opens the device when the kernels are compiled, plays when enough rows wait;
                                 rests after a while without sound: no row and no sample of the drive is computed
    at any time:      play_interface_sound()  also while the drive rests (interface_player.py)

The samples are computed in SDL's thread, from the rows alone; while the program is stuck, the last row is held. Where
SDL cannot call for them, a thread of Python feeds the device (game/audio/feeder.py).
"""

import atexit
import logging
from time import monotonic, sleep
from typing import Any

import numpy as np

from driving_sandbox.game.audio.compiling import NICENESS, SoundCompiler
from driving_sandbox.game.audio.device_clock import DISK_LIMIT, LIMIT, DeviceClock
from driving_sandbox.game.audio.ghost_sounds import GhostSounds, NoGhosts
from driving_sandbox.game.audio.interface_player import InterfacePlayer
from driving_sandbox.game.audio.levels import ghost_gain, interface_gain, set_levels
from driving_sandbox.game.audio.listening import Listening
from driving_sandbox.game.audio.live_follower import LiveFollower
from driving_sandbox.game.audio.player import CALLBACK_FRAMES, RATE, open_device
from driving_sandbox.game.audio.sdl import NoSound, describe_audio
from driving_sandbox.game.audio.silence import Heard, Say, Silence, SwitchedOff
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.recording.signals import Signals
from driving_sandbox.physics.world.world import World
from driving_sandbox.sound.base.frame import FRAME_WORDS
from driving_sandbox.sound.device.ring import ROWS, target_of, ticks_per_row
from driving_sandbox.sound.device.stream import Stream
from driving_sandbox.sound.heard import HeardVehicles
from driving_sandbox.sound.interface.kinds import Kind
from driving_sandbox.sound.space.room import Room

FADE_SECONDS = 0.08  # s, longer than the mixer's fade and a callback
REST_AFTER = 0.2  # s without sound; longer than the fade, and than the rows and samples that wait take to be played
# s, longest frame for whose rows the target leaves room; in a longer one a row is held, better than a lasting delay
LONGEST_BURST = 0.1
BURST_MEMORY = 0.95  # factor per frame by which the largest recent number of rows per frame decays
MOST_ROWS = ROWS // 4  # rows per frame, 0.5 s at 240 Hz; more come only faster than real time, which is not heard
CHECK_SECONDS = 2.0  # s between checks whether the device was unplugged
NO_SOUND = "no sound: "  # begins every problem
COMPILING = "the sound is being compiled; it begins by itself"
_log = logging.getLogger(__name__)


class Hearing(Silence):
    """The sound of a world; its methods are explained in Silence.

    Args:
        world: its World.
        settings: Settings, whose volumes and switches are followed.
        say: function(text, level) that shows a line to the user.
        signals: Signals of the first vehicle in the present tick.
        compiler: SoundCompiler of the program, which serves all its drives; None for one of its own.
        ghosts: GhostSounds, or None without any.
    """

    def __init__(
        self, world: World, settings: Any, say: Say, signals: Signals, compiler: SoundCompiler | None = None,
        ghosts: GhostSounds | None = None,
    ) -> None:  # fmt: skip
        self._world, self._settings, self._say, self._signals = world, settings, say, signals
        self._compiler, self._ghosts = compiler or SoundCompiler(), ghosts or NoGhosts(world)
        self._vehicles: Any = None  # HeardVehicles, once there is a stream
        self._stream: Any = None  # Stream, once it can be played
        self._device: Any = None  # AudioDevice that plays the stream, None while none is open
        self._player: Any = None  # InterfacePlayer of the device
        self._device_name = settings.sound_device
        self._playing = self._resting = self._closed = False  # device plays drive, drive rests, `close` called
        self._burst, self._checked_at, self._audible_at = 1.0, monotonic(), monotonic()  # `_burst`: rows per frame
        self._clock, self._followed_at = DeviceClock(), monotonic()
        self._rows: list[int] = []  # indices in the ring of the rows filled since the last frame
        self._ticks: list[int] = []  # the world's tick of each of these rows
        self._ticks_per_row = ticks_per_row(world.tick_seconds)
        self._row_seconds = self._ticks_per_row * world.tick_seconds
        self._listening, self._room = Listening(world.tick_seconds), Room(self._row_seconds)
        self._follower = LiveFollower(world)
        self.problem, self.focused = "", True
        self._has_told = False  # whether the user knows that the sound is being compiled
        atexit.register(self.close)  # SDL's thread must not outlive the memory

    compiling = property(lambda self: self._compiler.running)

    @property
    def pace(self) -> float:
        """Seconds of the program per second of the system's clock, as the DeviceClock says."""
        return self._clock.pace

    # ---- beginning

    def _begin(self) -> None:
        """Open the device; while its kernels are not compiled, compile them instead if the sound is on."""
        self.problem = ""
        try:
            if self._compiler.ready:
                self._open()
            elif self._settings.sound:
                self._compiler.begin(NICENESS)
                self._tell_of_compiling()
        except UserError as error:
            self._fail(str(error))

    def _tell_of_compiling(self) -> None:
        """Say once that the sound follows when it is compiled."""
        if not self._has_told:
            self._has_told = True
            self._say(COMPILING)

    def _open(self) -> None:
        """Open the device, which plays once rows wait. Raises UserError."""
        if self._compiler.error:
            _log.warning("a thread plays, as the callback could not be compiled: %s", self._compiler.error)
        if self._stream is None:
            self._stream = self._new_stream()
            self._stream.ring.record["restarted"] = int(self._world.tick > 1)  # whether the first tick was missed
        self._device = open_device(self._stream, self._device_name)
        self._clock = DeviceClock(DISK_LIMIT if self._device.driver == "disk" else LIMIT)
        self._player = InterfacePlayer(self._stream, self._device)
        self._go_on()

    def _new_stream(self) -> Stream:
        """A stream of the vehicles' sounds, which is silent at first. Raises UserError."""
        self._vehicles = HeardVehicles(self._world, self._ghosts.count)
        scene = self._vehicles.scene
        stream = Stream(scene, self._row_seconds, self._target())
        self._ghosts.join(scene, self._row_seconds)
        self._words = stream.ring.frames.view(np.float64).reshape(ROWS, scene.vehicle_count, FRAME_WORDS)
        set_levels(stream.scene.levels, self._settings)
        stream.scene.levels["fade"] = 0.0
        return stream

    def _fail(self, problem: str) -> None:
        """Say why there is no sound, and go on without, until another device is chosen."""
        self.problem = NO_SOUND + problem.removeprefix(NO_SOUND)
        _log.warning(self.problem)
        self._say(self.problem, "warning")

    def _target(self, speed: float = 1.0) -> float:
        """Rows that shall wait in the mean; speed: simulated seconds per real second."""
        taken = CALLBACK_FRAMES if self._device is None else self._device.burst
        return target_of(taken, round(self._burst), self._row_seconds, speed)

    def _start(self) -> float:
        """Rows that shall wait when playing starts: the largest number that waits while the mean is the target."""
        ring = self._stream.record["ring"]
        taken = self._device.burst / RATE / self._row_seconds
        return float(ring["target"]) + 0.5 * (self._burst + taken)

    def _follow_clock(self, speed: float) -> None:
        """Let the program's clock follow the device's while the samples are those of a soundtrack in real time."""
        ring, now = self._stream.record["ring"], monotonic()
        device_takes = self._stream.ring.waiting <= float(ring["target"] + ring["exact_slack"])  # else it stands still
        if self._playing and speed == 1.0 and device_takes and ring["begun"] and not ring["deviated"]:
            excess = float(ring["mean"] - ring["target"]) * self._row_seconds
            self._clock.follow(excess, now - self._followed_at)
        else:
            self._clock.rest()
        self._followed_at = now

    # ---- every tick and frame

    def tick(self) -> None:
        """Add the world's latest tick to the ring's row; in the first tick, try to open the device before."""
        if self._world.tick == 1:
            self._poll()  # open the device before the first row is due: a drive sounds as its recording's soundtrack
        if self._device is None or self._resting:
            if self._vehicles is not None:
                self._vehicles.note_throttles()
            return
        if len(self._rows) >= MOST_ROWS:
            self._drop_oldest()
        vehicles, ring = self._vehicles, self._stream.ring
        vehicles.scene.row = ring.number
        if vehicles.has_changed():
            self._follow_changes()
        row, complete = ring.row, self._world.tick % self._ticks_per_row == 0
        vehicles.gatherers[0].switch(self._signals.horn, self._signals.turn != 0)
        gain = ghost_gain(self._settings)
        vehicles.ghost_level = gain * self._ghosts.shows_twin()
        vehicles.gather(ring.frames[row], complete, self._ticks_per_row)
        self._follower.tick(complete)
        if complete:
            self._ghosts.fill(self._words[row], gain)
            self._rows.append(ring.next_row())
            self._ticks.append(self._world.tick)

    def frame(self, view: Any, moment: float, speed: float) -> None:
        """Publish the rows since the last frame, follow the compiling worker and the device, and play or rest."""
        self._poll()
        if self._device is None:
            return
        self._stream.scene.post_late()
        self._publish(view, moment)
        self.audible = self._is_audible(speed)
        levels, record = self._stream.scene.levels, self._stream.record
        levels["fade"] = float(self.audible)
        levels["interface"] = interface_gain(self._settings) if self._is_on() else 0.0
        self._rest_if_silent()
        self._player.step()
        if 0.0 < speed <= 1.0:
            self._stream.set_speed(speed)
        record["ring"]["target"] = self._target(float(record["speed"]))
        if not self._playing and not self._resting and self._stream.ring.waiting > 0.0:
            self._play()
        self._follow_clock(speed)

    def _play(self) -> None:
        """Play the drive, after a silence in which as many rows come as shall wait."""
        missing = max(0.0, self._start() - self._stream.ring.waiting)
        self._stream.lead_in(missing * self._row_seconds)
        self._playing = True
        self._player.play_drive()

    def _drop_oldest(self) -> None:
        """Keep the newer half of the rows since the last frame; the audio thread would pass over the older ones."""
        ring, kept = self._stream.ring, len(self._rows) // 2
        newest = self._rows[-kept:]
        ring.pending -= len(self._rows) - kept
        del self._rows[kept:], self._ticks[:-kept]
        ring.frames[self._rows] = ring.frames[newest]

    def _publish(self, view: Any, moment: float) -> None:
        """Add the listener to the rows since the last frame, and let the audio thread see them."""
        ring, count = self._stream.ring, len(self._rows)
        burst = min(count, LONGEST_BURST / self._row_seconds)
        self._burst = max(burst, self._burst * BURST_MEMORY)
        if not count:
            return
        listeners = self._follower.take(view.listener, count)
        if listeners is None:
            listeners = np.zeros(count, ring.listeners.dtype)
            self._listening.fill(listeners, np.array(self._ticks, dtype=np.float64), view, moment)
        else:
            self._listening.restart()
        self._room.fill(listeners, self._world.ground)
        ring.listeners[self._rows] = listeners
        ring.publish()
        self._rows.clear()
        self._ticks.clear()

    def _is_on(self) -> bool:
        """Whether the user wants to hear the program now."""
        return self._settings.sound and (self.focused or self._settings.sound_without_focus)

    def _is_audible(self, speed: float) -> bool:
        """Whether the user hears the drive now."""
        return self._is_on() and (speed == 1.0 or (0.0 < speed < 1.0 and self._settings.sound_in_slow_motion))

    def _rest_if_silent(self) -> None:
        """Rest after a while without sound, and go on once there shall be sound again."""
        if self.audible:
            self._audible_at = monotonic()
            if self._resting:
                self._go_on()
        elif not self._resting and monotonic() - self._audible_at > REST_AFTER and self._stream.record["fade"] == 0.0:
            self._player.rest_drive()
            self._resting, self._playing = True, False

    def _go_on(self) -> None:
        """Fill rows again from the next tick on; the audio thread must not be reading the ring now."""
        self._resting, self._audible_at = False, monotonic()
        self._rows.clear()
        self._ticks.clear()
        self._follower.clear()
        self._stream.ring.restart()
        self.jumped()

    def _poll(self) -> None:
        """Open the device when the kernels are compiled; replace a device that was unplugged."""
        if self._device is None and not self.problem and not self.compiling and not self._closed:
            self._begin()
        if self.compiling and self._settings.sound and not self._closed:
            self._tell_of_compiling()
        if self._device is not None and monotonic() - self._checked_at > CHECK_SECONDS:
            self._checked_at = monotonic()
            if self._device.lost:
                self.choose_device("")

    # ---- changes

    def jumped(self) -> None:
        """Restart listener and follower and forget the past of the vehicles, as the world has jumped."""
        self._listening.restart()
        self._follower.restart()
        if self._vehicles is not None:
            self._vehicles.forget()

    def _follow_changes(self) -> None:
        """Let the voices glide to the vehicles' present sounds; an error is shown, and the old sounds stay."""
        try:
            self._vehicles.apply_changes()
        except UserError as error:
            self._say(str(error), "warning")

    def recent(self) -> Heard | None:
        """(the last 0.1 s of samples, engine speed at their end, rad/s), or None without a stream."""
        return None if self._stream is None else self._stream.recent()

    def set_levels(self) -> None:
        """Apply the volumes of the settings to the scene, once there is one."""
        if self._stream is not None:
            set_levels(self._stream.scene.levels, self._settings)

    def toggle(self) -> None:
        """Switch the sound off or on, store the setting and tell the user."""
        self._settings.sound = not self._settings.sound
        self._settings.save()
        reason = f", but not heard: {self.problem.removeprefix(NO_SOUND)}" if self.problem else ""
        self._say(f"sound on{reason}" if self._settings.sound else "sound off")

    def devices(self) -> list[str]:
        """Names of the devices that can be chosen; [] if SDL cannot list them."""
        try:
            return describe_audio()[1]
        except NoSound:
            return []

    def choose_device(self, name: str) -> None:
        """Play on the device of this name, "" for the system's default; if a worker compiles, once it is done."""
        self._device_name = name
        if self.compiling:
            return
        if self._stream is None:
            self._compiler.retry()
        self._close_device()
        self._begin()

    def play_interface_sound(self, kind: Kind) -> None:
        """Play a sound of the interface if a device is open and the sound is on."""
        gain = interface_gain(self._settings)
        if self._device is not None and self._is_on() and gain > 0.0:
            self._stream.scene.levels["interface"] = gain  # it may just have been switched on
            self._player.post(kind)

    def hush(self) -> None:
        """Fade the drive out until the next frame."""
        if self._stream is not None:
            self._stream.scene.levels["fade"] = 0.0
            self.audible = False

    # ---- the end

    def _stop(self) -> None:
        """Release device and memory, in this order: SDL's thread works in the memory until the device is closed."""
        self._close_device()
        self._stream = self._player = None

    def _close_device(self) -> None:
        """Close the device, if there is one."""
        device, self._device = self._device, None
        if device is not None:
            device.close()
        self._playing = self.audible = False
        self._clock.rest()

    def close(self) -> None:
        """Fade out what is heard, wait for that, and stop. Safe to call twice."""
        if self._closed:
            return
        self._closed = True
        atexit.unregister(self.close)
        if self._device is not None and ((self.audible and self._playing) or self._player.is_sounding):
            self.hush()
            self._stream.scene.levels["interface"] = 0.0
            sleep(FADE_SECONDS + self._device.queued / RATE)
        self._stop()


def hear(
    options: Any, world: World, settings: Any, say: Say, signals: Signals, compiler: SoundCompiler | None = None,
    ghosts: GhostSounds | None = None,
) -> Silence:  # fmt: skip
    """The Hearing of a world, or silence offscreen and with `--no-sound`."""
    if options.offscreen:
        return Silence()
    if getattr(options, "no_sound", False):
        return SwitchedOff(say)
    return Hearing(world, settings, say, signals, compiler, ghosts)
