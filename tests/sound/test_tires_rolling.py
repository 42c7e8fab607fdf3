"""Rolling noise, water, scrub and loose ground."""

import numpy as np
import pytest
from driveline_blocks import Scene, rms, spectrum, steady, third_difference

from driving_sandbox.physics.ground.roughness import wave_height
from driving_sandbox.physics.ground.surfaces import SOUNDS, default_surfaces
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.sound.axles import wheels_ahead
from driving_sandbox.sound.base.block import BLOCK_SECONDS, FRONT_TIRES, REAR_TIRES, SAMPLE_RATE
from driving_sandbox.sound.base.frame import FRAME
from driving_sandbox.sound.body import impact, wind
from driving_sandbox.sound.tires import surfaces, tires
from driving_sandbox.sound.tires.loose import grain
from driving_sandbox.sound.tires.rolling import FOOTPRINT

VOICE = (tires.TireSound, tires.STATE, tires.begin, tires.render_tires)
TURN = 2.0 * np.pi  # rad
AHEAD = np.array([1.3] * 2 + [-1.3] * 18)  # m ahead of the middle, for each of up to 20 wheels: two in front
CAR = {"wheel_count": 4, "wheel_load": 3500.0, "wheel_ahead": AHEAD}


def roll(seconds=2.0, skip=0.1, scene=None, **values):
    """Buses of steady driving, without their beginning."""
    out = (scene or Scene(VOICE)).run(seconds, steady(**{**CAR, **values}))
    return out[:, round(skip * SAMPLE_RATE) :]


def decibels(x):
    return 20.0 * np.log10(rms(x))


def a_weighted_thirds(x):
    """(centre frequencies, A-weighted power) of third octaves (IEC 61672)."""
    f, amplitude = spectrum(x)
    ff = f * f
    weight = 12194.0**2 * ff**2 / (
        (ff + 20.6**2) * np.sqrt((ff + 107.7**2) * (ff + 737.9**2)) * (ff + 12194.0**2)
    )  # fmt: skip
    centres = 1000.0 * 2.0 ** (np.arange(-12, 13) / 3.0)
    edge = 2.0 ** (1.0 / 6.0)
    power = np.square(weight * amplitude)
    return centres, np.array([power[(f >= c / edge) & (f < c * edge)].sum() for c in centres])


def test_rolling_noise_grows_by_30_db_per_decade():
    speeds = [10.0, 20.0, 40.0]
    levels = [decibels(roll(wheel_speed=v)[FRONT_TIRES]) for v in speeds]
    slope = np.polyfit(np.log10(speeds), levels, 1)[0]
    assert slope == pytest.approx(30.0, abs=3.0)


@pytest.mark.parametrize("speed", [15.0, 30.0])
def test_the_a_weighted_maximum_lies_near_1_khz(speed):
    centres, power = a_weighted_thirds(roll(3.0, wheel_speed=speed)[FRONT_TIRES])
    assert 800.0 <= centres[np.argmax(power)] <= 1600.0
    assert 10.0 * np.log10(power[np.argmin(abs(centres - 500.0))] / power.max()) < -3.0


def test_wheels_ahead_of_the_middle_are_heard_in_front():
    out = roll(0.5, wheel_speed=20.0, wheel_load=np.array([3500.0] * 2 + [0.0] * 18))
    assert rms(out[FRONT_TIRES]) > 0.005
    assert not out[REAR_TIRES].any()
    three = np.array([1.3] + [-0.8] * 19)
    loads = np.array([0.0, 3500.0] + [0.0] * 18)
    out = roll(0.5, wheel_count=3, wheel_ahead=three, wheel_speed=20.0, wheel_load=loads)
    assert not out[FRONT_TIRES].any()
    assert rms(out[REAR_TIRES]) > 0.005


@pytest.mark.parametrize("name, in_front", [("three_wheeler", 1), ("truck", 2), ("half_track", 2), ("tank", 4),
                                            ("planar_roadster", 2), ("road_train", 2)])  # fmt: skip
def test_wheels_of_vehicles_lie_where_their_axles_are(name, in_front):
    vehicle = load_vehicle(name)
    ahead = wheels_ahead(vehicle)[: vehicle.wheel_count]
    assert (ahead > 0.0).sum() == in_front
    assert (ahead[:in_front] > 0.0).all()
    assert ahead.max() == pytest.approx(-ahead.min())


