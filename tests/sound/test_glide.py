"""Changes of parameters that the audio thread reads: none half written, each from its row on, the last is reached."""

import threading

import numpy as np
from device_rig import new_stream, samples_of

from driving_sandbox.sound.glide import ENTRIES, GLIDE_BLOCKS, PARAMETER_WORDS, glide, motions
from driving_sandbox.sound.scene import Scene
from driving_sandbox.sound.space.emitters import EMITTERS
from driving_sandbox.sound.voices import VoiceParameters

CROWD = 30  # vehicles, so many that a copy of their parameters takes long


def parameters_of(value, count):
    """VoiceParameters [count] of which every number is this value."""
    return np.full((count, PARAMETER_WORDS), float(value)).view(VoiceParameters)[:, 0]


def glide_arrays(scene):
    """What the kernel gets: GLIDE, row, motions, parameters in use and wanted ones as numbers and as counts."""
    arrays = scene.arrays
    used, wanted = arrays["parameters"], arrays["wanted"]
    return (
        arrays["glide"][0], 0, arrays["motions"],
        *(used.view(kind).reshape(len(used), -1) for kind in (np.float64, np.int64)),
        *(wanted.view(kind).reshape(ENTRIES, len(used), -1) for kind in (np.float64, np.int64)),
    )  # fmt: skip


def motor_level(stream):
    return float(stream.scene.arrays["parameters"][0]["motor"]["level"])


def test_a_second_change_is_reached_evenly_from_where_the_first_glide_was():
    stream = new_stream()
    changed = stream.scene.arrays["parameters"].copy()
    levels = [motor_level(stream)]
    for level, blocks in ((3.0, GLIDE_BLOCKS // 2), (9.0, GLIDE_BLOCKS)):
        changed["motor"]["level"] = level
        stream.scene.tune(changed)
        for _ in range(blocks):
            samples_of(stream, 40)
            levels.append(motor_level(stream))
    half = GLIDE_BLOCKS // 2
    # the motor of new_stream has the level 30
    assert np.allclose(levels[: half + 1], 30.0 - 27.0 / GLIDE_BLOCKS * np.arange(half + 1))
    assert np.allclose(np.diff(levels[half:]), (9.0 - levels[half]) / GLIDE_BLOCKS)
    assert levels[-1] == 9.0


def test_what_is_not_complete_is_not_read():
    """The next change is half written during a glide, which goes on to the first one."""
    stream = new_stream()
    changed = stream.scene.arrays["parameters"].copy()
    changed["motor"]["level"] = 3.0
    stream.scene.tune(changed)
    samples_of(stream, 40 * 5)
    stream.scene.arrays["wanted"][1]["motor"]["level"] = 1e6
    samples_of(stream, 40 * GLIDE_BLOCKS)
    assert motor_level(stream) == 3.0


def test_the_last_of_more_unread_changes_than_entries_is_reached():
    stream = new_stream(rows=24)
    changed = stream.scene.arrays["parameters"].copy()
    for level in range(3 * ENTRIES):
        changed["motor"]["level"] = level
        stream.scene.tune(changed)
    assert len(stream.scene._late) == 1
    samples_of(stream, 40)
    assert stream.scene._posted[0] == stream.scene._taken[0] == ENTRIES - 1, "those in the queue are read at once"
    stream.scene.post_late()
    samples_of(stream, 40 * GLIDE_BLOCKS)
    assert motor_level(stream) == 3.0 * ENTRIES - 1.0


def test_a_change_begins_in_the_first_block_that_reaches_its_row():
    stream = new_stream(rows=24)
    changed = stream.scene.arrays["parameters"].copy()
    changed["motor"]["level"], stream.scene.row = 3.0, 10
    stream.scene.tune(changed)
    changed["motor"]["level"], stream.scene.row = 90.0, 12
    stream.scene.tune(changed)
    positions, levels = [], []
    for _ in range(80):
        samples_of(stream, 40)
        positions.append(float(stream.ring.record["position"]))
        levels.append(motor_level(stream))
    first = next(k for k, level in enumerate(levels) if level != 30.0)
    assert positions[first - 1] <= 9.0 + 1e-6 < positions[first]
    turn = int(np.argmin(levels))
    assert positions[turn] <= 11.0 + 1e-6 < positions[turn + 1]


def test_a_thread_that_reads_meets_no_half_written_change():
    """Every change sets all words to one number, so all words of the values in use stay equal."""
    scene = Scene(parameters_of(0.0, CROWD), np.zeros(CROWD, EMITTERS))
    evenly, arrays = motions() == 1, glide_arrays(scene)
    used = arrays[3][:, evenly]  # the parameters in use, as numbers
    glide(*arrays)  # compiled before the threads race
    ended, spread, reached = threading.Event(), [], set()

    def read():
        while not ended.is_set() or scene._posted[0] != scene._taken[0] or arrays[0]["left"]:
            glide(*arrays)
            used[:] = arrays[3][:, evenly]
            spread.append(float(used.max() - used.min()))
            if not arrays[0]["left"]:
                reached.add(float(used[0, 0]))

    reader = threading.Thread(target=read)
    reader.start()
    for value in range(1, 301):
        scene.tune(parameters_of(value, CROWD))
    while scene._late:
        scene.post_late()
    ended.set()
    reader.join()
    assert max(spread) < 1e-9
    assert 300.0 in reached and len(spread) > GLIDE_BLOCKS
