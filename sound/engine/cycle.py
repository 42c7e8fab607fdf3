"""Events of a cylinder's cycle: the draw of its burnt share, combustion, opening of the exhaust valve.

    burn       fuel (1 + s g), s = variation + idle_variation (1 - load)^2, g normal; a quarter of it in a misfire
    torque     t = load (1 + filling), in units of the usual torque at full load without boost (sound/state/drive.py)
    pressure   when the exhaust valve opens, bar: m (1.2 + 3.6 burn), diesel m (1.15 + 2.6 t burn)
    charge     m = 0.32 + 0.68 t + 0.9 boost, without fuel 0.25 more, up to 1; diesel 1 + 0.9 boost; smoothed over 10 ms
    blow       of combustion on the block, in proportion to burn and to (0.25 + 0.75 t) (1 + 0.5 w), diesel
               (0.8 + 0.5 t) (1 + 0.6 w), w uniform in -1..1

On overrun the pressure in a petrol engine is below the ambient one, and gas flows back into the cylinder, as in
reality. The draw comes while both valves are closed, so that the shift of the cycle's timing moves no open valve.
"""

import math
from typing import Any

from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.base.block import SAMPLE_RATE
from driving_sandbox.sound.base.filters import pole
from driving_sandbox.sound.base.noise import bell, white
from driving_sandbox.sound.engine.exhaust import GAMMA
from driving_sandbox.sound.engine.parameters import STEPS
from driving_sandbox.sound.engine.record import EXHAUST_OPENS_DEG
from driving_sandbox.sound.engine.state import BURNS, EXHAUSTS, WAITS

STEPS_PER_SPEED = STEPS / (4.0 * math.pi) / SAMPLE_RATE  # steps of the cycle per sample and rad/s
FASTEST = 3000.0  # rad/s; 5 steps per sample, so that no event of the cycle is skipped
DRAW = STEPS * 640.0 / 720.0  # steps; the intake valve, which closes at 590 degrees, is shut with any jitter, too
EXHAUST_OPENS = round(STEPS * EXHAUST_OPENS_DEG / 720.0)  # steps
RADIANS_PER_STEP = 4.0 * math.pi / STEPS  # of the crankshaft
OPENING = 48.0  # steps during which the valve is nearly closed: a new pressure then makes no click
FADE_OF_FUEL = 0.05  # load below 0, in magnitude, at which no fuel is left
IDLE_BELOW, IDLE_RANGE = 0.25, 0.07  # of the redline; at idle there is fuel whatever the load
HELD_OPEN = 0.25  # bar, charge on overrun that the throttle lets in to limit the vacuum
THROTTLED = 0.32  # bar, charge without load
BOOST_SHARE = 0.9  # of the boost that fills the cylinders; the rest is lost in throttle and valves
SHUT = 0.03  # throttle below which a petrol engine may bang in the exhaust although fuel is injected
THROTTLE_SHARE, MANIFOLD_SHARE = 0.002, 0.002  # per sample: 10 ms
CRACKLE_FROM, CRACKLE_RANGE = 0.355, 0.34  # of the redline
# blow of a valve that opens: TICK (TICK_REST + TICK_PER_SPEED w), w: engine speed, rad/s
TICK, TICK_REST, TICK_PER_SPEED = 0.04, 0.3, 0.003


@inline_kernel
def speed_at(before: Any, after: Any, share: float) -> float:
    """Speed of the crankshaft, 0..FASTEST rad/s, at a `share` of the block."""
    return min(abs(before.engine_speed + share * (after.engine_speed - before.engine_speed)), FASTEST)


@inline_kernel
def set_crank(state: Any, angle: float) -> None:
    """Turn the crankshaft to an angle, rad, of which whole cycles do not count."""
    step = angle / RADIANS_PER_STEP
    state.crank = step - STEPS * math.floor(step / STEPS)


