"""Tank differential: fixed shares of the drive torque, scaled by the thrust of a lever (PX-TANK-01..03, PX-LEG-05).

    wheel on a track    share = torque_ratio * thrust of its lever
    other driven wheel  share = torque_ratio
    both                weight in the mean speed = speed_ratio

A wheel on a track without a share of its own is driven by the track. Any number of tracks may follow one lever. The
drivetrain gives all wheels of a track the same surface speed (physics/tank/tracks.py).
"""

from typing import Any

from driving_sandbox.physics.differential.multi_wheel import DifferentialState, MultiWheelParams, check_multi_wheel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY, Choice, Int, field
from driving_sandbox.physics.tank.levers import LEFT
from driving_sandbox.physics.tick.component import Component


class TankParams(MultiWheelParams):
    """Shares as in the multi-wheel differential, and the track of a wheel."""

    track: Int = field(
        unit="1",
        ge=0,
        le=WHEEL_CAPACITY,
        default=0,
        source="PX-TANK-02",
        doc="Number of the wheel's track, counted from 1; 0: no track.",
    )
    lever: Choice = field(
        options=("left", "right"),
        default="left",
        source="PX-TANK-02",
        doc="Side whose thrust and brake lever the wheel's track follows.",
    )


class TankState(DifferentialState):
    """Ratios in use and track of one wheel."""

    track: Int = field(unit="1", ge=0, le=WHEEL_CAPACITY, doc="Number of the wheel's track, 0 without.")


@kernel
def update(params: Any, state: Any, levers: Any, wheel_count: int) -> None:
    """Set the ratios in use of every wheel."""
    for i in range(wheel_count):
        p = params[i]
        s = state[i]
        thrust = levers.thrust_left if p.lever == LEFT else levers.thrust_right
        s.track = p.track
        s.connected = 1 if p.track != 0 or p.torque_ratio != 0.0 else 0
        s.torque_ratio = p.torque_ratio * (thrust if p.track != 0 else 1.0)
        s.speed_ratio = p.speed_ratio if p.torque_ratio != 0.0 else 0.0


def check(params: Any, wheel_names: tuple[str, ...]) -> list[tuple[str, str]]:
    """[(key, message)] as `check_multi_wheel`, and for tracks whose wheels follow different levers."""
    problems, count = check_multi_wheel(params, wheel_names), len(wheel_names)
    for track in sorted({int(t) for t in params["track"][:count]} - {0}):
        wheels = [i for i in range(count) if params["track"][i] == track]
        if len({int(params["lever"][i]) for i in wheels}) > 1:
            problems.append(("lever", f"wheels of track {track} follow different levers"))
    return problems


TANK = Component(
    slot="differential",
    name="tank",
    params=TankParams,
    state=TankState,
    phases={"update": update},
    check=check,
    doc="Fixed shares of torque, scaled per track by the thrust levers.",
)
