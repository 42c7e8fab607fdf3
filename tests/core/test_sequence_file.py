"""Lists of components in vehicle files: execution as written, errors with file and line."""

import pytest
from drive_rig import Drive
from plain_tires import on_plain_tires, plain_text

from driving_sandbox.physics.contact.chain import split
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.tick.binding import SequenceError
from driving_sandbox.physics.tick.component import Substeps
from driving_sandbox.physics.vehicle.component_file import sequence_data
from driving_sandbox.physics.vehicle.types import VEHICLE_TYPES
from driving_sandbox.physics.vehicle.vehicle_file import UntrustedCode, load_vehicle, load_vehicle_text, vehicle_text

BUGGY = ROOT / "configs" / "vehicles" / "buggy.yaml"
WRITTEN_LIST = """sequence:
  - body.begin
  - input
  - response
  - brakes
  - direct_drive
  - steering
  - ackermann
  - ackermann_second
  - actuation
  - intent
  - aero
  - road
  - wheel_reactions
  - contact.generate
  - substeps:
      components:
        - road.refresh
        - suspension
        - suspension.line_force
        - compliance
        - suspension.force
        - antiroll
        - tire.slip
        - contact.stick
        - tire.force
        - drivetrain
        - body.velocity
        - contact.solve
        - body.pose
        - contact.settle
        - wheel_reactions.gather
  - wheel
  - body.measure
components: {tire: combined_slip, actuation: direct_drive, drivetrain: direct_wheels}
"""
PRESENT = "type: direct_drive\ncomponents: {tire: combined_slip}\n"  # what the list replaces in the buggy's text


def with_list(old="", new=""):
    """Text of the buggy with its own list, with one change."""
    assert old in WRITTEN_LIST
    text = plain_text("buggy")
    assert PRESENT in text
    return text.replace(PRESENT, WRITTEN_LIST.replace(old, new, 1) if old else WRITTEN_LIST)


def build(text):
    """The vehicle of this text, as if of a file beside the buggy's."""
    return load_vehicle_text(text, BUGGY.with_name("own.yaml"))


def test_a_written_list_equals_the_shipped_one():
    written, shipped = build(with_list()), on_plain_tires("buggy")
    assert written.sequence.source == shipped.sequence.source
    assert written.params.tobytes() == shipped.params.tobytes()


@pytest.mark.parametrize("kind", VEHICLE_TYPES)
def test_every_shipped_list_can_be_written(kind):
    """The lists of the two types with a vehicle here are also read back equal from that vehicle's written file."""
    vehicle = next((v for v in map(load_vehicle, ("roadster_simple", "buggy")) if v.info["type"] == kind), None)
    data = sequence_data(VEHICLE_TYPES[kind])
    groups = [entry["substeps"]["components"] for entry in data if isinstance(entry, dict)]
    assert isinstance(data[0], str) and all(isinstance(group, list) and group for group in groups)
    assert len(groups) == sum(isinstance(entry, Substeps) for entry in VEHICLE_TYPES[kind])
    if vehicle is not None:
        vehicle.info["sequence"] = sequence_data(vehicle.sequence.entries)
        del vehicle.info["type"]
        vehicle.info["components"] = {c.slot: c.name for c in vehicle.sequence.components}
        reloaded = load_vehicle_text(vehicle_text(vehicle), vehicle.info["path"])
        assert reloaded.sequence is vehicle.sequence
        assert reloaded.info["sequence"] == vehicle.info["sequence"]


