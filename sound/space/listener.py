"""LISTENER: where the sounds are heard.

It is given at the end of every block, interpolated between ticks like the numbers of FRAME. No velocity is needed: the
Doppler shift follows from the propagation delay (sound/space/travel.py).
"""

import numpy as np

LISTENER = np.dtype(
    [
        ("position", np.float64, (3,)),  # m, of the middle of the head, world axes
        ("right", np.float64, (3,)),  # unit vector from the middle of the head to the right ear, world axes
        ("inside", np.float64),  # share in the cabin: 0 outside .. 1 inside
    ],
    align=True,
)
