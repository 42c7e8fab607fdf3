"""Scenes of the reference, PhysX, in our world, see scene_harness.py; its kinds of scenes and what is compared:

exact    With the reference's suspension, whose damping is unlimited (docs/compat.md). Until a stop is reached, a tire
         sticks or a braked wheel is numerically stiff, the pose is within 1 cm and 0.2 degrees; then within
         AFTER_EVENT, because our contacts act in every substep and the reference's once per step; at the end again
         within 1 cm, or the creep of the reference, and 0.2 degrees. Peak loads are within 10 %.
parked   Ours moves by less than 1 mm in 30 s, the reference creeps by decimetres.
release  As parked before and after; in between, distance and speed of rolling are those of the reference.
course   Speed, distance, gears, heading and final state are within bands.
edge     Ours rolls over an edge on the cylinder's path, while the reference uses one plane for a whole step: both pass
         the edge, lose speed, and continue at the same height.

Positions are compared without the first-order error of either integrator: the error of a semi-implicit Euler step is
(v_start - v) h / 2, with h the step in which poses move: a whole step in the reference, a substep in ours.
"""

import numpy as np
import pytest
from reference_compat import REFERENCE_SUSPENSION
from scene_harness import CREEP, Scene, SceneError, Stage, kind_of, released_steps, substep_rule
from table_harness import COMPACT
from whole_runs import distance_along, same_gears

from driving_sandbox.formats.physx_read import TANK

NEAR, ANGLE, PEAK = 0.01, 0.2, 0.10  # m, degrees, share of the load
AFTER_EVENT = 0.045, 0.9  # m, degrees
REST_BY_CREEP = 0.04  # m; creep of the reference's soft sticky tires after braking
REST_DISPLACEMENT = 0.001  # m, largest displacement of a vehicle at rest
RELEASE_SPEED = 0.3  # m/s; the reference's creep while braked plus the speed gained in 1/60 s on the slope
REST_TIME = 30.0  # s
# limits of a course
SPEED_BAND = 1.0  # m/s
DISTANCE_BAND, DISTANCE_FLOOR = 0.03, 0.5  # share of the distance, and m if that is more
HEADING_BAND = 15.0  # degrees


class Pair:
    """Recorded and simulated rows of a vehicle of a scene, in our axes.

    Attributes:
        ours: {name: simulated values}, see `Stage.run`.
        position, velocity: recorded ones, m and m/s.
        load: recorded suspension force of every wheel, in our order, N.
        angle: angle between the simulated and the recorded orientation, degrees.
        distance: distance of the simulated from the recorded position, without the integrators' errors, m.
    """

    def __init__(self, stage, log, k=0):
        scene, f = stage.scene, stage.frame
        n = len(scene.recorded)
        self.ours = {name: values[:n] for name, values in log[k].items()}
        self.position = f.vector(scene.actor(k, "px", "py", "pz"))
        self.velocity = f.vector(scene.actor(k, "vx", "vy", "vz"))
        rotated = f.quaternion(scene.actor(k, "qx", "qy", "qz", "qw"))
        same = np.abs((rotated * self.ours["orientation"]).sum(axis=1))
        self.angle = np.degrees(2.0 * np.arccos(np.clip(same, 0.0, 1.0)))
        order = stage.imported[k].wheels.ids
        self.load = scene.wheels(k, "susp_normal_force")[:, order]
        start = f.vector(scene.doc["initial_states"][k]["lin_vel"])
        dt = scene.doc["dt"]
        h = dt / substep_rule(scene)(0.0)
        theirs = self.position + 0.5 * dt * (start - self.velocity)
        ours = self.ours["position"] + 0.5 * h * (start - self.ours["velocity"])
        self.distance = np.linalg.norm(ours - theirs, axis=1)


