"""LISTENER: where the sounds are heard.

It is given at the end of every block, interpolated between ticks like the numbers of FRAME. No velocity is needed: the
Doppler shift follows from the propagation delay (sound/space/travel.py).
"""

import numpy as np

WALLS = 3  # that reflect sound: to the left, to the right, above

LISTENER = np.dtype(
    [
        ("position", np.float64, (3,)),  # m, of the middle of the head, world axes
        ("right", np.float64, (3,)),  # unit vector from the middle of the head to the right ear, world axes
        ("inside", np.float64),  # share in the first vehicle's cabin: 0 outside .. 1 inside
        ("bonnet", np.float64),  # share on its bonnet
        # the surroundings, measured by sound/space/room.py
        ("enclosure", np.float64),  # share of the reverberation, 0 in the open .. 1 in a tunnel
        ("decay", np.float64),  # s, its time T60
        ("reflection", np.float64, (WALLS,)),  # share of each wall's reflection, 0: there is none .. 1
        ("wall", np.float64, (WALLS,)),  # m, distance of that wall
    ],
    align=True,
)
LISTENER_WORDS = LISTENER.itemsize // 8  # of 8 bytes, all of them float64