def test_sliding_wheels_are_heard_in_front_or_behind_whatever_their_order():
    sliding = {"wheel_speed": 0.0, "slip_speed": 8.0, "wheel_load": np.array([3500.0, 0.0, 0.0, 3500.0] + [0.0] * 16)}
    in_order, reverse = roll(0.5, **sliding), roll(0.5, **sliding, wheel_ahead=-AHEAD)
    assert (in_order[FRONT_TIRES] == reverse[REAR_TIRES]).all()
    assert (in_order[REAR_TIRES] == reverse[FRONT_TIRES]).all()


def test_left_and_right_tires_have_different_noise():
    left = roll(1.0, wheel_speed=20.0, wheel_load=np.array([3500.0] + [0.0] * 19))[FRONT_TIRES]
    right = roll(1.0, wheel_speed=20.0, wheel_load=np.array([0.0, 3500.0] + [0.0] * 18))[FRONT_TIRES]
    assert rms(left) == pytest.approx(rms(right), rel=0.2)
    assert abs(np.corrcoef(left, right)[0, 1]) < 0.1


def test_many_wheels_sound_as_each_alone():
    """Wheels are computed side by side: their powers add up, also where their number is odd."""
    car = {"wheel_count": 5, "wheel_speed": 20.0, "wheel_ahead": 1.0}
    loads = np.array([3500.0] * 5 + [0.0] * 15)
    together = roll(4.0, **car, wheel_load=loads)[FRONT_TIRES]
    alone = [roll(4.0, **car, wheel_load=loads * (np.arange(20) == k))[FRONT_TIRES] for k in range(5)]
    assert rms(together) ** 2 == pytest.approx(sum(rms(x) ** 2 for x in alone), rel=0.1)
    assert rms(together - sum(alone)) < 1e-9


def test_water_hisses_above_2_khz():
    dry, wet = (roll(1.0, wheel_speed=25.0, wetness=w)[FRONT_TIRES] for w in (0.0, 0.9))
    f, before = spectrum(dry)
    _, after = spectrum(wet)
    rise = {low: 20.0 * np.log10(rms(after[(f > low) & (f < 2 * low)]) / rms(before[(f > low) & (f < 2 * low)]))
            for low in (200.0, 4000.0)}  # fmt: skip
    assert rise[4000.0] > 10.0
    assert rise[200.0] < 5.0


def test_grains_come_at_a_rate_proportional_to_speed():
    """A wheel's state has the generator that `grain` draws from."""
    wheel = np.zeros(1, tires.STATE)
    tires.begin(wheel[0], 1)
    counts = [sum(grain(wheel[0]["wheels"][0], 28.0 * v) != 0.0 for _ in range(60000)) for v in (10.0, 20.0, 40.0)]
    expected = np.array([280.0, 560.0, 1120.0]) * 60000 / SAMPLE_RATE
    assert counts == pytest.approx(expected, abs=4.0 * np.sqrt(expected.max()))


def test_power_of_loose_ground_is_proportional_to_speed():
    """Uncorrelated grains: half the rate is half the power, and sliding counts three times."""

    def grains(**values):
        scene = Scene(VOICE, texture=0.0, tread=0.0, scrub=0.0)
        return rms(roll(4.0, scene=scene, surface=surfaces.GRAVEL, **values)[FRONT_TIRES]) ** 2

    power = grains(wheel_speed=10.0)
    assert grains(wheel_speed=20.0) / power == pytest.approx(2.0, rel=0.2)
    assert grains(wheel_speed=4.0, slip_speed=2.0) / power == pytest.approx(1.0, rel=0.2)


def test_planks_hum_at_their_passing_frequency():
    """Planks of 0.15 m at 15 m/s."""
    f, amplitude = spectrum(roll(3.0, surface=surfaces.WOOD, wheel_speed=15.0)[FRONT_TIRES])
    assert amplitude[np.argmin(abs(f - 100.0))] > 8.0 * np.median(amplitude[abs(f - 100.0) < 30.0])


def test_lugs_hum_at_their_passing_frequency():
    scene = Scene(VOICE, lugs=1.0, lug_spacing=0.1)
    f, amplitude = spectrum(roll(3.0, scene=scene, wheel_speed=12.0)[FRONT_TIRES])
    assert amplitude[np.argmin(abs(f - 120.0))] > 8.0 * np.median(amplitude[abs(f - 120.0) < 30.0])


