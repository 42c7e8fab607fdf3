"""Parameters missing in a vehicle file are estimated and reported; given ones, even empty lists, are not changed."""

import math
import re

import pytest

from driving_sandbox.cli.program import main
from driving_sandbox.lab.road_test.circle import skid_pad
from driving_sandbox.lab.road_test.track import TestTrack
from driving_sandbox.physics.body.rigid_body import check, estimate
from driving_sandbox.physics.estimate import estimate_lines
from driving_sandbox.physics.estimate.inertia import K_YAW
from driving_sandbox.physics.vehicle.swap import inverse_swap, plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import (
    VEHICLE_FOLDER,
    load_vehicle,
    load_vehicle_text,
    vehicle_text,
)
from driving_sandbox.physics.world.world_file import load_world

ROADSTER = (VEHICLE_FOLDER / "roadster.yaml").read_text()


def without(*patterns):
    """The vehicle of the roadster's file without the lines or sections that match some patterns."""
    text = ROADSTER
    for pattern in patterns:
        text, count = re.subn(pattern, "", text, flags=re.M)
        assert count
    return load_vehicle_text(text, str(VEHICLE_FOLDER / "shortened.yaml"))


INERTIA = r"^  principal_inertia: .*\n"
COMPLIANCE = r"^compliance:\n(?:  .*\n)+"


def wheelbase_doubled(text):
    """The text of a vehicle with all wheels twice as far ahead or behind."""
    return text.replace("1.1325,", "2.265,").replace("-1.1325,", "-2.265,")


def test_inertia_follows_mass_and_wheelbase():
    """Twice the wheelbase gives four times the yaw inertia, twice the mass twice all inertia."""
    vehicle = without(INERTIA)
    pitch, roll, yaw = vehicle.params["body"]["inertia"][0]
    # mass, kg, and distances of the axles from the centre of mass, m
    assert yaw / (1125.0 * 1.0875 * 1.1775) == pytest.approx(K_YAW)
    assert (pitch, roll, yaw) == pytest.approx((1280.0, 330.0, 1300.0), rel=0.12)  # of the real car
    longer = load_vehicle_text(wheelbase_doubled(re.sub(INERTIA, "", ROADSTER, flags=re.M)), "longer.yaml")
    assert longer.params["body"]["inertia"][0][2] == pytest.approx(4.0 * yaw, rel=0.01)
    heavier = load_vehicle_text(re.sub(INERTIA, "", ROADSTER, flags=re.M).replace("mass: 1125", "mass: 2250"), "h.yaml")
    assert heavier.params["body"]["inertia"][0] == pytest.approx([2 * pitch, 2 * roll, 2 * yaw])


def test_a_given_box_size_gives_the_inertia_of_a_box():
    text = ROADSTER.replace("principal_inertia: [1280, 330, 1300]", "box_size: [1.8, 4.4, 1.4]")
    vehicle = load_vehicle_text(text.replace("mass: 1125", "mass: 1500"), str(VEHICLE_FOLDER / "box.yaml"))
    assert vehicle.params["body"]["inertia"][0] == pytest.approx([2665.0, 650.0, 2825.0], rel=1e-3)
    assert not vehicle.info["estimated"]


def with_wheels(half_wheelbase, half_track):
    """The roadster with other wheel positions, its centre of mass between them, without the inertia of its file."""
    vehicle = without(INERTIA)
    heights = [vehicle.get(f"suspension.{w}.attachment")[2] for w in vehicle.wheel_names]
    signs = {"fl": (-1, 1), "fr": (1, 1), "rl": (-1, -1), "rr": (1, -1)}
    for (wheel, (x, y)), z in zip(signs.items(), heights, strict=True):
        vehicle.params["suspension"]["attachment"][0, vehicle.wheel_names.index(wheel)] = (
            x * half_track, y * half_wheelbase, z,
        )  # fmt: skip
    vehicle.params["body"]["centre_of_mass"][0, 1] = 0.0
    vehicle.params["body"]["principal_inertia"][0] = 0.0  # that of the file's wheels
    vehicle.info["estimated"] = vehicle.estimate({"body": frozenset()})
    return vehicle


