"""The effect of a parameter: what the sweep's process reports reaches the window."""

from types import SimpleNamespace

from driving_sandbox.game.experiments.effect import Effect


def test_the_error_of_a_sweep_that_failed_between_two_frames_is_shown():
    effect = Effect(session=None)
    effect.worker = SimpleNamespace(done=True, error="MemoryError", points=[])
    effect.poll()
    assert effect.error == "MemoryError" and not effect.running
