"""Sensor signals of driving aids: ratios of wheel speeds (RC-TC-02).

    axles   mean spin rate of the front wheels over that of the rear wheels or the reverse; front and rear are the
            wheels ahead of and behind the centre of mass
    wheels  speed of a tire's rim over that of the ground under it

A ratio between axles cannot detect four wheels that lock or spin together; the ratio of each wheel to the ground can,
and real cars estimate it from all their sensors. Denominators are at least SLOW.
"""

from driving_sandbox.physics.kernel.jit import kernel

SLOW = 0.5  # m/s; below it the ratio is no measure of slip
MODES = ("axles", "wheels")
AXLES = 0  # index of the first


@kernel
def mean_rates(suspension_params, wheel, wheel_count):
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
def ratio_of(fast, slow, least):
    """fast / slow of two speeds, both clamped to at least `least`, so that the ratio at rest is 1."""
    return max(abs(fast), least) / max(abs(slow), least)


@kernel
def latched(active, ratio, largest, smallest):
    """Hysteresis: on above `largest`, off again at `smallest` or below, in between as before."""
    if ratio > largest:
        return 1
    return 0 if ratio <= smallest else active


def check_ratios(params):
    """Problems of a pair of ratios."""
    if params["min_velocity_ratio"] >= params["max_velocity_ratio"]:
        return [("min_velocity_ratio", f"must be below max_velocity_ratio ({params['max_velocity_ratio']:g})")]
    return []