def over(height, speed, seconds, **values):
    """Front bus of a wheel that rolls over `height(y)`, m, at y m along the road; without tread."""
    scene = Scene(VOICE, tread=0.0, blocks=0.0, **values)
    alone = {**CAR, "wheel_load": np.array([3500.0] + [0.0] * 19), "wheel_speed": speed}

    def frame(time):
        return {**alone, "road_height": np.full(20, height(speed * time))}

    return scene.run(seconds, frame)[FRONT_TIRES]


@pytest.mark.parametrize("speed", [10.0, 15.0])
def test_washboard_hums_at_its_waves(speed):
    x = over(lambda y: 0.02 * np.sin(TURN * y / 0.6), speed, 3.0)[4800:]
    f, amplitude = spectrum(x)
    line = amplitude[abs(f - speed / 0.6).argmin()]
    assert line > 8.0 * np.median(amplitude[abs(f - speed / 0.6) < 10.0])


def test_an_edge_thumps_when_a_wheel_comes_to_it_and_a_hill_does_not():
    """An edge of 5 cm over 0.2 m at 0.5 s, against a crest of 60 m radius."""
    edge = over(lambda y: 0.05 * np.clip((y - 5.0) / 0.2, 0.0, 1.0), 10.0, 1.0)
    flat = over(lambda y: 3.0, 10.0, 1.0)
    crest = over(lambda y: -0.5 * (y - 5.0) ** 2 / 60.0, 10.0, 1.0)
    blow = edge - flat  # the noise is the same
    first = np.flatnonzero(abs(blow) > 0.1 * abs(blow).max())[0]
    assert first / SAMPLE_RATE == pytest.approx(0.5, abs=0.005)
    assert abs(blow).max() > 3.0 * rms(flat)
    assert abs(crest - flat)[9600:].max() < 0.1 * rms(flat)  # after its start on a slope
    assert not (over(lambda y: 0.0 if y < 5.0 else 30.0, 10.0, 1.0) - flat).any()  # another position


def test_higher_washboard_is_louder_in_proportion():
    x = [over(lambda y, a=a: a * np.sin(TURN * y / 0.6), 15.0, 2.0)[4800:] for a in (0.0, 0.01, 0.02)]
    assert rms(x[2] - x[0]) == pytest.approx(2.0 * rms(x[1] - x[0]), rel=1e-6)


def test_roughness_is_evaluated_in_every_block():
    """A kerb's waves of up to 340 Hz sound as their height would that was known at every block."""
    speed, along = 30.0, np.array([0.0, 1.0])  # m/s
    length = FOOTPRINT + speed * BLOCK_SECONDS
    expected = over(lambda y: wave_height(0.008, 0.5, *(y * along), length), speed, 1.0)
    scene = Scene(VOICE, tread=0.0, blocks=0.0)
    kerb = {**CAR, "wheel_load": np.array([3500.0] + [0.0] * 19), "wheel_speed": speed,
            "roughness": 0.008, "roughness_length": 0.5}  # fmt: skip
    x = scene.run(1.0, lambda time: {**kerb, "contact_y": speed * time})[FRONT_TIRES]
    smooth = over(lambda y: 0.0, speed, 1.0)
    assert rms(x - smooth) > 0.2 * rms(smooth)
    assert rms((x - expected)[12000:]) < 1e-6 * rms((x - smooth)[12000:])


def test_an_edge_between_surfaces_and_a_jump_of_the_contact_point_are_no_blow():
    """Roughness that changes by 2 cm, and a contact point that is elsewhere from a block to the next."""
    flat = roll(0.5, wheel_speed=10.0)[FRONT_TIRES]
    for change in ({"roughness": 0.02, "roughness_length": 3.0}, {"contact_x": 4.0}):
        scene, steps = Scene(VOICE), {"wheel_speed": 10.0, "contact_x": 1.0, "roughness": 0.0, "roughness_length": 1.0}
        if "contact_x" in change:
            steps["roughness"] = 0.02
        scene.run(0.1, steady(**{**CAR, **steps}))
        x = scene.run(0.5, steady(**{**CAR, **steps, **change}))[FRONT_TIRES]
        assert abs(x).max() < 1.5 * abs(flat).max()


