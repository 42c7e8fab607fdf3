"""Table of all advice: the tuning guide's rules of thumb and the symptoms of its troubleshooting chapter.

The guide's damping ratio of 0.8 to 1.2 and natural frequency of 5 to 10 rad/s are only shown in reports
(lab/advisor/report.py): road cars have damping ratios of 0.2 to 0.4, so advice begins where a car becomes undrivable.
_PLAUSIBILITY_ROWS compare a vehicle with real ones.
"""

from dataclasses import dataclass

from driving_sandbox.lab.advisor.symptoms_parts import PART_ROWS


@dataclass(frozen=True)
class Symptom:
    """One kind of advice.

    Attributes:
        id: stable name.
        title: what a driver notices.
        criterion: the measured quantity and its limit.
        cause: likely cause.
        parameter: path of the parameter to change, without the wheel, or "" where the driver or the program has to act.
        action: how to change it, or what to do.
        when: when it is detected: "load", "drive" or "trial".
        source: where the rule comes from.
    """

    id: str
    title: str
    criterion: str
    cause: str
    parameter: str
    action: str
    when: str
    source: str


_ROWS = (
    # id, title, criterion, cause, parameter, action, when, source
    ("length_scale", "The vehicle jitters or floats",
     "length scales of scene (gravity / 9.81 m/s^2) and vehicle (wheel radius / 0.35 m) differ by over 20 times",
     "scene and vehicle use different units of length", "wheel.radius", "convert the vehicle or the world, first",
     "load", "PX-HELP-01"),
    ("spring_step", "The vehicle jitters", "alpha = sqrt(sprung mass / stiffness) / step below 5",
     "the step is too long for the spring's natural frequency", "suspension.stiffness", "lower", "load", "PX-HELP-02"),
    ("travel_room", "The wheels sit on a bump stop",
     "travel at most 1 cm above the compression at rest, or a wheel at a limit for over 50 % of 4 s",
     "the travel leaves the spring no room to move", "suspension.travel", "raise", "load", "PX-HELP-03"),
    ("tires_hold_engine", "The engine refuses to spin quickly",
     "lift test: engine speed on the ground below 40 % of that in the air", "the tires resist the engine's motion",
     "tire.rolling_resistance", "lower", "trial", "PX-HELP-04"),
    ("engine_scale", "The engine refuses to spin quickly",
     "peak torque or inertia over 1000 times more or less than 600 N*m and 1 kg*m^2 in the scene's units",
     "engine figures are given in another length scale", "engine.peak_torque", "convert by the scale squared:",
     "load", "PX-HELP-05"),
    ("engine_inertia", "The engine refuses to spin quickly", "over 3 s from idle to 95 % of max_omega in neutral",
     "the engine's inertia is large for its torque", "engine.inertia", "lower", "load", "PX-HELP-06"),
    ("peak_torque", "The engine refuses to spin quickly",
     "peak torque per mass below half of 600 N*m / 1500 kg, and under 2 m/s^2 in first gear",
     "the torque is small for the mass", "engine.peak_torque", "raise", "load", "PX-HELP-07"),
    ("torque_curve", "The engine refuses to spin quickly",
     "curve at or below 0 within 0.9 of max_omega, or nowhere above 0.5", "the torque curve is not sensible",
     "engine.torque_curve", "make flat or raise", "load", "PX-HELP-08"),
    ("max_omega", "The engine refuses to spin quickly", "max_omega outside 100..2500 rad/s",
     "the engine's largest speed is unrealistic", "engine.max_omega", "correct", "load", "PX-HELP-09"),
    ("engine_damping", "The engine refuses to spin quickly",
     "damping x max_omega over 80 % of the peak torque", "the engine's damping consumes its torque",
     "engine.damping_full_throttle", "lower", "load", "PX-HELP-10"),
    ("neutral_gear", "The engine spins, the wheels do not", "throttle above 0.5 in neutral for 1 s",
     "no gear is engaged", "", "engage a gear", "drive", "PX-HELP-11"),
    ("no_drive_torque", "The engine spins, the wheels do not",
     "magnitudes of the differential's torque ratios do not add up to 1", "the differential is not configured",
     "differential.torque_ratio", "make the sum 1:", "load", "PX-HELP-12"),
    ("brake_engaged", "The engine spins, the wheels do not",
     "throttle above 0.5 with brake or handbrake above 0.05 for 1 s", "a brake is on", "",
     "release the brake", "drive", "PX-HELP-13"),
    ("wheel_scale", "The engine spins, the wheels do not",
     "wheel inertia over 10 times more or less than 0.5 m r^2", "wheel figures are given in another length scale",
     "wheel.spin_inertia", "correct", "load", "PX-HELP-14"),
    ("wheel_inertia_high", "The engine spins, the wheels do not", "wheel inertia above 3 m r^2",
     "the wheel's inertia is too high", "wheel.spin_inertia", "lower", "load", "PX-HELP-15"),
    ("wheel_damping", "The engine spins, the wheels do not",
     "damping above 2 N*m*s, or over 20 % of the drive torque at top speed", "the wheel's damping is too high",
     "wheel.damping", "lower", "load", "PX-HELP-16"),
    ("tires_hold_wheels", "The engine spins, the wheels do not",
     "lift test: wheels turn on the ground at under 10 % of their speed in the air",
     "the tires hold the wheels", "tire.rolling_resistance", "lower", "trial", "PX-HELP-17"),
    ("hull_contact", "The wheels spin, the vehicle hardly moves",
     "bodywork touches the ground for 1 s while all wheels do, and no ridge (5 cm) rises between them",
     "the body carries weight that the suspension should carry", "suspension.stiffness", "raise",
     "drive", "PX-HELP-18"),
    ("low_friction", "The wheels spin, the vehicle hardly moves",
     "friction of a driven, spinning wheel below 0.2 for 1 s at low speed", "the tire has too little friction",
     "tire.friction_versus_slip", "raise", "drive", "PX-HELP-19"),
    ("sprung_masses", "The wheels spin, the vehicle hardly moves",
     "loads at rest 5 % off the weight, or a sprung mass 30 % off its share",
     "sprung masses do not match the body's mass", "suspension.sprung_mass", "correct", "load", "PX-HELP-20"),
    ("no_longitudinal_force", "The wheels spin, the vehicle hardly moves",
     "slip above 0.5 with a force under 5 % of friction x load for 0.5 s", "the tire gives no longitudinal force",
     "tire.longitudinal_stiffness", "raise", "drive", "PX-HELP-21"),
    ("longitudinal_stiffness", "The wheels spin, the vehicle hardly moves",
     "longitudinal stiffness below the rest load per unit slip", "the longitudinal stiffness is too small",
     "tire.longitudinal_stiffness", "raise", "load", "PX-HELP-22"),
    ("mass_for_torque", "The wheels spin, the vehicle hardly moves", "best acceleration in first gear below 0.5 m/s^2",
     "the mass is too large for the torque", "body.mass", "lower", "load", "PX-HELP-23"),
    ("not_stepped", "The vehicle does not react", "commands given, pose unchanged to the last bit for 1 s, asleep",
     "the body sleeps or the world is not stepped", "", "wake the body or step the world", "drive",
     "PX-HELP-24"),
    ("yaw_inertia_high", "The vehicle does not turn", "yaw inertia over 3 times that of its box",
     "the moment of inertia resists turning", "body.principal_inertia", "lower the third number of", "load",
     "PX-HELP-25"),
    ("no_steer_angle", "The vehicle does not turn",
     "steer command above 0.3 with every wheel under 1 degree for 0.5 s", "the wheels are not steered",
     "steering.max_angle", "raise", "drive", "PX-HELP-26"),
    ("no_lateral_slip", "The vehicle does not turn naturally",
     "steered over 5 degrees above 5 m/s with under 0.1 degree of lateral slip for 0.5 s",
     "steered tires run without a slip angle", "tire.lateral_stiffness", "lower", "drive", "PX-HELP-27"),
    ("lateral_stiffness", "The vehicle does not turn",
     "lateral stiffness per rest load below 10 per rad (4 for lorries), or lateral_stiffness_load outside 1..5",
     "lateral stiffness is misconfigured",
     "tire.lateral_stiffness", "raise", "load", "PX-HELP-28"),
    ("damping_losses", "The acceleration feels sluggish",
     "engine and wheel damping take over 30 % of the power at its peak", "damping rates are too large",
     "engine.damping_full_throttle", "lower", "load", "PX-HELP-29"),
    ("stuck_in_gear", "The acceleration feels sluggish",
     "engine above 95 % of max_omega below top gear for 3 s, or an up ratio that it cannot reach",
     "the gearbox stays in one gear", "autobox.up_ratios", "lower", "drive", "PX-HELP-30"),
    ("engine_weak", "The acceleration feels sluggish",
     "over 30 s to half of the top gear's speed", "the engine is too weak", "engine.peak_torque", "raise", "load",
     "PX-HELP-31"),
    ("wheel_inertia_heavy", "The acceleration feels sluggish",
     "equivalent mass of the wheels, sum of I / r^2, over 20 % of the mass", "the wheels have to be accelerated, too",
     "wheel.spin_inertia", "lower", "load", "PX-HELP-32"),
    ("coasts_on", "The vehicle does not slow down when coasting",
     "deceleration under 0.1 m/s^2 when coasting in gear at 20 m/s", "engine and wheel damping are too small",
     "engine.damping_zero_throttle_clutch_engaged", "raise", "load", "PX-HELP-33"),
    ("no_body_damping", "The vehicle does not slow down when coasting",
     "no air drag on the body: 0 N at any speed", "the body's velocity is not damped", "aero.drag_area", "raise",
     "load", "PX-HELP-34"),
    ("yaw_inertia", "The vehicle turns too quickly or too slowly",
     "yaw inertia below 0.4 or above 2 times that of its box", "the moment of inertia about the vertical axis",
     "body.principal_inertia", "change the third number of", "load", "PX-HELP-35"),
    ("pedal_slew", "The wheels spin too much when accelerating",
     "pedal faster than 10 1/s, then slip above 0.5 for 0.7 s", "the pedal rises too fast",
     "input.analog_throttle_rise", "limit", "drive", "PX-HELP-36"),
    ("wheel_inertia_low", "The wheels spin too much when accelerating", "wheel inertia below 0.2 m r^2",
     "the wheel's inertia is too low", "wheel.spin_inertia", "raise", "load", "PX-HELP-37"),
    ("no_limited_slip", "The wheels spin too much in corners",
     "inner driven wheel's slip above 0.5 with the outer's below 0.1 in a corner for 0.4 s",
     "the differential lets the inner wheel spin", "limited_slip.rear_bias", "set to 1.3:", "drive", "PX-HELP-38"),
    ("gear_hunting", "The vehicle never leaves first gear",
     "3 or more changes between first gear and neutral within 5 s, or latency not above the switch time",
     "the automatic gearbox decides again before a change is complete", "autobox.latency", "raise", "drive",
     "PX-HELP-39"),
    ("bumpy_load", "The vehicle understeers, then oversteers",
     "tire load varies by over 50 % at more than 2 Hz, and the yaw rate deviates to both sides",
     "a bumpy road changes the tires' load", "tire.load_filter", "flatten", "drive", "PX-HELP-40"),
    ("slip_oscillation", "The vehicle slows down unnaturally",
     "longitudinal slip changes its sign in over 50 % of the steps below 2 m/s",
     "the step is too long for the wheels at low speed", "tire.longitudinal_stiffness",
     "use more substeps, raise context.min_passive_slip_speed, or lower", "drive", "PX-HELP-41"),
    ("climbs_steep", "The vehicle climbs slopes that are too steep",
     "driven wheels slip over 0.4 while a slope above 30 degrees is climbed for 1 s",
     "slipping wheels keep too much friction", "tire.friction_versus_slip", "lower the plateau of", "drive",
     "PX-HELP-42"),
    ("spring_frequency", "The body is twitchy or sluggish",
     "natural frequency of the spring outside 0.8..4 Hz (road cars: 1 to 2.5 Hz, racing cars more)",
     "the spring does not suit the mass it carries", "suspension.stiffness", "lower", "load", "PX-HELP-43"),
    ("damping_ratio", "The body bounces on or is sluggish",
     "damping ratio outside 0.12..2 (the guide starts at 0.8..1.2, road cars have 0.2..0.4)",
     "the damper does not suit spring and mass", "suspension.damping", "raise", "load", "PX-HELP-43"),
    ("steer_at_speed", "The car spins at high speed",
     "full steer at 30 m/s is more than twice the angle that the front tires can use",
     "large steer angles stay available at speed", "response.steer_table", "reduce over speed in", "load",
     "PX-HELP-44"),
    ("ackermann_geometry", "The tires scrub in tight bends",
     "wheelbase or track of the Ackermann correction over 25 % off that of the wheels",
     "the correction is for another geometry",
     "ackermann.wheelbase", "correct", "load", "PX-STEER-05"),
    ("jitter_at_rest", "The vehicle jitters at rest",
     "tire loads at rest vary by over 20 % at more than 4 Hz for 2 s", "the spring is too stiff for the step",
     "suspension.stiffness", "lower", "drive", "PX-HELP-02"),
    ("handbrake_weak", "The vehicle rolls away", "moves for 2 s on a slope with the handbrake on and no throttle",
     "the handbrake is too weak for the slope", "brakes.handbrake_torque", "raise", "drive", "PX-SUSP-20"),
    ("spins_out", "The vehicle spins at speed",
     "sideslip over 60 degrees above 8 m/s without handbrake", "the rear tires grip less than the front ones",
     "tire.lateral_stiffness", "raise", "drive", "PX-HELP-44"),
    ("tips_over", "The vehicle tips over", "tilt over 60 degrees within 3 s of driving on all wheels",
     "the centre of mass is high for the track", "body.centre_of_mass", "lower the third number of", "drive",
     "tuning guide, anti-roll bars"),
)  # fmt: skip

