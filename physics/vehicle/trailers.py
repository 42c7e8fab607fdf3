"""Trailers named in a vehicle's file: finding, building and checking them.

A trailer has a vehicle file of its own, of a type without engine, and follows the commands of the towing vehicle. It is
hitched with its `contact.hitch_front` to the `contact.hitch_rear` of the unit in front; its `contact.hitch_limit` is
the largest articulation angle. physics/contact/chain.py steps all units together. The towing vehicle and its trailers
are also called members 0, 1, 2 ...
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.physics.base.user_error import UnknownName
from driving_sandbox.physics.base.visible import brief
from driving_sandbox.physics.contact.chain import ORDERS, SERIAL, Chain
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.schema.yaml_file import YamlList, YamlMap, key_hint, load_yaml
from driving_sandbox.physics.tick.binding import SequenceError

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

TRAILER_FOLDER = ROOT / "configs" / "vehicles" / "trailers"
MAX_TRAILERS = 4  # trailers of one towing vehicle


def member_prefix(k: int) -> str:
    """Prefix of the names of channels and parameters of member k: "" for the towing vehicle, then `trailer1.`, ..."""
    return f"trailer{k}." if k else ""


def split_name(vehicle: "Vehicle", name: str) -> tuple[int, str]:
    """(k, name within member k) of a channel or parameter of a vehicle and its trailers.

    Raises UnknownName if there is no such trailer.
    """
    first, _, own_name = name.partition(".")
    number = first.removeprefix("trailer")
    if number == first or not number.isdecimal():
        return 0, name
    if not 1 <= int(number) <= len(vehicle.trailers):
        raise UnknownName(
            f"{name}: {vehicle.name} pulls {len(vehicle.trailers) or 'no'} trailer"
            f"{'s' if len(vehicle.trailers) > 1 else ''}"
        )
    return int(number), own_name


def member_of(vehicle: "Vehicle", name: str) -> "tuple[int, Vehicle, str]":
    """(k, member k, name within it) of a channel or parameter. Raises UnknownName."""
    k, own_name = split_name(vehicle, name)
    return k, (vehicle, *vehicle.trailers)[k], own_name


def channels_of(vehicle: "Vehicle") -> dict[str, Any]:
    """{name: Channel} of a vehicle and of its trailers."""
    members = enumerate((vehicle, *vehicle.trailers))
    return {member_prefix(k) + channel.name: channel for k, member in members for channel in member.channels()}


def channel_view(vehicle: "Vehicle", name: str) -> np.ndarray:
    """Live numpy view, of length 1, of a channel of a vehicle or of one of its trailers."""
    _, member, own_name = member_of(vehicle, name)
    return member.channel_view(own_name)


def build_trailers(vehicle: "Vehicle", doc: YamlMap, build: Callable[..., Any]) -> "tuple[Vehicle, ...]":
    """Vehicles of the list `trailers` in a vehicle's file, each hitched to the one before.

    Args:
        vehicle: the towing vehicle.
        doc: its parsed file.
        build: function(parsed file) -> Vehicle.
    Raises:
        ConfigError: a trailer is unsuitable.
    """
    listed = doc["trailers"]
    if not isinstance(listed, YamlList) or not listed:
        raise doc.error("trailers", "must be a list of vehicle files, e.g. [semi_trailer]")
    if len(listed) > MAX_TRAILERS:
        raise doc.error("trailers", f"{len(listed)} trailers; at most {MAX_TRAILERS} are possible")
    if vehicle.info.get("trailer_order", SERIAL) not in ORDERS:
        raise doc.error("trailer_order", f"must be one of {', '.join(ORDERS)}")
    trailers = []
    for k, entry in enumerate(listed):
        trailer_doc = entry if isinstance(entry, YamlMap) else load_yaml(_find_trailer(entry, k, listed, doc))
        if isinstance(trailer_doc, YamlMap) and "trailers" in trailer_doc:
            raise listed.error(k, "has trailers itself; list all of them in the file of the towing vehicle")
        trailer = build(trailer_doc)
        if "engine" in trailer.sequence.by_slot:
            raise listed.error(k, f"{trailer.name} has an engine of its own; a trailer is of type trailer")
        trailers.append(trailer)
    try:
        Chain((vehicle, *trailers))
    except SequenceError as error:
        raise doc.error("trailers", str(error)) from None
    for k, front in enumerate((vehicle, *trailers[:-1])):
        if not np.any(front.params["contact"]["hitch_rear"]):
            raise listed.error(k, f"{front.name} has no hitch: give it contact.hitch_rear")
        if not np.any(trailers[k].params["contact"]["hitch_front"]):
            raise listed.error(k, f"{trailers[k].name} has no coupling: give it contact.hitch_front")
    return tuple(trailers)


def _find_trailer(name: str, k: int, listed: YamlList, doc: YamlMap) -> Path:
    """Path of the file of trailer k: in the folder of the towing vehicle's file, or in configs/vehicles/trailers."""
    if not isinstance(name, str):
        raise listed.error(k, "must be the name or path of a vehicle file")
    for folder in (Path(doc.path).resolve().parent, TRAILER_FOLDER):
        path = folder / (name if name.endswith((".yaml", ".yml")) else f"{name}.yaml")
        if path.is_file():
            return path
    known = sorted(p.stem for p in TRAILER_FOLDER.glob("*.yaml"))
    hint = f"{key_hint(name, known)}; known: {', '.join(known)}"
    raise listed.error(k, f"no trailer {brief(name)}{hint}, or give a .yaml file")
