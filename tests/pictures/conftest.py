"""Shared by the tests of the fixed views: the folder of drawn pictures, and the storage of references."""

import io

import numpy as np
import pytest
from PIL import Image

from driving_sandbox.docs.build.views import QUALITY


def as_stored(picture):
    """A picture as it comes back from a reference."""
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "JPEG", **QUALITY)
    return np.asarray(Image.open(file).convert("RGB"))


@pytest.fixture(scope="session")
def stored():
    return as_stored
