"""The section `sound` of vehicle files, its errors, and the estimates for what it does not say."""

import pytest

from driving_sandbox.physics.schema.schema import Choice
from driving_sandbox.physics.schema.yaml_file import ConfigError, parse_yaml
from driving_sandbox.physics.vehicle.vehicle_file import (
    VEHICLE_FOLDER,
    build_vehicle,
    load_vehicle,
    load_vehicle_text,
    own_text,
    vehicle_text,
)
from driving_sandbox.sound.engine.presets import PRESETS
from driving_sandbox.sound.engine.record import engine_parameters
from driving_sandbox.sound.estimate import largest_torque, level_at, preset_of
from driving_sandbox.sound.state.drive import AXLE_RATIO
from driving_sandbox.sound.vehicle_sound import sound_of
from driving_sandbox.sound.voices import VOICES

ENGINES = {  # {vehicle: (cylinders, litres, diesel, turbocharged)}, as the comments of its file say
    "clubsport": (4, 2.0, False, False),
    "coupe": (6, 2.6, False, True),
    "golf_gti_mk7": (4, 1.984, False, True),
    "half_track": (6, 6.3, False, False),
    "hatchback": (4, 2.0, False, True),
    "lowrider": (8, 5.4, False, False),
    "m3_e46": (6, 3.246, False, False),
    "mx5_na": (4, 1.839, False, False),
    "offroader": (6, 3.0, True, True),
    "road_train": (6, 15.6, True, True),
    "roadster": (4, 1.8, False, False),
    "tank": (6, 9.6, True, True),
    "three_wheeler": (4, 0.848, False, False),
    "track_roadster": (4, 1.8, False, False),
    "truck": (6, 12.8, True, True),
}
VEHICLES = sorted(path.stem for path in VEHICLE_FOLDER.glob("*.yaml"))
TEXT = (VEHICLE_FOLDER / "roadster_simple.yaml").read_text(encoding="utf8").partition("\nsound:")[0] + "\n"


def roadster(section):
    """The roadster with another section `sound` at the end of its file."""
    return build_vehicle(parse_yaml(TEXT + section, VEHICLE_FOLDER / "mine.yaml"))


def present(sound):
    return {name for name in VOICES if sound.parameters["present"][name]}


@pytest.mark.parametrize("name", VEHICLES)
def test_every_vehicle_has_a_sound(name):
    vehicle = load_vehicle(name)
    sound = sound_of(vehicle)
    electric = name == "buggy"
    assert present(sound) >= {"tires", "wind", "body", "horn", "motor" if electric else "engine"}
    assert ("engine" in present(sound)) != electric
    assert not [line for line in sound.estimates if line.startswith("sound.engine")]  # the file says it
    ahead = sound.emitters["ahead"]
    assert ahead[0] < ahead[3] < ahead[2] == ahead[1]  # tail pipe, rear axle, front axle, engine
    for trailer in vehicle.trailers:
        assert present(sound_of(trailer)) == {"tires", "wind", "body"}


@pytest.mark.parametrize("name", ENGINES)
def test_engines_sound_as_their_figures_say(name):
    cylinders, litres, diesel, turbocharged = ENGINES[name]
    sound = sound_of(load_vehicle(name))
    engine = sound.parameters["engine"]
    assert engine["derived"]["cylinder_count"] == cylinders
    assert engine["displacement"] == pytest.approx(1e-3 * litres, rel=1e-3)
    assert bool(engine["diesel"]) == diesel
    assert ("turbo" in present(sound)) == turbocharged


def test_values_of_the_file_are_in_the_record():
    sound = sound_of(roadster("sound: {engine: {preset: v_twin, crackle: 0.125}, tires: {squeal: 0.5}}\n"))
    engine, tires = sound.parameters["engine"], sound.parameters["tires"]
    assert (engine["crackle"], tires["squeal"]) == (0.125, 0.5)
    assert engine["derived"]["cylinder_count"] == 2
    assert engine["redline"] == load_vehicle("roadster_simple").get("engine.max_omega")  # still the vehicle's
    assert tires["texture"] == VOICES["tires"].declaration.fields["texture"].default


def test_assumed_boost_of_a_turbocharger_without_a_model():
    assert sound_of(roadster("sound: {turbo: {level: 1, rated_boost: 1.25}}\n")).assumed_boost == 1.25
    assert sound_of(roadster("")).assumed_boost == 0.0
    assert sound_of(load_vehicle("golf_gti_mk7")).assumed_boost == 0.0  # the engine's model has its boost
    assert sound_of(load_vehicle("truck")).assumed_boost > 0.5


