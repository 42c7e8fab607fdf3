"""Importing PhysX vehicles: values in the sandbox's axes and units; errors name file and key."""

import json

import numpy as np
import pytest
from physx_samples import FLAT, flat, sample_pair, scaled, turned_frame

from driving_sandbox.formats.physx import import_vehicle, load_physx
from driving_sandbox.formats.physx_frame import PhysxFrame
from driving_sandbox.formats.physx_read import DIRECT, FOUR_WHEEL, MULTI_WHEEL, TANK
from driving_sandbox.physics.ground.ground import plane_ground
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.tick.commands import FIRST, neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle_text
from driving_sandbox.physics.world.world import World


def written(tmp_path, doc, name="car.json"):
    """Path of a new file with this document as JSON."""
    path = tmp_path / name
    path.write_text(json.dumps(doc))
    return path


def test_axes_and_the_order_of_wheels_are_converted(tmp_path):
    """File wheel 0 at x = -0.75 is on the right, as forward is +z there and +x is left."""
    v = load_physx(written(tmp_path, flat())).vehicle
    assert v.wheel_names == ("fl", "fr", "rl", "rr")
    assert v.get("suspension.fr.attachment") == pytest.approx([0.75, 1.2, -0.1])
    assert v.get("suspension.fl.attachment") == pytest.approx([-0.75, 1.2, -0.1])
    assert v.get("suspension.fr.stiffness") == 30000.0  # wheel 0 of the file
    assert v.get("suspension.fl.stiffness") == 31000.0
    assert v.get("suspension.rl.direction") == pytest.approx([0.0, 0.0, -1.0])
    assert v.get("body.principal_inertia") == [1200.0, 400.0, 1300.0]  # pitch, roll, yaw from x, z, y
    assert v.get("compliance.fl.suspension_force_point") == [[0.0, [-0.02, 0.05, -0.1]]]
    assert v.get("steering.fl.max_angle") == pytest.approx(0.5)
    assert v.parameter("ackermann.left") and v.get("ackermann.left") == 0 and v.get("ackermann.right") == 1
    assert v.get("antiroll.wheel_a") == [1.0] and v.get("antiroll.wheel_b") == [0.0]


def test_text_builds_the_same_vehicle(tmp_path):
    path = written(tmp_path, flat())
    text, warnings = import_vehicle(path)
    assert warnings == []
    built, direct = load_vehicle_text(text), load_physx(path).vehicle
    assert built.params.tobytes() == direct.params.tobytes()
    assert "fr 0" in text.splitlines()[0]  # our wheel fr is wheel 0 of the file


@pytest.mark.parametrize("scale", [1.0, 100.0, 0.01])
def test_units_of_length_are_converted(tmp_path, scale):
    """A file in other units of length gives the same vehicle."""
    in_metres = load_physx(written(tmp_path, flat())).vehicle
    other = load_physx(written(tmp_path, scaled(flat(), scale))).vehicle
    for name, value in in_metres.values().items():
        if isinstance(value, str | bool):
            assert other.get(name) == value
        else:
            assert np.allclose(flattened(other.get(name)), flattened(value), rtol=1e-12, atol=1e-15), name


def flattened(value):
    """Numbers of nested lists in order."""
    if isinstance(value, list | tuple):
        return [x for v in value for x in flattened(v)]
    return [value]


def test_another_frame_gives_the_same_vehicle(tmp_path):
    """The other frame has forward +x, lateral +y, up +z."""
    vehicle = load_physx(written(tmp_path, flat())).vehicle
    other = load_physx(written(tmp_path, turned_frame(flat()))).vehicle
    assert vehicle.params.tobytes() == other.params.tobytes()


def test_left_handed_frame_is_refused(tmp_path):
    doc = flat()
    doc["context"]["frame"] = [4, 1, 2]
    with pytest.raises(ConfigError, match="context.frame.*right-handed"):
        load_physx(written(tmp_path, doc))


