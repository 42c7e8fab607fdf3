"""What is assumed of a vehicle where its file says nothing: values from its size and mass, each with its reason.

A component names an estimator (`Component.estimate`); the reader of vehicle files asks it for the parameters that a
file leaves out, writes what it returns like values of the file, and keeps it in `vehicle.info["estimated"]`.
"""

from driving_sandbox.physics.estimate.estimate import Estimate as Estimate
from driving_sandbox.physics.estimate.estimate import estimate_lines as estimate_lines
