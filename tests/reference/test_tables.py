"""Our results against all outputs of the function tables of the reference, PhysX; see table_harness.py."""

import json

import numpy as np
import pytest
import table_commands  # noqa: F401  fills FUNCTIONS
import table_drivetrain  # noqa: F401
import table_solvers  # noqa: F401
import table_tires  # noqa: F401
import table_wheels  # noqa: F401
from table_harness import (
    COMPACT_TABLES,
    MAX_ROWS,
    MAX_SHARE,
    TOLERANCE,
    Table,
    TableError,
    compare,
    outcome,
    summary_lines,
)

from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.suspension.compliance import ComplianceParams


def test_every_row_is_reproduced(table_path, report):
    table = Table.load(table_path)
    result = compare(table)
    worst_errors, listed_rows = summary_lines(table, result)
    for line in worst_errors:
        report("table", line)
    for line in listed_rows:
        report("row", line)
    worst = sorted(result.failures, key=lambda f: -f[2])[:5]
    assert not result.failures, f"{len(result.failures)} failures; (row, channel, error, allowed): {worst}"
    assert len(result.exceptions) <= max(MAX_ROWS, MAX_SHARE * table.count), sorted(result.exceptions)
    assert result.compared >= table.count


def test_there_are_tables(reference):
    assert len(list((reference / "tables").glob("*.npz"))) > 0


def rewritten(source, target, change):
    """Write a copy of a table's file after change(doc, arrays); returns its path."""
    with np.load(source) as file:
        arrays = {key: file[key] for key in file.files if key != "doc"}
        doc = json.loads(str(file["doc"]))
    change(doc, arrays)
    np.savez(target, doc=np.array(json.dumps(doc)), **arrays)
    return target


@pytest.fixture
def some_table():
    return sorted(COMPACT_TABLES.glob("*.npz"))[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda doc, arrays: doc.update(table="unheard_of"), "unheard_of"),
        (lambda doc, arrays: arrays.update(in__more=np.zeros(doc["rows"])), "in__more"),
        (lambda doc, arrays: doc.update(rows=doc["rows"] + 1), "described as"),
    ],
)
def test_tables_with_an_unknown_function_or_columns_or_a_wrong_row_count_are_refused(
    some_table, tmp_path, change, message
):
    with pytest.raises(TableError, match=message):
        Table.load(rewritten(some_table, tmp_path / "t.npz", change))


def test_an_output_that_is_not_compared_is_refused(some_table, tmp_path):
    def change(doc, arrays):
        doc["outputs"].append({"name": "out__more", "shape_per_row": [], "meaning": ""})
        arrays["out__more"] = np.zeros(doc["rows"], np.float32)

    with pytest.raises(TableError, match="out_more"):
        compare(Table.load(rewritten(some_table, tmp_path / "t.npz", change)))


INDICES = ("out_group_of_wheel", "out_order_in_group")  # outputs that our code for a table uses as indices
UNDETECTED = {  # channels that an error of a thousandth leaves as they are
    "diff_fourwheel": {"group", "order"},  # from INDICES
    "diff_tank": {"together"},  # from INDICES
    "rigid_body": {"external"},  # 0 in all rows
    "suspension_state": {"in_air"},  # whether a flag is 0
}


def test_a_table_wrong_by_a_thousandth_is_detected():
    """The error is detected in every channel except UNDETECTED, in at least one of the first 40 rows of a table.

    The sign of the error is random, because a scaled rotation is the same rotation.
    """
    rng = np.random.default_rng(1)
    for path in sorted(COMPACT_TABLES.glob("*.npz")):
        table = Table.load(path)
        altered = [key for key in table.columns if key.startswith("out_") and key not in INDICES]
        channels, detected = set(), set()
        for i in range(min(table.count, 40)):
            row = table.row(i)
            for key in altered:
                row[key] = row[key] + 1e-3 * np.abs(row[key]).max() * rng.choice((-1.0, 1.0), np.shape(row[key]))
            result = outcome(table, row)
            channels |= set(result)
            detected |= {channel for channel, (_, error, _) in result.items() if error > 2.0 * TOLERANCE}
        assert channels - detected == UNDETECTED.get(table.name, set()), table.name


def project_rows(name):
    """Rows of the project's copy of a table, as dictionaries, after a check that our results are within bounds."""
    table = Table.load(COMPACT_TABLES / f"{name}.npz")
    assert not compare(table).failures
    return [table.row(i) for i in range(table.count)]


@pytest.mark.covers("PX-SUSP-03", "PX-SUSP-05")
def test_jounce_by_ray_and_sweep_in_the_air_in_travel_and_at_the_stop():
    cases = set()
    for row in project_rows("suspension_state"):
        region = "air" if not row["out_on_ground"] else "stop" if row["out_separation"] < 0 else "travel"
        cases.add((int(row["calc_type"]), int(row["limit_expansion"]), region))
    assert len(cases) >= 11  # of 12


@pytest.mark.covers("PX-COMPL-02")
def test_compliance_graphs_of_none_to_three_points():
    names = ("toe", "camber", "susp_app", "tire_app")
    counts = {(name, int(row[f"{name}_n"])) for row in project_rows("suspension_compliance") for name in names}
    assert len(counts) == 16  # four graphs with 0 to 3 points
    with pytest.raises(SchemaError, match="at most 3"):
        ComplianceParams.fields["toe"].parse([[0, 0], [0.2, 0], [0.4, 0], [1, 0.1]])


@pytest.mark.covers("PX-ARB-02")
def test_torque_of_one_and_of_two_anti_roll_bars():
    assert {int(row["nb_bars"]) for row in project_rows("antiroll")} >= {1, 2}


@pytest.mark.covers("PX-MASS-03")
def test_sprung_masses_of_three_to_nineteen_wheels():
    counts = {int(row["nb_wheels"]) for row in project_rows("sprung_masses") if row["out_ok"]}
    assert {3, 4, 6} <= counts and max(counts) >= 19


@pytest.mark.covers("PX-WHEEL-01")
def test_wheel_speeds_corrected_for_drawing():
    assert sum(row["out_corrected_omega"] != row["out_omega"] for row in project_rows("wheel_rotation_angle")) > 3


@pytest.mark.covers("PX-SUSP-06")
def test_wheels_attached_away_from_the_origin_have_the_positions_of_the_table():
    assert sum(bool(np.any(row["wheel_attach"][:3])) for row in project_rows("wheel_pose")) > 3


@pytest.mark.covers("PX-TIRE-14", "PX-TIRE-15", "PX-TIRE-16")
def test_loads_below_and_above_the_filter():
    # load as a share of the load at rest, minus the loads of the filter's two points
    margins = [row["normal_force"] / row["rest_load"] - row["load_filter"][:, 0] for row in project_rows("tire_grip")]
    assert min(m[0] for m in margins) < 0.0 < max(m[1] for m in margins)


@pytest.mark.covers("PX-TIRE-01")
def test_forces_of_loaded_tires():
    """Over 20 rows of the table have load and friction, so that not only zeros are compared."""
    assert sum(row["load"] * row["friction"] > 0.0 for row in project_rows("tire_force")) > 20
