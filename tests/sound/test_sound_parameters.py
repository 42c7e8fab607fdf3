"""Voices tuned while they sound: values by path, kept in the vehicle's section `sound`, and heard without a click."""

import numpy as np
import pytest
from device_rig import drive, samples_of

from driving_sandbox.physics.base.user_error import UnknownName
from driving_sandbox.physics.schema.schema import Float, SchemaError
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle, load_vehicle_text, own_text
from driving_sandbox.sound.device.stream import SHOWN, Stream
from driving_sandbox.sound.engine.lengths import TURNS
from driving_sandbox.sound.engine.parameters import EngineSound
from driving_sandbox.sound.engine.presets import PRESETS
from driving_sandbox.sound.engine.record import engine_parameters
from driving_sandbox.sound.glide import AT_ONCE, EVENLY, GLIDE_BLOCKS, motions
from driving_sandbox.sound.parameters import PRESET, SoundParameters, is_of_sound
from driving_sandbox.sound.scene import Scene
from driving_sandbox.sound.space.emitters import EMITTERS
from driving_sandbox.sound.vehicle_sound import sound_of
from driving_sandbox.sound.voices import VoiceParameters, voice_parameters

TICK = 1.0 / 240.0  # s
CRACKLE, LEVEL = "sound.engine.crackle", "sound.tires.level"


@pytest.fixture
def roadster():
    return load_vehicle("roadster")


def test_every_authored_parameter_of_the_voices_of_a_vehicle_has_a_path(roadster):
    parameters = SoundParameters(roadster)
    paths = [p.path for p in parameters.parameters()]
    assert len(paths) == len(set(paths)) and all(map(is_of_sound, paths))
    engine = {f"sound.engine.{name}" for name, f in EngineSound.fields.items() if not f.derived} | {PRESET}
    assert engine == {path for path in paths if path.startswith("sound.engine.")}
    assert not [path for path in paths if path.startswith("sound.motor.")]  # it has no electric motor
    assert parameters.values() == parameters.base_values()
    with pytest.raises(UnknownName, match="sound.engine.crackle"):
        parameters.get("sound.engine.crackl")


def test_a_change_is_kept_in_the_section_and_saved_with_the_vehicle(roadster):
    parameters, before = SoundParameters(roadster), roadster.info.get("sound")
    parameters.set_many({CRACKLE: 0.25, LEVEL: 0.5})
    assert roadster.info["sound"] is not before
    assert roadster.info["sound"]["engine"]["crackle"] == 0.25
    again = sound_of(load_vehicle_text(own_text(roadster, "mine"), roadster.info["path"])).parameters
    assert again["engine"]["crackle"] == 0.25 and again["tires"]["level"] == 0.5
    assert again.tobytes() == sound_of(roadster).parameters.tobytes()


def test_values_set_back_leave_the_section_as_it_was(roadster):
    parameters = SoundParameters(roadster)
    before = {name: dict(values) for name, values in roadster.info["sound"].items()}
    parameters.set_many({CRACKLE: 0.25, LEVEL: 0.5, PRESET: "v8_cross"})
    assert parameters.get(PRESET) == "v8_cross" and len(parameters.get("sound.engine.firing_order")) == 8
    parameters.set_many({path: parameters.base_values()[path] for path in (CRACKLE, LEVEL, PRESET)})
    assert parameters.values() == parameters.base_values()
    left = {name: {k: v for k, v in values.items() if k != "preset"} for name, values in before.items()}
    assert {n: {k: v for k, v in s.items() if k != "preset"} for n, s in roadster.info["sound"].items()} == {
        name: values for name, values in left.items() if values
    }


def test_refused_values_change_nothing(roadster):
    parameters = SoundParameters(roadster)
    before, section = parameters.values(), roadster.info["sound"]
    with pytest.raises(SchemaError, match="less than or equal to 1"):
        parameters.set_many({LEVEL: 0.5, CRACKLE: 9.0})
    with pytest.raises(SchemaError, match="3 values for 4 cylinders"):
        parameters.set_many({"sound.engine.pipe_lengths": [0.4, 0.5, 0.6]})
    assert parameters.values() == before and roadster.info["sound"] is section


def test_what_the_engine_derives_follows(roadster):
    parameters = SoundParameters(roadster)
    delay = sound_of(roadster).parameters["engine"]["derived"]["line_delay"][0, 0]
    parameters.set_many({"sound.engine.middle_length": 2.0 * parameters.get("sound.engine.middle_length")})
    longer = sound_of(roadster).parameters["engine"]["derived"]["line_delay"][0, 0]
    assert longer == pytest.approx(2.0 * delay, abs=1.0)


# ---- changes that are heard