def test_frame_maps_rotations_like_vectors():
    frame = PhysxFrame((4, 0, 2))
    half = np.sin(0.1), np.cos(0.1)
    assert frame.quaternion([0, half[0], 0, half[1]]) == pytest.approx([0, 0, half[0], half[1]])  # yaw stays yaw
    assert frame.quaternion([half[0], 0, 0, half[1]]) == pytest.approx([-half[0], 0, 0, half[1]])


@pytest.mark.parametrize(
    ("change", "key", "rule"),
    [
        (lambda d: d["wheels"][2].pop("radius"), r"wheels\[2\].radius", "is missing"),
        (lambda d: d["wheels"][1].update(stiffness=-3.0), r"wheels\[1\].stiffness", "greater than 0"),
        (lambda d: d["wheels"][3].update(travel="long"), r"wheels\[3\].travel", "finite number"),
        (lambda d: d["wheels"][0].update(attach_quat=[0, 0, 0, 2]), r"wheels\[0\].attach_quat", "rotation"),
        (lambda d: d["wheels"][0].update(toe=[[0, 0], [0, 1]]), r"wheels\[0\].toe", "rise"),
        (lambda d: d["axles"].pop(), "axles", "wheels .2, 3. are on no axle"),
        (lambda d: d.update(axles=[[0, 1], [1, 2, 3]]), r"axles\[1\]", "already on an axle"),
        (lambda d: d["steer"]["wheel_multipliers"].pop(), "steer.wheel_multipliers", "has 3 entries, not 4"),
        (lambda d: d["brake"].append(d["brake"][0]), "brake", "2 are possible"),
        (lambda d: d["gearbox"].update(neutral=9), "gearbox.neutral", "whole number 0..4"),
        (lambda d: d["gearbox"]["ratios"].reverse(), "gearbox.ratios", "must be"),
        (lambda d: d["autobox"]["up"].pop(), "autobox.up", "has 4 entries, not 5"),
        (lambda d: d["engine"].update(idle_omega=900.0), "engine.idle_omega", "below max_omega"),
        (lambda d: d.update(type=7), "type", "0..3"),
        (lambda d: d.update(mass=float("nan")), "mass", "finite number"),
        (lambda d: d.update(mass=10**400), "mass", "finite number"),
        (lambda d: d["diff"].update(torque_ratios=[0.5, 0.5, 0.5, 0.5]), "diff.torque_ratios", "add up to 1"),
    ],
)
def test_errors_name_file_and_key(tmp_path, change, key, rule):
    doc = flat()
    change(doc)
    path = written(tmp_path, doc)
    with pytest.raises(ConfigError, match=rf"car\.json: {key}.*: .*({rule})"):
        load_physx(path)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("{", "not valid JSON"),
        ("[1]", "must be a JSON object"),
        ("{}", "is no vehicle"),
        ('{"a": 1, "a": 2}', "twice"),
        (100_000 * "[", "more than 64 lists and objects inside each other"),
    ],
)
def test_files_of_other_content_are_refused(tmp_path, text, rule):
    path = tmp_path / "broken.json"
    path.write_text(text)
    with pytest.raises(ConfigError, match=rf"broken\.json.*{rule}"):
        load_physx(path)


def test_a_missing_file_is_refused():
    with pytest.raises(ConfigError, match="no such file"):
        load_physx("nowhere.json")


def test_unsupported_values_are_reported(tmp_path):
    doc = flat()
    doc["autobox"]["enabled"] = False
    doc["context"]["min_passive_lng_denom"] = 2.0
    doc["diff"].update(front_bias=1.3, front_target=1.2)  # without one, use_constraint_groups has no effect
    doc["use_constraint_groups"] = False
    _, warnings = import_vehicle(written(tmp_path, doc))
    assert [w.split(": ")[1] for w in warnings] == [
        "autobox.enabled", "use_constraint_groups", "context.min_passive_lng_denom",
    ]  # fmt: skip


