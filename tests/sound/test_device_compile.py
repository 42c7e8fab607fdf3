"""The order in which the worker compiles what sound in real time needs."""

from driving_sandbox.sound.device import compile as compiling


def test_the_callback_is_compiled_last(monkeypatch):
    """A thread can play without it. Only then is everything noted as compiled: a worker may be interrupted."""
    order = []
    names = ["fill", "fill_many", "note_moving", "start_engines"]
    for name in names:
        monkeypatch.setattr(compiling, name, lambda *arguments, name=name: order.append(name))
    monkeypatch.setattr(compiling.Room, "fill", lambda *arguments: order.append("room"))
    monkeypatch.setattr(compiling.Scene, "tune", lambda *arguments: order.append("tune"))
    monkeypatch.setattr(compiling.STREAM_CALLBACK, "compile", lambda: order.append("callback"))
    monkeypatch.setattr(compiling, "note_compiled", order.append)
    compiling.main()
    assert sorted(order[:-2]) == sorted([*names, "room", "tune"])
    assert order[-2:] == ["callback", "driving_sandbox.sound.device.compile"]


def test_no_vehicle_is_compiled(monkeypatch):
    """The step of a vehicle would take longer than all of the sound."""
    monkeypatch.setattr("driving_sandbox.physics.world.world.World._bind", lambda *arguments: 1 / 0)
    for name in ("fill", "note_compiled"):
        monkeypatch.setattr(compiling, name, lambda *arguments: None)
    monkeypatch.setattr(compiling.STREAM_CALLBACK, "compile", lambda: None)
    compiling.main()
