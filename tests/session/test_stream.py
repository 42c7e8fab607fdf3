"""Packets of live telemetry, as a receiver on this machine gets them: values and layout as documented."""

import re
import socket
import struct

import pytest

from driving_sandbox.game.session.session import Session
from driving_sandbox.game.session.stream import CAR, HEADER, LOOPBACK, MAGIC, VERSION, WHEEL, Stream, address_of
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world


@pytest.fixture(params=["roadster", "buggy", "tank"])
def session(request):
    """A session of one vehicle on the plane."""
    world = World(load_world("plane"), [load_vehicle(request.param)])
    world.spawn()
    session = Session(world)
    yield session
    session.close()


@pytest.fixture
def receiver():
    """A UDP socket that receives what is sent to its port."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind((LOOPBACK, 0))
        receiver.settimeout(5.0)
        yield receiver


def full_throttle(situation):
    """Driver with full throttle in automatic."""
    from driving_sandbox.physics.tick.commands import AUTOMATIC, neutral_command

    command = neutral_command()
    command["throttle"], command["gear"] = 1.0, AUTOMATIC
    return command


def decoded(packet):
    """(head, {name: value} of the car, [{name: value} of each wheel]) of a packet."""
    head = HEADER.unpack_from(packet)
    values = struct.unpack_from(f"<{(len(packet) - HEADER.size) // 4}f", packet, HEADER.size)
    car = dict(zip([name for name, _ in CAR], values, strict=False))
    _, _, _, _, wheel_count, _ = head
    wheels = [values[len(CAR) + k * len(WHEEL) :][: len(WHEEL)] for k in range(wheel_count)]
    return head, car, [dict(zip([name for name, _ in WHEEL], row, strict=True)) for row in wheels]


def test_a_packet_has_the_state_of_its_frame(session, receiver):
    stream = Stream(session, receiver.getsockname())
    for _ in range(60):
        session.step(1.0 / 60.0, full_throttle)
    stream.send()
    packet = receiver.recv(65536)
    (magic, version, length, tick, wheel_count, time), car, wheels = decoded(packet)
    vehicle = session.vehicle
    assert (magic, version, length) == (MAGIC, VERSION, len(packet))
    assert tick == session.world.tick and time == session.world.time and wheel_count == vehicle.wheel_count
    assert [car[f"velocity.{a}"] for a in "xyz"] == pytest.approx(
        [vehicle.read(f"body.velocity.{a}") for a in "xyz"], abs=1e-4
    )
    assert car["forward_speed"] == pytest.approx(session.situation.forward_speed, rel=1e-5) and car["throttle"] > 0.5
    assert car["gear"] >= 1.0 and car["paused"] == 0.0
    names = vehicle.wheel_names
    assert [w["load"] for w in wheels] == pytest.approx([vehicle.read(f"tire.{n}.load") for n in names], rel=1e-6)
    assert [w["angular_speed"] for w in wheels] == pytest.approx(
        [vehicle.read(f"wheel.{n}.omega") for n in names], rel=1e-6
    )
    if "engine" in vehicle.sequence.by_slot:  # a change while driving shows from the next packet on
        for limit in (car["engine_speed_limit"], 500.0):
            session.tuning.set_parameter("engine.max_omega", limit)
            assert decoded(stream.packet())[1]["engine_speed_limit"] == pytest.approx(limit)
    stream.close()


def test_the_documentation_names_every_number_in_order():
    text = (ROOT / "docs" / "telemetry.md").read_text(encoding="utf8")
    sections = text.split("float32")
    assert f"Vehicle, {len(CAR)} " in sections[0] and f"{len(WHEEL)} " in sections[1].splitlines()[-1]
    for section, fields in ((sections[1], CAR), (sections[2], WHEEL)):
        index = 0
        for name in dict.fromkeys(name.partition(".")[0] for name, _ in fields):
            index = section.index(name, index)
    (head,) = re.findall(r'unpack_from\("(<\w+)", packet\)', text)
    assert head == HEADER.format and f", {HEADER.size} bytes" in text
    (car,) = re.findall(r'unpack_from\("(<\w+)", packet, 24\)', text)
    assert struct.calcsize(car) == 4 * len(CAR)


def test_an_address_without_a_host_is_this_machine():
    assert address_of("20777") == ("127.0.0.1", 20777) and address_of("desk:5000") == ("desk", 5000)
    for wrong in ("", "abc", "0", "70000", "desk:", "1.5"):
        with pytest.raises(ValueError, match="must be a port"):
            address_of(wrong)


def test_an_invalid_host_is_reported(session):
    with pytest.raises(ConfigError, match="no.such.host.invalid.*cannot be sent to"):
        Stream(session, ("no.such.host.invalid", 20777))


def test_sending_without_a_receiver_works(session):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind((LOOPBACK, 0))
        unused_address = probe.getsockname()
    stream = Stream(session, unused_address)
    for _ in range(3):
        session.step(1.0 / 60.0, full_throttle)
        stream.send()
    stream.close()
