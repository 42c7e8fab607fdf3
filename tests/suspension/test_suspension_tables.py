"""Suspension, compliance, anti-roll bars and sprung masses against the reference tables."""

import numpy as np
import pytest
from core_tables import close, marked, rows
from frame_adapter import Frame, frame_of
from wheel_bench import Bench

from physics.quat import rotate
from physics.schema import SchemaError
from physics.suspension.antiroll import ANTIROLL, AntirollParams
from physics.suspension.compliance import COMPLIANCE, ComplianceParams
from physics.suspension.sprung_mass import sprung_masses
from physics.suspension.suspension import IN_AIR, MAX_DAMPER_SPEED, SUSPENSION


def jounce_of(bench, row):
    """Run one row of suspension_state; returns the wheel's state."""
    frame = frame_of(row)
    bench.place_body(frame, row)
    bench.attach(frame, row)
    bench.lay_road(frame, row)
    radius, half_width, mass = row["wheel"][:3]
    bench.fill("wheel_params", 0, radius=radius, half_width=half_width, mass=mass)
    bench.fill(
        "suspension_params", 0, jounce_query=int(row["calc_type"]), limit_expansion=int(row["limit_expansion"]),
        stiffness=row["stiffness"], damping=row["damping"],
    )  # fmt: skip
    bench.fill("steering", 0, angle=row["steer"])
    bench.fill("context", gravity=frame.vector(row["gravity"]))
    known = not marked(row["jounce_prev"])
    bench.fill(
        "suspension", 0, jounce=row["jounce_prev"] if known else 0.0, jounce_known=int(known),
        jounce_speed=row["jounce_speed_prev"] if known else 0.0,
    )  # fmt: skip
    bench.run(SUSPENSION, row["dt"])
    return bench["suspension"][0]


@pytest.mark.covers("PX-SUSP-03", "PX-SUSP-05")
def test_jounce_by_ray_and_by_sweep_with_and_without_limited_expansion():
    bench, seen = Bench(), {}
    for row in rows("suspension_state"):
        s = jounce_of(bench, row)
        # float32 rounding of positions in the world, as a length along the suspension line
        slope = abs(float(np.dot(s["direction"], bench["road"][0]["normal"])))
        size = (1.0 + np.abs(row["pose"][:3]).max() + abs(row["plane_d"])) / max(slope, 1e-3)
        assert close(s["jounce"], row["out_jounce"], size)
        assert close(s["jounce_speed"], row["out_jounce_speed"], size / row["dt"] + abs(row["out_jounce_speed"]))
        if marked(row["out_separation"]):
            assert s["separation"] == IN_AIR
        else:
            assert close(s["separation"], row["out_separation"], size)
        assert s["on_ground"] == row["out_on_ground"]
        place = "air" if not row["out_on_ground"] else ("stop" if row["out_separation"] < 0 else "travel")
        key = (int(row["calc_type"]), int(row["limit_expansion"]), place)
        seen[key] = seen.get(key, 0) + 1
    assert len(seen) == 12 and min(seen.values()) >= 1, seen


@pytest.mark.covers("PX-COMPL-02")
def test_compliance_graphs_of_none_to_three_points():
    bench, counts = Bench(), set()
    for row in rows("suspension_compliance"):
        graphs = {}
        for ours, theirs in (("toe", "toe"), ("camber", "camber"), ("suspension_force_point", "susp_app"),
                             ("tire_force_point", "tire_app")):  # fmt: skip
            n = int(row[f"{theirs}_n"])
            counts.add((ours, n))
            y = row[f"{theirs}_y"][:n].tolist()
            graphs[ours] = list(zip(row[f"{theirs}_x"][:n].tolist(), y, strict=True))
        bench.put("compliance_params", 0, ComplianceParams, **graphs)
        bench.fill("suspension_params", 0, travel=row["travel"])
        bench.fill("suspension", 0, jounce=row["jounce"])
        bench.run(COMPLIANCE)
        c = bench["compliance"][0]
        # a graph's value is only as sharp as its abscissa: float32 jounce / travel on a steep segment
        for ours, theirs in (("toe", "toe"), ("camber", "camber"), ("suspension_force_point", "susp_app"),
                             ("tire_force_point", "tire_app")):  # fmt: skip
            assert close(c[ours], row[f"out_{theirs}"], np.abs(row[f"{theirs}_y"]).max())
    assert len(counts) == 16
    with pytest.raises(SchemaError, match="at most 3"):
        ComplianceParams.fields["toe"].parse([[0, 0], [0.2, 0], [0.4, 0], [1, 0.1]])