def first_event(scene):
    """First recorded step with a suspension at its stop, a sticky tire, or a numerically stiff braked wheel."""
    active = scene.parts[0]["actor_wheels"].any(axis=(1, 2)) | (scene.wheels(0, "separation") < 0.0).any(axis=1)
    wheels = scene.doc["vehicles"][0]["wheels"]
    h = scene.doc["dt"] / substep_rule(scene)(0.0)
    limit = max(h * w["lng_stiff"] * w["radius"] ** 2 / (2.0 * w["wheel_moi"]) for w in wheels)
    braked = (scene.wheels(0, "is_brake_applied") > 0) & (scene.wheels(0, "tire_load") > 0.0)
    active |= (braked & (np.abs(scene.wheels(0, "lng_speed")) < limit)).any(axis=1)
    return int(scene.recorded[active][0]) if active.any() else int(scene.recorded[-1]) + 1


def check_limits(report, scene, limits):
    """Report and assert [(quantity, value, limit)]."""
    for quantity, value, limit in limits:
        report("scene", [scene.path.stem, quantity, float(value), float(limit)])
    beyond = [(quantity, float(value), limit) for quantity, value, limit in limits if not value <= limit]
    assert not beyond, beyond


def exact(scene, report):
    """Compare a scene of the kind `exact`."""
    stage = Stage(scene, [REFERENCE_SUSPENSION])
    pair = Pair(stage, stage.run())
    before = scene.recorded < first_event(scene)
    assert before.sum() > 3
    limits = [("position before", pair.distance[before].max(), NEAR), ("angle before", pair.angle[before].max(), ANGLE)]
    for quantity, ours, theirs in (
        ("peak load of a wheel", pair.ours["load"].max(), pair.load.max()),
        ("peak load of all", pair.ours["load"].sum(axis=1).max(), pair.load.sum(axis=1).max()),
    ):
        limits.append((quantity, abs(ours / theirs - 1.0), PEAK))
    if scene.doc["scene"]["suspension_limit_direction"] == "none" and (~before).any():
        # without a suspension limit both fall through the ground
        assert pair.position[-1, 2] < -1.0 and pair.ours["position"][-1, 2] < -1.0
    else:
        has_stopped = scene.parts[0]["actor_wheels"][..., :2].any() and np.abs(pair.velocity[0]).max() > 1.0
        limits += [
            ("position after", pair.distance[~before].max(initial=0.0), AFTER_EVENT[0]),
            ("angle after", pair.angle[~before].max(initial=0.0), AFTER_EVENT[1]),
            ("position at the end", pair.distance[-1], REST_BY_CREEP if has_stopped else NEAR),
            ("angle at the end", pair.angle[-1], ANGLE),
        ]
    check_limits(report, scene, limits)


def parked(scene, report):
    """Ours is at rest from four seconds after the recording, at the end of which the reference creeps."""
    stage = Stage(scene)
    settle = round(4.0 / scene.doc["dt"])
    log = stage.run(settle + round(REST_TIME / scene.doc["dt"]))[0]
    rows = log["position"][len(scene.recorded) + settle :]
    displacement = np.linalg.norm(rows - rows[0], axis=1).max()
    speed = np.linalg.norm(log["velocity"][len(scene.recorded) + settle :], axis=1).max()
    creep = float(np.linalg.norm(scene.actor(0, "vx", "vy", "vz")[-1]))
    report("scene", [scene.path.stem, "reference's creep, m/s", creep, CREEP[1]])
    check_limits(report, scene, [("moved in 30 s", displacement, REST_DISPLACEMENT), ("speed at rest", speed, 0.01)])


