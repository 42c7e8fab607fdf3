"""Screenshots are saved under the next free number; one that cannot be written gives a warning."""

import pytest

from driving_sandbox.game.platform import picture_folder


@pytest.fixture
def say():
    """A message function that keeps (text, level) in `lines`."""

    def report(text, level="info"):
        report.lines.append((text, level))

    report.lines = []
    return report


def test_pictures_are_numbered(home, monkeypatch, say):
    monkeypatch.setattr(picture_folder, "screenshot", lambda base, path: path.write_bytes(b"picture"))
    for _ in range(2):
        picture_folder.save_picture(None, "replay", say)
    folder = home / "screenshots"
    assert sorted(path.name for path in folder.iterdir()) == ["replay_0000.png", "replay_0001.png"]
    assert say.lines[-1] == (f"picture saved: {folder / 'replay_0001.png'}", "info")


def test_a_full_disk_gives_a_warning(home, monkeypatch, say):
    def full(base, path):
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(picture_folder, "screenshot", full)
    picture_folder.save_picture(None, "picture", say)
    ((text, level),) = say.lines
    assert "could not be saved" in text and "No space left" in text and level == "warning"
