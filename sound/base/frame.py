"""FRAME: what the voices of a vehicle need of one tick; its fields `NUMBERS` are interpolated between ticks."""

import numpy as np

from driving_sandbox.physics.base.record import field_of
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY

_EACH = (WHEEL_CAPACITY,)
NUMBERS = [  # interpolated linearly
    ("engine_speed", np.float64),  # rad/s, of the crankshaft or of the electric motor
    ("crank_angle", np.float64),  # rad, by which the crankshaft (or the electric motor) has turned since the start
    ("throttle", np.float64),  # opening, 0..1
    ("load", np.float64),  # torque of the engine / its largest at this speed, -1 (motoring or regenerating) .. 1
    ("filling", np.float64),  # charge of the cylinders at full load without boost / the usual one - 1, -0.5..0.5
    ("boost", np.float64),  # bar above the ambient pressure
    ("gear_speed", np.float64),  # rad/s, of the gearbox's input shaft
    ("shaft_speed", np.float64),  # rad/s, of the gearbox's output shaft
    ("gear_torque", np.float64),  # N m, through the clutch
    ("clutch_slip", np.float64),  # rad/s, difference of engine and gearbox input speed
    ("dog_speed", np.float64),  # rad/s, between the dog teeth of a gear that is forced in; 0 if they match
    ("air_speed", np.float64),  # m/s, of the air against the body
    ("air_yaw", np.float64),  # rad, angle of that air to the body's longitudinal axis
    ("position", np.float64, (3,)),  # m, of the centre of mass, world axes
    ("forward", np.float64, (3,)),  # unit vector, world axes
    ("velocity", np.float64, (3,)),  # m/s, world axes
    ("attenuation", np.float64),  # share of its sound that is taken away: usually 0, more for ghosts; ABSENT
    ("scrape_speed", np.float64),  # m/s, of the body's contact points along what they touch
    ("roll_speed", np.float64),  # m/s, of the contact points of a round body along itself
    ("scrape_force", np.float64),  # N, on all contact points
    ("brake", np.float64),  # of the service brakes, 0..1
    ("ram_speed", np.float64),  # m/s, mean of the pistons of a hydraulic suspension
    ("track_speed", np.float64, (2,)),  # m/s, of the links of the left and of the right tracks; 0 or more
    ("track_load", np.float64, (2,)),  # N, on the road wheels of these tracks; 0 without tracks
    ("wheel_speed", np.float64, _EACH),  # m/s, of the wheel's centre over the ground
    ("slip_speed", np.float64, _EACH),  # m/s, of the contact patch against the ground
    ("wheel_load", np.float64, _EACH),  # N
    # m, of a rigid wheel's centre on the ground without roughness and joints; 0 where it is not known; between ticks it
    # departs from the interpolated one by `bend_start`, ... (sound/base/heights.py)
    ("road_height", np.float64, _EACH),
    ("contact_x", np.float64, _EACH),  # m, of the point of the ground under the wheel, world axes
    ("contact_y", np.float64, _EACH),
    ("used_friction", np.float64, _EACH),  # force in the plane of the ground / the largest possible, 0..1
]
EVENTS = [  # not interpolated: taken from the later of the two frames
    ("burning", np.int64),  # 1: fuel is injected; 0: limiter, overrun cut-off, stalled
    ("starter", np.int64),  # 1: the starter turns the engine
    ("gear", np.int64),  # index of the gear engaged; 1 is neutral
    ("gear_step", np.float64),  # rad/s, by which `gear_speed` has changed in the tick
    ("horn", np.int64),  # 1: pressed
    ("indicator", np.int64),  # 1: a turn signal is lit
    ("impact", np.float64),  # N s, of the strongest impact in the tick; fires once
    ("impact_material", np.int64),  # index of the material that is hit (sound/body/materials.py), or OWN
    ("struck_material", np.int64),  # index of the material that hits it, or NOTHING
    ("struck_rings", np.int64),  # 1: that material rings here, as it has no FRAME of its own
    ("scraped_material", np.int64),  # index of the material along which the body scrapes, if it rings here; or NOTHING
    ("wheel_count", np.int64),
    ("wheel_ahead", np.float64, _EACH),  # m, of the wheel ahead of the middle between the first and the last axle
    ("surface", np.int64, _EACH),  # kind of the ground under the wheel (sound/tires/surfaces.py)
    ("wetness", np.float64, _EACH),  # 0 dry .. 1 standing water
    ("roughness", np.float64, _EACH),  # m, amplitude of the ground's roughness (physics/ground/roughness.py)
    ("roughness_length", np.float64, _EACH),  # m, its longest wavelength; not used where the amplitude is 0
    ("joint_depth", np.float64, _EACH),  # m, of the joints of the ground's slabs; 0 without any
    ("joint_width", np.float64, _EACH),  # m; not used where the depth is 0
    ("joint_spacing", np.float64, _EACH),  # m; likewise
    ("bend_start", np.float64, _EACH),  # m/tick, rate of `road_height` at the tick's start less its mean in the tick
    ("bend_end", np.float64, _EACH),  # m/tick, that mean less its rate at the tick's end
    ("knee", np.float64, _EACH),  # share of the tick at which its rate changes at once; 0: it does not
    ("knee_height", np.float64, _EACH),  # m, there, above the straight line between the ticks
]
FRAME = np.dtype(NUMBERS + EVENTS, align=True)
IMPACT = ("impact", "impact_material", "struck_material", "struck_rings")  # fields of an impact, which fires once
_WORD = 8  # bytes, of every number
ABSENT = 1.0  # attenuation of a vehicle that is not there: nothing of it is computed
NUMBER_WORDS = np.dtype(NUMBERS).itemsize // _WORD  # words at the start of a FRAME, which are interpolated
FRAME_WORDS = FRAME.itemsize // _WORD
ATTENUATION_WORD = field_of(FRAME, "attenuation")[1] // _WORD