def test_limited_slip_and_its_wheels_are_imported(tmp_path):
    doc = flat()
    doc["diff"].update(rear_bias=1.4, rear_target=1.3, rate=3.4e38)  # rate: largest float32, "at once" in PhysX
    v = load_physx(written(tmp_path, doc)).vehicle
    assert (v.get("limited_slip.rear_bias"), v.get("limited_slip.rear_target")) == (1.4, 1.3)
    assert (v.get("limited_slip.rear_left"), v.get("limited_slip.rear_right")) == (2, 3)
    assert v.get("limited_slip.front_bias") == 0.0


def test_tank_levers_follow_their_sides(tmp_path):
    """File track 0, our track 1, has wheels fr and rr; the file's thrust 0 drives it, so it is our right lever."""
    doc = flat()
    doc["type"] = TANK
    doc["diff"]["tracks"] = [{"wheels": [0, 2], "thrust": 0}, {"wheels": [1, 3], "thrust": 1}]
    v = load_physx(written(tmp_path, doc)).vehicle
    assert v.info["type"] == "tank"
    assert [v.get(f"differential.{n}.track") for n in v.wheel_names] == [2, 1, 2, 1]
    assert [v.get(f"differential.{n}.lever") for n in v.wheel_names] == ["left", "right", "left", "right"]
    doc["diff"]["tracks"][1]["wheels"] = [1, 2]
    with pytest.raises(ConfigError, match=r"tracks\[1\].wheels\[1\]: wheel 2 is in two tracks"):
        load_physx(written(tmp_path, doc))


@pytest.mark.parametrize("differential", ["four_wheel", "multi_wheel", "tank"])
def test_a_pair_of_files_in_nvidias_layout_gives_the_vehicle_of_one_file(tmp_path, differential):
    """Base.json and EngineDrive.json, with tabs, records in reverse order, and three differentials to choose from."""
    base, drive = sample_pair(flat())
    (tmp_path / "Base.json").write_text(json.dumps(base, indent="\t"))
    path = written(tmp_path, drive, "EngineDrive.json")
    v = load_physx(path, differential).vehicle
    from_flat = load_physx(written(tmp_path, flat())).vehicle
    for slot in ("body", "suspension", "wheel", "tire", "compliance", "engine", "gearbox", "brakes", "steering"):
        for name in v.params.dtype[slot].names or v.params.dtype[slot].base.names:
            if slot == "brakes" and name not in from_flat.params["brakes"].dtype.names:
                continue  # a tank's brakes have fields for the levers as well
            assert np.array_equal(v.params[slot][name], from_flat.params[slot][name]), (slot, name)
    assert ("limited_slip" in v.sequence.by_slot) == (differential != "tank")
    assert v.info["type"] == ("tank" if differential == "tank" else "engine_drive")
    tables = v.get("response.steer_table"), from_flat.get("response.steer_table")
    assert tables[0] == tables[1] and len(tables[0]) == len(flat()["steer"]["nonlinear"])


def test_a_row_of_a_response_table_without_command_is_named(tmp_path):
    """NVIDIA's layout has the command under "Throttle" in every response table, that of the steering included."""
    base, drive = sample_pair(flat())
    del base["SteerCommandResponseParams"]["NonLinearResponse"][1]["Throttle"]
    (tmp_path / "Base.json").write_text(json.dumps(base))
    with pytest.raises(ConfigError, match=r"SteerCommandResponseParams\.NonLinearResponse\[1\]\.Throttle: is missing"):
        load_physx(written(tmp_path, drive, "EngineDrive.json"))