def engine_stream(**values):
    """(Stream of one engine at constant speed without random parts, the parameters that leave those parts out)."""
    quiet = {"variation": 0.0, "idle_variation": 0.0, "misfire": 0.0, "jitter_deg": 0.0, "flow_noise": 0.0,
             "jet_noise": 0.0, "intake_noise": 0.0, "crackle": 0.0, "knock": 0.0}  # fmt: skip
    record = voice_parameters({"engine": engine_parameters("inline_4", {**quiet, **values})})
    stream = Stream(Scene(np.array([record], VoiceParameters), np.zeros(1, EMITTERS)), TICK, 8.0)
    drive(stream, 9, start=1.0)
    return stream, quiet


def tuned(stream, quiet, **values):
    """Let the engine of a stream glide to other values."""
    stream.scene.tune(np.array([voice_parameters({"engine": engine_parameters("inline_4", {**quiet, **values})})]))


def test_numbers_glide_and_lengths_follow():
    assert set(motions().tolist()) == {AT_ONCE, EVENLY}
    stream, quiet = engine_stream()
    used, state = stream.scene.arrays["parameters"][0]["engine"], stream.scene.arrays["voices"][0]["engine"]
    samples_of(stream, 40)
    start = int(state["runner_delay"])
    tuned(stream, quiet, level=2.0, runner_length=0.6)
    samples_of(stream, 40 * GLIDE_BLOCKS // 2)
    assert used["level"] == pytest.approx(1.5, abs=0.05)
    assert state["runner_delay"] == start + GLIDE_BLOCKS // 2 // TURNS
    samples_of(stream, 9600)
    assert used["level"] == 2.0 and state["runner_delay"] == used["derived"]["runner_delay"] > start + 30
    assert stream.scene.arrays["parameters"].tobytes() == stream.scene.tuned.tobytes()
    assert stream.scene.arrays["glide"]["left"][0] == 0


@pytest.mark.parametrize(
    "values",
    [
        {"level": 0.1},
        {"level": 4.0},
        {"exhaust_level": 0.0},
        {"middle_length": 0.8},
        {"tail_length": 1.2},
        {"pipe_lengths": [0.6]},
        {"runner_length": 0.6},
    ],
)
def test_a_change_makes_no_click(values):
    """No kink beyond those of the pulses before and after, which are as sharp as the engine is loud."""
    stream, quiet = engine_stream()
    before = samples_of(stream, 24000)[12000:]
    tuned(stream, quiet, **values)
    during = samples_of(stream, 14400)
    after = samples_of(stream, 24000)[12000:]
    sharpest = max(kink(before), kink(after))
    assert kink(during) < 1.5 * sharpest


def test_the_measure_finds_the_click_of_a_length_that_jumps():
    stream, _ = engine_stream()
    before = samples_of(stream, 24000)[12000:]
    stream.scene.arrays["voices"][0]["engine"]["line_delay"] += 60
    stream.scene.arrays["parameters"][0]["engine"]["derived"]["line_delay"] += 60
    assert kink(samples_of(stream, 2400)) > 1.5 * kink(before)


def kink(samples):
    """Largest third difference."""
    return np.abs(np.diff(samples[:, 0].astype(np.float64), 3)).max()


def test_the_offline_scene_glides_as_the_stream():
    scene = engine_stream()[0].scene
    tuned(type("", (), {"scene": scene}), {}, level=0.3)
    frames, listener = engine_stream()[0].ring.frames, engine_stream()[0].ring.listeners
    for _ in range(GLIDE_BLOCKS + 200):
        scene.render(frames[0], frames[0], listener[:1])
    assert scene.arrays["parameters"][0]["engine"]["level"] == 0.3


def test_recent_samples_are_the_last_ones_rendered():
    stream, _ = engine_stream()
    heard = samples_of(stream, 9640, 40).astype(np.float64)
    recent, speed = stream.recent()
    assert len(recent) == SHOWN and speed == pytest.approx(350.0)
    mean = 0.5 * (heard[:, 0] + heard[:, 1])
    assert np.allclose(recent[:-2], mean[-SHOWN + 2 :], atol=1e-6)  # what is heard lags by two samples


@pytest.mark.parametrize("name", ["roadster", "truck"])
def test_any_values_give_finite_samples(name):
    """Every parameter at the ends of its slider, and every kind of engine, one after the other while they sound."""
    vehicle = load_vehicle(name)
    parameters, generator = SoundParameters(vehicle), np.random.default_rng(3)
    stream = Stream(Scene(np.array([sound_of(vehicle).parameters]), np.zeros(1, EMITTERS)), TICK, 8.0)
    drive(stream, 9, start=1.0)
    changes = [{PRESET: preset} for preset in generator.permutation(list(PRESETS)).tolist()]
    for parameter in generator.permutation(np.array(parameters.parameters(), object)):
        low, high = parameter.field.suggest or (parameter.field.ge, parameter.field.le)
        if isinstance(parameter.field.kind, Float) and None not in (low, high):
            changes.append({parameter.path: float(generator.choice([low, high]))})
    for change in changes:
        parameters.set_many(change)
        stream.scene.tune(np.array([sound_of(vehicle).parameters]))
        samples = samples_of(stream, 2400)
        assert np.isfinite(samples).all() and np.abs(samples).max() < 0.9, change
    assert len(changes) > 50
