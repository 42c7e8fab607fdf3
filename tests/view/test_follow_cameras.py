"""The ten cameras on a vehicle or along its path, and switching between them."""

import math

import numpy as np
import pytest
from panda3d.core import PerspectiveLens, Point2, Point3
from view_rig import FakeBase, axis_turn, multiply

from driving_sandbox.game.session.frame import VehicleFrame
from driving_sandbox.game.view.cameras import file as camera_file
from driving_sandbox.game.view.cameras.camera import TRANSITION, CameraRig
from driving_sandbox.game.view.cameras.follow import FollowCamera, FollowSettings, TracksideCamera
from driving_sandbox.game.view.cameras.view import angles_of, axes_of, rotated_axes
from driving_sandbox.physics.schema.yaml_file import ConfigError, parse_yaml


def turn(yaw=0.0, pitch=0.0, roll=0.0):
    """Quaternion of a rotation by roll, then pitch, then yaw, rad."""
    return multiply(multiply(axis_turn(2, yaw), axis_turn(0, pitch)), axis_turn(1, roll))


def rig(**options):
    """The program's cameras on level ground."""
    return CameraRig(FakeBase(), lambda x, y: 0.0, **options)


@pytest.mark.covers("RC-CAM-01")
def test_ten_definitions_load_and_the_key_cycles_through_them():
    camera, shown = rig(), []
    camera.on_choose = shown.append
    names = [entry.name for entry in camera.entries]
    assert len(names) == len(set(names)) == 10
    for _ in range(10):
        camera.update(VehicleFrame(), 1 / 60)
        camera.next_mode()
    assert shown == [*names[1:], names[0]]


@pytest.mark.covers("RC-CAM-02")
def test_the_horizon_is_level_unless_roll_is_followed():
    q = turn(0.7, 0.2, 0.3)
    for pitch in (False, True):
        for yaw in (False, True):
            for roll in (False, True):
                settings = FollowSettings(pitch=pitch, yaw=yaw, roll=roll, offset=(0.0, -5.0, 2.0))
                view = FollowCamera(settings).update(VehicleFrame(np.zeros(3), q), 0.01)
                ahead = (view.target - view.position) / 10.0
                right = np.cross(ahead, view.up)
                assert right[2] == pytest.approx(-math.sin(0.3) * math.cos(0.2 * pitch) if roll else 0.0, abs=1e-9)
                assert ahead[2] == pytest.approx(math.sin(0.2) if pitch else 0.0, abs=1e-9)
                assert math.atan2(-ahead[0], ahead[1]) == pytest.approx(0.7 if yaw else 0.0, abs=1e-9)


@pytest.mark.covers("RC-CAM-03")
def test_with_a_downward_angle_the_car_keeps_its_position_in_the_frame():
    lens = PerspectiveLens()
    lens.setFov(56.0)
    lens.setAspectRatio(16 / 9)

    def pixel(heading, angle):
        """Position of the car's origin in a frame of 1280 x 720, pixels right of and above the middle."""
        downward = (math.radians(angle), 0.0, 0.0)
        settings = FollowSettings(pitch=False, yaw=True, roll=False, angle=downward, offset=(0.0, -8.0, 3.2))
        view = FollowCamera(settings).update(VehicleFrame(np.array([40.0, 7.0, 2.0]), turn(heading, 0.1, -0.1)), 0.01)
        axes = np.array(
            [np.cross(view.target - view.position, view.up) / 10.0, (view.target - view.position) / 10.0, view.up]
        )
        in_view, out = axes @ (np.array([40.0, 7.0, 2.0]) - view.position), Point2()
        assert lens.project(Point3(*in_view), out)
        return np.array([out[0] * 640, out[1] * 360])

    positions = np.array([pixel(heading, 20.0) for heading in np.linspace(-3.0, 3.0, 13)])
    assert np.ptp(positions, axis=0).max() < 2.0
    below = math.degrees(math.atan2(3.2, 8.0)) - 20.0  # degrees, angle of the car's origin below the axis
    half_height = math.tan(math.radians(28.0)) * 9 / 16  # of the frame, at a distance of 1
    assert positions[0] == pytest.approx((0.0, -360 * math.tan(math.radians(below)) / half_height), abs=2.0)
    (_, above), (_, usually_above) = pixel(0.0, angle=10.0), positions[0]
    assert above < usually_above - 100  # with less downward angle the car is lower in the frame


@pytest.mark.covers("RC-CAM-04")
def test_the_offset_is_in_the_cars_frame():
    offset = (0.4, -6.3, 2.1)
    for q in (turn(), turn(1.0, 0.3, -0.4), turn(-2.8, -0.6, 0.9)):
        at = np.array([120.0, -45.0, 6.0])
        view = FollowCamera(FollowSettings(offset=offset)).update(VehicleFrame(at, q), 0.01)
        assert axes_of(q) @ (view.position - at) == pytest.approx(offset, abs=1e-3)


