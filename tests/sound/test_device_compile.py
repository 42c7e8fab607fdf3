"""The order in which the helper compiles what sound in real time needs."""

from driving_sandbox.sound.device import compile as compiling


def test_the_callback_is_compiled_last(monkeypatch):
    """Once it is in the cache the program plays, so a helper that was interrupted has compiled all else before."""
    order = []
    monkeypatch.setattr(compiling, "fill", lambda *arguments: order.append("fill"))
    monkeypatch.setattr(compiling.Gatherer, "gather", lambda *arguments: order.append("gather"))
    monkeypatch.setattr(compiling.Room, "fill", lambda *arguments: order.append("room"))
    monkeypatch.setattr(compiling.Scene, "tune", lambda *arguments: order.append("tune"))
    monkeypatch.setattr(compiling.STREAM_CALLBACK, "compile", lambda: order.append("callback"))
    compiling.main()
    assert sorted(order[:-1]) == ["fill", "gather", "room", "tune"]
    assert order[-1] == "callback"
