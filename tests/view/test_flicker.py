"""At low quality, details smaller than a pixel do not flicker while the camera moves by parts of a pixel."""

import math

import numpy as np
import pytest
from view_rig import ROADSTER, grab, standing_frame

from driving_sandbox.game.session.frame import WorldView
from driving_sandbox.game.view.cameras.camera import apply_view
from driving_sandbox.game.view.cameras.view import View
from driving_sandbox.game.view.scene import Scene

pytestmark = pytest.mark.drawn
WINDOW_SIZE = (480, 270)
DISTANCE = 7.2  # m, distance of the chase camera
HEIGHT = 2.0  # m, height of the chase camera
FIELD_OF_VIEW = math.radians(56.0)  # horizontal field of view of the chase camera
LETTERS_CHANGE = {  # by image size: limit of the `change` of a plate between frames; unfiltered it is 0.09 to 0.23
    WINDOW_SIZE: 0.025,  # a stroke of a letter is 0.4 pixels wide
    (960, 540): 0.012,
    (1280, 720): 0.045,  # 1.1 pixels
}
PLATE = slice(176, 181), slice(199, 232)  # rows and columns in an image of WINDOW_SIZE
LAMPS = [(slice(155, 170), slice(158, 178)), (slice(155, 170), slice(254, 274))]


@pytest.fixture(scope="module", params=LETTERS_CHANGE, ids=str)
def frames(base, request):
    """[5, rows, columns, 3] images of the rear; between two, the camera moves 0.25 pixels to the right and 0.175 up."""
    base.win.setSize(*request.param)
    base.taskMgr.step()
    scene, images = Scene(base, WorldView(plane_height=0.0), "low"), []
    try:
        view = scene.add_vehicle(ROADSTER, (0.5, 0.02, 0.02))
        view.update(standing_frame(view))
        step = 2.0 * DISTANCE * math.tan(FIELD_OF_VIEW / 2.0) / scene._smoothed.buffer.getXSize() / 4.0
        for k in range(5):
            eye = np.array([0.3 + k * step, -DISTANCE, HEIGHT + 0.7 * k * step])
            apply_view(base, View(eye, eye + (0.0, DISTANCE, -1.4), FIELD_OF_VIEW))
            for _ in range(3):  # maps are updated in turns
                scene.update(eye)
                base.taskMgr.step()
            images.append(grab(base))
        return np.array(images)
    finally:
        scene.close()
        base.win.setSize(*WINDOW_SIZE)


def cropped(frames, region):
    """A region of the images; region: (rows, columns) in an image of WINDOW_SIZE."""
    scale = frames.shape[1] / WINDOW_SIZE[1]
    rows, columns = (slice(round(part.start * scale), round(part.stop * scale)) for part in region)
    return frames[:, rows, columns]


def change(frames, region):
    """Change between frames of a pixel's most changed channel, mean over the pixels of a region."""
    return np.abs(np.diff(cropped(frames, region), axis=0)).max(axis=-1).mean()


def test_letters_of_a_plate_do_not_flicker(frames):
    assert cropped(frames, PLATE).mean() > 0.4  # the region shows the plate
    rows, columns = frames.shape[1:3]
    assert change(frames, PLATE) < LETTERS_CHANGE[columns, rows]


def test_lamps_do_not_flicker(frames):
    for lamp in LAMPS:
        assert change(frames, lamp) < 0.06  # 0.14 and more unfiltered
