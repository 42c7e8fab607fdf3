"""Compiles the callback of force feedback, in a worker process; it stays in the cache of kernels.

    python -m driving_sandbox.game.force_feedback.compile

Compiling takes seconds, in which it would hold up the drive.
"""

from driving_sandbox.game.force_feedback.stream import TIMER_CALLBACK
from driving_sandbox.physics.compile import report_progress

MODULE = "driving_sandbox.game.force_feedback.compile"

if __name__ == "__main__":
    report_progress()
    TIMER_CALLBACK.compile()
