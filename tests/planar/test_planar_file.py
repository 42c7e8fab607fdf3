"""The smallest planar vehicle file: required keys, defaults, and errors that name a missing key."""

import pytest
from drive_rig import Drive

from driving_sandbox.physics.schema.yaml_file import ConfigError, parse_yaml
from driving_sandbox.physics.tick.commands import AUTOMATIC
from driving_sandbox.physics.vehicle.vehicle_file import build_vehicle, load_vehicle_text

SMALLEST = """
name: Smallest
type: planar
axles: {front: [fl, fr], rear: [rl, rr]}
body: {mass: 1200, yaw_inertia: 1500, front_axle: 1.1, rear_axle: 1.4}
wheel: {all: {radius: 0.33}, front: {axle: front}, rear: {axle: rear}}
engine: {torque_table: [[100, 200], [400, 300], [700, 220]], max_omega: 730}
gearbox: {ratios: [-3.2, 0, 3.6, 2.2, 1.5]}
"""
REQUIRED = ("body.mass", "body.yaw_inertia", "body.front_axle", "body.rear_axle", "wheel.fl.radius", "wheel.fl.axle",
            "engine.torque_table", "engine.max_omega", "gearbox.ratios")  # fmt: skip
DEFAULTS = {"gearbox.final_ratio": 3.38, "gearbox.efficiency": 0.9, "rolling.coefficient": 0.01,
            "brakes.friction": 0.9, "differential.friction": 0.9, "aero.drag_coefficient": 0.3}  # fmt: skip


def test_smallest_file_drives_with_the_defaults_of_the_article():
    car = Drive(load_vehicle_text(SMALLEST))
    for path, value in DEFAULTS.items():
        assert car.vehicle.get(path) == value
    car.run(4.0, throttle=1.0, gear=AUTOMATIC)
    assert car.speed > 10.0
    car.run(6.0, brake=1.0, gear=AUTOMATIC)
    assert car.speed == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("path", REQUIRED)
def test_a_missing_key_is_named(path):
    slot, *_, key = path.split(".")
    doc = parse_yaml(SMALLEST, "car.yaml")
    section = doc[slot]
    for block in section.values() if slot == "wheel" else [section]:
        block.pop(key, None)
    with pytest.raises(ConfigError, match="is missing") as error:
        build_vehicle(doc)
    assert path in str(error.value) and "car.yaml:" in str(error.value)
