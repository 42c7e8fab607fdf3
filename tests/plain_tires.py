"""Shipped vehicles on the simplest tire model, for tests whose theory assumes it or does not depend on the tire."""

import re

from driving_sandbox.physics.vehicle.vehicle_file import find_vehicle, load_vehicle_text

PLAIN_TIRE = """{tire_type: sport, lateral_stiffness: 75e3, longitudinal_stiffness: 85e3,
  friction_versus_slip: [[0, 1.0], [0.10, 1.03], [0.6, 0.85]]}"""

PLAIN_BUGGY_TIRE = """
  all: {tire_type: offroad, lateral_stiffness_load: 2.0, rolling_resistance: 0.018,
        friction_versus_slip: [[0, 1.0], [0.2, 1.05], [1.0, 0.92]]}
  front: {lateral_stiffness: 24000, longitudinal_stiffness: 26000}
  rear: {lateral_stiffness: 33000, longitudinal_stiffness: 36000}
"""  # of the buggy; stiffnesses for its mass, 720 kg


def plain_text(name):
    """Text of a shipped vehicle's file, with `combined_slip` in place of `mf_62` tires.

    The friction of `combined_slip` is the road's times one curve over slip. A vehicle on other tires keeps them.
    """
    text = find_vehicle(name).read_text(encoding="utf8")
    if "tire: mf_62" not in text:
        return text
    tire = PLAIN_BUGGY_TIRE if name == "buggy" else f" {{all: {PLAIN_TIRE}}}\n"
    text = re.sub(r"^tire:\n(?:  .*\n)+", f"tire:{tire}", text, flags=re.M)
    return text.replace("tire: mf_62", "tire: combined_slip")


def on_plain_tires(name):
    """A shipped vehicle with `combined_slip` in place of `mf_62` tires."""
    return load_vehicle_text(plain_text(name), find_vehicle(name))
