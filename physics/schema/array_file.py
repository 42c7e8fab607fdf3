"""Safe reading of untrusted array archives (.npz), with a limit on the unpacked size."""

import zipfile
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

from driving_sandbox.physics.base.input_file import MEGABYTE, open_regular

LARGEST = 256 * MEGABYTE  # bytes of a file's unpacked arrays together; the program's largest file has 8 MB


def open_arrays(path: str | Path) -> Any:
    """The arrays of a file, opened by numpy.load.

    Raises OSError, ValueError or zipfile.BadZipFile for a file that is invalid, inconsistent, or larger than LARGEST.
    Reading an array of pickled objects, which could run code, raises ValueError.
    """
    with open_regular(path, LARGEST) as file, zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        if sum(member.file_size for member in members) > LARGEST:
            raise ValueError(f"its arrays are larger than {LARGEST / MEGABYTE:g} MB")
        for member in members:
            with archive.open(member) as data:
                _check_size(data, member.file_size)
    return np.load(path, allow_pickle=False)


def _check_size(data: Any, size: int) -> None:
    """Raise ValueError for an array whose header states more data than the `size` bytes of its archive member."""
    version = npy.read_magic(data)
    read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, _, dtype = read_header(data)
    if prod(shape) * dtype.itemsize > size:
        raise ValueError(f"an array of shape {shape} does not fit into its {size} bytes")
