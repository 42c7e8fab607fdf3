"""`main.py check` prints the warnings of a vehicle with file and line, and its figures when asked."""

from driving_sandbox.cli import program
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER


def test_warnings_are_printed_and_the_file_still_passes(tmp_path, capsys):
    path = tmp_path / "odd.yaml"
    text = (VEHICLE_FOLDER / "roadster.yaml").read_text(encoding="utf8").replace("latency: 0.8", "latency: 0.1")
    path.write_text(text, encoding="utf8")
    line = 1 + next(i for i, line_text in enumerate(text.splitlines()) if "latency: 0.1" in line_text)
    assert program.main(["check", str(path)]) == 0
    # The report's first line is followed by the warnings, two of them about this value: it is not above the switch time
    # and outside the usual range.
    _, first, *others = capsys.readouterr().out.splitlines()
    prefix = f"{path}:{line}: warning: autobox.latency: "
    assert first.startswith(prefix) and "latency 0.1 s, switch time 0.22 s" in first
    assert any(warning.startswith(f"{prefix}0.1: usually") for warning in others)


def test_a_warning_about_a_value_of_a_setup_names_its_file_and_line(tmp_path, capsys):
    path = tmp_path / "soft.yaml"
    path.write_text("vehicle: Roadster\nsuspension:\n  rear: {stiffness: 2500}\n", encoding="utf8")
    assert program.main(["check", str(path)]) == 0
    printed = capsys.readouterr().out
    assert f"{path}:3: warning: suspension.rl.stiffness: " in printed and "[spring_frequency]" in printed


def test_figures_are_printed_on_request(capsys):
    assert program.main(["check", "--figures", str(VEHICLE_FOLDER / "roadster.yaml")]) == 0
    printed = capsys.readouterr().out
    assert "natural frequency 9.93 rad/s" in printed and "0-100 km/h about" in printed
