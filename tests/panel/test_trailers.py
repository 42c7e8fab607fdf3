"""Trailers in plots and instruments."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from frame_pixels import pixels
from imgui_bundle import imgui

from driving_sandbox.benchmarks.scenes import command, flat_world
from driving_sandbox.game.hud import Hud, HudFrame
from driving_sandbox.game.hud.block import block_width
from driving_sandbox.game.hud.frame import TowedWheels
from driving_sandbox.game.panel.components import ComponentList
from driving_sandbox.game.plots.derived_channels import DERIVED, plottable
from driving_sandbox.game.plots.history import ChannelHistory
from driving_sandbox.game.plots.layouts import Plot, starting_layouts
from driving_sandbox.game.plots.plots import PlotWindow
from driving_sandbox.game.program.instruments import Instruments
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.placing import heading_of

TICK = 1.0 / 240.0  # s


@pytest.fixture(scope="module")
def train():
    return flat_world("truck_trailer")


def test_channels_of_trailers_can_be_plotted_and_others_cannot(train):
    names = set(plottable(train.vehicles[0]))
    assert {"tire.fl.load", "trailer1.tire.fl.load", "trailer1.articulation", "trailer1.hitch_force"} <= names
    assert not [name for name in names if name.startswith("trailer2.")]
    assert "trailer2.articulation" in plottable(load_vehicle("road_train"))
    alone = set(plottable(load_vehicle("roadster_simple")))
    assert not [name for name in alone if name.startswith("trailer")] and "car.balance" in alone
    assert "car.rpm" not in plottable(load_vehicle("truck_trailer").trailers[0])


def test_samples_are_read_from_the_trailer(train):
    truck, trailer = train.vehicles
    history = ChannelHistory(span=1.0)  # so that every tick is due
    names = ["trailer1.tire.fl.load", "trailer1.articulation", "trailer1.body.velocity.y"]
    assert history.follow(truck, [*names, "trailer2.articulation", "trailer1.nothing"]) == names
    commands = command(truck, throttle=0.6, steer=-0.6)
    for _ in range(1200):
        assert train.step(commands) is None
        history.sample(train.time)
    assert history.values(names[0])[-1] == trailer.read("tire.fl.load") > 1000.0
    assert history.values(names[2])[-1] == trailer.read("body.velocity.y")
    articulation = history.values("trailer1.articulation")[-1]
    assert articulation == pytest.approx(heading_of(trailer) - heading_of(truck))
    assert articulation < -0.02  # the truck turns left, so the trailer points to the right of it


def test_the_hitch_force_accelerates_the_trailer():
    """In straight driving it is mass times acceleration plus rolling resistance."""
    world = flat_world("truck_trailer")
    truck, trailer = world.vehicles
    history = ChannelHistory(span=1.0)
    history.follow(truck, ["trailer1.hitch_force"])
    commands = command(truck, throttle=1.0)
    forces, expected = [], []
    for tick in range(1200):
        before = trailer.read("body.velocity.y")
        assert world.step(commands) is None
        history.sample(world.time)
        if tick > 960:
            forces.append(history.values("trailer1.hitch_force")[-1])
            tires = sum(trailer.read(f"tire.{wheel}.longitudinal_force") for wheel in trailer.wheel_names)
            expected.append(trailer.get("body.mass") * (trailer.read("body.velocity.y") - before) / TICK - tires)
    assert np.mean(expected) > 2000.0
    # the hitch also carries some of the weight
    assert np.mean(forces) == pytest.approx(np.mean(expected), rel=0.1)


def test_a_plot_of_a_trailer_has_its_wheels(ui, user, train):
    """Lines of missing trailers are skipped."""
    window = PlotWindow(ui, starting_layouts()["Trailers"])
    ui.add(lambda: window.draw(train.vehicles[0]))
    for k in range(5):
        window.sample(train.vehicles[0], float(k))
        user.step(1)
    labels = [line.label for plot in window.plots for line in plot.lines]
    wheels = [f"T1 {name.upper()}" for name in train.vehicles[1].wheel_names]
    assert labels == ["T1 Articulation", "T1 Hitch force", *wheels, *wheels]
    window.plots[:] = [Plot("Loads", ["tire.*.load", "trailer1.tire.*.load"])]
    window.changed()
    window.sample(train.vehicles[0], 6.0)
    assert len(window.plots[0].lines) == sum(v.wheel_count for v in train.vehicles)


def test_a_channel_of_a_trailer_is_picked(ui, user, train):
    window = PlotWindow(ui, [Plot("Loads", ["tire.fl.load"])])
    window.sample(train.vehicles[0], 0.0)
    ui.add(lambda: window.draw(train.vehicles[0]))
    user.step()
    user.click("plot0:pick")
    user.click("pick:search")
    user.type("trailer1 articulation")
    user.click("pick:trailer1.articulation", 0.05)
    assert window.plots[0].channels == ["tire.fl.load", "trailer1.articulation"]


def test_instruments_read_every_trailer():
    world = flat_world("road_train")
    first_trailer = world.vehicles[1]
    instruments = Instruments(world.vehicles[0])
    for _ in range(480):
        world.step(command(world.vehicles[0], brake=1.0))
    instruments._read_wheels(instruments.frame, world.vehicles[0].state)
    trailers = instruments.frame.trailers
    assert [trailer.axles for trailer in trailers] == [list(v.axles.values()) for v in world.vehicles[1:]]
    assert trailers[0].loads == first_trailer.state["tire"]["load"][0, : first_trailer.wheel_count].tolist()
    for trailer in trailers:
        share = np.array(trailer.loads) / trailer.rest_load
        assert np.all((share > 0.3) & (share < 2.0))
    instruments.follow(load_vehicle("roadster_simple"))
    assert instruments.frame.trailers == [] and instruments.frame.axles == [[0, 1], [2, 3]]


WHEELS = {"wheel_loads": [30e3] * 4, "wheel_slips": [0.0] * 4, "wheel_saturations": [0.1] * 4,
          "axles": [[0, 1], [2, 3]], "rest_load": 30e3}  # fmt: skip


def towed_wheels(**values):
    return TowedWheels(**{"axles": [[0, 1], [2, 3]], "rest_load": 20e3, "loads": [20e3] * 4,
                          "saturations": [0.1] * 4, **values})  # fmt: skip


def test_wheels_of_trailers_are_drawn_to_the_right_of_those_of_the_truck(base, ui, user):
    hud, state = Hud(ui), {}
    ui.add(lambda: hud.draw(state["frame"]))

    def show(*trailers):
        state["frame"] = HudFrame(**WHEELS, trailers=list(trailers))
        user.step(4)
        return pixels(base).astype(int)

    # width, alone and the margin of 20 are in the HUD's units, of `unit` pixels
    unit = ui.size[1] / 720.0 * hud.scale
    width = block_width(HudFrame(**WHEELS, trailers=[towed_wheels()]), with_grip=False)
    alone = block_width(HudFrame(**WHEELS), with_grip=False)
    assert alone < width < alone + 62.0  # less than an axle with its numbers
    assert block_width(HudFrame(**WHEELS, trailers=[towed_wheels(), towed_wheels()]), with_grip=False) > width
    before = show(towed_wheels())
    right = math.ceil((20.0 + width) * unit)
    left = math.floor((20.0 + alone) * unit)
    for changed in (towed_wheels(loads=[20e3, 0.0, 20e3, 20e3]), towed_wheels(saturations=[0.1, 0.1, 0.1, 1.0])):
        pixels_changed = np.argwhere(np.abs(show(changed) - before).max(axis=2) > 30)
        assert len(pixels_changed) > 20
        assert left <= pixels_changed[:, 1].min() and pixels_changed[:, 1].max() <= right


def test_every_computed_channel_of_a_trailer_has_a_unit():
    channels = [channel for name, channel in DERIVED.items() if name.startswith("trailer")]
    assert channels and all(channel.unit for channel in channels)
    assert DERIVED["trailer1.articulation"].unit == "rad" and DERIVED["trailer4.hitch_force"].unit == "N"


def test_components_are_offered_for_the_towing_vehicle_only(ui, user, train):
    shop = SimpleNamespace(job=None, status={}, choices=lambda: {"tire": (["combined_slip", "legacy"], "legacy")})
    model = SimpleNamespace(vehicle=train.vehicles[0], chosen=0)
    parts = ComponentList(ui, shop, model)
    parts.open = True

    def draw():
        imgui.begin("parts")
        parts.draw()
        imgui.end()

    ui.add(draw)
    user.step()
    assert "part:tire" in ui.items and "components-of-trailer" not in ui.items
    model.vehicle, model.chosen = train.vehicles[1], 1
    user.step()
    assert "part:tire" not in ui.items and "components-of-trailer" in ui.items
