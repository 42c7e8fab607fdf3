"""Impacts and scrapes of the body."""

import numpy as np
import pytest
from driveline_blocks import Scene, rms, spectrum, steady, third_difference

from driving_sandbox.physics.ground.surfaces import default_surfaces, hull_materials
from driving_sandbox.physics.props import kinds as prop_kinds
from driving_sandbox.sound.base.block import BLOCK, BODY
from driving_sandbox.sound.body import impact, materials
from driving_sandbox.sound.surroundings import struck_materials

VOICE = (impact.BodySound, impact.STATE, impact.begin, impact.render_body)


def hit(impulse, own=materials.PANEL, seconds=1.0, scene=None, struck=materials.NOTHING, rings=0, **parameters):
    """Samples of the bus BODY from an impact on, which is in the frame of one block only."""
    scene = scene or Scene(VOICE, **parameters)
    values = {"impact_material": own, "struck_material": struck, "struck_rings": rings}
    blow = scene.run(BLOCK / 48000, steady(impact=impulse, **values))[BODY]
    return np.concatenate([blow, scene.run(seconds, steady(impact=0.0))[BODY]])


def centroid(x):
    f, amplitude = spectrum(np.concatenate([np.zeros(len(x)), x]))  # the window's middle is the blow
    return np.average(f, weights=np.square(amplitude))


@pytest.mark.parametrize("material", range(len(materials.MATERIALS)))
def test_harder_blows_are_louder_and_brighter(material):
    sounds = [hit(impulse, material) for impulse in (10.0, 100.0, 1000.0, 10000.0)]
    peaks = [abs(x).max() for x in sounds]
    assert peaks == sorted(peaks)
    assert 5.0 < peaks[3] / peaks[1] < 20.0  # of a hundred times the impulse: its root, and more modes
    assert centroid(sounds[3]) > 1.2 * centroid(sounds[0])


def test_ground_and_rubber_are_dull_and_armour_is_bright():
    tone = {name: centroid(hit(300.0, k)) for k, name in enumerate(materials.MATERIALS)}
    assert tone["ground"] < 0.3 * tone["panel"]
    assert tone["rubber"] < 0.3 * tone["panel"]
    assert tone["plastic"] < tone["panel"]
    assert tone["armour"] > 2.0 * tone["panel"]


def ring_time(x):
    """s, until 30 dB below the loudest 10 ms."""
    levels = np.array([rms(x[k : k + 480]) for k in range(0, len(x) - 480, 480)])
    return np.flatnonzero(levels > 10.0**-1.5 * levels.max())[-1] / 100.0


def test_a_drum_rings_for_long_and_stone_not_at_all():
    times = {name: ring_time(hit(300.0, k, 2.0)) for k, name in enumerate(materials.MATERIALS)}
    assert times["drum"] > 0.3 and times["tubes"] > 0.25 and times["rail"] > 0.2
    assert 1.5 * times["panel"] < times["drum"]
    assert times["stone"] < 0.03 < times["wood"] < 0.7 * times["panel"]


@pytest.mark.parametrize("struck", [materials.WOOD, materials.STONE, materials.RAIL, materials.DRUM])
def test_what_is_hit_rings_with_its_own_modes(struck):
    """The body sounds the same if it does not ring, so the difference is its sound; `pitch` shifts the body alone."""
    both, body = (hit(500.0, struck=struck, rings=rings, pitch=0.7) for rings in (1, 0))
    other = both - body
    f, amplitude = spectrum(np.concatenate([np.zeros(len(other)), other]))
    modes = np.array([mode[0] for mode in materials.MODES[struck]])
    assert abs(f[amplitude.argmax()] / modes - 1.0).min() < 0.05
    near = [amplitude[abs(f / mode - 1.0) < 0.05].max() for mode in modes]
    assert (np.array(near) > 0.05 * amplitude.max()).sum() >= 5
    assert 0.05 < rms(other) / rms(body) < 5.0