def test_groups_become_substeps_with_their_rates():
    vehicle = build(with_list("      components:\n        - road", """      count: 6
      below_speed: 4
      above: 2
      components:
        - substeps: {count: 2, components: [antiroll]}
        - road"""))  # fmt: skip
    group = next(e for e in vehicle.sequence.entries if isinstance(e, Substeps))
    assert (group.count, group.below_speed, group.above) == (6, 4, 2)
    assert group.entries[0].count == 2
    assert "count_1 = 6 if slower_than(s.body, 4.0) else 2" in vehicle.sequence.source
    reloaded = build(vehicle_text(vehicle))
    assert reloaded.sequence is vehicle.sequence


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("- tire.slip", "- tyre.slip",
         "own.yaml:28: sequence.14.substeps.components.6: 'tyre' is not a slot (did you mean \"tire\"?)"),
        ("- tire.slip", "- tire.slop", "component combined_slip has no phase 'slop' (did you mean \"slip\"?)"),
        ("- tire.slip", "- tire", "component combined_slip has no phase 'update'; it has: tire.slip, tire.force"),
        ("- tire.slip", "- 3", "own.yaml:28: sequence.14.substeps.components.6: 3 must be a word like tire"),
        ("  - aero\n", "", "own.yaml:31: sequence.13.substeps.components.10: body rigid.velocity: nothing in this "
                           "vehicle provides 'aero'"),
        ("      components:", "      count: 0\n      components:", "own.yaml:21: sequence.14.substeps.count: 0 must"),
        ("      components:", "      below_speed: -1\n      components:", "below_speed: -1 must be a speed in m/s"),
        ("      components:", "      above: 2\n      components:", "above: is the number of runs from below_speed on"),
        ("      components:", "      cuont: 2\n      components:", 'cuont: unknown key (did you mean "count"?)'),
        ("- substeps:", "- substep:", 'own.yaml:20: sequence.14.substep: unknown key (did you mean "substeps"?)'),
        ("components: {tire", "type: tank\ncomponents: {tire", "type: and sequence: give one of the two"),
        ("components: {tire", "components: {autobox: engine_speed_thresholds, tire",
         "this vehicle's sequence has no such slot"),
    ],
)  # fmt: skip
def test_errors_name_file_line_and_nearest_name(old, new, message):
    with pytest.raises(ConfigError) as caught:
        build(with_list(old, new))
    assert message in str(caught.value)


@pytest.mark.parametrize("depth", [7, 8])
def test_groups_inside_each_other_are_limited(depth):
    """The interpreter of a step (physics/tick/parts.py) has room for 8 levels, one of which is the tick's own."""
    nested = "antiroll"
    for _ in range(depth - 1):  # inside the group that the list has
        nested = f"{{substeps: {{count: 1, components: [{nested}]}}}}"
    text = with_list("- antiroll", f"- {nested}")
    if depth < 8:
        build(text)
        return
    with pytest.raises(ConfigError, match="sequence: groups are nested 8 deep; at most 7 are possible"):
        build(text)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "- contact.solve\n        - body.pose",
            "- body.pose\n        - contact.solve",
            "contact.solve before body.pose",
        ),
        ("- contact.solve", "- substeps: {count: 1, components: [contact.solve]}", "contact.solve before body.pose"),
        ("substeps:\n", "substeps:\n      below_speed: 4\n", "exactly one group .* without count and below_speed"),
        ("substeps:\n", "substeps:\n      count: 4\n", "exactly one group .* without count and below_speed"),
    ],
)
def test_a_list_that_does_not_fit_into_a_train_is_refused_there(old, new, message):
    split(build(with_list()).sequence)
    with pytest.raises(SequenceError, match=message):
        split(build(with_list(old, new)).sequence)


def test_a_type_or_a_list_is_required():
    text = plain_text("buggy").replace("type: direct_drive\n", "")
    with pytest.raises(ConfigError, match="own.yaml:.*type: is missing, or a sequence of components"):
        build(text)


def test_a_file_in_the_list_needs_trust(tmp_path):
    (tmp_path / "own.py").write_text("raise SystemExit\n", encoding="utf8")
    text = with_list("{tire: combined_slip", f"{{tire: {{file: {tmp_path}/own.py, name: MY_TIRE}}")
    with pytest.raises(UntrustedCode, match="components.tire: wants to run"):
        build(text)


def test_more_substeps_act_at_low_speed_only(tmp_path):
    """At rest a vehicle with more substeps below 3 m/s equals one that always has them; at 8 m/s it does not."""
    plain, paced = build(with_list()), build(with_list("      components:", "      below_speed: 3\n      components:"))
    at_rest = [Drive(v) for v in (plain, paced)]
    for drive in at_rest:
        drive.run(0.25)
    first, second = (d.vehicle.state_bytes.tobytes() for d in at_rest)
    assert first == second  # below the speed: equal steps
    for drive in at_rest:
        drive.vehicle.state["body"]["velocity"][0] = (0.0, 8.0, 0.0)
        drive.run(0.25)
    first, second = (d.vehicle.read("body.position.y") for d in at_rest)
    assert first != second and first == pytest.approx(second, abs=0.05)
