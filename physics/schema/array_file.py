"""Safe reading of untrusted array archives (.npz), with a limit on the unpacked size."""

import io
import zipfile
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

from driving_sandbox.physics.base.input_file import MEGABYTE, read_bytes

LARGEST = 256 * MEGABYTE  # bytes of a file's unpacked arrays together; the program's largest file has 8 MB


def open_arrays(path: str | Path) -> Any:
    """The arrays of a file, as numpy.load opens them; the file may change afterwards.

    Raises OSError, ValueError or zipfile.BadZipFile for a file that is invalid, inconsistent, or larger than LARGEST.
    Reading an array of pickled objects, which could run code, raises ValueError.
    """
    data = io.BytesIO(read_bytes(path, LARGEST))  # what is checked is what is read: the file may be exchanged
    with zipfile.ZipFile(data) as archive:
        members = archive.infolist()
        if sum(member.file_size for member in members) > LARGEST:
            raise ValueError(f"its arrays are larger than {LARGEST / MEGABYTE:g} MB")
        for member in members:
            with archive.open(member) as content:
                _check_size(content, member.file_size)
    return np.lib.npyio.NpzFile(data, own_fid=True, allow_pickle=False)


def _check_size(data: Any, size: int) -> None:
    """Raise ValueError for an array whose header states more data than the `size` bytes of its archive member."""
    version = npy.read_magic(data)
    read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, _, dtype = read_header(data)
    if prod(shape) * dtype.itemsize > size:
        raise ValueError(f"an array of shape {shape} does not fit into its {size} bytes")