def test_rotations_and_angles_are_inverse():
    for angles in ((0.3, 1.2, -0.4), (-1.1, -2.9, 2.0), (0.0, 0.0, 0.0)):
        assert angles_of(rotated_axes(*angles)) == pytest.approx(angles)
        assert rotated_axes(*angles) == pytest.approx(axes_of(turn(angles[1], angles[0], angles[2])))


def test_a_change_of_camera_is_a_smooth_transition_with_the_moving_car():
    camera, rate = rig(), 120
    positions = []
    for k in range(2 * rate):
        if k == rate:
            camera.select("far behind")
        view = camera.update(VehicleFrame(np.array([0.0, 30.0 * k / rate, 0.0])), 1 / rate)
        positions.append(view.position - (0.0, 30.0 * k / rate, 0.0))
    steps = np.linalg.norm(np.diff(positions[rate - 20 :], axis=0), axis=1)
    assert steps.max() < 0.4 and np.linalg.norm(positions[-1] - positions[rate - 1]) > 4.0
    assert positions[rate + int(TRANSITION * rate) + 2] == pytest.approx(positions[-1], abs=0.05)


@pytest.mark.parametrize("yaw", [0.0, 1.0, 2.5, -2.5])
def test_transitions_between_outside_cameras_go_around_the_car(yaw):
    camera = rig()
    camera.orbit.yaw = yaw + math.pi  # for yaw = 0 it looks from the front
    for first, second in (("orbit", "chase"), ("chase", "orbit")):
        camera.select(first)
        camera.snap()
        camera.update(VehicleFrame(np.zeros(3), turn()), 0.0)
        camera.select(second)
        for _ in range(40):
            view = camera.update(VehicleFrame(np.zeros(3), turn()), 1 / 60)
            assert np.hypot(*view.position[:2]) > 4.0  # the corners of a lorry are at 3.5 m
            ahead = (view.target - view.position)[:2]
            # the car is visible
            assert ahead @ -view.position[:2] > 0.9 * np.hypot(*ahead) * np.hypot(*view.position[:2])
        final = camera.camera(second).update(VehicleFrame(np.zeros(3), turn()), 1 / 60)
        assert np.allclose(view.position, final.position, atol=0.01)


def test_changes_to_and_from_a_trackside_camera_are_cuts():
    camera, frame = rig(), VehicleFrame(np.zeros(3), turn())
    camera.update(frame, 1 / 60)
    for mode, is_ahead in (("trackside", True), ("chase", False), ("trackside", True), ("eye", False)):
        camera.select(mode)
        for _ in range(3):  # from the first frame on
            assert (camera.update(frame, 1 / 60).position[1] > 10.0) == is_ahead, mode


def test_outside_cameras_stay_above_the_ground_and_some_cameras_widen_with_speed():
    for mode in rig().modes:
        camera = CameraRig(FakeBase(), lambda x, y: 6.0)
        camera.select(mode)
        view = camera.update(VehicleFrame(), 1 / 60)
        if mode not in ("eye", "bonnet", "wheel"):
            assert view.position[2] >= 6.0, mode
    for mode in ("eye", "bonnet", "far behind"):
        camera, fov = rig(), []
        camera.select(mode)
        for k in range(300):
            fov.append(camera.update(VehicleFrame(np.array([0.0, 50.0 * k / 60, 0.0])), 1 / 60).fov)
        assert math.radians(5.0) < fov[-1] - fov[0] < math.radians(15.0)


def test_cameras_fit_the_vehicle():
    camera = rig()
    nodes = {"steering_wheel": np.array([-0.4, 0.5, 0.8]), "wheel1": np.array([-0.8, 1.3, 0.3])}
    camera.fit(nodes.get, length=8.0)
    assert camera.eye.settings.position == pytest.approx((-0.4, 0.0, 1.14))
    assert camera.follow["far behind"].settings.offset == pytest.approx((0.0, -25.0, 8.4))
    assert camera.follow["wheel"].settings.offset == pytest.approx((-1.75, 0.15, 0.58))
    camera.fit({**nodes, "eye_pos": np.array([0.1, 0.2, 2.0])}.get, length=4.0)
    assert camera.eye.settings.position == pytest.approx((0.1, 0.2, 2.0))


def test_the_trackside_camera_is_fixed_zooms_and_changes_position():
    camera, positions, fovs = TracksideCamera(lambda x, y: 1.0), [], []
    for k in range(600):
        at = np.array([0.0, 0.5 * k, 1.0])
        view = camera.update(VehicleFrame(at), 1 / 60)
        distance = np.linalg.norm(view.position - at)
        positions.append(tuple(view.position))
        fovs.append((distance, view.fov))
        assert distance < 80.0 and view.position[2] > 2.0 and np.allclose(view.target, at + (0, 0, 0.6))
    assert 3 <= len(set(positions)) <= 6
    (_, near_fov), (_, far_fov) = min(fovs), max(fovs)  # by distance
    assert near_fov > 2.5 * far_fov


