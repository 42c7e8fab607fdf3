"""A fixture for the tests of the fixed views: storage of images as references."""

import io

import numpy as np
import pytest
from PIL import Image

from driving_sandbox.docs.build.views import QUALITY


def as_stored(image):
    """The image after storage as a reference."""
    file = io.BytesIO()
    Image.fromarray(image).save(file, "JPEG", **QUALITY)
    return np.asarray(Image.open(file).convert("RGB"))


@pytest.fixture(scope="session")
def stored():
    return as_stored