def release(scene, report):
    """A braked vehicle is released, rolls like the reference, and is then braked to rest."""
    stage = Stage(scene)
    pair = Pair(stage, stage.run())
    before_release = scene.recorded < released_steps(scene)[0]
    rolling_steps = len(released_steps(scene))
    rolling = np.isin(scene.recorded, released_steps(scene))
    ours, theirs = (distance_along(positions[rolling])[-1] for positions in (pair.ours["position"], pair.position))
    speeds = [np.linalg.norm(v[rolling], axis=1) for v in (pair.ours["velocity"], pair.velocity)]
    braked_positions = pair.ours["position"][before_release]
    braked_later = braked_positions[before_release.sum() // 2 :]
    check_limits(report, scene, [
        ("moved while held", np.linalg.norm(braked_later - braked_positions[-1], axis=1).max(), REST_DISPLACEMENT),
        ("speed after release", np.abs(speeds[0] - speeds[1]).max(), RELEASE_SPEED),
        ("distance after release", abs(ours - theirs), RELEASE_SPEED * scene.doc["dt"] * rolling_steps),
    ])  # fmt: skip
    parked(scene, report)


def edge(scene, report):
    """Compare a scene of the kind `edge`."""
    stage = Stage(scene)
    pair = Pair(stage, stage.run())
    before = scene.recorded < first_event(scene)
    start_speed, ours = np.linalg.norm(pair.velocity[0]), np.linalg.norm(pair.ours["velocity"][-1])
    theirs = np.linalg.norm(pair.velocity[-1])
    check_limits(report, scene, [
        ("position before", pair.distance[before].max(), NEAR),
        ("difference of final speeds", abs(ours - theirs), 0.4 * (start_speed - theirs)),
        ("height at the end", abs(pair.ours["position"][-1, 2] - pair.position[-1, 2]), NEAR),
        ("angle at the end", pair.angle[-1], 2.0),
    ])  # fmt: skip


def course(scene, report):
    """Compare a scene of the kind `course`, vehicle by vehicle of a train."""
    stage = Stage(scene)
    log = stage.run()
    for k in range(len(scene.parts)):
        pair = Pair(stage, log, k)
        ours, theirs = distance_along(pair.ours["position"])[-1], distance_along(pair.position)[-1]
        speeds = np.linalg.norm(pair.ours["velocity"], axis=1), np.linalg.norm(pair.velocity, axis=1)
        resting = [s[-1] < 0.3 for s in speeds]
        limits = [
            ("speed", np.abs(speeds[0] - speeds[1]).max(), SPEED_BAND),
            ("distance", abs(ours - theirs), max(DISTANCE_FLOOR, DISTANCE_BAND * theirs)),
            ("direction", pair.angle.max(), HEADING_BAND),
            ("gears", 0 if same_gears(pair.ours["gear"], scene.body(k, "current_gear")) else 1, 0),
            ("end", 0 if resting[0] == resting[1] else 1, 0),
        ]
        if k > 0:
            limits = [(f"trailer {quantity}", *rest) for quantity, *rest in limits if quantity != "gears"]
        check_limits(report, scene, limits)


def test_the_scene_agrees_with_its_recording(scene_path, reference, report):
    scene = Scene.load(scene_path)
    kind = kind_of(scene)
    compiles_soon = len(scene.parts) == 1 and scene.doc["vehicles"][0]["type"] != TANK
    compiles_soon = compiles_soon and (
        scene.doc["scene"]["ground"] == "plane" or scene.doc["scene"]["road_query"] == "sweep"
    )
    if kind == "course" and reference == COMPACT and not compiles_soon:
        pytest.skip("the scene's component list takes half a minute to compile: run with --reference")
    {"exact": exact, "parked": parked, "release": release, "edge": edge, "course": course}[kind](scene, report)


def test_there_are_scenes_of_every_kind_but_edge():
    kinds = [kind_of(Scene.load(path)) for path in sorted((COMPACT / "scenes").glob("*.npz"))]
    assert {"exact", "parked", "release", "course"} <= set(kinds)


@pytest.mark.parametrize(
    ("section", "key", "value"),
    [("scene", "ground", "swamp"), ("scene", "road_query", "guess"), (None, "substeps_policy", "as it likes"),
     ("scene", "suspension_limit_direction", "upwards"), ("scene", "collisions", "all")],
)  # fmt: skip
def test_unknown_content_is_refused(section, key, value):
    scene = Scene.load(sorted((COMPACT / "scenes").glob("*.npz"))[0])
    (scene.doc if section is None else scene.doc[section])[key] = value
    with pytest.raises(SceneError):
        Stage(scene)
        substep_rule(scene)
