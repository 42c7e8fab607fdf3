"""Estimates of parameters missing in a vehicle file, from its size and mass, each with its reason.

A component may have an estimator (`Component.estimate`). The reader of vehicle files calls it for missing parameters,
uses the results like values of the file, and lists them in `vehicle.info["estimated"]`.
"""

from driving_sandbox.physics.estimate.estimate import Estimate as Estimate
from driving_sandbox.physics.estimate.estimate import estimate_lines as estimate_lines