def test_the_softer_of_two_materials_makes_the_blow_long():
    tones = [centroid(hit(300.0, struck=struck)) for struck in (materials.STONE, materials.PLASTIC, materials.RUBBER)]
    assert tones[0] > 1.1 * tones[1] > 1.3 * tones[2]
    assert centroid(hit(300.0)) == pytest.approx(tones[0], rel=1e-6), "stone is harder than a panel"


def test_the_material_of_the_body_is_a_parameter():
    own = [hit(300.0, materials.OWN, material=name) for name in ("panel", "armour")]
    assert centroid(own[1]) > 2.0 * centroid(own[0])
    assert np.array_equal(own[0], hit(300.0, materials.PANEL, material="armour"))


def test_a_blow_starts_without_a_click_and_ends_in_silence():
    scene = Scene(VOICE)
    x = hit(1000.0, scene=scene, seconds=2.0)
    assert abs(x[:3]).max() < 0.03 * abs(x).max()
    assert abs(x[:480]).max() == abs(x[:9600]).max()  # at its loudest within 10 ms
    assert not x[-BLOCK:].any()
    assert not scene.state[0]["voices"]["active"].any()
    assert abs(x.sum()) < 1e-3 * abs(x).sum()  # no thud at 0 Hz


def test_blows_at_other_points_sound_a_little_different():
    scene = Scene(VOICE)
    first, second = (hit(500.0, scene=scene) for _ in range(2))
    assert 0.2 < np.corrcoef(first[:4800], second[:4800])[0, 1] < 0.999


def test_weaker_blows_right_after_a_strong_one_are_masked():
    scene = Scene(VOICE)
    hit(1000.0, scene=scene, seconds=0.005)
    for impulse, count in ((300.0, 1), (900.0, 2)):
        hit(impulse, scene=scene, seconds=0.005)
        assert scene.state[0]["voices"]["active"].sum() == count
    hit(300.0, scene=scene, seconds=0.2)
    hit(300.0, scene=scene, seconds=0.005)
    assert scene.state[0]["voices"]["active"].sum() == 3


def test_a_voice_that_is_cut_off_for_a_new_blow_does_not_click():
    """Eight blows of low modes, for six voices."""
    scene = Scene(VOICE)
    x = np.concatenate([hit(100.0 * 1.3**k, materials.GROUND, 0.004, scene) for k in range(8)])
    assert scene.state[0]["voices"]["active"].all()
    assert third_difference(x).max() < 5e-4 * abs(x).max()


def test_masking_ends():
    scene = Scene(VOICE)
    hit(500.0, scene=scene, seconds=1.5)
    assert scene.state[0]["masked"] == 0.0


@pytest.mark.parametrize("values", [{"impact": 500.0}, {"scrape_speed": 5.0, "scrape_force": 2000.0}])
def test_level_0_is_silent(values):
    assert not Scene(VOICE, level=0.0).run(0.2, steady(**values)).any()


def test_small_impulses_of_a_body_at_rest_are_silent():
    assert not hit(1.0, seconds=0.1).any()
    assert hit(1.0, seconds=0.1, least_impulse=0.0).any()


def test_a_scrape_is_louder_and_higher_with_speed():
    sounds = [Scene(VOICE).run(1.0, steady(scrape_speed=v, scrape_force=2000.0))[BODY, 9600:] for v in (1.0, 4.0, 12.0)]
    levels = [rms(x) for x in sounds]
    assert levels == sorted(levels)
    assert 1.5 < levels[1] / levels[0] < 3.0  # root of the speed
    tones = [centroid(x) for x in sounds]
    assert tones == sorted(tones)
    assert rms(Scene(VOICE).run(1.0, steady(scrape_speed=4.0, scrape_force=200.0))[BODY, 9600:]) < 0.5 * levels[1]


