"""Automatic clutch that launches as a driver does: it slips at the engine speed that the throttle asks for.

Like `automatic` (auto_clutch.py) it is open at idle and closes with rising speed. When the car starts from rest with
the throttle pressed, closing fully at once would slow the engine to where it has no torque. Instead the clutch
transmits

    T = T_engine + hold (omega - omega_target) >= 0,    omega_target = bite_omega + throttle (launch_omega - bite_omega)

so that the engine speed settles at omega_target and all torque of the engine goes to the wheels, until they are fast
enough for the clutch to close. While the strength of `automatic` would transmit more than T, it is limited to T / slip.

A launch begins near standstill only, in any gear and in neutral: while the wheels are so slow that in first gear the
gearbox input would be slower than bite_omega (2 to 4 m/s in a car). So after a change of gears while driving the clutch
closes as `automatic` does. Above that speed a launch ends as soon as the strength of `automatic` transmits no more than
T at the present slip, or the gearbox input is faster than launch_omega.

Source: the program's own.
"""

from typing import Any

from driving_sandbox.physics.drivetrain.auto_clutch import AutoClutchParams, closing_share
from driving_sandbox.physics.drivetrain.auto_clutch import check as check_automatic
from driving_sandbox.physics.drivetrain.clutch import ClutchState
from driving_sandbox.physics.drivetrain.wheel_speed import shaft_speed
from driving_sandbox.physics.gearbox.gearbox import gear_ratio
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, Int, field
from driving_sandbox.physics.tick.component import Component

MIN_SLIP = 1.0  # rad/s; regularisation: smallest slip in the denominator of the strength


class LaunchClutchParams(AutoClutchParams):
    """Speeds between which the clutch closes, and engine speed of a launch."""

    bite_omega: Float = field(
        unit="rad/s", ge=0, suggest=(80, 200), default=120.0,
        doc="Speed below which the clutch is open; a little above the engine's idle speed.",
    )  # fmt: skip
    full_omega: Float = field(
        unit="rad/s", gt=0, suggest=(120, 400), default=250.0, doc="Speed from which the clutch is fully closed."
    )
    launch_omega: Float = field(
        unit="rad/s",
        gt=0,
        suggest=(150, 600),
        default=400.0,
        mechanic=True,
        doc="Engine speed of a launch at full throttle.",
    )
    hold: Float = field(
        unit="N*m*s/rad",
        gt=0,
        suggest=(0.1, 5),
        default=1.0,
        doc="Clutch torque per engine speed above the target; below peak_torque / (launch_omega - bite_omega), or the "
        "clutch grips harder as the throttle closes.",
    )


class LaunchClutchState(ClutchState):
    """Engagement and strength, and whether a launch is under way."""

    launching: Int = field(unit="1", ge=0, le=1, doc="1 during a launch.")


@kernel
def launch_torque(p: Any, omega: float, throttle: float, engine_torque: float) -> float:
    """Clutch torque T (see above), N m, which keeps the engine at the speed that the throttle asks for."""
    target = p.bite_omega + throttle * (p.launch_omega - p.bite_omega)
    return max(0.0, engine_torque + p.hold * (omega - target))


@kernel
def first_gear_ratio(p: Any) -> float:
    """Engine turns per turn of the shaft in first gear; in the lowest reverse gear if there is no forward gear."""
    first = p.neutral_gear + 1
    return gear_ratio(p, first if first < p.ratios.count else max(0, p.neutral_gear - 1))


@kernel
def update(
    params: Any, state: Any, input: Any, autobox: Any, engine: Any, gearbox: Any, gearbox_params: Any,
    differential: Any, wheel: Any, wheel_count: int,
) -> None:  # fmt: skip
    """Set engagement and strength, and begin or end a launch."""
    p, s = params, state
    shaft_omega = shaft_speed(differential, wheel, wheel_count)
    gearbox_omega = gear_ratio(gearbox_params, gearbox.current_gear) * shaft_omega
    s.normalised = min(1.0 - input.clutch, closing_share(p, max(engine.omega, abs(gearbox_omega))))
    s.response = s.normalised * p.strength
    slip, torque = engine.omega - gearbox_omega, launch_torque(p, engine.omega, autobox.throttle, engine.torque)
    exceeds_torque = s.response * slip > torque
    if abs(first_gear_ratio(gearbox_params) * shaft_omega) < p.bite_omega:
        s.launching = 1
    elif not exceeds_torque or gearbox_omega > p.launch_omega:
        s.launching = 0
    if s.launching != 0 and exceeds_torque:
        s.response = torque / max(slip, MIN_SLIP)


def check(params: Any, engine_params: Any) -> list[tuple[str, str]]:
    """Problems as for the automatic clutch, and of a launch speed beyond the engine's range."""
    problems = check_automatic(params, engine_params)
    if not params["bite_omega"] < params["launch_omega"] <= engine_params["max_omega"]:
        limits = f"{params['bite_omega']:g} to {engine_params['max_omega']:g}"
        problems.append(("launch_omega", f"must be above bite_omega and at most the engine's max_omega ({limits})"))
    return problems


LAUNCH_CLUTCH = Component(
    slot="clutch",
    name="launch",
    params=LaunchClutchParams,
    state=LaunchClutchState,
    phases={"update": update},
    check=check,
    doc="Opens automatically at low engine speed, and keeps the engine at a launch speed when starting from rest.",
)
