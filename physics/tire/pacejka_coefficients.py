"""The coefficients of Pacejka's formula of 1989 and of 1994: names, units, defaults and meanings.

Rows are (name, unit, default, meaning). The defaults of both years are a tire made up for this project, similar to
published 205/55 R 16 summer tires: its lateral force is largest at a slip angle of 5 to 6 degrees, and its peak lateral
friction falls from 1.14 at 2 kN to 0.98 at 6 kN. `as_1994` gives the coefficients of either year in the order of 1994.
"""

import numpy as np

LONGITUDINAL_ROWS = (
    ("b0", "1", 1.65, "C: shape of the longitudinal curve."),
    ("b1", "N/kN^2", -38.0, "Change of the longitudinal peak friction with load."),
    ("b2", "N/kN", 1240.0, "Longitudinal peak friction at no load, times 1000."),
    ("b3", "N/(% kN^2)", 14.0, "Change of the longitudinal stiffness with load."),
    ("b4", "N/(% kN)", 265.0, "Longitudinal stiffness at small slip per load."),
    ("b5", "1/kN", 0.05, "Exponential fall of the longitudinal stiffness with load."),
    ("b6", "1/kN^2", 0.0, "Curvature E: change with load squared."),
    ("b7", "1/kN", 0.03, "Curvature E: change with load."),
    ("b8", "1", -0.2, "Curvature E at no load."),
    ("b9", "%/kN", 0.0, "Shift of the slip with load."),
    ("b10", "%", 0.0, "Shift of the slip."),
)
LATERAL_ROWS = (
    ("a0", "1", 1.5, "C: shape of the lateral curve."),
    ("a1", "N/kN^2", -40.0, "Change of the lateral peak friction with load."),
    ("a2", "N/kN", 1220.0, "Lateral peak friction at no load, times 1000."),
    ("a3", "N/deg", 2250.0, "Largest cornering stiffness."),
    ("a4", "kN", 7.5, "Load of the largest cornering stiffness."),
    ("a5", "1/deg", 0.01, "Fall of the cornering stiffness with camber."),
    ("a6", "1/kN", -0.15, "Curvature E: change with load."),
    ("a7", "1", 0.1, "Curvature E at no load."),
)
ALIGNING_ROWS = (
    ("c0", "1", 2.35, "C: shape of the aligning moment."),
    ("c1", "N*m/kN^2", -1.6, "Peak of the moment: part proportional to load squared."),
    ("c2", "N*m/kN", -3.2, "Peak of the moment: part proportional to load."),
    ("c3", "N*m/(deg kN^2)", -0.75, "Stiffness of the moment: part proportional to load squared."),
    ("c4", "N*m/(deg kN)", -4.1, "Stiffness of the moment: part proportional to load."),
    ("c5", "1/kN", 0.02, "Exponential fall of the stiffness with load."),
    ("c6", "1/deg", 0.0, "Fall of the stiffness with camber."),
    ("c7", "1/kN^2", 0.02, "Curvature E: change with load squared."),
    ("c8", "1/kN", -0.3, "Curvature E: change with load."),
    ("c9", "1", -0.6, "Curvature E at no load."),
    ("c10", "1/deg", 0.0, "Curvature E: change with camber."),
)
SET_1989 = (
    *LONGITUDINAL_ROWS,
    *LATERAL_ROWS,
    ("a8", "1", 0.04, "Shift of the angle with camber."),
    ("a9", "deg/kN", 0.0, "Shift of the angle with load."),
    ("a10", "deg", 0.0, "Shift of the angle."),
    ("a111", "N/(deg kN^2)", 0.0, "Shift of the force with camber and load squared."),
    ("a112", "N/(deg kN)", 4.0, "Shift of the force with camber and load."),
    ("a12", "N/kN", 0.0, "Shift of the force with load."),
    ("a13", "N", 0.0, "Shift of the force."),
    *ALIGNING_ROWS,
    ("c11", "1", 0.0, "Shift of the angle with camber."),
    ("c12", "deg/kN", 0.0, "Shift of the angle with load."),
    ("c13", "deg", 0.0, "Shift of the angle."),
    ("c14", "N*m/(deg kN^2)", 0.0, "Shift of the moment with camber and load squared."),
    ("c15", "N*m/(deg kN)", 0.0, "Shift of the moment with camber and load."),
    ("c16", "N*m/kN", 0.0, "Shift of the moment with load."),
    ("c17", "N*m", 0.0, "Shift of the moment."),
)
SET_1994 = (
    *LONGITUDINAL_ROWS,
    ("b11", "N/kN", 0.0, "Shift of the force with load."),
    ("b12", "N", 0.0, "Shift of the force."),
    ("b13", "1", 0.0, "Difference of E between driving and braking."),
    *LATERAL_ROWS,
    ("a8", "deg/kN", 0.0, "Shift of the angle with load."),
    ("a9", "deg", 0.0, "Shift of the angle."),
    ("a10", "1", 0.04, "Shift of the angle with camber."),
    ("a11", "N/kN", 0.0, "Shift of the force with load."),
    ("a12", "N", 0.0, "Shift of the force."),
    ("a13", "N/(deg kN^2)", 0.0, "Shift of the force with camber and load squared."),
    ("a14", "N/(deg kN)", 4.0, "Shift of the force with camber and load."),
    ("a15", "1/deg^2", 0.0, "Fall of the peak with camber."),
    ("a16", "1/deg", 0.0, "Difference of E between positive and negative slip angle: change with camber."),
    ("a17", "1", 0.0, "Difference of E between positive and negative slip angle."),
    *ALIGNING_ROWS,
    ("c11", "deg/kN", 0.0, "Shift of the angle with load."),
    ("c12", "deg", 0.0, "Shift of the angle."),
    ("c13", "1", 0.0, "Shift of the angle with camber."),
    ("c14", "N*m/kN", 0.0, "Shift of the moment with load."),
    ("c15", "N*m", 0.0, "Shift of the moment."),
    ("c16", "N*m/(deg kN^2)", 0.0, "Shift of the moment with camber and load squared."),
    ("c17", "N*m/(deg kN)", 0.0, "Shift of the moment with camber and load."),
    ("c18", "1/deg^2", 0.0, "Fall of the peak with camber."),
    ("c19", "1/deg", 0.0, "Difference of E between positive and negative slip angle: change with camber."),
    ("c20", "1", 0.0, "Difference of E between positive and negative slip angle."),
)
# Names of 1989 for the coefficients of 1994, in the order of 1994; None: the coefficient is 0.
NAMES_1989 = {
    "longitudinal": (*(f"b{i}" for i in range(11)), None, None, None),
    "lateral": (*(f"a{i}" for i in range(8)), "a9", "a10", "a8", "a12", "a13", "a111", "a112", None, None, None),
    "aligning": (*(f"c{i}" for i in range(11)), "c12", "c13", "c11", "c16", "c17", "c14", "c15", None, None, None),
}
NAMES_1994 = {
    "longitudinal": tuple(f"b{i}" for i in range(14)),
    "lateral": tuple(f"a{i}" for i in range(18)),
    "aligning": tuple(f"c{i}" for i in range(21)),
}

# Names that have different meanings in the two years
RENAMED = ("a8", "a9", "a10", "a12", "a13", "c11", "c12", "c13", "c14", "c15", "c16", "c17")


def as_1994(record: np.void, year: int) -> dict[str, list[float]]:
    """{curve: list of coefficients in the order of 1994}.

    record: record or mapping of the coefficients by their names of `year`, 1989 or 1994.
    """
    names = NAMES_1994 if year == 1994 else NAMES_1989
    return {curve: [0.0 if n is None else float(record[n]) for n in of_curve] for curve, of_curve in names.items()}