@pytest.mark.parametrize("speed", [15.0, 30.0])
@pytest.mark.parametrize("spacing", [0.03, 0.05])
def test_tread_blocks_hum_around_their_passing_frequency(speed, spacing):
    """A band, as their lengths vary; a slick has none."""

    def band(**values):
        scene = Scene(VOICE, texture=0.0, block_spacing=spacing, **values)
        f, amplitude = spectrum(roll(4.0, scene=scene, wheel_speed=speed)[FRONT_TIRES])
        near = abs(f / (speed / spacing) - 1.0)
        power = np.square(amplitude)
        return 10.0 * np.log10(power[near < 0.1].mean() / power[(near > 0.25) & (near < 0.4)].mean())

    assert band(blocks=3.0) > band(blocks=0.0) + 3.0


@pytest.mark.parametrize("speed", [10.0, 40.0])
def test_the_rumble_is_that_of_a_road_levelled_over_the_footprint(speed):
    """Its power density is even at low frequencies and has fallen to a quarter at 30 Hz + v / 0.1 m."""
    scene = Scene(VOICE, tread=0.0, blocks=0.0, cavity=2000.0)
    f, amplitude = spectrum(roll(6.0, scene=scene, wheel_speed=speed)[FRONT_TIRES])
    power, corner = np.square(amplitude), 30.0 + speed / 0.1

    def density(low, high):
        return power[(f > low * corner) & (f < high * corner)].mean()

    assert 10.0 * np.log10(density(0.1, 0.2) / density(0.05, 0.1)) == pytest.approx(0.0, abs=1.5)
    assert 10.0 * np.log10(density(0.95, 1.05) / density(0.05, 0.2)) == pytest.approx(-6.0, abs=1.5)


def test_scrub_grows_with_slip_and_lies_in_the_middle():
    still = [roll(1.0, slip_speed=s)[FRONT_TIRES] for s in (0.05, 2.0, 8.0)]
    assert not still[0].any()
    assert rms(still[2]) == pytest.approx(2.0 * rms(still[1]), rel=0.15)  # root of the slip
    f, amplitude = spectrum(still[2])
    inside = (f > 300.0) & (f < 1500.0)
    assert np.square(amplitude[inside]).sum() > 0.45 * np.square(amplitude).sum()


def test_ice_is_faint_and_each_kind_of_ground_is_heard():
    levels = {kind: decibels(roll(1.0, wheel_speed=20.0, surface=kind)[FRONT_TIRES]) for kind in range(surfaces.SILENT)}
    assert levels[surfaces.ICE] < levels[surfaces.PAVED] - 12.0
    assert min(levels, key=levels.get) == surfaces.ICE
    assert max(levels, key=levels.get) in (surfaces.GRAVEL, surfaces.RUMBLE)
    assert levels[surfaces.GRAVEL] > levels[surfaces.PAVED] + 3.0


@pytest.mark.parametrize("values", [{"wheel_speed": 15.0}, {"wheel_speed": 10.0, "slip_speed": 5.0}])
def test_ice_crackles_brightly_instead_of_being_faint_asphalt(values):
    """Chips of frost: single bright blows, where the noise of asphalt is even and below 3 kHz."""

    def bright(kind):
        x = roll(2.0, surface=kind, **values)[FRONT_TIRES]
        power = np.abs(np.fft.rfft(x)) ** 2
        high = np.fft.rfftfreq(len(x), 1.0 / SAMPLE_RATE) > 3000.0
        hiss = np.fft.irfft(np.fft.rfft(x) * high)
        return 10.0 * np.log10(power[high].sum() / power.sum()), np.mean(hiss**4) / np.mean(hiss**2) ** 2

    (ice, ice_peaks), (asphalt, asphalt_peaks) = bright(surfaces.ICE), bright(surfaces.PAVED)
    assert ice > asphalt + 4.0
    assert ice_peaks > 8.0 > 4.0 > asphalt_peaks  # kurtosis; 3 for noise


