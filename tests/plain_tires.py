"""Shipped vehicles on the simplest models of tires, air and suspension, for tests whose theory assumes these."""

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
PLAIN_AIR = "{drag_area: 0.7}"  # m^2, of a hatchback
PLAIN_SUSPENSION = ("attachment", "travel", "stiffness", "damping")  # parameters that massless wheels have, too


def with_massless_wheels(text):
    """Text of a vehicle's file with the suspension `standard` in place of `unsprung`."""
    if "suspension: unsprung" not in text:
        return text
    section = re.search(r"^suspension:\n(?:  .*\n)+", text, flags=re.M).group()
    plain = re.sub(r"(\w+): (?:\[[^]]*\]|[-\d.]+)(?:,\s*)?",
                   lambda m: m.group() if m.group(1) in PLAIN_SUSPENSION else "", section)  # fmt: skip
    return re.sub(r"suspension: unsprung,\s+", "", text.replace(section, re.sub(r",\s*}", "}", plain)))


def plain_text(name, massless=True):
    """Text of a shipped vehicle's file, with `combined_slip` in place of `mf_62` tires.

    The friction of `combined_slip` is the road's times one curve over slip. A vehicle on other tires keeps all its
    parts; others also get `drag` in place of `road_car`.

    massless: whether they also get massless wheels in place of unsprung masses.
    """
    text = find_vehicle(name).read_text(encoding="utf8")
    if "tire: mf_62" not in text:
        return text
    tire = PLAIN_BUGGY_TIRE if name == "buggy" else f" {{all: {PLAIN_TIRE}}}\n"
    text = re.sub(r"^tire:\n(?:  .*\n)+", f"tire:{tire}", text, flags=re.M)
    if massless:
        text = with_massless_wheels(text)
    if "aero: road_car" in text:
        text = re.sub(r",\s+aero: road_car", "", text)
        text = re.sub(r"^aero: .*$", f"aero: {PLAIN_AIR}", text, flags=re.M)
    return text.replace("tire: mf_62", "tire: combined_slip")


def on_plain_tires(name, massless=True):
    """A shipped vehicle with the text of `plain_text`."""
    return load_vehicle_text(plain_text(name, massless), find_vehicle(name))


def on_massless_wheels(name):
    """A shipped vehicle with the suspension `standard` in place of `unsprung`."""
    return load_vehicle_text(with_massless_wheels(find_vehicle(name).read_text(encoding="utf8")), find_vehicle(name))
