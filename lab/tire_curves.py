"""Curves of a tire over slip, slip angle, inclination and load: of a property file, or of a wheel of a vehicle.

A Magic Formula 6.2 tire is evaluated by its formula. Other tires are evaluated by the vehicle's own kernels in steady
state (relaxation complete); quantities they lack (overturning moment, trail) are NaN. Signs as in physics/tire/slip.py;
`camber` is the inclination angle, positive with the top to the right.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.lab.charts import Chart, Line
from driving_sandbox.physics.batch.batch import copy_vehicle
from driving_sandbox.physics.kernel.jit import JIT
from driving_sandbox.physics.schema.yaml_file import ConfigError, key_hint
from driving_sandbox.physics.tick.binding import argument_names
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.tire import mf62
from driving_sandbox.physics.tire.mf62_coefficients import NAMES, complete_set
from driving_sandbox.physics.tire.mf62_evaluate import evaluate, record_of
from driving_sandbox.physics.tire.mf62_set import set_problems
from driving_sandbox.physics.tire.tir_file import read_tir

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

OUTPUTS = ("fx", "fy", "mz", "mx", "trail")  # of Tire.forces; units as in COLUMNS
COLUMNS = {"sweep": "", "load": "N", "slip": "1", "angle": "deg", "camber": "deg", "fx": "N", "fy": "N", "mz": "N m",
           "mx": "N m", "trail": "m"}  # fmt: skip
LOAD_SHARES = (0.5, 1.0, 1.5, 2.0)  # of the nominal load
SLIPS = np.linspace(-1.0, 1.0, 201)  # longitudinal slip
ANGLES = np.linspace(-20.0, 20.0, 201)  # deg
CAMBERS = np.linspace(-6.0, 6.0, 61)  # deg
FIXED_ANGLES = (-1.0, -2.0, -4.0, -8.0)  # deg, of the sweeps `combined` and `load`
SMALL_ANGLE = 0.05  # deg, for cornering stiffness and trail
LARGE_ANGLE = 20.0  # deg, for the decline beyond the peak
SPEED = 20.0  # m/s, forward speed of the wheel in all sweeps
KN = 1e-3  # kN per N, for charts
STEP = 1e-3  # s, time step of a kernel call; slips are prescribed, so that no force depends on it


@dataclass(frozen=True)
class Tire:
    """A tire to sweep.

    Attributes:
        nominal_load: nominal load, N.
        forces: function of broadcastable arrays (load in N, slip, angle in deg, camber in deg) to {OUTPUTS: array}.
        rolling_radius: function of the load, N, to the effective rolling radius at SPEED, m, NaN where unknown.
    """

    name: str
    nominal_load: float
    forces: Callable[..., dict[str, np.ndarray]]
    rolling_radius: Callable[[float], float] = lambda load: math.nan


def of_file(path: str | Path) -> Tire:
    """The tire of a property file. Raises ConfigError."""
    values = {key.lower(): value for key, value in read_tir(path).coefficients.items()}
    c = complete_set({name: value for name, value in values.items() if name in NAMES})
    problems = set_problems(c)
    if problems:
        raise ConfigError(path, None, "", problems[0][1])
    return _of_set(Path(path).name, c)


def of_wheel(vehicle: "Vehicle", wheel: str | None = None) -> Tire:
    """The tire of a wheel of a vehicle, by default the first.

    Raises ConfigError for an unknown wheel, or a tire without curves over slip.
    """
    wheel = vehicle.wheel_names[0] if wheel is None else wheel
    if wheel not in vehicle.wheel_names:
        known = ", ".join(vehicle.wheel_names)
        raise ConfigError(
            vehicle.name,
            None,
            "--wheel",
            f"no wheel {wheel!r}{key_hint(wheel, vehicle.wheel_names)}; wheels: {known}",
        )
    component, i = vehicle.sequence.by_slot["tire"], vehicle.wheel_names.index(wheel)
    name = f"{vehicle.name}, {wheel}, {component.name}"
    if component.name == "mf_62":
        record = vehicle.params["tire"][0, i]["c"]
        return _of_set(name, {key: float(record[key]) for key in NAMES})
    needed = {"longitudinal_slip", "lateral_slip", "camber", "load", "friction"}
    fields = set() if component.state is None else set(component.state.fields)
    if component.name == "coulomb" or "force" not in component.phases or not needed <= fields:
        raise ConfigError(vehicle.name, None, "tire", f"{component.name} has no curves over slip")
    return Tire(name, float(vehicle.params["tire"]["nominal_load"][0, i]), _of_kernel(vehicle, i))


def _of_set(name: str, c: dict[str, float]) -> Tire:
    """The Tire of a Magic Formula 6.2 set, {coefficient: value}."""

    def forces(load: Any, slip: Any, angle: Any, camber: Any) -> dict[str, np.ndarray]:
        """Forces and moments by the formula; angle and camber in degrees."""
        outputs = evaluate(c, load, slip, np.radians(angle), np.radians(camber), speed=SPEED)
        return {key: outputs[key] for key in OUTPUTS}

    def rolling_radius(load: float) -> float:
        spin = SPEED / c["unloaded_radius"]  # rad/s; close enough, as it only sets the centrifugal growth
        return float(mf62.effective_radius(record, float(load), 0.0, spin))

    record = record_of(c)
    return Tire(name, c["fnomin"], forces, rolling_radius)


def _of_kernel(vehicle: "Vehicle", i: int) -> Callable[..., dict[str, np.ndarray]]:
    """The function `forces` of wheel i's Tire, by the kernel of the vehicle's component, on a copy of the vehicle."""
    vehicle = copy_vehicle(vehicle)
    for key in ("relaxation_longitudinal", "relaxation_lateral"):
        path = f"tire.{vehicle.wheel_names[i]}.{key}"
        if key in vehicle.sequence.by_slot["tire"].params.fields:
            vehicle.set(path, 0.0)
    state = vehicle.state["tire"][0]
    output_names = {"longitudinal_force": "fx", "lateral_force": "fy", "aligning_moment": "mz"}

    def forces(load: Any, slip: Any, angle: Any, camber: Any) -> dict[str, np.ndarray]:
        """Forces and moments by the kernel; angle and camber in degrees."""
        columns = np.broadcast_arrays(
            *(np.asarray(v, float) for v in (load, slip, np.radians(angle), np.radians(camber)))
        )
        outputs = {key: np.full(columns[0].shape, math.nan) for key in OUTPUTS}
        for index in np.ndindex(columns[0].shape):
            inputs = dict(
                zip(("load", "longitudinal_slip", "lateral_slip", "camber"), (c[index] for c in columns), strict=True)
            )
            for key, value in {**inputs, "friction": 1.0, "road_friction": 1.0, "longitudinal_speed": SPEED}.items():
                if key in state.dtype.names:
                    state[key][: vehicle.wheel_count] = value
            _call(vehicle)
            for key, name in output_names.items():
                outputs[name][index] = state[key][i]
        return outputs

    return forces


def _call(vehicle: "Vehicle") -> None:
    """Run the force kernel of a vehicle's tires on its records."""
    component = vehicle.sequence.by_slot["tire"]
    kernel = component.phases["force"]

    def view(array: np.ndarray) -> Any:
        return array if JIT else array.view(np.recarray)

    records = {"params": view(vehicle.params)["tire"][0], "state": view(vehicle.state)["tire"][0],
           "wheel_count": vehicle.wheel_count, "dt": STEP, "context": view(vehicle.context)[0],
           "external": view(np.zeros(1, EXTERNAL))[0]}  # fmt: skip
    for name in argument_names(kernel):
        if name == "scratch":
            records[name] = view(vehicle.scratch)["tire"][0]
        elif name.endswith("_params"):
            records[name] = view(vehicle.params)[name.removesuffix("_params")][0]
        elif name not in records:
            records[name] = view(vehicle.state)[name][0]
    kernel(*(records[name] for name in argument_names(kernel)))