@pytest.mark.parametrize(
    "values",
    [
        {"wheel_speed": 0.0},
        {"wheel_speed": 30.0, "wheel_load": 0.0},
        {"wheel_speed": 30.0, "wheel_count": 0},
        {"wheel_speed": 30.0, "surface": surfaces.SILENT},
        {"wheel_speed": 0.001, "slip_speed": 0.001, "used_friction": 1.0},
    ],
)
def test_tires_at_rest_in_the_air_or_on_silent_ground_are_silent(values):
    """A parked vehicle on creeping tires, wheels in the air, a vehicle without wheels."""
    assert not roll(0.3, skip=0.0, **values).any()


def test_a_stop_ends_in_exact_silence():
    scene = Scene(VOICE)
    everything = {**CAR, "wheel_speed": 30.0, "slip_speed": 4.0, "used_friction": 1.0}
    scene.run(0.3, steady(**everything, surface=surfaces.PAVED))
    scene.run(0.3, steady(**everything, surface=surfaces.GRAVEL, wetness=1.0))
    out = scene.run(0.5, steady(**CAR, wheel_speed=0.0, slip_speed=0.0))
    assert out[:, :100].any()
    assert not out[:, 24000 - 100 :].any()
    assert not scene.state[0]["wheels"]["gains"].any()


def test_steps_of_ground_water_and_speed_do_not_click():
    scene = Scene(VOICE)
    parts = [scene.run(0.25, steady(**CAR, wheel_speed=v, surface=kind, wetness=wet))[FRONT_TIRES]
             for v, kind, wet in ((30.0, surfaces.PAVED, 0.0), (30.0, surfaces.GRASS, 0.0),
                                  (30.0, surfaces.PAVED, 1.0), (0.0, surfaces.PAVED, 1.0))]  # fmt: skip
    change = third_difference(np.concatenate(parts))
    usual = np.quantile(change, 0.9999)
    for k in (1, 2, 3):
        assert change[k * 12000 - 100 : k * 12000 + 400].max() < 1.5 * usual


@pytest.mark.parametrize("kind", [*range(surfaces.KIND_COUNT), -1, 99])
def test_extreme_values_stay_finite(kind):
    values = {"wheel_speed": 2000.0, "slip_speed": 1e4, "wheel_load": 1e7, "used_friction": 1.0, "wetness": 5.0}
    ahead = np.repeat(np.linspace(5.9, -5.9, 10), 2)
    out = roll(0.2, skip=0.0, **{**values, "wheel_count": 20, "wheel_ahead": ahead, "surface": kind})
    assert np.isfinite(out).all()
    assert abs(out).max() < 100.0


def test_tires_in_the_air_are_silent_once_their_last_sound_has_faded():
    scene = Scene(VOICE)
    scene.run(0.2, steady(**CAR, wheel_speed=30.0))
    flight = scene.run(0.1, steady(wheel_load=0.0))
    assert flight[:, :100].any()
    assert not flight[:, -100:].any()
    landing = scene.run(0.2, steady(**CAR, wheel_speed=30.0))
    assert rms(landing[FRONT_TIRES, -4800:]) > 0.02


def names(dtype):
    for name, (kind, *_) in (dtype.fields or {}).items():
        yield name
        yield from names(kind.base)


@pytest.mark.parametrize("state", [tires.STATE, wind.STATE, impact.STATE])
def test_no_field_of_a_state_is_named_like_a_method_of_arrays(state):
    """Kernels that run without JIT would find the method instead."""
    assert not set(names(state)) & set(dir(np.recarray))


def test_kinds_are_the_words_of_surfaces():
    assert len(surfaces.GROUNDS) == len(SOUNDS)
    kinds = {s.name: surfaces.kind_of(s) for s in default_surfaces().surfaces}
    assert kinds["asphalt_wet"] == surfaces.PAVED
    assert (kinds["kerb"], kinds["gravel"], kinds["snow"]) == (surfaces.RUMBLE, surfaces.GRAVEL, surfaces.SNOW)
    assert (SOUNDS[surfaces.ICE], SOUNDS[surfaces.WOOD], SOUNDS[surfaces.SILENT]) == ("ice", "wood", "none")
    wet = {s.name: surfaces.wetness_of(s) for s in default_surfaces().surfaces}
    assert wet["asphalt_wet"] > 0.5
    assert 0.0 < wet["mud"] < 0.5
    assert wet["asphalt"] == wet["sand"] == 0.0
    assert FRAME["surface"].shape == FRAME["wetness"].shape