@pytest.mark.parametrize("half_wheelbase", [0.05, 0.2, 1.2, 5.0])
@pytest.mark.parametrize("half_track", [0.0, 0.01, 0.4, 0.7, 4.0])
def test_every_estimated_inertia_is_physical(half_wheelbase, half_track):
    """Moments are positive, and none exceeds the sum of the other two."""
    vehicle = with_wheels(half_wheelbase, half_track)
    moments = vehicle.params["body"]["principal_inertia"][0]
    assert (moments > 0.0).all() and 2.0 * moments.max() <= moments.sum() * (1.0 + 1e-9)
    assert check(vehicle.params["body"][0]) == []


def test_the_box_estimate_is_reported_with_its_reason():
    def lines(vehicle):
        return [line for line in estimate_lines(vehicle) if line.startswith("body.")]

    assert lines(with_wheels(half_wheelbase=1.2, half_track=0.0)) == [
        "body.principal_inertia is not given: estimated as [1812, 462.2, 1958] kg*m^2 (pitch, roll, yaw) from "
        "a box of 1.8 x 4.2 x 1.3 m, as its wheels stand in one line"
    ]
    behind = with_wheels(half_wheelbase=1.2, half_track=0.7)
    behind.params["body"]["centre_of_mass"][0, 1] = 5.0
    behind.params["body"]["principal_inertia"][0] = 0.0
    behind.info["estimated"] = behind.estimate({"body": frozenset()})
    assert lines(behind)[0].endswith("as its wheels are all on one side of the centre of mass")
    behind.params["body"]["principal_inertia"][0] = 0.0
    estimates = estimate(behind.params["body"][0], None, 4, frozenset())
    assert estimates[0].reason.endswith("as it has no suspension that places its wheels")


def test_the_reported_value_is_the_estimated_one():
    vehicle = without(INERTIA)
    before = estimate_lines(vehicle)
    vehicle.set("body.principal_inertia", [2000.0, 500.0, 2100.0])
    assert estimate_lines(vehicle) == before


def test_an_estimate_is_reported_and_kept_when_the_vehicle_is_written():
    vehicle = without(INERTIA, COMPLIANCE)
    lines = "\n".join(estimate_lines(vehicle))
    assert "body.principal_inertia is not given: estimated as [" in lines and "axles 1.09 m before" in lines
    assert "compliance.tire_force_point of fl, fr, rl, rr is not given" in lines
    reloaded = load_vehicle_text(vehicle_text(vehicle), "again.yaml")
    assert not reloaded.info["estimated"]
    assert reloaded.params.tobytes() == vehicle.params.tobytes()


def roll_gradient(vehicle):
    """Roll angle divided by lateral acceleration on a skid pad, deg/g."""
    return skid_pad(TestTrack(vehicle, load_world("plane")))["roll_gradient"]


def test_estimated_force_points_give_nearly_the_roll_gradient_of_given_ones():
    """Estimated points give the file's roll gradient within 10 %, forces at the attachments less than 30 % of it."""
    original, estimated = roll_gradient(load_vehicle("roadster")), roll_gradient(without(COMPLIANCE))
    assert estimated == pytest.approx(original, rel=0.1)
    text = re.sub(
        COMPLIANCE, "compliance: {all: {tire_force_point: [], suspension_force_point: []}}\n", ROADSTER, flags=re.M
    )
    attached = load_vehicle_text(text, str(VEHICLE_FOLDER / "attached.yaml"))
    assert not attached.info["estimated"]
    assert roll_gradient(attached) < 0.3 * original


def test_one_given_force_point_is_used_for_both():
    text = re.sub(r"^    suspension_force_point: .*\n", "", ROADSTER, flags=re.M)
    vehicle = load_vehicle_text(text, str(VEHICLE_FOLDER / "one.yaml"))
    assert vehicle.get("compliance.fl.suspension_force_point") == vehicle.get("compliance.fl.tire_force_point")
    assert estimate_lines(vehicle) == [
        "compliance.suspension_force_point of fl, fr, rl, rr is not given: estimated from tire_force_point: "
        "at that point"
    ]