@inline_kernel
def set_drive(parameters: Any, state: Any, before: Any, after: Any, share: float) -> None:
    """Set the sample's speed, load, torque, charge, fuel, throttle at a `share` of the block, and advance the crank."""
    load = before.load + share * (after.load - before.load)
    filling = before.filling + share * (after.filling - before.filling)
    boost = before.boost + share * (after.boost - before.boost)
    throttle = before.throttle + share * (after.throttle - before.throttle)
    state.speed = speed_at(before, after, share)
    state.load = min(max(load, 0.0), 1.0)
    state.torque = state.load * (1.0 + filling)
    driving = 1.0 + load / FADE_OF_FUEL
    idling = (IDLE_BELOW - state.speed / parameters.redline) / IDLE_RANGE
    state.fuel = min(max(driving, idling, 0.0), 1.0) if after.burning else 0.0
    drawn = 1.0 if parameters.diesel else THROTTLED + (1.0 - THROTTLED) * state.torque
    filled = max(drawn, min(drawn + HELD_OPEN * (1.0 - state.fuel), 1.0))
    state.charge = pole(state.charge, BOOST_SHARE * max(boost, 0.0) + filled, MANIFOLD_SHARE)
    state.throttle = pole(state.throttle, min(max(throttle, 0.0), 1.0), THROTTLE_SHARE)
    crank = state.crank + state.speed * STEPS_PER_SPEED
    state.crank = crank - STEPS if crank >= STEPS else crank


@inline_kernel
def phase_of(parameters: Any, state: Any, cylinder: int) -> float:
    """Steps of the cycle since a cylinder's firing top dead centre."""
    phase = state.crank - parameters.derived.firing[cylinder] + state.shift[cylinder]
    if phase < 0.0:
        phase += STEPS
        if phase < 0.0:  # a late cylinder whose cycle is shifted back
            phase += STEPS
    return phase - STEPS if phase >= STEPS else phase


@inline_kernel
def pass_events(parameters: Any, state: Any, cylinder: int, phase: float) -> float:
    """Carry out an event of the cycle that is due; returns the blow on the engine block."""
    stage = state.stage[cylinder]
    if stage == WAITS:
        return fire(parameters, state, cylinder) if phase < 0.5 * STEPS else 0.0
    if stage == BURNS:
        return open_exhaust(parameters, state, cylinder, phase) if phase >= EXHAUST_OPENS else 0.0
    if phase >= DRAW:
        draw(parameters, state, cylinder)
    return 0.0


@kernel
def draw(parameters: Any, state: Any, cylinder: int) -> None:
    """Choose the burnt share and the shift of the next cycle."""
    idle = 1.0 - state.load
    burn = state.fuel * (1.0 + (parameters.variation + parameters.idle_variation * idle * idle) * bell(state))
    if 0.5 * (white(state) + 1.0) < parameters.misfire * idle:
        burn *= 0.25
    state.burn[cylinder] = max(burn, 0.0)
    state.shift[cylinder] = parameters.derived.jitter * white(state)
    state.stage[cylinder] = WAITS


@kernel
def fire(parameters: Any, state: Any, cylinder: int) -> float:
    """Begin combustion; returns its blow on the engine block, which varies more than the pressure."""
    state.stage[cylinder] = BURNS
    if parameters.diesel:
        blow = (0.8 + 0.5 * state.torque) * (1.0 + 0.6 * white(state))
    else:
        blow = (0.25 + 0.75 * state.torque) * (1.0 + 0.5 * white(state))
    return parameters.knock * blow * state.burn[cylinder]


@kernel
def open_exhaust(parameters: Any, state: Any, cylinder: int, phase: float) -> float:
    """Set the cylinder's pressure, perhaps start a bang; returns the blow of a valve on the engine block.

    The pressure is extrapolated from the opening to the last sample before it. Without that it would vary by a percent
    from cycle to cycle, as openings fall between samples, which is audible as half orders. At the very start the valve
    may be open already: then the cylinder has the ambient pressure.
    """
    state.stage[cylinder] = EXHAUSTS
    if phase >= EXHAUST_OPENS + OPENING:
        return 0.0
    if parameters.diesel:
        pressure = state.charge * (1.15 + 2.6 * state.torque * state.burn[cylinder])
    else:
        pressure = state.charge * (1.2 + 3.6 * state.burn[cylinder])
    d = parameters.derived
    early = EXHAUST_OPENS - (phase - state.speed * STEPS_PER_SPEED)  # steps from the last sample to the opening
    expansion = GAMMA * d.volume_slope[EXHAUST_OPENS] / d.volume[EXHAUST_OPENS] * RADIANS_PER_STEP
    state.pressure[cylinder] = pressure * (1.0 + expansion * early) - 1.0
    if state.fuel < 0.5 or (state.throttle < SHUT and not parameters.diesel):
        likely = min(1.0, (state.speed / parameters.redline - CRACKLE_FROM) / CRACKLE_RANGE)
        if 0.5 * (white(state) + 1.0) < parameters.crackle * likely:
            state.crackle[cylinder] = 0.625 + 0.375 * white(state)  # bar, 0.25 .. 1
    return TICK * (TICK_REST + TICK_PER_SPEED * state.speed)
