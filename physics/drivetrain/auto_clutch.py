"""Automatic clutch: opens before the engine would stall, and closes as its speed rises.

    share    = (omega - bite_omega) / (full_omega - bite_omega), within 0..1
    response = strength * min(1 - pedal, share)

with omega the speed of engine or gearbox input, whichever is faster. So a car can stand in gear with the engine idling
and moves off as the throttle raises the engine speed; at speed the clutch stays closed although the engine slows down.
"""

from typing import Any

from driving_sandbox.physics.drivetrain.clutch import ClutchParams, ClutchState
from driving_sandbox.physics.drivetrain.wheel_speed import shaft_speed
from driving_sandbox.physics.gearbox.gearbox import gear_ratio
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, field
from driving_sandbox.physics.tick.component import Component


class AutoClutchParams(ClutchParams):
    """Strength, and the speeds between which the clutch closes."""

    bite_omega: Float = field(
        unit="rad/s",
        ge=0,
        suggest=(80, 200),
        doc="Speed below which the clutch is open; a little above the engine's idle speed.",
    )
    full_omega: Float = field(
        unit="rad/s", gt=0, suggest=(120, 400), doc="Speed from which the clutch is fully closed."
    )


@kernel
def closing_share(p: Any, omega: float) -> float:
    """Engagement at a speed (rad/s), 0 open .. 1 closed."""
    return min(1.0, max(0.0, (omega - p.bite_omega) / (p.full_omega - p.bite_omega)))


@kernel
def update(
    params: Any, state: Any, input: Any, engine: Any, gearbox: Any, gearbox_params: Any, differential: Any, wheel: Any,
    wheel_count: int,
) -> None:  # fmt: skip
    """Set engagement and strength."""
    gearbox_omega = gear_ratio(gearbox_params, gearbox.current_gear) * shaft_speed(differential, wheel, wheel_count)
    share = closing_share(params, max(engine.omega, abs(gearbox_omega)))
    state.normalised = min(1.0 - input.clutch, share)
    state.response = state.normalised * params.strength


def check(params: Any, engine_params: Any) -> list[tuple[str, str]]:
    """Problems of the two speeds: the clutch must be open at idle, and close above."""
    problems = []
    if params["bite_omega"] < engine_params["idle_omega"]:
        problems.append(("bite_omega", f"must not be below the engine's idle speed ({engine_params['idle_omega']:g})"))
    if params["full_omega"] <= params["bite_omega"]:
        problems.append(("full_omega", f"must be above bite_omega ({params['bite_omega']:g})"))
    return problems


AUTO_CLUTCH = Component(
    slot="clutch",
    name="automatic",
    params=AutoClutchParams,
    state=ClutchState,
    phases={"update": update},
    check=check,
    doc="Opens by itself at low engine speed.",
)
