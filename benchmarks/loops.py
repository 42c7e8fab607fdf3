"""For comparison: loops played by Panda3D's OpenAL, as many as our voices have buses, as games commonly do.

    python -m driving_sandbox.benchmarks.loops COUNT [COUNT ...]

prints a JSON list of the processor time of OpenAL's threads for each count of sources, as shares of a core. OpenAL
plays to no device, in real time. A program of its own, as OpenAL reads the choice of its driver once.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import wave
from pathlib import Path
from typing import Any

import numpy as np

from driving_sandbox.sound.base.block import SAMPLE_RATE
from driving_sandbox.sound.wav_file import pcm

MODULE = "driving_sandbox.benchmarks.loops"
SECONDS = 3.0  # of real time, for each count
FRAME = 1.0 / 60.0  # s between changes of places and pitches
LOOP_SECONDS = 1.0  # s, duration of the loop that all sources play
LIMIT = 60.0  # s, for the whole program


def shares(*counts: int) -> list[float] | None:
    """Share of a core that OpenAL takes for each count of looping sources; None without OpenAL."""
    command = [sys.executable, "-m", MODULE, *map(str, counts)]
    environment = {**os.environ, "ALSOFT_DRIVERS": "null", "ALSOFT_LOGLEVEL": "0"}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    lines = done.stdout.strip().splitlines()
    return json.loads(lines[-1]) if lines else None


def main() -> None:
    """Measure the counts of the command line."""
    from panda3d.core import AudioManager, load_prc_file_data

    load_prc_file_data("", "audio-library-name p3openal_audio\naudio-preload-threshold 100000000")
    manager = AudioManager.create_AudioManager()
    manager.set_concurrent_sound_limit(0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "loop.wav"
        noise = 0.1 * np.random.default_rng(0).standard_normal(round(SAMPLE_RATE * LOOP_SECONDS))
        _write(path, noise)
        found = [_share(manager, str(path), int(count)) for count in sys.argv[1:]]
    print(json.dumps(found if "OpenAL" in str(manager.get_type()) else None))


def _write(path: Path, noise: np.ndarray) -> None:
    """Write samples as a WAV file of one channel: OpenAL places only those in space."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(round(SAMPLE_RATE))
        file.writeframes(pcm(noise).tobytes())


def _share(manager: Any, path: str, count: int) -> float:
    """Share of a core that OpenAL's threads take while `count` sources play, move and change their pitch."""
    sources = [manager.get_sound(path, True) for _ in range(count)]
    for source in sources:
        source.set_loop(True)
        source.play()
    start, threads = time.perf_counter(), time.process_time() - time.thread_time()
    while (passed := time.perf_counter() - start) < SECONDS:
        for k, source in enumerate(sources):
            source.set_play_rate(1.0 + 0.2 * passed / SECONDS + 0.01 * k)
            source.set_3d_attributes(float(k), 4.0, 1.0, 0.0, 20.0, 0.0)  # position, velocity
        manager.update()
        time.sleep(FRAME)
    threads = time.process_time() - time.thread_time() - threads
    for source in sources:
        source.stop()
    return threads / passed


if __name__ == "__main__":
    main()
