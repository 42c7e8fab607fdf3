"""Dashboard dials: readings of the needles, and numerals for near cameras only."""

import math

import numpy as np
import pytest
from panda3d.core import NodePath

from driving_sandbox.assets.build import dials
from driving_sandbox.assets.build.vehicles import MODELS
from driving_sandbox.game.session.frame import VehicleFrame, interpolate
from driving_sandbox.game.view.gl.geometry import read_column
from driving_sandbox.game.view.vehicle.dials import READABLE, STOP, Dials
from driving_sandbox.game.view.vehicle.model import MATERIALS, load_model
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

WITH_DIALS = list(dials.CLUSTERS)
REAL_CARS = ("mx5_na", "m3_e46", "golf_gti_mk7")


class ModelDials:
    """The dials of a model."""

    def __init__(self, name):
        self.model, self.body = load_model(MODELS / f"{name}.glb"), NodePath("body")
        for part in self.model.parts.values():
            if part.name.startswith(("dials", "needle")):
                self.body.attachNewNode(part.opaque).setMat(part.rest)
        self.dials = Dials(self.body, self.model)

    def needle_angles(self, frame):
        """Angles of the needles (speed, engine) from their zero marks, rad."""
        self.dials.turn(frame)
        turns = [path.getQuat() * rest.conjugate() for path, rest, *_ in self.dials.needles]
        return [2.0 * math.atan2(turn.getJ(), turn.getR()) % (2.0 * math.pi) for turn in turns]


@pytest.mark.parametrize("name", WITH_DIALS)
def test_needles_point_at_the_numerals(name):
    cluster, model_dials = dials.CLUSTERS[name], ModelDials(name)
    scale, top = dials.speed_scale(cluster)  # top: km/h, the end of the scale
    speed_kmh = 0.5 * top
    frame = VehicleFrame(speed=speed_kmh / dials.KMH)
    assert scale.labels[-1] == top
    assert model_dials.needle_angles(frame)[0] == pytest.approx(0.5 * dials.SWEEP, abs=1e-3)
    assert model_dials.needle_angles(VehicleFrame(speed=-speed_kmh / dials.KMH))[0] == pytest.approx(
        0.5 * dials.SWEEP, abs=1e-3
    )
    assert model_dials.needle_angles(VehicleFrame(speed=500.0))[0] == pytest.approx(STOP, abs=1e-3)
    if cluster.limit_rpm:
        scale, end = dials.engine_scale(cluster)
        at_limit = model_dials.needle_angles(VehicleFrame(engine_speed=cluster.limit_rpm / dials.RPM_PER_RAD_S))[1]
        assert at_limit == pytest.approx(scale.red * dials.SWEEP, abs=1e-3)
        assert end > cluster.limit_rpm


@pytest.mark.parametrize("name", [name for name in WITH_DIALS if dials.CLUSTERS[name].limit_rpm])
def test_the_red_zone_starts_at_the_engines_limit(name):
    """On the three real cars it starts at their red line, up to 8 % below the rev limiter."""
    limit = load_vehicle({"tractor": "road_train"}.get(name, name)).get("engine.max_omega") * dials.RPM_PER_RAD_S
    if name in REAL_CARS:
        assert 0.92 * limit < dials.CLUSTERS[name].limit_rpm <= limit
    else:
        assert dials.CLUSTERS[name].limit_rpm == pytest.approx(limit, abs=10.0)


def test_numerals_are_drawn_for_near_cameras_only():
    model_dials = ModelDials("roadster")
    eye = model_dials.model.node_position("eye_pos")
    paths = [model_dials.body.find(name) for name in ("dials", "needle_speed", "needle_engine")]
    model_dials.dials.see(eye)
    assert not any(path.isStashed() for path in paths)
    model_dials.dials.see(eye + [0.0, -1.1 * READABLE, 0.0])
    assert all(path.isStashed() for path in paths)


def test_needles_are_interpolated_between_ticks():
    a, b = VehicleFrame(speed=10.0, engine_speed=200.0), VehicleFrame(speed=12.0, engine_speed=300.0)
    between = interpolate(a, b, 0.25)
    assert (between.speed, between.engine_speed) == pytest.approx((10.5, 225.0))


def test_numerals_are_in_front_of_the_dial_and_face_the_driver():
    """Numerals behind the dial's plane, which is y = 0 of the needle's node, would be hidden."""
    model_dials = ModelDials("hatchback")
    needle, path = model_dials.body.find("needle_speed"), model_dials.body.find("dials")
    points = read_column(path.node().getGeom(0).getVertexData(), "vertex").astype(float)
    look = read_column(path.node().getGeom(0).getVertexData(), "look")[:, 0]
    printed = [needle.getRelativePoint(model_dials.body, tuple(p)) for p in points[look == MATERIALS.index("dial")]]
    depths = np.array([p.y for p in printed if p.length() < dials.CLUSTERS["hatchback"].radius])
    assert len(depths) > 50 and (depths < -0.001).all()