def test_check_lists_estimates(tmp_path, capsys):
    path = tmp_path / "car.yaml"
    path.write_text(re.sub(INERTIA, "", ROADSTER, flags=re.M))
    main(["check", str(path)])
    assert "car.yaml: body.principal_inertia is not given: estimated as" in capsys.readouterr().out
    path.write_text(ROADSTER)
    main(["check", str(path)])
    assert "estimated" not in capsys.readouterr().out


@pytest.mark.parametrize("gradient", [2.0, 4.0])
def test_the_reference_of_stability_control_follows_the_understeer(gradient):
    """The characteristic speed is sqrt(L / K) unless the file gives it.

    gradient: understeer gradient K, degrees per g.
    """
    text = ROADSTER.replace("stability_control: none", "stability_control: yaw_rate_reference")
    text += f"keyboard: {{understeer_gradient: {math.radians(gradient) / 9.80665}}}\n"
    vehicle = load_vehicle_text(text, str(VEHICLE_FOLDER / "esc.yaml"))
    attachment = vehicle.params["suspension"]["attachment"][0, :4, 1]
    expected = math.sqrt((attachment.max() - attachment.min()) / (math.radians(gradient) / 9.80665))
    assert vehicle.get("stability_control.characteristic_speed") == pytest.approx(expected)
    assert any(f"characteristic_speed is not given: estimated as {expected:.3g} m/s" in line
               for line in estimate_lines(vehicle))  # fmt: skip
    reloaded = load_vehicle_text(vehicle_text(vehicle), "again.yaml")
    assert reloaded.get("stability_control.characteristic_speed") == pytest.approx(expected)
    text += "stability_control: {characteristic_speed: 40}\n"
    assert load_vehicle_text(text, "given.yaml").get("stability_control.characteristic_speed") == 40.0


# ---- swapped components


BODY = r"^body:\n(?:  .*\n)+"


@pytest.mark.parametrize("mass", [1125.0, 2250.0])
def test_a_swapped_body_without_inertia_gets_the_estimate_of_a_file(mass):
    """The body assembled from parts has no moments of its own; `rigid` gets those of the axles, not of the box."""
    text = re.sub(BODY, f"body: {{body_mass: {mass}, cg: [0, 0.045, 0.46]}}\n", ROADSTER, flags=re.M)
    text = text.replace("body: gyrostat", "body: assembled")
    vehicle = load_vehicle_text(text, str(VEHICLE_FOLDER / "assembled.yaml"))
    swap = plan_swap(vehicle, "body", "rigid")
    rigid = swapped_vehicle(vehicle, swap)
    ahead = vehicle.params["suspension"]["attachment"][0, :4]
    front, rear = ahead[0, 1] - 0.045, 0.045 - ahead[2, 1]
    assert rigid.get("body.inertia")[2] == pytest.approx(K_YAW * mass * front * rear)
    assert rigid.get("body.principal_inertia") == rigid.base("body.principal_inertia") == rigid.get("body.inertia")
    assert [line for line in estimate_lines(rigid) if "before and" in line]
    back = swapped_vehicle(rigid, inverse_swap(vehicle, "body"))
    assert not [line for line in estimate_lines(back) if line.startswith("body.")]
    assert back.get("body.inertia") == vehicle.get("body.inertia")


def test_a_swap_keeps_given_inertia():
    vehicle = load_vehicle("roadster")
    swap = plan_swap(vehicle, "body", "rigid")
    assert swap.values["body.principal_inertia"] == [1280.0, 330.0, 1300.0] and not swap.estimated


@pytest.mark.parametrize("gradient", [2.0, 4.0])
def test_swapped_stability_control_gets_the_reference_of_a_file(gradient):
    """gradient: understeer gradient, degrees per g."""
    text = f"{ROADSTER}keyboard: {{understeer_gradient: {math.radians(gradient) / 9.80665}}}\n"
    vehicle = load_vehicle_text(text, str(VEHICLE_FOLDER / "esc.yaml"))
    in_file = load_vehicle_text(text.replace("stability_control: none", "stability_control: yaw_rate_reference"), "f")
    name = "stability_control.characteristic_speed"
    swapped = swapped_vehicle(vehicle, plan_swap(vehicle, "stability_control", "yaw_rate_reference"))
    assert swapped.get(name) == swapped.base(name) == in_file.get(name)
    assert [line for line in estimate_lines(swapped) if f"{gradient:.1f} degrees per g" in line]
