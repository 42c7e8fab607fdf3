"""Latency from a step of the command to the samples, beside the device's own buffer.

The schedule of program and device is computed, no clock is read: frames of the program simulate their ticks at once
with the command read at the frame, and publish them; the device calls for samples at its own rate, which the program's
clock follows.
"""

import numpy as np
import pytest
from device_rig import TICK

from driving_sandbox.game.audio.device_clock import DeviceClock
from driving_sandbox.game.audio.hearing import CALLBACK_FRAMES
from driving_sandbox.sound.base.block import BLOCK, SAMPLE_RATE
from driving_sandbox.sound.device.ring import target_of
from driving_sandbox.sound.device.stream import Stream, fill
from driving_sandbox.sound.engine.record import engine_parameters
from driving_sandbox.sound.scene import Scene
from driving_sandbox.sound.space.emitters import EMITTERS
from driving_sandbox.sound.space.limiter import DELAY
from driving_sandbox.sound.voices import VoiceParameters, voice_parameters

MAX_LATENCY = 0.030  # s
TIMES = (0.4, 4.0)  # s from the start of a drive to the step of the command
AFTER = 0.08  # s, heard after the step
AUDIBLE = 1e-4  # of full scale; an engine at full power has an rms of 0.1
SCHEDULES = {30: 8, 60: 4, 120: 2, 240: 1}  # {frames/s: ticks in each}


def new_stream(burst):
    """A Stream of one engine for frames that add `burst` ticks at once."""
    parameters = np.zeros(1, VoiceParameters)
    parameters[0] = voice_parameters({"engine": engine_parameters("inline_4", {})})
    return Stream(Scene(parameters, np.zeros(1, EMITTERS)), TICK, target_of(CALLBACK_FRAMES, burst, TICK))


def publish(stream, count, throttle):
    """Add the ticks of a frame: an engine at constant speed beside the listener."""
    for _ in range(count):
        row = stream.ring.next_row()
        frame, listener = stream.ring.frames[row], stream.ring.listeners[row]
        frame["engine_speed"], frame["burning"], frame["gear"] = 300.0, 1, 2
        frame["throttle"], frame["load"], frame["forward"] = throttle, throttle, (0.0, 1.0, 0.0)
        listener["right"] = (1.0, 0.0, 0.0)
    stream.ring.publish()


def heard(frame_rate, step_frame, phase, seconds):
    """(left samples of all callbacks, Stream) of a drive with full throttle from the frame `step_frame` on.

    phase: offset of the callbacks, 0..1 callback.
    """
    burst, stream, pieces = SCHEDULES[frame_rate], new_stream(SCHEDULES[frame_rate]), []
    frame, callback_seconds, clock, due, ring = 1, CALLBACK_FRAMES / SAMPLE_RATE, DeviceClock(), 0.0, stream.ring.record
    publish(stream, burst, 0.1)  # the device plays from then on
    start = ring["target"] + 0.5 * (burst + callback_seconds / TICK)
    stream.lead_in(max(0.0, start - stream.ring.waiting) * TICK)
    for k in range(round((seconds + AFTER) / callback_seconds)):
        while frame / frame_rate <= (k + phase) * callback_seconds:
            due += burst * clock.pace
            publish(stream, int(due), 1.0 if frame >= step_frame else 0.1)
            due -= int(due)
            if ring["begun"]:
                clock.follow((ring["mean"] - ring["target"]) * TICK, 1.0 / frame_rate)
            frame += 1
        samples = np.zeros((CALLBACK_FRAMES, 2), np.float32)
        fill(stream.record, samples)
        pieces.append(samples[:, 0])
    return np.concatenate(pieces), stream


def latency(frame_rate, step_frame, phase, calm, seconds):
    """s from the frame that reads the command to the first sample that differs audibly from a drive without it."""
    stepped, stream = heard(frame_rate, step_frame, phase, seconds)
    assert stream.record["ring"]["jumps"] == stream.record["ring"]["deviated"] == 0
    first = int(np.argmax(np.abs(stepped - calm) > AUDIBLE))
    assert first > 0
    return phase * CALLBACK_FRAMES / SAMPLE_RATE + first / SAMPLE_RATE - step_frame / frame_rate


@pytest.mark.parametrize("seconds", TIMES)
@pytest.mark.parametrize("frame_rate", SCHEDULES)
def test_a_step_of_the_throttle_is_in_the_samples_within_30_ms(frame_rate, seconds):
    latencies = []
    for phase in (0.1, 0.6):
        calm, stream = heard(frame_rate, step_frame=10**9, phase=phase, seconds=seconds)  # a frame that never comes
        assert stream.record["ring"]["held"] <= 0.01 * stream.record["blocks"]  # the ring does not starve
        for step in range(4):
            step_frame = round(seconds * frame_rate) - step
            latencies.append(latency(frame_rate, step_frame, phase, calm, seconds))
    assert max(latencies) < MAX_LATENCY, latencies
    assert min(latencies) > (DELAY - BLOCK) / SAMPLE_RATE  # an effect before its cause would be a fault of the test
