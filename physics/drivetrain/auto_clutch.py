"""Automatic clutch: opens before the engine would stall, and engages as its speed rises.

    share = 0 below bite_omega, 1 above full_omega, linear between; of the faster of engine and gearbox input
    response = strength * min(1 - pedal, share)

So a car can stand in gear with the engine idling, moves off as the throttle raises the engine speed, and stays engaged
through a gear change, when the gearbox side is fast.
"""

from driving_sandbox.physics.drivetrain.clutch import ClutchParams, ClutchState
from driving_sandbox.physics.gearbox.gearbox import gear_ratio
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, field
from driving_sandbox.physics.tick.component import Component


class AutoClutchParams(ClutchParams):
    """Strength, and the speeds between which it closes."""

    bite_omega: Float = field(
        unit="rad/s", ge=0, suggest=(80, 200), doc="Open below this speed; a little above the engine's idle speed."
    )
    full_omega: Float = field(unit="rad/s", gt=0, suggest=(120, 400), doc="Fully closed from this speed on.")


@kernel
def closing_share(p, omega):
    """0 open .. 1 closed at a speed."""
    return min(1.0, max(0.0, (omega - p.bite_omega) / (p.full_omega - p.bite_omega)))


@kernel
def update(params, state, input, engine, gearbox, gearbox_params, differential, wheel, wheel_count):
    shaft = 0.0
    for i in range(wheel_count):
        shaft += differential[i].speed_ratio * wheel[i].omega
    gearbox_side = abs(gear_ratio(gearbox_params, gearbox.current_gear) * shaft)
    state.normalised = min(1.0 - input.clutch, closing_share(params, max(engine.omega, gearbox_side)))
    state.response = state.normalised * params.strength


def check(params, engine_params):
    """The clutch must be open at idle and closed at speed."""
    found = []
    if params["bite_omega"] < engine_params["idle_omega"]:
        found.append(("bite_omega", f"must not be below the engine's idle speed ({engine_params['idle_omega']:g})"))
    if params["full_omega"] <= params["bite_omega"]:
        found.append(("full_omega", f"must be above bite_omega ({params['bite_omega']:g})"))
    return found


AUTO_CLUTCH = Component(
    slot="clutch",
    name="automatic",
    params=AutoClutchParams,
    state=ClutchState,
    phases={"update": update},
    check=check,
    doc="Opens by itself at low engine speed.",
)
