"""A replay reports every tick that it repeats, and every jump before the next tick; its time in ticks of the world."""

import pytest
from flat_drive import ahead, flat_world, run

from driving_sandbox.game.recordings.source import ReplaySource
from driving_sandbox.game.session.session import Session
from driving_sandbox.physics.recording import Recording

REWIND_TICK = 240  # tick of the recording at which it was rewound
REWOUND = 120  # ticks by which it was rewound


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """A recording that begins half a second after its world; after 1 s, half a second is rewound."""
    path, world = tmp_path_factory.mktemp("time") / "rewound.drive", flat_world()
    with Session(world) as session:
        run(session, 0.5, ahead)
    with Session(world, record=path) as session:
        run(session, 1.0, ahead)
        session.changes.rewind(REWOUND * world.tick_seconds)
        run(session, 1.0, ahead)
    return Recording.open(path)


@pytest.fixture
def source(recording):
    """A source that repeats the recording; `calls` lists its ticks, as ticks of the world, and "jump"."""
    source = ReplaySource(recording)
    source.repeat()
    source.calls = []
    source.on_tick.append(lambda: source.calls.append(source.world.tick))
    source.on_jump.append(lambda: source.calls.append("jump"))
    return source


def test_a_recorded_jump_is_reported_before_the_tick_after_it(source):
    dt, start = source.recording.tick_seconds, source.world.tick
    for tick in range(0, 302, 7):
        source.show(tick * dt, tick)
    back = start + REWIND_TICK - REWOUND
    before = range(start + 1, start + REWIND_TICK + 1)
    assert source.exact and source.calls == [*before, "jump", *range(back + 1, back + 302 - REWIND_TICK)]


def test_the_time_shown_is_in_ticks_of_the_world(source):
    dt, start = source.recording.tick_seconds, source.world.tick
    assert start == 120
    for tick, expected in ((100, start + 100), (REWIND_TICK + 60, start + REWIND_TICK + 60 - REWOUND)):
        for fraction in (0.0, 0.25):
            time = (tick + fraction) * dt
            source.show(time, tick)
            assert source.world_ticks(time) == pytest.approx(expected + fraction, abs=1e-9)


def test_ticks_simulated_to_reach_another_time_are_not_reported(source):
    dt = source.recording.tick_seconds
    source.show(10 * dt, 10)
    source.calls.clear()
    source.show(30 * dt, 30, sought=True)
    assert source.calls == ["jump"]
    start = source.world.tick
    source.show(33 * dt, 33)
    assert source.calls[1:] == [start + 1, start + 2, start + 3]
    source.calls.clear()
    source.show(20 * dt, 20)  # a step back
    assert source.calls == ["jump"]
