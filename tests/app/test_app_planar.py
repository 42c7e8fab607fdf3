"""The planar vehicle in the program: driven by a player and by the AI, and as the twin of a full car."""

import numpy as np
import pytest

from driving_sandbox.game.experiments import twin_window

pytestmark = pytest.mark.drawn


def test_a_planar_vehicle_drives_brakes_and_is_picked_by_a_ray(open_rig):
    rig = open_rig("--vehicle", "planar_roadster")
    rig.app.welcome = None
    rig.hold("w")
    rig.run(3.0)
    assert rig.speed > 8.0
    assert rig.app.instruments.frame.rpm > 1000.0 and rig.app.instruments.frame.gear == "1"
    assert sum(rig.app.instruments.frame.wheel_loads) == pytest.approx(1125 * 9.81)
    rig.hold("w", "d")
    rig.run(1.0)
    assert rig.read("body.angular_velocity.z") < -0.05
    rig.hold("s")
    rig.until(lambda: rig.speed < -0.5, 8.0)
    wheel = rig.session.vehicle.state["wheel"]["position"][0, 1]
    rig.app._pick(origin=tuple(wheel + (5.0, 0.0, 0.0)), direction=(-1.0, 0.0, 0.0))
    rig.step(2)
    assert any("wheel fr" in text for text in rig.shown)
    rig.hold()
    rig.press("r")
    assert rig.speed == 0.0


def test_the_twin_is_drawn_beside_the_car_and_compared_in_a_window(open_rig, monkeypatch):
    rig = open_rig("--vehicle", "roadster", "--twin", "planar_roadster", "--size", "640x360")
    rig.app.welcome = None
    display = rig.app.twin
    rig.hold("w", "d")
    rig.run(4.0)
    rig.step(2)
    assert np.hypot(*display.twin.offset) > 0.5
    position = display.view.body.getPos()  # in the world: its parent is at the origin
    assert np.allclose(tuple(position)[:2], display.twin.vehicle.model_position()[:2], atol=0.5)
    for item in ("twin:Speed", "twin-join"):
        rig.ui.items.rectangle(item)  # raises KeyError unless the window shows it
    written = []
    monkeypatch.setattr(twin_window, "differences", lambda twin: [("Speed", "km/h", -0.001, -0.002)])
    monkeypatch.setattr(twin_window.imgui, "text_colored", lambda color, text: written.append(text))
    rig.step()
    # after the text with the twin's offset: values of car and twin and their difference, never "-0.00"
    assert written[1:4] == ["0.00", "0.00", "+0.00"]
    monkeypatch.undo()
    rig.press("t")
    assert not display.twin.shown
    rig.press("t")
    rig.hold()
    rig.press("r")  # recovery moves the twin to the car as well
    assert np.hypot(*display.twin.offset) < 1e-6


def test_a_key_hands_the_car_to_the_ai_and_back(open_rig, tmp_path):
    angles = np.linspace(0.0, 2.0 * np.pi, 60, endpoint=False)
    rows = (f"{40 * np.cos(a) - 40:.3f},{40 * np.sin(a):.3f},12" for a in angles)
    line = tmp_path / "circle.csv"
    line.write_text("\n".join(["x,y,speed", *rows]))
    rig = open_rig("--vehicle", "planar_roadster", "--line", line)
    rig.app.welcome = None
    rig.run(1.0)
    assert abs(rig.speed) < 0.1
    rig.press("i")
    assert any("the AI drives" in text for text in rig.shown)
    rig.run(6.0)
    assert rig.app.driver_switch.by_ai and rig.speed > 6.0
    assert abs(np.hypot(rig.read("body.position.x") + 40.0, rig.read("body.position.y")) - 40.0) < 3.0
    rig.press(".")  # a faster AI
    assert rig.app.driver_switch.driver.performance > 1.05
    rig.press("i")
    rig.hold("s")
    rig.run(1.0)
    assert not rig.app.driver_switch.by_ai and rig.read("input.brake") > 0.9
