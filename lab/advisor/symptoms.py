"""Table of all advice: the tuning guide's rules of thumb and the symptoms of its troubleshooting chapter.

Limits that differ from the manual are marked in the evidence. The manual's damping ratio 0.8..1.2 and natural frequency
5..10 rad/s are listed as reference bands of the figures (`lab.advisor.figures.report`); real road cars have ratios of
0.2 to 0.4, so a warning starts only where a car no longer drives.
"""

from dataclasses import dataclass

from driving_sandbox.lab.advisor.symptoms_parts import PART_ROWS


@dataclass(frozen=True)
class Symptom:
    """One kind of advice.

    Attributes:
        id: stable name. title: what a driver notices. evidence: the measured quantity, and its limit. cause: the cause.
        parameter: which one to change, without the wheel. move: in which direction. when: "load", "drive" or "trial".
        source: of the rule.
    """

    id: str
    title: str
    evidence: str
    cause: str
    parameter: str
    move: str
    when: str
    source: str


_ROWS = (
    # id, title, evidence, cause, parameter, move, when, source
    ("length_scale", "The vehicle jitters or floats",
     "length scale of the scene (gravity / 9.81 m/s^2) against the vehicle's (wheel radius / 0.35 m), factor over 20",
     "scene and vehicle use different units of length", "wheel.radius", "convert the vehicle or the world, first",
     "load", "PX-HELP-01"),
    ("spring_step", "The vehicle jitters", "alpha = sqrt(sprung mass / stiffness) / step below 5",
     "the step is too long for the spring's natural frequency", "suspension.stiffness", "lower", "load", "PX-HELP-02"),
    ("travel_room", "The wheels sit on a bump stop",
     "travel at most 1 cm above the compression at rest, or a wheel on a limit over 50 % of 4 s",
     "the travel leaves the spring no room to move", "suspension.travel", "raise", "load", "PX-HELP-03"),
    ("tires_hold_engine", "The engine refuses to spin quickly",
     "lift test: engine rate on the ground below 40 % of that in the air", "the tires resist the engine's motion",
     "tire.rolling_resistance", "lower", "trial", "PX-HELP-04"),
    ("engine_scale", "The engine refuses to spin quickly",
     "peak torque or inertia over a factor of 1000 away from 600 N*m and 1 kg*m^2 in the scene's units",
     "engine figures are given in another length scale", "engine.peak_torque", "convert by the scale squared:",
     "load", "PX-HELP-05"),
    ("engine_inertia", "The engine refuses to spin quickly", "over 3 s from idle to the largest rate in neutral",
     "the engine's inertia is large for its torque", "engine.inertia", "lower", "load", "PX-HELP-06"),
    ("peak_torque", "The engine refuses to spin quickly",
     "peak torque per mass below half of 600 N*m / 1500 kg, and not made up for by gearing (under 2 m/s^2 in first)",
     "the torque is small for the mass", "engine.peak_torque", "raise", "load", "PX-HELP-07"),
    ("torque_curve", "The engine refuses to spin quickly",
     "curve at or below 0 under 0.9 of the largest rate, or nowhere above 0.5", "the torque curve is not sensible",
     "engine.torque_curve", "make flat or raise", "load", "PX-HELP-08"),
    ("max_omega", "The engine refuses to spin quickly", "largest engine rate outside 100..2500 rad/s",
     "the largest engine rate is unrealistic", "engine.max_omega", "correct", "load", "PX-HELP-09"),
    ("engine_damping", "The engine refuses to spin quickly",
     "damping x largest rate over 80 % of the peak torque", "the engine's damping eats its torque",
     "engine.damping_full_throttle", "lower", "load", "PX-HELP-10"),
    ("neutral_gear", "The engine spins, the wheels do not", "throttle above 0.5 in neutral for 1 s",
     "no gear is engaged", "a command", "engage a gear", "drive", "PX-HELP-11"),
    ("no_drive_torque", "The engine spins, the wheels do not",
     "sum of the sizes of the differential's torque ratios is not 1", "the differential is not configured",
     "differential.torque_ratio", "make the sum 1:", "load", "PX-HELP-12"),
    ("brake_engaged", "The engine spins, the wheels do not",
     "throttle above 0.5 with brake or handbrake above 0.05 for 1 s", "a brake is on", "a command",
     "release the brake", "drive", "PX-HELP-13"),
    ("wheel_scale", "The engine spins, the wheels do not",
     "wheel inertia over a factor of 10 away from 0.5 m r^2", "wheel figures are given in another length scale",
     "wheel.spin_inertia", "correct", "load", "PX-HELP-14"),
    ("wheel_inertia_high", "The engine spins, the wheels do not", "wheel inertia above 3 m r^2",
     "the wheel's inertia is too high", "wheel.spin_inertia", "lower", "load", "PX-HELP-15"),
    ("wheel_damping", "The engine spins, the wheels do not",
     "damping above 2 N*m*s, or over 20 % of the drive torque at top speed", "the wheel's damping is too high",
     "wheel.damping", "lower", "load", "PX-HELP-16"),
    ("tires_hold_wheels", "The engine spins, the wheels do not",
     "lift test: wheels spin in the air but turn at under 10 % of that rate on the ground",
     "the tires hold the wheels", "tire.rolling_resistance", "lower", "trial", "PX-HELP-17"),
    ("hull_contact", "The wheels spin, the vehicle hardly moves",
     "bodywork touches the ground for 1 s while all wheels stand on it, and no ridge (5 cm) rises between them",
     "the body carries weight that the suspension should carry", "suspension.stiffness", "raise",
     "drive", "PX-HELP-18"),
    ("low_friction", "The wheels spin, the vehicle hardly moves",
     "friction of a driven, spinning wheel below 0.2 for 1 s at low speed", "the tire gets too little friction",
     "tire.friction_versus_slip", "raise", "drive", "PX-HELP-19"),
    ("sprung_masses", "The wheels spin, the vehicle hardly moves",
     "loads at rest 5 % off the weight, or a wheel 30 % off its share", "sprung masses do not match the body's mass",
     "suspension.sprung_mass", "correct", "load", "PX-HELP-20"),
    ("no_longitudinal_force", "The wheels spin, the vehicle hardly moves",
     "slip above 0.5 with under 5 % of friction x load for 0.5 s", "the tire makes no longitudinal force",
     "tire.longitudinal_stiffness", "raise", "drive", "PX-HELP-21"),
    ("longitudinal_stiffness", "The wheels spin, the vehicle hardly moves",
     "longitudinal stiffness below the rest load per unit slip", "the longitudinal stiffness is too small",
     "tire.longitudinal_stiffness", "raise", "load", "PX-HELP-22"),
    ("mass_for_torque", "The wheels spin, the vehicle hardly moves", "best acceleration in first gear below 0.5 m/s^2",
     "the mass is too large for the torque", "body.mass", "lower", "load", "PX-HELP-23"),
    ("not_stepped", "The vehicle does not react", "commands given, pose unchanged to the last bit for 1 s, asleep",
     "the body sleeps or the world is not stepped", "a command", "wake the body or step the world", "drive",
     "PX-HELP-24"),
    ("yaw_inertia_high", "The vehicle does not turn", "yaw inertia over 3 times that of its box",
     "the moment of inertia resists turning", "body.principal_inertia", "lower the third number of", "load",
     "PX-HELP-25"),
    ("no_steer_angle", "The vehicle does not turn",
     "steer command above 0.3 with every wheel under 1 degree for 0.5 s", "the wheels get no steer angle",
     "steering.max_angle", "raise", "drive", "PX-HELP-26"),
    ("no_lateral_slip", "The vehicle does not turn naturally",
     "steered over 5 degrees above 5 m/s with under 0.1 degree of lateral slip for 0.5 s",
     "steered tires run without a slip angle", "tire.lateral_stiffness", "lower", "drive", "PX-HELP-27"),
    ("lateral_stiffness", "The vehicle does not turn",
     "lateral stiffness below 10 rest loads per rad (4 for lorries), or its load outside 1..5",
     "lateral stiffness is misconfigured",
     "tire.lateral_stiffness", "raise", "load", "PX-HELP-28"),
    ("damping_losses", "The acceleration feels sluggish",
     "engine and wheel damping take over 30 % of the power at its peak", "damping rates are too large",
     "engine.damping_full_throttle", "lower", "load", "PX-HELP-29"),
    ("stuck_in_gear", "The acceleration feels sluggish",
     "engine above 95 % of its largest rate below top gear for 3 s, or an up ratio that cannot be reached",
     "the gearbox stays in one gear", "autobox.up_ratios", "lower", "drive", "PX-HELP-30"),
    ("engine_weak", "The acceleration feels sluggish",
     "over 30 s to half of the top gear's speed", "the engine is too weak", "engine.peak_torque", "raise", "load",
     "PX-HELP-31"),
    ("wheel_inertia_heavy", "The acceleration feels sluggish",
     "inertia of the wheels over 20 % of the mass (sum of I / r^2)", "the wheels' inertia prevents slip",
     "wheel.spin_inertia", "lower", "load", "PX-HELP-32"),
    ("coasts_on", "The vehicle does not slow down when coasting",
     "coasting in gear at 20 m/s slows by under 0.1 m/s^2", "engine and wheel damping are too small",
     "engine.damping_zero_throttle_clutch_engaged", "raise", "load", "PX-HELP-33"),
    ("no_body_damping", "The vehicle does not slow down when coasting",
     "no air drag on the body: 0 N at any speed", "the body's velocity is not damped", "aero.drag_area", "raise",
     "load", "PX-HELP-34"),
    ("yaw_inertia", "The vehicle turns too quickly or too slowly",
     "yaw inertia below 0.4 or above 2 times that of its box", "the moment of inertia about the up axis",
     "body.principal_inertia", "move the third number of", "load", "PX-HELP-35"),
    ("pedal_slew", "The wheels spin too much when accelerating",
     "pedal faster than 10 1/s and slip above 0.5 for 0.7 s after it", "the pedal rises too fast",
     "input.analog_throttle_rise", "limit", "drive", "PX-HELP-36"),
    ("wheel_inertia_low", "The wheels spin too much when accelerating", "wheel inertia below 0.2 m r^2",
     "the wheel's inertia is too low", "wheel.spin_inertia", "raise", "load", "PX-HELP-37"),
    ("no_limited_slip", "The wheels spin too much in corners",
     "inner driven wheel's slip above 0.5 with the outer's below 0.1 in a corner for 0.4 s",
     "the differential lets the inner wheel spin", "limited_slip.rear_bias", "set to 1.3:", "drive", "PX-HELP-38"),
    ("gear_hunting", "The vehicle never leaves first gear",
     "3 or more changes between first gear and neutral within 5 s, or latency not above the switch time",
     "the automatic gearbox decides again before a change has been done", "autobox.latency", "raise", "drive",
     "PX-HELP-39"),
    ("bumpy_load", "The vehicle understeers, then oversteers",
     "tire load varies over 50 % faster than 2 Hz with the yaw rate off its path to both sides",
     "a bumpy road changes the tires' load", "tire.load_filter", "flatten", "drive", "PX-HELP-40"),
    ("slip_oscillation", "The vehicle slows down unnaturally",
     "longitudinal slip changes its sign in over 50 % of the steps below 2 m/s",
     "the step is too long for the wheels at low speed", "tire.longitudinal_stiffness",
     "use more substeps, raise context.min_passive_slip_speed, or lower", "drive", "PX-HELP-41"),
    ("climbs_steep", "The vehicle climbs slopes that are too steep",
     "driven wheels slip over 0.4 on a slope above 30 degrees that is climbed for 1 s",
     "slipping wheels keep too much friction", "tire.friction_versus_slip", "lower the plateau of", "drive",
     "PX-HELP-42"),
    ("spring_frequency", "The body is twitchy or sluggish",
     "natural frequency of the spring outside 3.5..25 rad/s (a family car: 5..10)",
     "the spring does not suit the mass it carries", "suspension.stiffness", "lower", "load", "PX-HELP-43"),
    ("damping_ratio", "The body bounces on or is sluggish",
     "damping ratio outside 0.12..2 (the manual starts at 0.8..1.2, road cars lie at 0.2..0.4)",
     "the damper does not suit spring and mass", "suspension.damping", "raise", "load", "PX-HELP-43"),
    ("steer_at_speed", "The car spins at high speed",
     "full steer at 30 m/s asks for more than friction x g: over twice the angle that the front tires can use",
     "large steer angles stay available at speed", "response.steer_table", "reduce over speed in", "load",
     "PX-HELP-44"),
    ("ackermann_geometry", "The tires scrub in tight bends",
     "wheelbase or track of the correction over 25 % off that of the wheels", "the correction has another geometry",
     "ackermann.wheelbase", "correct", "load", "PX-STEER-05"),
    ("jitter_at_rest", "The vehicle jitters at rest",
     "tire loads of a vehicle at rest vary over 20 % above 4 Hz for 2 s", "the spring is too stiff for the step",
     "suspension.stiffness", "lower", "drive", "PX-HELP-02"),
    ("handbrake_weak", "The vehicle rolls away", "moves for 2 s on a slope with the handbrake on and no throttle",
     "the handbrake is too weak for the slope", "brakes.handbrake_torque", "raise", "drive", "PX-SUSP-20"),
    ("spins_out", "The vehicle spins at speed",
     "slides over 60 degrees sideways above 8 m/s without handbrake", "the rear tires hold less than the front",
     "tire.lateral_stiffness", "raise", "drive", "PX-HELP-44"),
    ("tips_over", "The vehicle tips over", "leans over 60 degrees after two wheels of one side left level ground",
     "the centre of mass is high for the track", "body.centre_of_mass", "lower the third number of", "drive",
     "tuning guide, anti-roll bars"),
)  # fmt: skip

_AID_ROWS = (
    ("stuck_traction_control", "The car slows down far too long, as if the throttle were cut",
     "traction control active for over 2 s without a break with throttle above 0.5",
     "the ratio at which the throttle returns is never reached", "traction_control.min_velocity_ratio",
     "raise to 1.05:", "drive", "RC-TC-06"),
)  # fmt: skip

SYMPTOMS = {row[0]: Symptom(*row) for row in (*_ROWS, *PART_ROWS, *_AID_ROWS)}
