"""The benchmark of the sound: its rows, with and without OpenAL."""

import pytest

from driving_sandbox.benchmarks import loops, sound


@pytest.fixture
def short(monkeypatch):
    """Let the benchmark measure a few blocks and ticks only."""
    monkeypatch.setattr(sound, "BLOCKS", 40)
    monkeypatch.setattr(sound, "ROUNDS", 2)
    monkeypatch.setattr(sound, "TICKS", 20)


def test_rows_compare_with_the_share_that_loops_of_openal_add(short, monkeypatch):
    asked = []
    # shares of a core for 0, 5 and 40 loops: 5 add 0.1 %, and 40 add 0.8 %
    monkeypatch.setattr(loops, "shares", lambda *counts: asked.extend(counts) or [0.002, 0.003, 0.01])
    rows = {row["what"]: row["value"] for row in sound.measure()}
    assert asked == [0, 5, 40]  # as many as no, one and eight cars have buses
    assert rows["one car / loops"] == pytest.approx(rows["one car"] / 0.1)
    assert rows["eight cars / loops"] == pytest.approx(rows["eight cars"] / 0.8)
    assert {"voice engine", "voice tires", "voice gears"} <= rows.keys()
    assert rows["gather, eight cars"] > rows["gather, one car"]
    assert all(value > 0.0 for value in rows.values())


def test_without_openal_a_row_says_so(short, monkeypatch):
    monkeypatch.setattr(loops, "shares", lambda *counts: None)
    rows = {row["what"]: row["note"] for row in sound.measure()}
    assert "not available" in rows["OpenAL"]
    assert "aim 15.0 %" in rows["gather, eight cars"]
    assert not any("/ loops" in what for what in rows)
