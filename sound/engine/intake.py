"""Intake: suction of the cylinders through runner, plenum, throttle and snorkel, and the noise of its flow.

    source    -omega (0.3 + 0.7 m) sum of V' lift over the cylinders; m: charge
    plenum    its pressure follows what flows in from the runner less what flows out to the snorkel
    throttle  passes the share t = 0.08 + 0.92 opening; the snorkel's wave is reflected as from a wall otherwise. Diesel
              engines have none: t = 1

Runners are alike, so one line carries the sum of their waves. The open end radiates the derivative of its flow.
"""

from typing import Any

from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.base.filters import ANTI_DENORMAL, pole
from driving_sandbox.sound.base.noise import white

SOURCE = 0.0011  # bar s/rad of a cylinder's suction into the runner
CHARGE_REST, CHARGE_SHARE = 0.3, 0.7
VALVE_REFLECTION, RUNNER_SHARE = 0.8, 0.75
LEAK = 0.08  # share that the closed throttle passes
SNORKEL_SHARE, END_REFLECTION = 0.4, -0.88  # of the open end
RADIATION, RADIATION_SHARE = 9.0, 0.3  # derivative per sample, peaks near 2.7 kHz (ka = 1), as at the exhaust
NOISE_SHARE, NOISE_SHARE_LOW = 0.28, 0.065  # 3 kHz and 500 Hz


@inline_kernel
def suction(parameters: Any, phase: float) -> float:
    """Flow into a cylinder, per rad of the crankshaft and swept volume."""
    table = parameters.derived.suction
    step = int(phase)
    return table[step] + (phase - step) * (table[step + 1] - table[step])


@kernel
def breathe(parameters: Any, state: Any, flow: float) -> float:
    """Move the intake by a sample; `flow`: sum of `suction`. Returns the sound at the open end of the snorkel."""
    near, far = state.runner_place, state.snorkel_place
    source = -SOURCE * state.speed * (CHARGE_REST + CHARGE_SHARE * state.charge) * flow
    state.runner_pole = pole(state.runner_pole, state.runner[1, near], RUNNER_SHARE)
    from_valves = state.runner[0, near]
    from_air = state.snorkel[1, far]
    passed = 1.0 if parameters.diesel else LEAK + (1.0 - LEAK) * state.throttle
    onward = passed * (state.plenum - 2.0 * from_air)
    state.plenum += parameters.plenum * (2.0 * from_valves - state.plenum - onward) + ANTI_DENORMAL
    state.runner[0, near] = VALVE_REFLECTION * state.runner_pole + source
    state.runner[1, near] = state.plenum - from_valves
    at_end = state.snorkel[0, far]
    state.snorkel[0, far] = from_air + onward
    state.snorkel_pole = pole(state.snorkel_pole, at_end, SNORKEL_SHARE)
    back = END_REFLECTION * state.snorkel_pole
    state.snorkel[1, far] = back
    state.runner_place = near + 1 if near + 1 < state.runner_delay else 0
    state.snorkel_place = far + 1 if far + 1 < state.snorkel_delay else 0
    inflow = at_end - back
    sound = RADIATION * (inflow - state.inflow)
    state.inflow = inflow
    state.intake_pole[0] = pole(state.intake_pole[0], inflow * inflow * white(state), NOISE_SHARE)
    state.intake_pole[1] = pole(state.intake_pole[1], state.intake_pole[0], NOISE_SHARE_LOW)
    for k in range(2):
        state.air_pole[k] = pole(state.air_pole[k], sound, RADIATION_SHARE)
        sound = state.air_pole[k]
    return sound + parameters.intake_noise * (state.intake_pole[0] - state.intake_pole[1])
