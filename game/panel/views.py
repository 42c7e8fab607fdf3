"""Which parameters the panel shows: all, those a mechanic can change, favourites, what was changed last."""

ALL, SETUP, FAVOURITES, RECENT = "All", "Set-up", "Favourites", "Recently changed"
VIEWS = (ALL, SETUP, FAVOURITES, RECENT)

# What is adjustable on a real car with tools and spare parts, by slot; fields a component lacks do no harm.
MECHANIC = {
    "body": ("mass", "centre_of_mass", "driver_mass", "cg"),  # ballast
    "suspension": (
        "stiffness", "ride_frequency", "damping", "damping_ratio", "bump_damping", "rebound_damping", "preload",
        "rest_distance", "bump_start", "bump_force", "bump_stop_length", "bump_stop_stiffness", "roll_centre_height",
    ),
    "compliance": ("toe", "camber"),
    "antiroll": ("stiffness", "stabilizer"),
    "steering": ("max_angle",),
    "steering_wheel": ("lock", "ratio"),
    "ackermann": ("strength",),
    "brakes": ("max_torque", "handbrake_torque", "brake_torque", "brake_force"),
    "gearbox": ("ratios", "final_ratio", "end_ratio"),
    "differential": (
        "torque_ratio", "front_split", "front_left_split", "rear_left_split", "center_bias", "front_bias", "rear_bias",
        "front_share",
    ),
    "limited_slip": (
        "front_bias", "rear_bias", "center_bias", "front_locking", "rear_locking", "center_locking",
        "front_power_angle", "front_coast_angle", "front_clutches", "rear_power_angle", "rear_coast_angle",
        "rear_clutches", "center_power_angle", "center_coast_angle", "center_clutches",
    ),
    "clutch": ("strength", "max_torque"),
    "engine": ("limiter_band",),
    "autobox": ("up_ratios", "down_ratios", "up_omega", "down_omega"),
    "aero": ("angle", "downforce_area", "centre_of_pressure"),
    "tire": ("tire_type",),
}  # fmt: skip


def name_of(row):
    """What favourites call a row: slot and field, whatever the wheels and the vehicle."""
    return f"{row.slot}.{row.field.name}"


def in_view(view, favourites, recent):
    """The predicate (row) -> bool of a view; `favourites` are names, `recent` paths."""
    if view == SETUP:
        return lambda row: row.field.name in MECHANIC.get(row.slot, ())
    if view == FAVOURITES:
        return lambda row: name_of(row) in favourites
    if view == RECENT:
        return lambda row: not recent.isdisjoint(row.paths)
    return lambda row: True
