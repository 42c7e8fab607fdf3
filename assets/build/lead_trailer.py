"""The first trailer of a road train: a semi-trailer whose body ends before its axles, where the next one is coupled."""

from driving_sandbox.assets.build import semi_trailer
from driving_sandbox.assets.build.glb import Node


def build() -> Node:
    """The model."""
    return semi_trailer.build("lead_trailer", body_rear=-1.45, fifth=-3.20)
