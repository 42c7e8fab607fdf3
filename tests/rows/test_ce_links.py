"""Suspension parts are drawn stretched between hull, wheels and other parts (CE-LOAD-06)."""

import sys
from pathlib import Path

import numpy as np
import pytest
import trimesh
from panda3d.core import LMatrix4f, LVecBase3f

from driving_sandbox.game.view.vehicle.chain import Chain, find_ends
from driving_sandbox.game.view.vehicle.vehicle import VehicleView

sys.path.append(str(Path(__file__).parent.parent / "view"))
from view_rig import SceneWithoutWindow, standing_frame  # noqa: E402

TO_GLTF = np.array([[1.0, 0, 0, 0], [0, 0, 1.0, 0], [0, -1.0, 0, 0], [0, 0, 0, 1.0]])  # z up, y forward to y up
WHEELS = {1: (-0.8, 1.4, 0.33), 2: (0.8, 1.4, 0.33)}  # wheel number: position, m
ENDS = {  # part: its two helper nodes, each named after what it is attached to, and their positions, m
    1: {"hull": (-0.3, 1.4, 0.8), "wheel1": (-0.7, 1.4, 0.35)},
    2: {"hull": (-0.2, 1.5, 0.5), "susp1": (-0.5, 1.4, 0.575)},
    3: {"wheel1": (-0.72, 1.45, 0.3), "susp2": (-0.35, 1.45, 0.5375)},
    4: {"wheel2": (0.7, 1.4, 0.35), "wheel1": (-0.7, 1.4, 0.35)},
}  # fmt: skip


def write(folder, ends=None, part="susp{}", wheel="wheel{}"):
    """A model of a hull, two wheels and parts; part, wheel: spelling of the names of parts and helper nodes."""
    scene = trimesh.Scene()

    def mesh(name, at, size):
        box = trimesh.creation.box(size).apply_transform(TO_GLTF)
        matrix = np.eye(4)
        matrix[:3, 3] = TO_GLTF[:3, :3] @ at
        scene.add_geometry(box, node_name=name, geom_name=name, transform=matrix)

    mesh("hull1", (0, 0, 0.9), (1.4, 3.6, 0.5))
    for n, at in WHEELS.items():
        mesh(f"wheel{n}", at, (0.2, 0.6, 0.6))
    for n, helpers in (ends or ENDS).items():
        name = part.format(n)
        mesh(name, next(iter(helpers.values())), (0.05, 0.05, 0.3))
        for target, at in helpers.items():
            target = target.replace("susp", part.format("")).replace("wheel", wheel.format(""))
            matrix = np.eye(4)
            matrix[:3, 3] = TO_GLTF[:3, :3] @ at
            scene.graph.update(frame_to=f"{name}_{target}", matrix=matrix)
    path = folder / "links.glb"
    path.write_bytes(scene.export(file_type="glb"))
    return path


def drawn(view, part, point):
    """World position at which a point of a part is drawn; point: its position in the model at rest."""
    node, rest = view.gear.chained[part]
    to_rest = LMatrix4f(rest)
    to_rest.invertInPlace()
    return np.array(node.getMat(view.root.getParent()).xformPoint(to_rest.xformPoint(LVecBase3f(*point))))


@pytest.mark.covers("CE-LOAD-06")
@pytest.mark.parametrize(("name", "wheel"), [("susp{}", "wheel{}"), ("sus_{}", "wheel_{}")])
def test_both_ends_of_every_part_stay_attached(tmp_path, name, wheel):
    view = VehicleView(SceneWithoutWindow(), write(tmp_path, part=name, wheel=wheel))
    assert sorted(view.gear.chained) == [1, 2, 3, 4] and not view.gear.links
    positions = []
    # (m, rad, rad); in the last pose the car is upside down
    for lift, steer, pitch in ((0.0, 0.0, 0.0), (0.1, 0.5, 0.2), (-0.15, -0.4, -0.3), (0.05, 0.1, 3.0)):
        view.update(standing_frame(view, (4.0, -3.0, 1.0), yaw=0.8, lift=lift, steer=steer, spin=0.5, pitch=pitch))
        body = view.body.getMat(view.root.getParent())
        for part, helpers in ENDS.items():
            for target, point in helpers.items():
                if target == "hull":
                    expected = body.xformPoint(LVecBase3f(*point))
                elif target.startswith("wheel"):
                    number = int(target[5:])
                    offset = np.subtract(point, WHEELS[number])
                    # brakes follow the hub: they steer, but do not spin
                    expected = view.brakes[number - 1].getMat(view.root.getParent()).xformPoint(LVecBase3f(*offset))
                else:
                    expected = drawn(view, int(target[4:]), point)
                assert np.linalg.norm(drawn(view, part, point) - np.array(expected)) < 1e-3, (part, target)
        at = drawn(view, 3, ENDS[3]["susp2"])
        local = LMatrix4f(body)
        local.invertInPlace()
        positions.append(np.array(local.xformPoint(LVecBase3f(*at))))
    assert np.abs(positions[1] - positions[0]).max() > 0.02  # the end moves in the body frame


def test_at_rest_the_transforms_of_all_parts_are_identities():
    at_rest = find_ends({f"susp{n}_{t}": p for n, h in ENDS.items() for t, p in h.items()})
    rows = Chain(at_rest, [WHEELS[1], WHEELS[2]]).rows(lambda wheel, offset: tuple(np.add(WHEELS[wheel + 1], offset)))
    for transform in rows.values():
        assert np.array(transform) == pytest.approx(np.eye(4)[:3], abs=1e-6)


@pytest.mark.parametrize("spelling", ["susp{}", "sus_{}"])
@pytest.mark.parametrize(("ends", "text"), [
    ({3: {"wheel1": (0, 0, 0)}}, "susp3 needs two helper nodes susp3_<hull, wheelN or suspN>, not 1"),
    ({1: {"hull": (0, 0, 0), "wheel7": (0, 0, 1)}}, "model part susp1 is attached to wheel7, which the model lacks"),
    ({1: {"hull": (0, 0, 0), "susp5": (0, 0, 1)}}, "susp1 is attached to susp5, which has no helper nodes"),
    ({1: {"hull": (0, 0, 0), "susp2": (0, 0, 1)}, 2: {"hull": (0, 0, 0), "susp1": (0, 0, 1)}},
     "model parts susp1, susp2 are attached in a cycle"),
])  # fmt: skip
def test_parts_that_cannot_be_posed_are_named_in_the_error(tmp_path, ends, text, spelling):
    with pytest.raises(ValueError, match=text.replace("susp", spelling.format(""))):
        VehicleView(SceneWithoutWindow(), write(tmp_path, ends, part=spelling))