_AID_ROWS = (
    ("stuck_traction_control", "The car slows down far too long, as if the throttle were cut",
     "traction control active for 2 s without a break with throttle above 0.5",
     "the ratio at which the throttle returns is never reached", "traction_control.min_velocity_ratio",
     "raise to 1.05:", "drive", "RC-TC-06"),
)  # fmt: skip

_PLAUSIBILITY_ROWS = (
    ("yaw_inertia_axles", "The vehicle turns too quickly or too slowly",
     "two axles at the distances a and b from the centre of mass: yaw inertia outside 0.7..1.4 times m a b "
     "(road cars: 0.9 to 1.05)", "the moment of inertia about the vertical axis", "body.principal_inertia",
     "change the third number of", "load", "physics/estimate/inertia.py"),
    ("ride_balance", "The body pitches on bumps",
     "two axles: natural frequency of the front springs over 1.3 times that of the rear ones (usually 0.8 to 1.0)",
     "the front springs are stiff for their load, compared with the rear ones", "suspension.stiffness", "lower", "load",
     "Gillespie, Fundamentals of Vehicle Dynamics, ch. 5"),
    ("roll_centre", "The vehicle rolls too much, or lifts in bends",
     "roll centre outside -0.1..0.3 m above the road (usually 0 to 0.15 m)", "the roll centre is unusually low or high",
     "suspension.roll_centre_height", "change", "load", "Milliken & Milliken, Race Car Vehicle Dynamics, ch. 17"),
    ("brake_balance", "The vehicle spins when braking",
     "two axles, no anti-lock brakes or brakeforce distribution: at 0.8 g the rear axle uses over 0.05 more of its "
     "grip than the front one (usually less than it)", "the rear brakes are too strong for the load on the axle",
     "brakes.max_torque", "lower", "load", "UN Regulation 13-H, annex 5"),
    ("brake_strength", "The vehicle brakes weakly",
     "two axles: full pedal uses under 70 % of the tires' grip on dry asphalt, or under 90 % without locking a wheel "
     "(usually 90 to 100 %)",
     "the brakes are weak for tires and mass", "brakes.max_torque", "raise", "load",
     "Limpert, Brake Design and Safety, ch. 7"),
    ("abs_window", "The anti-lock brakes lengthen the stop",
     "a threshold is a slip below 0.5 or above 2 times that of the tires' peak (usually near it), or a search ends "
     "below 0.5 times it", "the thresholds do not fit the tires", "abs.max_velocity_ratio", "change", "load",
     "Bosch Automotive Handbook, anti-lock braking systems"),
    ("tire_grip", "The tires grip too little or too much",
     "peak friction on dry asphalt at the load at rest outside 0.6..1.6 (road tires: 0.9 to 1.1, racing tires up to "
     "1.6)", "the tire's friction is unusual", "tire.friction_versus_slip", "change", "load",
     "Gillespie, Fundamentals of Vehicle Dynamics, ch. 10"),
    ("top_gear", "The vehicle does not reach its top speed",
     "top speed by gearing below 0.7 (with several gears and no hitch) or above 1.6 times the one by power "
     "(usually 0.9 to 1.4)", "top gear does not fit power and air drag", "gearbox.ratios",
     "change the last number of", "load",
     "Gillespie, Fundamentals of Vehicle Dynamics, ch. 2"),
    ("gear_order", "The vehicle loses drive after a gear change", "ratios of the forward gears do not fall",
     "a gear is longer than the next one", "gearbox.ratios", "put in falling order:", "load",
     "physics/gearbox/gearbox.py"),
    ("first_gear", "The vehicle cannot start on a slope",
     "force in first gear below the weight's part along a slope of 20 % (usually 2 to 5 times it)",
     "first gear is long for torque and mass", "gearbox.ratios", "raise the first forward number of", "load",
     "Bosch Automotive Handbook, motor-vehicle dynamics"),
)  # fmt: skip

SYMPTOMS = {row[0]: Symptom(*row) for row in (*_ROWS, *_PLAUSIBILITY_ROWS, *PART_ROWS, *_AID_ROWS)}