def test_the_trackside_camera_widens_for_longer_vehicles():
    widths = {}  # m, of the view at the vehicle, by vehicle length
    for length in (3.0, 4.0, 16.0):
        camera = rig()
        camera.fit(lambda name: None, length)
        camera.select("trackside")
        view = camera.update(VehicleFrame(np.zeros(3)), 0.0)
        widths[length] = 2.0 * math.tan(0.5 * view.fov) * np.linalg.norm(view.target - view.position)
    assert widths[3.0] == pytest.approx(widths[4.0]) and widths[4.0] > 8.0
    assert widths[16.0] > 32.0


def test_the_trackside_camera_chooses_a_position_with_a_view_of_the_car():
    def wall(origin, direction, length):
        """Rays from the right of the road are blocked."""
        return 1.0 if origin[0] > 0.0 else None

    camera = TracksideCamera(lambda x, y: 0.0, wall)
    assert camera.update(VehicleFrame(), 1 / 60).position[0] < 0.0


@pytest.mark.parametrize(("changed", "message"), [
    ({"camera3": None}, "camera3: is missing"),
    ({"camera2": "{name: A, kind: flies}"}, r"camera2.kind: 'flies' must be one of follow, chase"),
    ({"camera2": "{name: A, kind: follow, ofset: [0, 0, 0]}"}, r'unknown key \(did you mean "offset"'),
    ({"camera2": "{name: A, kind: follow, offset: [0, 0]}"}, "must be a list of three numbers"),
    ({"camera2": "{name: A, kind: follow, follow: {roll: 2}}"}, "follow.roll: 2 must be 0 or 1"),
    ({"camera2": "{name: A, kind: follow, at: [wheel1]}"}, r":4: camera2.at: \['wheel1'\] must be the name of a node"),
    ({"camera2": "{name: A, kind: follow, at: 1}"}, ":4: camera2.at: 1 must be the name of a node"),
    ({"camera2": "{name: A, kind: follow, at: null}"}, ":4: camera2.at: None must be the name of a node"),
    ({"camera2": "{name: c1, kind: follow}"}, ":4: camera2.name: the camera in line 3 has the same name, 'C1'"),
    ({"camera2": "{name: Free, kind: follow}"}, ":4: camera2.name: 'Free' is a kind of camera"),
    ({"camera2": "{name: A, kind: eye}", "camera4": "{name: B, kind: eye}"},
     ":6: camera4.kind: the camera in line 4 has the same kind, 'eye'"),
    ({"eye": "{damping: -1}"}, "eye.damping: -1 must be 0 to"),
    ({"eye": "{max_timestep: 0}"}, "eye.max_timestep: 0 must be 0.0001"),
    ({"eye": "{position: [0, 0, 1], place: [0, 0, 1]}"}, "eye.place: is the same as position, which is given too"),
])  # fmt: skip
def test_a_wrong_file_is_reported_with_line_key_and_rule(changed, message):
    lines = {"eye": "{}"} | {f"camera{k}": f"{{name: C{k}, kind: follow}}" for k in range(10)} | changed
    text = "\n".join(f"{key}: {value}" for key, value in lines.items() if value is not None)
    with pytest.raises(ConfigError, match=message) as caught:
        camera_file.read_cameras(parse_yaml(text, "cameras.yaml"))
    assert "cameras.yaml" in str(caught.value)


@pytest.mark.parametrize("key", ["position", "place"])
def test_the_position_of_the_eye_is_read_under_its_former_name_too(key):
    cameras = "\n".join(f"camera{k}: {{name: C{k}, kind: follow}}" for k in range(10))
    position, others, _ = camera_file.read_cameras(parse_yaml(f"eye: {{{key}: [-0.4, 0, 1.1]}}\n{cameras}", "c.yaml"))
    assert position == (-0.4, 0.0, 1.1) and others == {}


def test_a_node_that_the_model_lacks_is_an_error_in_a_vehicles_own_file_only(tmp_path, monkeypatch):
    text = (camera_file.FOLDER / "default.yaml").read_text(encoding="utf8")
    for name in ("default", "own"):
        (tmp_path / f"{name}.yaml").write_text(text.replace("at: wheel1", "at: wheel9"), encoding="utf8")
    monkeypatch.setattr(camera_file, "FOLDER", tmp_path)
    nodes = {"wheel1": np.array([-0.8, 1.3, 0.3])}
    with pytest.raises(ConfigError, match=r"own.yaml:\d+: camera3.at: the model has no node 'wheel9'"):
        rig(vehicle="own").fit(nodes.get, length=4.0)
    camera = rig(vehicle="other")
    camera.fit(nodes.get, length=4.0)
    assert camera.follow["wheel"].settings.offset == pytest.approx((-0.95, -1.15, 0.28))
