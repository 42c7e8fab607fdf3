"""Advice about driving aids (Racer's traction control)."""

from driving_sandbox.lab.advisor.advice import Advice, advise
from driving_sandbox.lab.advisor.figures import value
from driving_sandbox.lab.advisor.sample_history import SampleHistory

PRESSED = 0.5  # throttle above which it counts as pressed
STUCK_TIME = 2.0  # s of uninterrupted intervention
RECOMMENDED_RATIO = 1.05  # velocity ratio that front-drive cars reach while their engine brakes


def stuck_traction_control(watch: SampleHistory) -> Advice | None:
    """Traction control never ends its intervention, because the velocity ratio that ends it is set too low."""
    if not (watch.has("traction_control.active", "input.throttle") and watch.full(STUCK_TIME)):
        return None
    low = value(watch.vehicle, "traction_control", "min_velocity_ratio")
    throttle = watch.get("input.throttle", STUCK_TIME)
    if (
        low < RECOMMENDED_RATIO
        and watch.get("traction_control.active", STUCK_TIME, None).all()
        and throttle.min() > PRESSED
    ):
        ratio = watch.now("traction_control.ratio")
        text = f"active for {STUCK_TIME:g} s with throttle {throttle[-1]:.2f}; ratio {ratio:.3f}, returns at {low:g}"
        path = "traction_control.min_velocity_ratio"
        return advise("stuck_traction_control", text, path, {path: RECOMMENDED_RATIO})
    return None


AID_DETECTORS = (stuck_traction_control,)
