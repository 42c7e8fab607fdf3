"""Tuning advice: finds implausible figures of a vehicle and symptoms while driving, and names the parameter to change.

check_vehicle(vehicle)          at load time: [Advice], each with file and line
Monitor(vehicle, tick)          while driving: sample() every tick, detect() every frame -> new Advice
lift_test(vehicle) ...          measurements on a copy of the vehicle (lab/advisor/trials.py)
report(vehicle)                 the figures behind the advice, as lines of text (lab/advisor/report.py)
"""

from driving_sandbox.lab.advisor.advice import Advice
from driving_sandbox.lab.advisor.load_time import check_vehicle
from driving_sandbox.lab.advisor.monitor import Monitor, watched_run
from driving_sandbox.lab.advisor.symptoms import SYMPTOMS, Symptom

__all__ = ["SYMPTOMS", "Advice", "Monitor", "Symptom", "check_vehicle", "watched_run"]
