"""Automatic clutch that leaves the line as a person does: it slips at the engine speed that the pedal asks for.

As `automatic` (auto_clutch.py) it is open at idle and bites with rising speed. When the car leaves rest with the
throttle down it does not close all the way at once, and pull the engine down to where it has no torque; it passes on

    T = T_engine + hold (omega - omega_launch) >= 0,    omega_launch = bite_omega + throttle (launch_omega - bite_omega)

so that engine speed settles at omega_launch and all torque of the engine goes to the wheels, until they have caught up
and it closes. In the coupling's terms the strength of `automatic` is limited to T / |slip|.

A launch begins where the gearbox input is slower than bite_omega, and ends when the clutch no longer slips beyond what
its strength makes of T, or its input reaches omega_launch. Later gear changes are those of `automatic`.

Source: the program's own.
"""

from typing import Any

from driving_sandbox.physics.drivetrain.auto_clutch import AutoClutchParams, closing_share
from driving_sandbox.physics.drivetrain.auto_clutch import check as check_automatic
from driving_sandbox.physics.drivetrain.clutch import ClutchState
from driving_sandbox.physics.gearbox.gearbox import gear_ratio
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, Int, field
from driving_sandbox.physics.tick.component import Component

LEAST_SLIP = 1.0  # rad/s; below it a torque is not limited by slip any more


class LaunchClutchParams(AutoClutchParams):
    """Speeds between which it closes, and the speed of the engine at the start."""

    bite_omega: Float = field(
        unit="rad/s", ge=0, suggest=(80, 200), default=120.0,
        doc="Open below this speed; a little above the engine's idle speed.",
    )  # fmt: skip
    full_omega: Float = field(
        unit="rad/s", gt=0, suggest=(120, 400), default=250.0, doc="Fully closed from this speed on."
    )
    launch_omega: Float = field(
        unit="rad/s",
        gt=0,
        suggest=(150, 600),
        default=400.0,
        mechanic=True,
        doc="Engine speed held at full throttle while the car leaves rest.",
    )
    hold: Float = field(
        unit="N*m*s/rad",
        gt=0,
        suggest=(0.2, 5),
        default=1.0,
        doc="Clutch torque added per speed of the engine over the one asked for.",
    )


class LaunchClutchState(ClutchState):
    """Response, and whether the car is leaving the line."""

    launching: Int = field(unit="1", ge=0, le=1, doc="1 while engine speed is held at the start.")


@kernel
def launch_torque(p: Any, omega: float, throttle: float, engine_torque: float) -> float:
    """Torque that holds the engine at the speed that the throttle asks for."""
    asked = p.bite_omega + throttle * (p.launch_omega - p.bite_omega)
    return max(0.0, engine_torque + p.hold * (omega - asked))


@kernel
def update(
    params: Any,
    state: Any,
    input: Any,
    autobox: Any,
    engine: Any,
    gearbox: Any,
    gearbox_params: Any,
    differential: Any,
    wheel: Any,
    wheel_count: int,
) -> None:
    p, s = params, state
    shaft = 0.0
    for i in range(wheel_count):
        shaft += differential[i].speed_ratio * wheel[i].omega
    gearbox_side = gear_ratio(gearbox_params, gearbox.current_gear) * shaft
    s.normalised = min(1.0 - input.clutch, closing_share(p, max(engine.omega, abs(gearbox_side))))
    s.response = s.normalised * p.strength
    slip, torque = engine.omega - gearbox_side, launch_torque(p, engine.omega, autobox.throttle, engine.torque)
    limited = s.response * slip > torque
    if abs(gearbox_side) < p.bite_omega:
        s.launching = 1
    elif not limited or gearbox_side > p.launch_omega:
        s.launching = 0
    if s.launching != 0 and limited:
        s.response = torque / max(slip, LEAST_SLIP)


def check(params: Any, engine_params: Any) -> list[tuple[str, str]]:
    """As of the automatic clutch, and a launch speed that the engine has."""
    found = check_automatic(params, engine_params)
    if not params["bite_omega"] < params["launch_omega"] <= engine_params["max_omega"]:
        limits = f"{params['bite_omega']:g} to {engine_params['max_omega']:g}"
        found.append(("launch_omega", f"must lie above bite_omega and not over the engine's largest speed ({limits})"))
    return found


LAUNCH_CLUTCH = Component(
    slot="clutch",
    name="launch",
    params=LaunchClutchParams,
    state=LaunchClutchState,
    phases={"update": update},
    check=check,
    doc="Opens by itself at low engine speed, and holds the engine at a launch speed when leaving rest.",
)
