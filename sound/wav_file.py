"""WAV files: 16-bit PCM, two channels."""

import contextlib
import os
import wave
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.sound.base.block import SAMPLE_RATE

LONGEST = (2**32 - 37) // 4  # samples per channel, as sizes of up to 4 GiB can be written: 6.2 h
FULL_SCALE = 32767.0  # of the 16-bit integers, for the sample 1.0


class WavError(UserError):
    """A file cannot be written as WAV; `str()` says why."""

    exit_code = 1


def write_wav(path: Path | str, blocks: Iterable[np.ndarray]) -> int:
    """Write blocks of samples as a WAV file; returns the number of samples per channel.

    The file is written next to `path` and gets its name when it is complete; after an error, also one of `blocks`, the
    old file is still there. Samples are rounded without dither: equal samples make equal files.

    Args:
        blocks: float arrays [any number, 2], left and right, -1..1; what exceeds that is clipped.
    Raises:
        WavError: they are too long for a WAV file.
        OSError: the file cannot be written.
    """
    path, count = Path(path), 0
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as raw, wave.open(raw, "wb") as file:
            file.setnchannels(2)
            file.setsampwidth(2)
            file.setframerate(int(SAMPLE_RATE))
            for block in blocks:
                count += len(block)
                if count > LONGEST:
                    hours = LONGEST / SAMPLE_RATE / 3600.0
                    raise WavError(f"{path}: a WAV file holds at most {hours:.1f} h of sound; make it in parts")
                file.writeframesraw(pcm(block).tobytes())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    return count


def pcm(block: np.ndarray) -> np.ndarray:
    """Samples -1..1 as little-endian 16-bit integers."""
    return np.rint(np.clip(block, -1.0, 1.0) * FULL_SCALE).astype("<i2")
