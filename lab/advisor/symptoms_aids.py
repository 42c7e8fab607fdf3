"""Advice about driving aids (Racer's traction control)."""

from driving_sandbox.lab.advisor.advice import advise
from driving_sandbox.lab.advisor.figures import value

PRESSED = 0.5  # throttle
STUCK = 2.0  # s of uninterrupted cutting
BETTER_RATIO = 1.05  # minimum that front-drive cars reach while their engine brakes


def stuck_traction_control(watch):
    """Only where a higher minimum helps: at or above BETTER_RATIO the cause is another one."""
    if not (watch.has("traction_control.active", "input.throttle") and watch.full(STUCK)):
        return None
    low = value(watch.vehicle, "traction_control", "min_velocity_ratio")
    throttle = watch.get("input.throttle", STUCK)
    if low < BETTER_RATIO and watch.get("traction_control.active", STUCK, None).all() and throttle.min() > PRESSED:
        ratio = watch.now("traction_control.ratio")
        text = f"active for {STUCK:g} s with throttle {throttle[-1]:.2f}; ratio {ratio:.3f}, returns at {low:g}"
        path = "traction_control.min_velocity_ratio"
        return advise("stuck_traction_control", text, path, {path: BETTER_RATIO})
    return None


AID_DETECTORS = (stuck_traction_control,)