def test_a_missing_or_wrong_file_and_a_missing_record_of_a_pair_are_named(tmp_path):
    base, drive = sample_pair(flat())
    with pytest.raises(ConfigError, match=r"Base\.json: no such file"):
        load_physx(written(tmp_path, drive, "EngineDrive.json"))
    with pytest.raises(ConfigError, match="open EngineDrive.json or DirectDrive.json"):
        load_physx(written(tmp_path, base, "Base.json"))
    base["WheelParams"].pop()
    (tmp_path / "Base.json").write_text(json.dumps(base))
    with pytest.raises(ConfigError, match=r"Base\.json: WheelParams: has 3 entries"):
        load_physx(written(tmp_path, drive, "EngineDrive.json"))


def test_an_error_in_a_pair_is_reported_with_its_file_and_key(tmp_path):
    """Three are found while reading or by the rules of one value, one by the rules of the engine."""
    for section, key, value, message in (
        ("WheelParams", "Radius", -0.3, r"Base\.json: WheelParams\[1\]\.Radius: -0\.3: must be greater than 0"),
        ("SuspensionForceParams", "Stiffness", "hard", r"Base\.json: SuspensionForceParams\[1\]\.Stiffness: 'hard'"),
        ("SuspensionComplianceParams", "SuspForceAppPoint", [[0.0, 0.0, None, 0.0]],
         r"Base\.json: SuspensionComplianceParams\[1\]\.SuspForceAppPoint\[0\]\[2\]: None"),
        ("EngineParams", "MaxOmega", -1.0, r"EngineDrive\.json: EngineParams\.MaxOmega: -1"),
    ):  # fmt: skip
        base, drive = sample_pair(flat())
        (base[section][1] if section in base else drive[section])[key] = value
        (tmp_path / "Base.json").write_text(json.dumps(base))
        with pytest.raises(ConfigError, match=message):
            load_physx(written(tmp_path, drive, "EngineDrive.json"))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_files_with_a_byte_order_mark_load(tmp_path, encoding):
    path = tmp_path / "marked.json"
    path.write_bytes(json.dumps(flat(), indent=1).replace("\n", "\r\n").encode(encoding))
    assert load_physx(path).vehicle.get("body.mass") == flat()["mass"]


@pytest.mark.covers("PX-SNIP-02")
@pytest.mark.parametrize("kind", [DIRECT, FOUR_WHEEL, MULTI_WHEEL, TANK])
def test_imported_vehicles_drive(tmp_path, kind):
    """Every type accelerates straight ahead on a plane, to over 4 m/s in 3 s."""
    doc = {**flat(), "type": kind}
    doc["diff"]["tracks"] = [{"wheels": [0, 2], "thrust": 0}, {"wheels": [1, 3], "thrust": 1}]
    v = load_physx(written(tmp_path, doc)).vehicle
    world = World(plane_ground(), [v], tick_seconds=1.0 / 120.0, substeps=4)
    world.place(0, (0.0, 0.0), 0.0)
    command = neutral_command()
    command["throttle"], command["gear"] = 1.0, FIRST
    for _ in range(360):
        assert world.step(command) is None
    x, y, z = v.state["body"]["velocity"][0]
    assert y > 4.0 and abs(x) < 0.3 and abs(z) < 0.1


@pytest.mark.covers("PX-SNIP-01")
def test_the_direct_drive_sample_runs_for_half_a_minute(tmp_path):
    """Each wheel's torque is its `max_torque` times the throttle; the vehicle gets farther than 100 m."""
    v = load_physx(written(tmp_path, {**flat(), "type": DIRECT})).vehicle
    world = World(plane_ground(), [v], tick_seconds=1.0 / 60.0, substeps=4)
    world.place(0, (0.0, 0.0), 0.0)
    command = neutral_command()
    command["throttle"], command["gear"] = 0.25, FIRST
    for _ in range(30 * 60):
        assert world.step(command) is None
    assert np.allclose(v.state["direct_drive"]["torque"][0][:4], 125.0)
    assert v.state["body"]["position"][0][1] > 100.0


def test_the_flat_sample_has_the_sections_of_an_engine_drive():
    assert {"wheels", "brake", "steer", "engine", "gearbox", "autobox", "clutch", "diff"} <= set(FLAT)
