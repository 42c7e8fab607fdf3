"""EMITTERS: where along the longitudinal axis of a vehicle each audio bus is emitted."""

from typing import Any

import numpy as np

from driving_sandbox.sound.base.block import BODY, BUS_COUNT, ENGINE_BAY, EXHAUST, FRONT_TIRES, REAR_TIRES

# m, ahead of the centre of mass, which is the `position` of a FRAME (sound/base/frame.py)
EMITTERS = np.dtype([("ahead", np.float64, (BUS_COUNT,))], align=True)

OVERHANG = 0.7  # m, of the tail pipe behind the rear axle; about the rear overhang of a passenger car


def set_emitters(emitters: Any, front_axle: float, rear_axle: float, engine: float | None = None) -> None:
    """Fill an EMITTERS record.

    Args:
        front_axle, rear_axle: m, of the axles ahead of the centre of mass; the rear one is usually negative.
        engine: m, of the engine bay ahead of the centre of mass; by default it is above the front axle.
    """
    ahead = emitters["ahead"]
    ahead[EXHAUST] = rear_axle - OVERHANG
    ahead[ENGINE_BAY] = front_axle if engine is None else engine
    ahead[FRONT_TIRES] = front_axle
    ahead[REAR_TIRES] = rear_axle
    ahead[BODY] = 0.5 * (front_axle + rear_axle)