def sweeps(tire: Tire) -> dict[str, dict[str, np.ndarray]]:
    """{sweep: {column: array}} in the units of COLUMNS; axis 0: the fixed quantity, axis 1: the swept one."""
    loads = np.array(LOAD_SHARES)[:, None] * tire.nominal_load
    wide_loads = np.linspace(0.05, 2.5, 50)[None, :] * tire.nominal_load
    angles = np.array(FIXED_ANGLES)[:, None]
    axes = {
        "slip": (loads, SLIPS, 0.0, 0.0),
        "angle": (loads, 0.0, ANGLES, 0.0),
        "camber": (loads, 0.0, 0.0, CAMBERS),
        "combined": (tire.nominal_load, SLIPS, angles, 0.0),
        "load": (wide_loads, 0.0, angles, 0.0),
    }
    curves = {}
    for name, values in axes.items():
        load, slip, angle, camber = np.broadcast_arrays(*(np.asarray(v, float) for v in values))
        curves[name] = {"load": load, "slip": slip, "angle": angle, "camber": camber,
                       **tire.forces(load, slip, angle, camber)}  # fmt: skip
    return curves


def figures(tire: Tire) -> list[dict[str, float]]:
    """Data-sheet figures of a tire, {figure: value} at each load of LOAD_SHARES.

    They are taken at slip angles <= 0, where the lateral force is >= 0 and the aligning moment <= 0.

    load                 N
    mu_x, mu_y           peak driving and lateral force, divided by the load
    peak_slip            longitudinal slip of the peak force
    peak_angle           slip angle of the peak force, deg
    cornering_stiffness  1/rad, divided by the load
    slip_stiffness       per unit slip, divided by the load
    fy_20_degrees        lateral force at LARGE_ANGLE, divided by its peak
    trail                pneumatic trail at SMALL_ANGLE, m
    largest_mz           largest magnitude of the aligning moment, N m
    rolling_radius       effective rolling radius, m
    """
    angles, slips = np.linspace(0.0, 30.0, 601), np.linspace(0.0, 1.0, 1001)
    rows = []
    for share in LOAD_SHARES:
        load = share * tire.nominal_load
        across, along = tire.forces(load, 0.0, -angles, 0.0), tire.forces(load, slips, 0.0, 0.0)
        fy, fx = across["fy"], along["fx"]
        at_small_angle = {key: float(value) for key, value in tire.forces(load, 0.0, -SMALL_ANGLE, 0.0).items()}
        at_large_angle = float(tire.forces(load, 0.0, -LARGE_ANGLE, 0.0)["fy"])
        rows.append({
            "load": load, "mu_x": float(fx.max() / load), "mu_y": float(fy.max() / load),
            "peak_slip": float(slips[fx.argmax()]), "peak_angle": float(angles[fy.argmax()]),
            "cornering_stiffness": at_small_angle["fy"] / math.radians(SMALL_ANGLE) / load,
            "slip_stiffness": float(fx[1] / slips[1] / load), "fy_20_degrees": at_large_angle / float(fy.max()),
            "trail": at_small_angle["trail"], "largest_mz": float(-across["mz"].min()),
            "rolling_radius": tire.rolling_radius(load),
        })  # fmt: skip
    return rows