@pytest.mark.parametrize("name", ENGINES)
def test_the_torque_of_engines_fits_their_displacement(name):
    """Largest torque without boost: within the range in which the filling follows it."""
    vehicle = load_vehicle(name)
    sound = sound_of(vehicle)
    share = 1.0 + 0.9 * 0.5 * sound.assumed_boost  # at half the redline
    assert 0.5 < largest_torque(vehicle) / share / sound.usual_torque < 1.6


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ("sound: {engin: {preset: inline_4}}", 'sound.engin: unknown key (did you mean "engine"?)'),
        (
            "sound:\n  engine: {preset: inline4}",
            "sound.engine.preset: 'inline4' is unknown (did you mean \"inline_4\"?)",
        ),
        ("sound:\n  engine:\n    crakle: 0.1", 'sound.engine.crakle: unknown key (did you mean "crackle"?)'),
        ("sound:\n  engine:\n    crackle: 2", "sound.engine.crackle: 2: must be less than or equal to 1"),
        (
            "sound:\n  engine: {firing_order: [1, 2, 3, 3]}",
            "sound.engine.firing_order: must name each of the 4 cylinders",
        ),
        ("sound:\n  engine: {derived: 1}", "sound.engine.derived: unknown key"),
        ("sound:\n  tires: {squeal: loud}", "sound.tires.squeal: 'loud': must be a valid number"),
        ("sound:\n  body: {material: pannel}", "sound.body.material: 'pannel': must be one of panel"),
        ("sound:\n  motor: {level: 1}", "sound.motor: the vehicle does not have an electric motor"),
        ("sound:\n  tracks: {level: 1}", "sound.tracks: the vehicle does not have tracks"),
        ("sound:\n  horn: 3", "sound.horn: must be a mapping of keys"),
    ],
)
def test_errors_name_file_line_and_key(section, message):
    vehicle = roadster(section + "\n")
    line = len(TEXT.splitlines()) + len(section.splitlines())
    with pytest.raises(ConfigError) as error:
        sound_of(vehicle)
    assert str(error.value).startswith(f"{VEHICLE_FOLDER / 'mine.yaml'}:{line}: {message}")


def test_a_section_that_is_no_mapping_is_refused_when_the_file_is_read():
    with pytest.raises(ConfigError, match=r"mine.yaml:\d+: sound: must be a mapping of keys"):
        roadster("sound: loud\n")


def test_section_survives_saving():
    vehicle = roadster("sound: {engine: {preset: v_twin, pipe_lengths: [0.5]}, turbo: {level: 1}}\n")
    for text in (vehicle_text(vehicle), own_text(vehicle, "Mine")):
        again = load_vehicle_text(text, VEHICLE_FOLDER / "again.yaml")
        assert again.info["sound"] == vehicle.info["sound"]
        assert sound_of(again).parameters.tobytes() == sound_of(vehicle).parameters.tobytes()
    vehicle.info["sound"] = {"engine": {"preset": "v_twin", "crackle": 9.0}}  # of a program, without lines
    with pytest.raises(ConfigError, match=r"mine.yaml: sound.engine.crackle: 9"):
        sound_of(vehicle)


def test_base_hands_its_section_down():
    assert load_vehicle("truck_trailer").info["sound"] == load_vehicle("truck").info["sound"]


# ---- estimates


@pytest.mark.parametrize(
    ("name", "preset"),
    [("mx5_na", "inline_4"), ("hatchback", "inline_4"), ("track_roadster", "inline_6"), ("lowrider", "v8_cross"),
     ("m3_e46", "v8_flat"), ("truck", "diesel_6"), ("tank", "diesel_6"), ("three_wheeler", "inline_3"),
     ("planar_roadster", "inline_4"), ("patrol", "v8_cross")],
)  # fmt: skip
def test_estimated_engines(name, preset):
    assert preset_of(load_vehicle(name)) == preset and preset in PRESETS


def test_estimates_are_told():
    vehicle = load_vehicle("hatchback")
    del vehicle.info["sound"]
    engine, turbo = sound_of(vehicle).estimates
    assert engine.startswith("sound.engine is not given: estimated as inline_4, redline 680 rad/s from 19")
    assert turbo.startswith("sound.turbo is not given: estimated as level 1")


def test_slow_engines_are_raised_to_the_level_of_fast_ones():
    assert level_at("v8_cross", 1000.0) == 1.0  # faster than the preset's
    slow = sound_of(load_vehicle("patrol")).parameters["engine"]
    own = float(engine_parameters("v8_cross", {})["redline"])
    assert slow["redline"] < own and slow["exhaust_level"] == pytest.approx((own / slow["redline"]) ** 2)
    assert sound_of(load_vehicle("tank")).parameters["engine"]["exhaust_level"] == 1.3  # the file's


def test_motor_torque_is_that_of_one_motor():
    vehicle = load_vehicle("buggy")
    total = sum(vehicle.get(f"direct_drive.{wheel}.max_torque") for wheel in vehicle.wheel_names)
    assert sound_of(vehicle).parameters["motor"]["reference_torque"] == pytest.approx(total / AXLE_RATIO)


def test_electric_motor_instead_of_the_engine():
    vehicle = load_vehicle(
        VEHICLE_FOLDER.parents[1] / "docs" / "examples" / "electric_buggy.yaml", trust=lambda path: True
    )
    assert "motor" in present(sound_of(vehicle))


def test_tracks_do_not_squeal():
    tires = sound_of(load_vehicle("tank")).parameters["tires"]
    assert tires["squeal"] == 0.0 and tires["nominal_load"] > 1e4


def test_heavy_vehicles_have_air_horns_and_deep_bodies():
    truck, car = (sound_of(load_vehicle(name)).parameters for name in ("truck", "mx5_na"))
    assert truck["horn"]["low"] < 0.6 * car["horn"]["low"] and truck["body"]["pitch"] < 0.6 * car["body"]["pitch"]
    assert isinstance(VOICES["body"].declaration.fields["material"].kind, Choice)
