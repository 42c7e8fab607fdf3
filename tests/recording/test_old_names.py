"""Recordings and channel names from before slots and channels were renamed, or default components changed."""

import numpy as np
import pytest
import yaml
from broken_files import saved, with_header
from drives import CREATED, commands_of
from plain_tires import on_plain_tires, plain_text

from driving_sandbox.game.plots.history import ChannelHistory
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.recording import Recorder, Recording, verify
from driving_sandbox.physics.recording.world import build_world
from driving_sandbox.physics.schema.yaml_file import ConfigError, parse_yaml
from driving_sandbox.physics.vehicle.component_file import sequence_data
from driving_sandbox.physics.vehicle.old_names import FIELDS, SLOTS, current_channel, with_former_defaults
from driving_sandbox.physics.vehicle.types import VARIANTS
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle, load_vehicle_text
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

TICKS = 120
BUGGY = ROOT / "configs" / "vehicles" / "buggy.yaml"


def buggy_with_own_list():
    """The buggy with its list of components written out, and its text."""
    entries = "".join(f"  - {entry}\n" for entry in sequence_data(on_plain_tires("buggy").sequence.entries))
    components = "components: {actuation: direct_drive, drivetrain: direct_wheels, tire: combined_slip}\n"
    present = "type: direct_drive\ncomponents: {tire: combined_slip}\n"
    text = plain_text("buggy").replace(present, f"sequence:\n{entries}{components}")
    return load_vehicle_text(text, BUGGY.with_name("own.yaml"))


def rename_back(header):
    """Replace the slot names of the header by the old ones."""
    vehicle = header["vehicles"][0]
    for old, new in SLOTS.items():
        assert new in vehicle["config"]
        vehicle["config"] = vehicle["config"].replace(new, old)


def recorded(tmp_path, vehicle):
    """Content of a recording of a drive of TICKS on the plane."""
    world = World(load_world("plane"), [vehicle])
    world.spawn()
    path = tmp_path / "new.drive"
    recorder = Recorder(path, world, CREATED)
    for tick in range(TICKS):
        commands = commands_of(tick)
        world.step(commands)
        recorder.record(commands, None, False)
    recorder.close()
    return path.read_bytes()


def test_a_recording_with_old_slot_names_verifies(tmp_path):
    old = saved(tmp_path, with_header(recorded(tmp_path, buggy_with_own_list()), rename_back))
    assert "pressed" in Recording.open(old).header["vehicles"][0]["config"]
    report = verify(old)
    assert report.ticks == TICKS and report.tick is None, report.text
    assert "wheel_reactions" in build_world(Recording.open(old)).vehicles[0].sequence.by_slot


def leave_out_tire(header):
    """Leave the tire out of the components in the header, as texts did while `combined_slip` was the default."""
    vehicle = header["vehicles"][0]
    doc = yaml.safe_load(vehicle["config"])
    assert doc["components"].pop("tire") == "combined_slip"
    vehicle["config"] = yaml.safe_dump(doc, sort_keys=False)


@pytest.mark.parametrize("own_list", [False, True])
def test_a_recording_on_former_default_tires_verifies(tmp_path, own_list):
    vehicle = buggy_with_own_list() if own_list else on_plain_tires("buggy")
    old = saved(tmp_path, with_header(recorded(tmp_path, vehicle), leave_out_tire))
    with pytest.raises(ConfigError, match="tire mf_62 has no such key, but combined_slip"):
        load_vehicle_text(Recording.open(old).header["vehicles"][0]["config"], BUGGY)
    report = verify(old)
    assert report.ticks == TICKS and report.tick is None, report.text
    assert build_world(Recording.open(old)).vehicles[0].sequence.by_slot["tire"].name == "combined_slip"


@pytest.mark.parametrize(
    ("text", "components"),
    [
        ("type: engine_drive", {"tire": "combined_slip", "body": "rigid"}),
        ("type: trailer\ncomponents: {abs: peak_seeking}", {"abs": "peak_seeking", "tire": "combined_slip"}),
        ("type: clutch_drive\ncomponents: {tire: mf_62}", {"tire": "mf_62"}),
        ("type: planar", {}),
        ("type: cryengine\ncomponents: {input: raw}", {"input": "raw"}),
        ("sequence: [body.begin, substeps: {components: [tire.slip]}]", {"tire": "combined_slip"}),
        ("sequence: [body.begin, 3, substeps: 2]", {}),
        ("type: [engine_drive]", {}),
    ],
)
def test_components_that_a_recorded_text_leaves_out_are_the_former_defaults(text, components):
    doc = with_former_defaults(parse_yaml(f"{text}\ntrailers: [{{type: trailer}}, name]", "recorded"))
    assert doc["components"] == components
    assert doc["trailers"][0]["components"] == {"tire": "combined_slip"} and doc["trailers"][1] == "name"


def test_old_channel_names_read_the_same_values():
    slot, car = "suspension", load_vehicle("roadster")
    assert car.sequence.by_slot[slot].name == "unsprung"
    names, old_names = {channel.name for channel in car.channels()}, []
    for old, new in FIELDS[slot].items():
        name = f"{slot}.rl.{new}"
        if name in names:
            view = car.channel_view(name)
            view[0] = np.float64(1.0 + len(old_names)) if view.dtype.kind == "f" else 1
            assert car.channel(f"{slot}.rl.{old}").name == name
            assert car.read(f"{slot}.rl.{old}") == car.read(name) != 0.0
            assert ChannelHistory().follow(car, [f"{slot}.rl.{old}"]) == [f"{slot}.rl.{old}"]
            old_names.append(old)
    assert {"felt", "steady", "hub_known"} <= set(old_names)


@pytest.mark.parametrize(("slot", "old"), [(slot, old) for slot, fields in FIELDS.items() for old in fields])
def test_every_new_name_is_a_field_of_the_slot(slot, old):
    states = [component.state for component in VARIANTS[slot].values() if component.state is not None]
    assert any(FIELDS[slot][old] in state.fields for state in states)
    assert current_channel(f"{slot}.{old}") == f"{slot}.{FIELDS[slot][old]}"
