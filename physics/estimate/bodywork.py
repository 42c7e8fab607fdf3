"""Data for air forces from the size of a car's bodywork (Hucho, Aerodynamics of Road Vehicles)."""

SALOON_SIZE = (1.8, 1.45)  # m, width and height of a saloon, for a vehicle without a model
FRONTAL_AREA_SHARE = 0.81  # frontal area of a car, as a share of its width times height
SIDE_FORCE_SHARE = 0.4  # height of the side force, as a share of the car's height


def frontal_area(width: float, height: float) -> float:
    """Frontal area, m^2. width, height: of the bodywork, the latter above the ground, m."""
    return FRONTAL_AREA_SHARE * width * height


def side_force_height(height: float) -> float:
    """Height above the ground at which the side force of the air acts, m. height: of the bodywork, m."""
    return SIDE_FORCE_SHARE * height
