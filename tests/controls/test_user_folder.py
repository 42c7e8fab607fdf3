"""The user folder: its location, refused locations, its log, and atomic writing of files."""

import logging
import os
import stat

import pytest

from driving_sandbox.game.platform import user_folder
from driving_sandbox.game.platform.user_folder import UserFolderError


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A user folder that does not exist yet."""
    monkeypatch.setenv("SANDBOX_HOME", str(tmp_path / "home"))
    yield tmp_path / "home"
    root = logging.getLogger()
    for handler in [h for h in root.handlers if isinstance(h, logging.handlers.RotatingFileHandler)]:
        root.removeHandler(handler)
        handler.close()


def test_folder_and_subfolders_are_made(home):
    assert user_folder.user_folder() == home.resolve()
    assert sorted(p.name for p in home.iterdir()) == sorted(user_folder.SUBFOLDERS)
    assert user_folder.subfolder("logs") == home.resolve() / "logs"
    with pytest.raises(ValueError, match="settings"):
        user_folder.subfolder("junk")


def test_the_user_folder_is_never_inside_the_program(monkeypatch):
    monkeypatch.setenv("SANDBOX_HOME", str(user_folder.PROGRAM_FOLDER / "mine"))
    with pytest.raises(user_folder.UserFolderError, match="must not be inside"):
        user_folder.user_folder()
    assert not (user_folder.PROGRAM_FOLDER / "mine").exists()


def test_an_unusable_folder_is_named(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SANDBOX_HOME", str(tmp_path / "file"))
    with pytest.raises(user_folder.UserFolderError, match="set SANDBOX_HOME"):
        user_folder.user_folder()


def test_log_is_written_once_and_rotates(home, monkeypatch):
    monkeypatch.setattr(user_folder, "LOG_BYTES", 400)
    user_folder.open_log("drive")
    path = user_folder.open_log("drive")
    logging.getLogger("x").info("hello")
    assert path == home.resolve() / "logs" / "drive.log" and path.read_text().count("hello") == 1
    for _ in range(20):
        logging.getLogger("x").info("a line of about fifty characters, to fill the file")
    assert (path.parent / "drive.log.1").exists() and path.stat().st_size <= 400


def test_write_atomic_replaces_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "new" / "setup.yaml"
    user_folder.write_atomic(path, "größer: 1\n")
    assert path.read_text(encoding="utf8") == "größer: 1\n"
    user_folder.write_atomic(path, b"\x00\x01")
    assert path.read_bytes() == b"\x00\x01"

    def broken(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(UserFolderError, match="disk full"):
        user_folder.write_atomic(path, "half")
    assert path.read_bytes() == b"\x00\x01"
    assert [p.name for p in path.parent.iterdir()] == ["setup.yaml"]
    assert stat.S_ISREG(path.stat().st_mode)
