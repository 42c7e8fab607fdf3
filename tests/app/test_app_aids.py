"""Lamps and switches of the driving aids."""

import pytest

pytestmark = pytest.mark.drawn


@pytest.fixture
def rig(open_rig):
    return open_rig("--vehicle", "coupe")


def lamps(rig):
    """{label: state} of the lamps of driving aids, after another frame."""
    rig.step()
    return dict(rig.app.instruments.frame.lamps)


def test_keys_switch_the_aids_off_and_keys_or_undo_on_again(rig):
    assert lamps(rig) == dict.fromkeys(("ABS", "TC", "ESC", "HILL", "STEER"), "ready")
    for key, label, slot in (("1", "ABS", "abs"), ("2", "TC", "traction_control"), ("3", "ESC", "stability_control"),
                             ("4", "HILL", "hill_hold")):  # fmt: skip
        rig.press(key)
        assert lamps(rig)[label] == "off" and not rig.session.vehicle.get(f"{slot}.enable")
        assert any(text.endswith(" off") for text in rig.shown)
        if slot in ("abs", "stability_control"):  # on again by the same key; the other aids by undo
            rig.press(key)
        else:
            rig.app.actions.table["undo"]()
        assert lamps(rig)[label] == "ready" and rig.session.vehicle.get(f"{slot}.enable")


def test_hard_braking_lights_the_abs_lamp_and_not_that_of_hill_hold(rig):
    rig.hold("w")
    rig.until(lambda: rig.speed > 20.0, 10.0)
    rig.hold("s")
    lit = set()
    for _ in range(20):
        rig.run(0.1)
        lit |= {label for label, state in lamps(rig).items() if state == "lit"}
    assert "ABS" in lit and "HILL" not in lit


def test_a_car_without_an_aid_has_no_lamp_and_says_so(open_rig):
    rig = open_rig()  # the roadster
    assert set(lamps(rig)) == {"ABS", "STEER"}  # the last is that of the aid for keys
    rig.press("3")
    assert "this vehicle has no stability control" in rig.shown
