"""Estimates of a vehicle's parameters that no one has given, from its size, mass and load.

The modules have the formulas, from numbers to numbers. A component calls those it needs: when it derives, where 0
stands for an unknown value, or in its estimator (`Component.estimate`), which returns each value with its reason. The
reader of vehicle files and a swap while driving call the estimator for parameters without a value, use the results like
given values, and list them in `vehicle.info["estimated"]`.
"""

from driving_sandbox.physics.estimate.estimate import Estimate as Estimate
from driving_sandbox.physics.estimate.estimate import estimate_lines as estimate_lines
from driving_sandbox.physics.estimate.estimate import sentences as sentences
