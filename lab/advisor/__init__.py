"""Tuning help: implausible figures of a vehicle, symptoms while driving, and the parameter to change.

check_vehicle(vehicle)          at load time: [Advice], each with file and line
Monitor(vehicle, tick)          while driving: sample() every tick, look() every frame -> new Advice
lift_test(vehicle) ...          one-click measurements on a copy (lab/advisor/trials.py)
report(vehicle)                 the figures behind it, as lines of text (lab/advisor/figures.py)
"""

from driving_sandbox.lab.advisor.advice import Advice
from driving_sandbox.lab.advisor.load_time import check_vehicle
from driving_sandbox.lab.advisor.monitor import Monitor, watched_run
from driving_sandbox.lab.advisor.symptoms import SYMPTOMS, Symptom

__all__ = ["SYMPTOMS", "Advice", "Monitor", "Symptom", "check_vehicle", "watched_run"]
