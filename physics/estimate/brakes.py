"""Brake torques at full pedal of a car whose front wheels lock first.

    N_i = m g (share_i +- mu h / (L n))        load of a wheel at the braking rate mu, + in front, - at the rear
    T_i = RESERVE mu N_i R_i                   in front
    T_i = RESERVE REAR_USE mu N_i R_i          at the rear

m: mass; g: gravity; share_i: share of the load at rest; mu: friction of the tires; h: height of the centre of mass
above the road; L: mean wheelbase; n: wheels of the axles ahead of, or behind, the centre of mass; R_i: wheel radius. At
smaller braking rates the rear axle uses less of its grip than the front one, as its share of the load is larger. With
all wheels on one side of the centre of mass, as on a trailer, there is no transfer, and all count as front wheels.

Sources: Limpert, Brake Design and Safety, ch. 7 (dynamic loads, ideal distribution); UN Regulation 13-H, annex 5 (the
front axle locks first). RESERVE, REAR_USE and EFFECTIVE_RADIUS are usual values.
"""

import numpy as np

RESERVE = 1.2  # full pedal / pedal at which the front wheels lock on dry asphalt
REAR_USE = 0.9  # share of their grip that the rear wheels use as the front wheels lock
DRY_GRIP = 1.1  # peak longitudinal friction of road tires on dry asphalt, times their factor of grip
EFFECTIVE_RADIUS = 0.4  # radius at which the pads act / radius of the wheel
FLOOR_SHARE = 0.1  # smallest load at the braking rate mu / load at rest


def braked_loads(load: np.ndarray, ahead: np.ndarray, height: float, grip: float) -> tuple[np.ndarray, np.ndarray]:
    """([n] wheel loads at a braking rate equal to the friction, N; [n] whether a wheel counts as a front wheel).

    load: [n] at rest, N.
    ahead: [n] distance of each wheel ahead of the centre of mass, m.
    height: of the centre of mass above the road, m.
    grip: friction of the tires.
    """
    front = ahead > 0.0
    if front.all() or not front.any():
        return load, np.ones(len(load), bool)
    base = float(ahead[front].mean() - ahead[~front].mean())
    moved = grip * float(load.sum()) * height / base
    change = np.where(front, moved / front.sum(), -moved / (~front).sum())
    return np.maximum(load + change, FLOOR_SHARE * load), front


def full_pedal_torques(
    load: np.ndarray, ahead: np.ndarray, radius: np.ndarray, height: float, grip: np.ndarray
) -> np.ndarray:
    """[n] brake torque of each wheel at full pedal, N m.

    radius: [n] of the wheels, m.
    grip: [n] friction of the tires.
    load, ahead, height: as `braked_loads`, which takes the mean of the friction.
    """
    braked, front = braked_loads(load, ahead, height, float(grip.mean()))
    return RESERVE * np.where(front, 1.0, REAR_USE) * grip * braked * radius
