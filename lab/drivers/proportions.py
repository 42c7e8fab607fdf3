"""What a driver must know of a vehicle's proportions to steer it, whatever it is made of."""

UNSTEERED = 0.6  # rad, angle that stands for full steering where no wheel steers (tracks)


def wheelbase(vehicle):
    """Distance between the foremost and the rearmost axle, m."""
    if "suspension" not in vehicle.sequence.by_slot:
        return vehicle.get("body.front_axle") + vehicle.get("body.rear_axle")
    along = [vehicle.get(f"suspension.{name}.attachment")[1] for name in vehicle.wheel_names]
    return max(along) - min(along)


def largest_steer(vehicle):
    """Steer angle of the wheels at full steering, rad; by wheel or for the whole vehicle, as its component has it."""
    angles = [p.path for p in vehicle.parameters() if p.slot == "steering" and p.field.name == "max_angle"]
    return max((abs(vehicle.get(path)) for path in angles), default=0.0) or UNSTEERED


def end_slips(vehicle):
    """Mean slip angles of the foremost and the rearmost axle's tires, positive sliding to the right, rad."""
    slip = vehicle.state["tire"]["lateral_slip"][0]
    axles = list(vehicle.axles.values())
    return tuple(sum(float(slip[i]) for i in axle) / len(axle) for axle in (axles[0], axles[-1]))