def test_a_scrape_rings_on_in_the_panel_and_ends():
    scene = Scene(VOICE)
    scrape = scene.run(0.5, steady(scrape_speed=5.0, scrape_force=2000.0))[BODY]
    rest = scene.run(1.5, steady(scrape_speed=0.0, scrape_force=0.0))[BODY]
    assert rms(rest[1200:2400]) > 1e-4
    assert not rest[-BLOCK:].any()
    change = third_difference(np.concatenate([scrape, rest]))
    assert change[len(scrape) - 10 :].max() < change[: len(scrape) - 10].max()
    assert not Scene(VOICE).run(0.1, steady(scrape_speed=0.0, scrape_force=15e3)).any()


def quiet_share(x):
    """Share of pieces of 5 ms that are 20 dB below the loudest one."""
    levels = np.sqrt(np.mean(np.square(x.reshape(-1, 240)), axis=1))
    return (levels < 0.1 * levels.max()).mean()


def test_a_body_that_creeps_ticks():
    """One grain every 4 mm: 25 a second at 0.1 m/s; noise at speed."""
    slow, fast = (
        Scene(VOICE, material="stone").run(2.0, steady(scrape_speed=v, scrape_force=2000.0))[BODY, 9600:]
        for v in (0.1, 8.0)
    )
    assert quiet_share(slow) > 0.3 and quiet_share(fast) < 0.1


def test_rolling_is_quieter_than_sliding_and_grows_with_speed():
    values = [{"scrape_speed": 3.0}, {"roll_speed": 3.0}, {"roll_speed": 12.0}]
    sounds = [Scene(VOICE, material="drum").run(2.0, steady(scrape_force=500.0, **v))[BODY, 9600:] for v in values]
    sliding, rolling, fast = map(rms, sounds)
    assert rolling / sliding == pytest.approx(np.sqrt(impact.ROLLING), rel=0.3)
    assert 1.5 < fast / rolling < 3.0  # root of the speed
    tones = [centroid(x) for x in sounds]
    assert tones[2] > 1.2 * tones[1]


def test_what_is_scraped_along_rings_too():
    values = {"scrape_speed": 4.0, "scrape_force": 2000.0}
    both, body = (
        Scene(VOICE).run(1.0, steady(scraped_material=m, **values))[BODY] for m in (materials.RAIL, materials.NOTHING)
    )
    assert 0.05 < rms(both - body) / rms(body) < 2.0
    stone = Scene(VOICE).run(1.0, steady(scraped_material=materials.STONE, **values))[BODY]
    assert rms(both - body) > 1.3 * rms(stone - body), "a rail rings for longer"


@pytest.mark.parametrize("material", [*range(len(materials.MATERIALS)), -1, 99])
def test_extreme_values_stay_finite(material):
    scene = Scene(VOICE, pitch=5.0, ringing=10.0)
    values = {"impact_material": material, "struck_material": material, "struck_rings": 1, "scrape_speed": 1e4,
              "roll_speed": 1e4, "scrape_force": 1e9, "scraped_material": material % 10}  # fmt: skip
    x = scene.run(0.1, lambda t: {**values, "impact": 1e9})[BODY]
    assert np.isfinite(x).all()
    assert abs(x).max() < 1000.0


def test_materials_of_bodywork_and_ground():
    surfaces = {s.name: s for s in default_surfaces().surfaces}
    known = {name: materials.material_of(name) for name in hull_materials()}
    assert known["steel"] == materials.PANEL
    assert known["plastic"] == materials.PLASTIC
    assert set(known) == set(materials.HULL_MATERIALS)
    struck = dict(zip(surfaces, struck_materials(default_surfaces()), strict=False))
    assert (struck["sand"], struck["asphalt"], struck["concrete"]) == (
        materials.GROUND,
        materials.STONE,
        materials.STONE,
    )
    assert (struck["steel"], struck["wood"], struck["rubber"]) == (materials.RAIL, materials.WOOD, materials.NOTHING)
    assert set(materials.PROP_MATERIALS) == set(prop_kinds.SOUNDS)
    assert all(len(modes) == materials.MODE_COUNT for modes in materials.MODES)
    assert len(materials.MODES) == len(materials.BLOW_SECONDS) == len(materials.MATERIALS)
