"""Inputs of driving aids: ratios of wheel speeds (RC-TC-02).

    axles   ratio of the mean spin rates of front and rear wheels, or its inverse; front and rear are the wheels ahead
            of and behind the centre of mass
    wheels  ratio of the speed of a tire's rim to that of the ground under it, or its inverse

A ratio of axles cannot detect four wheels that lock or spin together; the ratio of each wheel to the ground can. Real
cars estimate the latter from all their sensors. Speeds below MIN_SPEED count as MIN_SPEED.
"""

from typing import Any

from driving_sandbox.physics.kernel.jit import kernel

MIN_SPEED = 0.5  # m/s, below which a ratio is no measure of slip
MODES = ("axles", "wheels")
AXLES = MODES.index("axles")


@kernel
def mean_rates(suspension_params: Any, wheel: Any, wheel_count: int) -> tuple[float, float]:
    """(front, rear) mean spin rates, rad/s; 0 for an end without wheels."""
    front, rear = 0.0, 0.0
    front_count, rear_count = 0, 0
    for i in range(wheel_count):
        if suspension_params[i].arm[1] > 0.0:
            front += wheel[i].omega
            front_count += 1
        else:
            rear += wheel[i].omega
            rear_count += 1
    return front / max(front_count, 1), rear / max(rear_count, 1)


@kernel
def ratio_of(fast: float, slow: float, min_speed: float) -> float:
    """|fast| / |slow| of two speeds or spin rates, each at least `min_speed`, so that the ratio at rest is 1."""
    return max(abs(fast), min_speed) / max(abs(slow), min_speed)


@kernel
def latched(active: int, ratio: float, largest: float, smallest: float) -> int:
    """New value of `active`, with hysteresis: 1 if ratio > largest, 0 if ratio <= smallest, else unchanged."""
    if ratio > largest:
        return 1
    return 0 if ratio <= smallest else active


def check_ratios(params: Any) -> list[tuple[str, str]]:
    """[(parameter, problem)] if the two ratios are the wrong way round."""
    if params["min_velocity_ratio"] >= params["max_velocity_ratio"]:
        return [("min_velocity_ratio", f"must be below max_velocity_ratio ({params['max_velocity_ratio']:g})")]
    return []
