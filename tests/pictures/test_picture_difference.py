"""What the comparison of pictures measures, on pictures whose difference is known."""

import numpy as np
import pytest

from driving_sandbox.docs.build.picture_difference import LIMITS, TILES, blurred, difference, perceived
from driving_sandbox.docs.build.views import compare, load, update


@pytest.fixture
def picture():
    """Smooth light and dark with a few edges, as a landscape has."""
    y, x = np.mgrid[0:180, 0:320]
    light = 110 + 60 * np.sin(x / 23.0) * np.cos(y / 17.0) - 40 * (y > 90) + 30 * (x > 200)
    return np.clip(light[..., None] * [1.0, 0.9, 0.7], 0, 255).astype(np.uint8)


def test_a_picture_is_equal_to_itself(picture):
    compared = difference(picture, picture)
    assert (compared.mean, compared.high, compared.tile, compared.excess) == (0.0, 0.0, 0.0, [])
    assert compared.pattern == pytest.approx(1.0)


def test_white_is_one_hundred_and_grey_has_no_colour():
    white = perceived(np.full((20, 30, 3), 255, np.uint8))
    assert np.allclose(white[..., 0], 100.0 * np.cbrt(1.01), atol=0.01)  # with the light a screen mirrors
    assert np.allclose(perceived(np.full((20, 30, 3), 119, np.uint8))[..., 1:], 0.0, atol=0.01)


def test_blurring_keeps_the_sum_and_a_plain_picture(picture):
    spot = np.zeros((21, 21))
    spot[10, 10] = 1.0
    assert blurred(spot).sum() == pytest.approx(1.0)
    assert blurred(spot)[10, 10] == pytest.approx(0.159 / 4, abs=0.003)  # 1 / (2 pi) per square of a deviation of 2 px
    assert blurred(spot, 1.0)[10, 10] == pytest.approx(0.159, abs=0.01)
    assert np.allclose(blurred(np.full((9, 9), 3.0)), 3.0)


def test_noise_of_rounding_passes(picture):
    noise = np.random.default_rng(1).integers(-2, 3, picture.shape)
    assert difference(np.clip(picture + noise, 0, 255).astype(np.uint8), picture).excess == []


@pytest.mark.parametrize(
    "change,measure",
    [
        (lambda p: np.clip(p * 1.06, 0, 255).astype(np.uint8), "mean"),
        (lambda p: np.roll(p, 5, axis=1), "high"),
        (lambda p: np.where(np.mgrid[0:180, 0:320][1][..., None] // 20 == 7, p + 9, p).astype(np.uint8), "tile"),
    ],
)
def test_each_measure_detects_its_kind_of_change(picture, change, measure):
    assert any(word.startswith(measure) for word in difference(change(picture), picture).excess)


def test_a_lost_pattern_is_detected_where_the_mean_is_unchanged(picture):
    stripes = picture.astype(int)
    stripes[100:140, 100:180] += (8 * np.sign(np.sin(np.arange(80) / 1.5)))[None, :, None].astype(int)
    compared = difference(picture, stripes.astype(np.uint8))
    assert compared.pattern < LIMITS["pattern"] and compared.mean < LIMITS["mean"]


def test_sizes_must_agree(picture):
    with pytest.raises(ValueError, match="a picture of 300 x 180 px, its reference has 320 x 180"):
        difference(picture[:, :300], picture)
    assert picture.shape[0] % TILES[0] == picture.shape[1] % TILES[1] == 0


def test_what_differs_is_written_beside_its_reference(picture, tmp_path):
    references = tmp_path / "references"
    update({"same": picture, "other": picture}, ["all"], ["all"], references)
    drawn = {"same": picture, "other": np.roll(picture, 9, axis=1), "new": picture}
    wrong = compare(drawn, tmp_path, references)
    assert set(wrong) == {"other", "new"} and wrong["new"] == "no reference new.jpg"
    assert [path.name for path in tmp_path.glob("*.png")] == ["other_differs.png"]
    assert load(tmp_path / "other_differs.png").shape == (180, 960, 3)
    assert np.array_equal(load(tmp_path / "other_differs.png")[:, :320], drawn["other"])


def test_renewing_some_groups_keeps_the_others_references(picture, tmp_path):
    update({"one": picture}, ["a"], ["a", "b"], tmp_path)
    update({"two": picture}, ["b"], ["a", "b"], tmp_path)
    assert {path.stem for path in tmp_path.glob("*.jpg")} == {"one", "two"}
    update({"two": picture}, ["a", "b"], ["a", "b"], tmp_path)
    assert {path.stem for path in tmp_path.glob("*.jpg")} == {"two"}
