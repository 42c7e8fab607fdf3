"""Intake: suction of the cylinders through runner, plenum, throttle and snorkel, and the noise of its flow.

    source    -omega (0.3 + 0.7 m) sum of V' lift over the cylinders; m: charge
    plenum    its pressure follows what flows in from the runner less what flows out to the snorkel
    throttle  passes the share t = 0.08 + 0.92 opening; the snorkel's wave is reflected as from a wall otherwise. Diesel
              engines have none: t = 1

Runners are alike, so one line carries the sum of their waves. The snorkel's open end is that of open_end.py.
"""

from typing import Any

from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.base.filters import ANTI_DENORMAL, pole
from driving_sandbox.sound.engine.open_end import EndShape, open_end

SOURCE = 0.0011  # bar s, wave into the runner by suction in swept volumes per second
CHARGE_REST, CHARGE_SHARE = 0.3, 0.7  # factor of the source without charge, and its growth per bar of charge
VALVE_REFLECTION, RUNNER_SHARE = 0.8, 0.75  # of a wave at the valves; share per sample of the runner's low-pass
LEAK = 0.08  # share that the closed throttle passes
SNORKEL = EndShape(share=0.4, reflection=-0.88, jet_share_high=0.28, jet_share_low=0.065)  # noise of 0.5 to 2.5 kHz


@inline_kernel
def suction(parameters: Any, phase: float) -> float:
    """Flow into a cylinder, in swept volumes per rad of the crankshaft."""
    table = parameters.derived.suction
    step = int(phase)
    return table[step] + (phase - step) * (table[step + 1] - table[step])


@kernel
def breathe(parameters: Any, state: Any, flow: float) -> float:
    """Advance the intake by a sample; `flow`: sum of `suction`. Returns the sound at the open end of the snorkel."""
    in_runner, in_snorkel = state.runner_index, state.snorkel_index
    source = -SOURCE * state.speed * (CHARGE_REST + CHARGE_SHARE * state.charge) * flow
    state.runner_pole = pole(state.runner_pole, state.runner[1, in_runner], RUNNER_SHARE)
    from_valves = state.runner[0, in_runner]
    from_air = state.snorkel[1, in_snorkel]
    passed = 1.0 if parameters.diesel else LEAK + (1.0 - LEAK) * state.throttle
    onward = passed * (state.plenum - 2.0 * from_air)
    state.plenum += parameters.plenum * (2.0 * from_valves - state.plenum - onward) + ANTI_DENORMAL
    state.runner[0, in_runner] = VALVE_REFLECTION * state.runner_pole + source
    state.runner[1, in_runner] = state.plenum - from_valves
    at_end = state.snorkel[0, in_snorkel]
    state.snorkel[0, in_snorkel] = from_air + onward
    sound, state.snorkel[1, in_snorkel] = open_end(state.snorkel_end, state, SNORKEL, at_end, parameters.intake_noise)
    state.runner_index = in_runner + 1 if in_runner + 1 < state.runner_delay else 0
    state.snorkel_index = in_snorkel + 1 if in_snorkel + 1 < state.snorkel_delay else 0
    return sound