def charts(tire: Tire, curves: dict) -> list[Chart]:
    """The sweeps as charts."""

    def lines_of(sweep: str, x: str, y: str, scale: float = 1.0, label: str = "{load:.0f} N") -> list[Line]:
        """Lines of column y over x, times `scale`, one for each constant load or angle of a sweep."""
        lines, columns = [], curves[sweep]
        for k in range(columns[y].shape[0]):
            if not np.isnan(columns[y][k]).all():
                constants = {"load": columns["load"][k, 0], "angle": columns["angle"][k, 0]}
                lines.append(Line(label.format(**constants), columns[x][k], columns[y][k] * scale))
        return lines

    by_angle = "{angle:g} deg"
    all_charts = [
        Chart("Longitudinal force", "longitudinal slip, + drives", "kN", lines_of("slip", "slip", "fx", KN)),
        Chart("Lateral force", "slip angle [deg], + moves right", "kN, + right", lines_of("angle", "angle", "fy", KN)),
        Chart("Aligning moment", "slip angle [deg]", "N m, + turns right", lines_of("angle", "angle", "mz")),
        Chart("Pneumatic trail", "slip angle [deg]", "m", lines_of("angle", "angle", "trail")),
        Chart("Overturning moment", "slip angle [deg]", "N m, + leans right", lines_of("angle", "angle", "mx")),
        Chart("Camber thrust", "camber [deg], + leans right", "N, + right", lines_of("camber", "camber", "fy")),
        Chart("Combined slip", "longitudinal force [kN]", "lateral force [kN]",
              [Line(line.label, curves["combined"]["fx"][k] * KN, line.y)
               for k, line in enumerate(lines_of("combined", "slip", "fy", KN, by_angle))]),
        Chart("Lateral force over load", "load [N]", "kN, + right", lines_of("load", "load", "fy", KN, by_angle)),
    ]  # fmt: skip
    return [chart for chart in all_charts if chart.lines]
