"""Streams of a drive for the tests of ring, callback and device."""

import numpy as np

from driving_sandbox.sound.device.stream import Stream, fill
from driving_sandbox.sound.engine.record import engine_parameters
from driving_sandbox.sound.scene import Scene
from driving_sandbox.sound.space.emitters import EMITTERS
from driving_sandbox.sound.voices import VoiceParameters, default_record, voice_parameters

TICK = 1.0 / 240.0  # s
TARGET = 8.0  # rows that shall wait in the ring


def new_scene(vehicle_count=1):
    """A Scene of vehicles: the first has only a motor, the smoothest voice, in which a step or a kink stands out."""
    parameters = np.zeros(vehicle_count, VoiceParameters)
    motor = default_record("motor")
    motor["level"], motor["pole_pairs"], motor["gear"], motor["switching"] = 30.0, 1, 0.0, 0.0
    others = {name: default_record(name) for name in ("tires", "wind", "body", "gears")}
    parameters[:1] = voice_parameters({"motor": motor})
    parameters[1:] = voice_parameters({"engine": engine_parameters("inline_4", {}), **others})
    return Scene(parameters, np.zeros(vehicle_count, EMITTERS))


def new_stream(rows=29, vehicle_count=1, **options):
    """A Stream, in whose ring the first rows of a run-up wait."""
    stream = Stream(new_scene(vehicle_count), TICK, TARGET, **options)
    drive(stream, rows)
    return stream


def drive(stream, count, start=None):
    """Add `count` ticks of a run-up to a stream: from 250 to 650 rad/s in 4 s; the listener moves along beside the car.

    start: time of all these ticks, s; None: every tick has its own.
    """
    for _ in range(count):
        time = (stream.ring.written + stream.ring.pending) * TICK if start is None else start
        frame = stream.ring.frames[row := stream.ring.next_row()]
        frame["engine_speed"], frame["throttle"], frame["load"] = 250.0 + 100.0 * min(time, 4.0), 0.8, 0.7
        frame["burning"], frame["wheel_count"], frame["gear"] = 1, 4, 2
        frame["wheel_speed"], frame["wheel_load"], frame["air_speed"] = 15.0, 3500.0, 15.0
        frame["forward"][:, 1], frame["velocity"][:, 1] = 1.0, 15.0
        frame["position"][:, 1] = 15.0 * time - 5.0
        stream.ring.listeners[row]["position"] = (3.0, 15.0 * time - 5.0, 1.0)
        stream.ring.listeners[row]["right"] = (1.0, 0.0, 0.0)
    stream.ring.publish()


def samples_of(stream, count, size=512):
    """The next `count` samples of a stream, float32 [count, 2], taken in pieces of `size`."""
    samples = np.zeros((count, 2), np.float32)
    for start in range(0, count, size):
        fill(stream.record, samples[start : start + size])
    return samples


def clicks(samples):
    """Largest third difference in each 10 ms, divided by the median of these: a step or a kink stands out."""
    differences = np.abs(np.diff(samples[:, 0].astype(np.float64), 3))
    largest = differences[: len(differences) // 480 * 480].reshape(-1, 480).max(axis=1)
    return largest / np.median(largest)
