"""The pure slip curves of Pacejka's formula of 1989 and 1994, in the frame and the units of their coefficients.

    y = D sin(C atan(B x - E (B x - atan(B x)))) + V,    x = slip + H,    B = (B C D) / (C D)

    longitudinal  C = b0       D = Fz (b1 Fz + b2)                       B C D = (b3 Fz^2 + b4 Fz) exp(-b5 Fz)
                  E = (b6 Fz^2 + b7 Fz + b8)(1 - b13 s)     H = b9 Fz + b10           V = b11 Fz + b12
    lateral       C = a0       D = Fz (a1 Fz + a2)(1 - a15 g^2)          B C D = a3 sin(2 atan(Fz / a4))(1 - a5 |g|)
                  E = (a6 Fz + a7)(1 - (a16 g + a17) s)     H = a8 Fz + a9 + a10 g
                  V = a11 Fz + a12 + (a13 Fz + a14) g Fz
    aligning      C = c0       D = (c1 Fz^2 + c2 Fz)(1 - c18 g^2)
                  B C D = (c3 Fz^2 + c4 Fz)(1 - c6 |g|) exp(-c5 Fz)
                  E = (c7 Fz^2 + c8 Fz + c9)(1 - (c19 g + c20) s) / (1 - c10 |g|)
                  H = c11 Fz + c12 + c13 g                  V = c14 Fz + c15 + (c16 Fz^2 + c17 Fz) g

with s the sign of x: the formula of 1994 (H. B. Pacejka, Tire and Vehicle Dynamics, ch. 4, as ADAMS/Tire prints it).
That of 1989 (Bakker, Nyborg and Pacejka, SAE 870421, as G. Genta prints it and Racer uses it, RC-TIRE-02) is the same
with fewer terms and other names, see `pacejka.py`; only its E of the aligning moment has c10 as a factor 1 - c10 |g|.

Units of the coefficients: load Fz in kilonewtons, slip in percent, slip angle and camber g in degrees; forces in N,
moments in N m. `friction` scales D and V: a slippery road lowers the peak and leaves the stiffness at small slip.
A curve whose C D is zero is V alone.
"""

from typing import Any

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import kernel

LONGITUDINAL, LATERAL, ALIGNING = 14, 18, 21  # number of coefficients of each curve


@kernel
def magic(x: float, stiffness: float, shape: float, peak: float, curvature: float) -> float:
    """The formula without its shifts. x: slip plus H. stiffness: B C D. shape: C. peak: D. curvature: E."""
    shape_times_peak = shape * peak
    if shape_times_peak == 0.0:
        return 0.0
    bx = stiffness / shape_times_peak * x
    return peak * elementary.sin(shape * elementary.atan(bx - curvature * (bx - elementary.atan(bx))))


@kernel
def sine_of_twice_atan(z: float) -> float:
    """sin(2 atan z), computed without trigonometric functions."""
    return 2.0 * z / (1.0 + z * z)


@kernel
def sign_or_one(x: float) -> float:
    """Sign of x, 1 for 0."""
    return 1.0 if x >= 0.0 else -1.0


@kernel
def longitudinal_force(b: Any, slip: float, load: float, friction: float) -> float:
    """Longitudinal force, N. b: b0..b13. slip: percent, > 0 drives. load: kN."""
    x = slip + b[9] * load + b[10]
    stiffness = (b[3] * load + b[4]) * load * elementary.exp(-b[5] * load)
    peak = friction * load * (b[1] * load + b[2])
    curvature = ((b[6] * load + b[7]) * load + b[8]) * (1.0 - b[13] * sign_or_one(x))
    return magic(x, stiffness, b[0], peak, curvature) + friction * (b[11] * load + b[12])


@kernel
def lateral_force(a: Any, angle: float, camber: float, load: float, friction: float) -> float:
    """Lateral force, N. a: a0..a17. angle, camber: degrees. load: kN."""
    x = angle + a[8] * load + a[9] + a[10] * camber
    stiffness = a[3] * sine_of_twice_atan(load / a[4]) * (1.0 - a[5] * abs(camber))
    peak = friction * load * (a[1] * load + a[2]) * (1.0 - a[15] * camber * camber)
    curvature = (a[6] * load + a[7]) * (1.0 - (a[16] * camber + a[17]) * sign_or_one(x))
    shift = a[11] * load + a[12] + (a[13] * load + a[14]) * camber * load
    return magic(x, stiffness, a[0], peak, curvature) + friction * shift


@kernel
def aligning_moment(c: Any, angle: float, camber: float, load: float, friction: float, camber_divides: Any) -> float:
    """Aligning moment, N m. c: c0..c20. angle, camber: degrees. load: kN. camber_divides: 1 for 1994, 0 for 1989."""
    tilt = abs(camber)
    x = angle + c[11] * load + c[12] + c[13] * camber
    stiffness = (c[3] * load + c[4]) * load * (1.0 - c[6] * tilt) * elementary.exp(-c[5] * load)
    peak = friction * (c[1] * load + c[2]) * load * (1.0 - c[18] * camber * camber)
    curvature = ((c[7] * load + c[8]) * load + c[9]) * (1.0 - (c[19] * camber + c[20]) * sign_or_one(x))
    curvature = curvature / (1.0 - c[10] * tilt) if camber_divides != 0 else curvature * (1.0 - c[10] * tilt)
    shift = c[14] * load + c[15] + (c[16] * load + c[17]) * load * camber
    return magic(x, stiffness, c[0], peak, curvature) + friction * shift
