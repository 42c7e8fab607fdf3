"""The keys of the lamps."""

import pytest

pytestmark = pytest.mark.drawn


@pytest.fixture
def rig(open_rig):
    return open_rig()


def lit(rig):
    """Names of the lit lamps among headlamps and direction signals."""
    rig.run(0.05)
    lamps = rig.app.views[0].lamps.on
    return {name for name in ("head", "left", "right") if lamps[name]}


def test_keys_switch_headlamps_and_signals(rig):
    assert lit(rig) == set()
    for key, shining in (("f", {"head"}), ("[", {"head", "left"}), ("[", {"head"}), ("]", {"head", "right"}),
                         ("[", {"head", "left", "right"}), ("f", {"left", "right"}), ("]", {"left"})):  # fmt: skip
        rig.press(key)
        assert lit(rig) == shining, key


def test_braking_lights_the_brake_lamps_and_reversing_the_reversing_lamps(rig):
    rig.hold("w")
    rig.run(1.5)
    assert not rig.app.views[0].lamps.on["brake"]
    rig.hold("s")
    rig.run(0.2)
    assert rig.app.views[0].lamps.on["brake"] and not rig.app.views[0].lamps.on["reverse"]
    rig.until(lambda: rig.speed < -1.0, 8.0)
    assert rig.app.views[0].lamps.on["reverse"]
