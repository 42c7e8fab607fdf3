"""Python files of components run only with the content that was allowed; a change is shown before asking again."""

import pytest

from driving_sandbox.game.platform.trusted_files import TrustedFiles
from driving_sandbox.game.platform.user_folder import UserFolderError
from driving_sandbox.game.program.start import may_run
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.vehicle.swap import component_files
from driving_sandbox.physics.vehicle.trust import Allowed, has_run, pinned
from driving_sandbox.physics.vehicle.vehicle_file import UntrustedCode, load_vehicle

CODE = "LOSS = 0.1\nGAIN = 2.0\n"


@pytest.fixture
def code(tmp_path):
    """Path of a component's file."""
    path = tmp_path / "spring.py"
    path.write_text(CODE, encoding="utf8")
    return path


@pytest.fixture
def trusted(tmp_path):
    return TrustedFiles(tmp_path / "trusted.json")


def test_a_file_is_allowed_with_its_content(code, trusted, tmp_path):
    assert not trusted(code) and trusted.change(code) == ""
    trusted.allow(code)
    reloaded = TrustedFiles(tmp_path / "trusted.json")
    assert trusted(code) and reloaded(code)
    code.write_text(CODE.replace("2.0", "3.0\x1b[2J"), encoding="utf8")  # an escape sequence that clears the terminal
    assert not trusted(code) and not reloaded(code)
    change = reloaded.change(code).splitlines()
    # the escape sequence is shown, not sent
    assert "-GAIN = 2.0" in change and "+GAIN = 3.0\\x1b[2J" in change and "-LOSS = 0.1" not in change
    code.write_text(CODE, encoding="utf8")
    assert reloaded(code)


def test_a_file_is_allowed_with_the_content_of_its_imports(code, trusted):
    code.write_text("import law\n" + CODE, encoding="utf8")
    law = code.with_name("law.py")
    law.write_text("SLOPE = 1.0\n", encoding="utf8")
    trusted.allow(code)
    allowed = Allowed([code])
    assert trusted(code) and allowed(code)
    law.write_text("SLOPE = 2.0\n", encoding="utf8")
    assert not trusted(code) and not allowed(code)
    assert trusted.change(code) == "a file that it imports was changed"


def test_a_damaged_list_allows_nothing(code, trusted, tmp_path):
    trusted.allow(code)
    for text in ("{", '{"a": 1}', '{"a": [1]}', "[" * 1000):
        (tmp_path / "trusted.json").write_text(text, encoding="utf8")
        assert not TrustedFiles(tmp_path / "trusted.json")(code)


def test_a_pinned_file_is_allowed_only_with_its_content(code):
    entry = pinned(code)
    assert Allowed([entry])(code) and Allowed(Allowed([code]))(code)
    code.write_text(CODE + "MORE = 1\n", encoding="utf8")
    assert not Allowed([entry])(code)
    assert not Allowed()(code) and not Allowed([code.with_name("none.py")])(code.with_name("none.py"))


def test_the_terminal_shows_the_change_and_asks_again(code, trusted, monkeypatch, capsys):
    class Terminal:
        def isatty(self):
            return True

    questions = []
    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setattr("builtins.input", lambda text: questions.append(text) or "yes")
    assert may_run(code, Allowed(), trusted) and may_run(code, Allowed(), trusted)
    assert len(questions) == 1 and str(code) in questions[0] and capsys.readouterr().out == ""
    code.write_text(CODE.replace("0.1", "0.9"), encoding="utf8")
    assert may_run(code, Allowed(), trusted)
    output = capsys.readouterr().out
    assert len(questions) == 2 and "was changed since you allowed it" in output and "+LOSS = 0.9" in output
    monkeypatch.setattr("builtins.input", lambda text: "")
    code.write_text(CODE, encoding="utf8")
    assert not may_run(code, Allowed(), trusted)


def test_files_that_cannot_be_read_or_written_are_reported(code, monkeypatch, tmp_path, capsys):
    (tmp_path / "file").write_text("", encoding="utf8")
    trusted = TrustedFiles(tmp_path / "file" / "trusted.json")
    with pytest.raises(UserFolderError, match=r"gone\.py: No such file"):
        trusted.allow(tmp_path / "gone.py")
    monkeypatch.setattr("driving_sandbox.game.program.start._confirmed", lambda path, change: True)
    allowed = Allowed()
    assert may_run(code, allowed, trusted) and allowed(code)
    assert "trusted.json: File exists; you will be asked again" in capsys.readouterr().err


def test_a_vehicle_names_its_component_files_with_the_content_that_runs():
    path = ROOT / "docs" / "examples" / "magic_formula_roadster.yaml"
    with pytest.raises(UntrustedCode, match="was not allowed"):
        load_vehicle(path, trust=Allowed())
    vehicle = load_vehicle(path, trust=lambda file: True)
    entries = component_files(vehicle)
    assert len(entries) == 1 and entries == [pinned(entries[0].partition(":")[2])]
    assert has_run(entries[0].partition(":")[2])
    assert load_vehicle(path, trust=Allowed(entries)).name == vehicle.name
