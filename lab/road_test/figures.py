"""The figures of a road test: name, unit, meaning."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """A figure of the road test.

    Attributes:
        unit: of the value.
        doc: description, with the procedure.
        digits: number of decimals shown.
    """

    unit: str
    doc: str
    digits: int = 2


FIGURES = {
    "zero_to_30_mph": Figure("s", "from the first motion to 30 mph"),
    "zero_to_60_mph": Figure("s", "from the first motion to 60 mph"),
    "zero_to_100_kmh": Figure("s", "from the first motion to 100 km/h"),
    "zero_to_160_kmh": Figure("s", "from the first motion to 160 km/h"),
    "rollout_30_mph": Figure("s", "to 30 mph, the first foot not counted"),
    "rollout_60_mph": Figure("s", "to 60 mph, the first foot not counted"),
    "rollout_100_kmh": Figure("s", "to 100 km/h, the first foot not counted"),
    "rollout_160_kmh": Figure("s", "to 160 km/h, the first foot not counted"),
    "quarter_mile": Figure("s", "time over 402.3 m from the first motion"),
    "quarter_mile_rollout": Figure("s", "time over 402.3 m, the first foot not counted"),
    "trap_speed": Figure("km/h", "mean speed over the last 66 ft of the quarter mile", 1),
    "top_speed": Figure("km/h", "highest speed; the run ends when 10 s of full throttle gain less than 0.1 m/s", 1),
    "engine_speed_70_mph": Figure("rpm", "at a steady 70 mph in the highest gear", 0),
    "braking_100_kmh": Figure("m", "from pedal contact at 100 km/h to rest, as in ISO 21994", 1),
    "braking_60_mph": Figure("m", "from pedal contact at 60 mph to rest", 1),
    "coast_down_100_60": Figure("s", "from 100 to 60 km/h in neutral"),
    "skidpad_left": Figure("g", "lateral acceleration on the 200 ft skid pad, to the left", 3),
    "skidpad_right": Figure("g", "lateral acceleration on the 200 ft skid pad, to the right", 3),
    "slalom_700_ft": Figure("km/h", "mean speed through eight cones 100 ft apart", 1),
    "slalom_600_ft": Figure("km/h", "mean speed through seven cones 100 ft apart", 1),
    "lane_change": Figure("km/h", "ISO 3888-2, highest entry speed without touching a cone", 1),
    "understeer_gradient": Figure(
        "deg/g", "slope of the front steer angle over lateral acceleration, constant radius, ISO 4138"
    ),
    "roll_gradient": Figure("deg/g", "slope of the roll angle over lateral acceleration, constant radius, ISO 4138"),
    "yaw_response_time": Figure(
        "s", "from half the steering step to 90 % of the steady yaw rate, 80 km/h, ISO 7401", 3
    ),
    "yaw_overshoot": Figure("%", "excess of the largest yaw rate over the steady one after the step", 1),
    "ride_frequency_front": Figure("Hz", "sprung mass over the front axle on its ride rate"),
    "ride_frequency_rear": Figure("Hz", "sprung mass over the rear axle on its ride rate"),
}