def test_suspension_force_and_lever():
    """The reference lets a suspension pull the wheel down; ours does not."""
    bench, frame, pushed, pulled, tilted = Bench(), Frame(), 0, 0, 0
    for row in rows("suspension_force"):
        assert abs(row["jounce_speed"]) <= MAX_DAMPER_SPEED
        bench.place_body(frame, row)
        bench.attach(frame, row)
        bench.lay_road(frame, row)
        direction = np.array(bench["suspension_params"][0]["direction"])
        q = tuple(np.array(bench["body"]["orientation"]).tolist())
        bench.fill("suspension", 0, jounce=row["jounce"], jounce_speed=row["jounce_speed"],
                   on_ground=int(row["separation"] <= 0.0), direction=rotate(q, tuple(direction.tolist())))  # fmt: skip
        bench.fill("suspension_params", 0, stiffness=row["stiffness"], damping=row["damping"],
                   supported_mass=row["sprung_mass"])  # fmt: skip
        bench.fill("compliance", 0, suspension_force_point=frame.vector(row["susp_app"]))
        bench.fill("body_params", mass=row["mass"])
        bench.fill("context", gravity=frame.vector(row["gravity"]))
        bench.fill("external", force=frame.vector(row["ext_force"]), torque=frame.vector(row["ext_torque"]))
        bench.run(SUSPENSION.phase("force"))
        s = bench["suspension"][0]
        expected = row["out_normal_force"]
        size = (row["stiffness"] * abs(row["jounce"]) + row["damping"] * abs(row["jounce_speed"])
                + row["sprung_mass"] * (9.81 + np.linalg.norm(row["ext_force"]) / row["mass"]))  # fmt: skip
        if expected < 0.0:
            pulled += 1
            assert s["force"] == 0.0 and not np.any(s["force_vector"])
            continue
        pushed += expected > 0.0
        tilted += bool(np.any(row["ext_torque"]))
        assert close(s["force"], expected, size)
        assert close(s["force_vector"], frame.vector(row["out_force"]), size)
        assert close(np.cross(s["force_arm"], s["force_vector"]), frame.vector(row["out_torque"]), size)
    assert pushed > 10 and pulled > 3 and tilted > 0


@pytest.mark.covers("PX-ARB-02")
def test_antiroll_bars():
    bench, frame, counts = Bench(4), Frame(), set()
    for row in rows("antiroll"):
        bench.place_body(frame, row)
        for i in range(4):
            bench.attach(frame, row, i, prefix=f"w{i}_")
            bench.fill("suspension", i, jounce=row[f"w{i}_jounce"])
            bench.fill("compliance", i, suspension_force_point=frame.vector(row[f"w{i}_susp_app"]))
        bars = row["bars"][: int(row["nb_bars"])]
        counts.add(len(bars))
        bench.put("antiroll_params", None, AntirollParams, wheel_a=bars[:, 0].tolist(), wheel_b=bars[:, 1].tolist(),
                  stiffness=bars[:, 2].tolist(), loads_tires=False)  # fmt: skip
        bench.run(ANTIROLL)
        size = sum(bar[2] * 0.5 for bar in bars)
        assert close(bench["antiroll"]["torque"], frame.vector(row["out_torque"]), size)
    assert counts >= {1, 2}


@pytest.mark.covers("PX-MASS-03")
def test_sprung_masses():
    solved, refused = 0, 0
    for row in rows("sprung_masses"):
        n, up = int(row["nb_wheels"]), int(row["gravity_axis"]) // 2
        positions = row["positions"][:n][:, [(up + 1) % 3, (up + 2) % 3]]
        if not row["out_ok"]:
            refused += 1
            with pytest.raises(ValueError):
                sprung_masses(row["total_mass"], positions)
            continue
        solved += 1
        masses = sprung_masses(row["total_mass"], positions)
        assert close(masses, row["out_masses"][:n], 10.0 * row["total_mass"])
    assert solved > 20
