"""Gap at the hitch of a train."""

import numpy as np

from driving_sandbox.physics.world.placing import hitch_position


def hitch_gap(front, rear):
    """Distance between a coupling and its hitch, m."""
    return float(np.linalg.norm(hitch_position(front, "hitch_rear") - hitch_position(rear, "hitch_front")))
