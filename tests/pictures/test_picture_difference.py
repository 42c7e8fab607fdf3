"""Measures of the comparison of images, for images with a known difference."""

import numpy as np
import pytest

from driving_sandbox.docs.build.picture_difference import LIMITS, TILES, blurred, difference, perceived
from driving_sandbox.docs.build.views import compare, load, update


@pytest.fixture
def image():
    """Smooth brightness with a few edges, like a landscape."""
    y, x = np.mgrid[0:180, 0:320]
    light = 110 + 60 * np.sin(x / 23.0) * np.cos(y / 17.0) - 40 * (y > 90) + 30 * (x > 200)
    return np.clip(light[..., None] * [1.0, 0.9, 0.7], 0, 255).astype(np.uint8)


def test_an_image_does_not_differ_from_itself(image):
    compared = difference(image, image)
    assert (compared.mean, compared.high, compared.tile, compared.excess) == (0.0, 0.0, 0.0, [])
    assert compared.pattern == pytest.approx(1.0)


def test_white_is_one_hundred_and_grey_has_no_colour():
    white = perceived(np.full((20, 30, 3), 255, np.uint8))
    assert np.allclose(white[..., 0], 100.0 * np.cbrt(1.01), atol=0.01)  # including light reflected by a screen
    assert np.allclose(perceived(np.full((20, 30, 3), 119, np.uint8))[..., 1:], 0.0, atol=0.01)


def test_blurring_changes_neither_the_sum_nor_a_uniform_image(image):
    spot = np.zeros((21, 21))
    spot[10, 10] = 1.0
    assert blurred(spot).sum() == pytest.approx(1.0)
    assert blurred(spot)[10, 10] == pytest.approx(0.159 / 4, abs=0.003)  # 1 / (2 pi sigma^2) with sigma of 2 px
    assert blurred(spot, 1.0)[10, 10] == pytest.approx(0.159, abs=0.01)
    assert np.allclose(blurred(np.full((9, 9), 3.0)), 3.0)


def test_noise_of_two_units_passes(image):
    noise = np.random.default_rng(1).integers(-2, 3, image.shape)
    assert difference(np.clip(image + noise, 0, 255).astype(np.uint8), image).excess == []


@pytest.mark.parametrize(
    ("change", "measure"),
    [
        (lambda p: np.clip(p * 1.06, 0, 255).astype(np.uint8), "mean"),
        (lambda p: np.roll(p, 5, axis=1), "high"),
        (lambda p: np.where(np.mgrid[0:180, 0:320][1][..., None] // 20 == 7, p + 9, p).astype(np.uint8), "tile"),
    ],
)
def test_each_measure_detects_its_kind_of_change(image, change, measure):
    assert any(word.startswith(measure) for word in difference(change(image), image).excess)


def test_a_lost_pattern_is_detected_although_the_mean_passes(image):
    stripes = image.astype(int)
    stripes[100:140, 100:180] += (8 * np.sign(np.sin(np.arange(80) / 1.5)))[None, :, None].astype(int)
    compared = difference(image, stripes.astype(np.uint8))
    assert compared.pattern < LIMITS["pattern"] and compared.mean < LIMITS["mean"]


def test_images_of_different_sizes_are_refused(image):
    with pytest.raises(ValueError, match="a picture of 300 x 180 px, its reference has 320 x 180"):
        difference(image[:, :300], image)
    assert image.shape[0] % TILES[0] == image.shape[1] % TILES[1] == 0


def test_an_image_that_differs_is_written_beside_its_reference(image, tmp_path):
    references = tmp_path / "references"
    update({"same": image, "other": image}, groups=["all"], all_groups=["all"], references=references)
    drawn = {"same": image, "other": np.roll(image, 9, axis=1), "new": image}
    wrong = compare(drawn, tmp_path, references)
    assert set(wrong) == {"other", "new"} and wrong["new"] == "no reference new.jpg"
    assert [path.name for path in tmp_path.glob("*.png")] == ["other_differs.png"]
    assert load(tmp_path / "other_differs.png").shape == (180, 960, 3)
    assert np.array_equal(load(tmp_path / "other_differs.png")[:, :320], drawn["other"])


def test_updating_some_groups_does_not_remove_the_references_of_others(image, tmp_path):
    update({"one": image}, groups=["a"], all_groups=["a", "b"], references=tmp_path)
    update({"two": image}, groups=["b"], all_groups=["a", "b"], references=tmp_path)
    assert {path.stem for path in tmp_path.glob("*.jpg")} == {"one", "two"}
    update({"two": image}, groups=["a", "b"], all_groups=["a", "b"], references=tmp_path)
    assert {path.stem for path in tmp_path.glob("*.jpg")} == {"two"}
