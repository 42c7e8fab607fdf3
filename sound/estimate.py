"""How a vehicle sounds whose file does not say it: estimated from its engine, mass, tires and kind.

    diesel          redline below DIESEL_REDLINE
    V8              more torque without boost than V8_TORQUE; flat-plane if it turns faster than FLAT_PLANE_REDLINE
    six in line     more than SIX_TORQUE
    four, three     less; up to THREE_TORQUE three cylinders

The redline is always the vehicle's own. The estimate has the sections and keys of a vehicle's file.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.base.record import field_names
from driving_sandbox.physics.ground.arrays import TIRE_TYPES
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.sound.base.block import SPEED_OF_SOUND
from driving_sandbox.sound.base.curves import cube_root
from driving_sandbox.sound.body.materials import MATERIALS
from driving_sandbox.sound.engine.record import engine_parameters
from driving_sandbox.sound.state.drive import AXLE_RATIO, PASCAL_PER_BAR
from driving_sandbox.sound.state.words import layout_of
from driving_sandbox.sound.surroundings import bodywork_material

RAD_S_PER_RPM = 2.0 * np.pi / 60.0  # rad/s
DIESEL_REDLINE = 3000.0  # rpm; engines of lorries end at 2000..2600, those of cars at 4500 and more
FLAT_PLANE_REDLINE = 7500.0  # rpm; cross-plane V8 engines end below it
V8_TORQUE, SIX_TORQUE, THREE_TORQUE = 350.0, 220.0, 90.0  # N m at 75 N m per litre: 4.7, 2.9 and 1.2 l
DIESEL_BOOST = 0.8  # bar at full power; the levels of diesel engines were measured with it
TREAD_RADIUS = 0.81  # mean radius of the air in a tire / the wheel's
HEAVY = 5000.0  # kg; a lorry: air horns, a larger body in the wind, coarser treads
CAR_MASS, CAR_LOAD = 1200.0, 3500.0  # kg, N; for which the defaults hold
SPORT_BLOCKS = 0.4  # `blocks` of sport tires, which are nearly slick
OFF_ROAD_LUGS = 0.4  # `lugs` of off-road tires
GLASS_SPEED = 2.5  # m/s; an impact that changes the vehicle's speed by as much in a tick breaks a window
SLOWEST_RATIO = 0.6  # of redlines, down to which `level_at` compensates: real engines that turn slowly are quieter, too


def largest_torque(vehicle: Vehicle) -> float:
    """Largest torque of the engine, or of all motors, without the share of a turbocharger, N m; 0 without any."""
    parts = vehicle.sequence.by_slot
    if "engine" not in parts:
        return float(np.abs(vehicle.params["direct_drive"]["max_torque"]).sum()) if "direct_drive" in parts else 0.0
    params = vehicle.params["engine"][0]
    if "peak_torque" not in field_names(params.dtype):
        return float(params["used_table"]["y"].max())
    share = params["natural_share"] if "natural_share" in field_names(params.dtype) else 1.0
    return float(params["peak_torque"] * share)


def preset_of(vehicle: Vehicle) -> str:
    """Preset of the engine's sound (sound/engine/presets.py)."""
    torque, redline = largest_torque(vehicle), float(vehicle.params["engine"]["max_omega"][0]) / RAD_S_PER_RPM
    if redline < DIESEL_REDLINE:
        return "diesel_6"
    if torque > V8_TORQUE:
        return "v8_flat" if redline > FLAT_PLANE_REDLINE else "v8_cross"
    if torque > SIX_TORQUE:
        return "inline_6"
    return "inline_4" if torque > THREE_TORQUE else "inline_3"


def level_at(preset: str, redline: float) -> float:
    """Level of the exhaust of a preset whose engine has another redline, rad/s; a higher one changes nothing.

    Presets are scaled to equal levels at their own redline; the pressure of the flow that is heard grows with about the
    square of the engine's speed, for which a lower redline is compensated.
    """
    own = engine_parameters(preset, {})
    ratio = max(SLOWEST_RATIO, min(1.0, redline / float(own["redline"])))
    return float(own["exhaust_level"]) / ratio**2


def estimated_sections(vehicle: Vehicle) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    """({section: {parameter: value}} of the voices that a vehicle has, {section: reason}).

    Reasons are given for the drive only: a wrong guess of the engine is heard at once, one of the horn is not.
    """
    layout, parts = layout_of(vehicle)[0], vehicle.sequence.by_slot
    sections: dict[str, dict[str, Any]] = {}
    reasons: dict[str, str] = {}
    if layout["electric"]:
        torque = largest_torque(vehicle)
        sections["motor"] = {
            "level": 1.0,
            "reference_torque": max(1.0, torque / (AXLE_RATIO if layout["axle_drive"] else 1.0)),
        }
        reasons["motor"] = f"the motors' torque of {torque:.0f} N m"
    elif "engine" in parts:
        _add_engine(vehicle, sections, reasons)
    if "gearbox" in parts:
        dogs = not layout["electric"] and "torque_ratio" not in clutch_fields(vehicle)
        sections["gears"] = {"reference_torque": max(1.0, largest_torque(vehicle)), "grind": 1.0 if dogs else 0.0}
    sections |= {"tires": _tires(vehicle), "wind": {}, "body": {}}
    _add_tracks(vehicle, sections)
    _add_body(vehicle, sections)
    return sections, reasons


def _add_engine(vehicle: Vehicle, sections: dict[str, dict[str, Any]], reasons: dict[str, str]) -> None:
    """Sections of a combustion engine, its turbocharger and its starter."""
    params, preset = vehicle.params["engine"][0], preset_of(vehicle)
    redline = float(params["max_omega"])
    sections["engine"] = {"preset": preset, "redline": redline}
    reasons["engine"] = f"{largest_torque(vehicle):.0f} N m without boost, up to {redline / RAD_S_PER_RPM:.0f} rpm"
    if "boost" in field_names(vehicle.state["engine"].dtype):
        rated = max(0.1, float(params["wastegate_boost"]) / PASCAL_PER_BAR)
        sections["turbo"] = {"level": 1.0, "blow_off": 1.0, "rated_boost": rated}
        reasons["turbo"] = f"a boost of {rated:.2g} bar"
    elif preset == "diesel_6":
        sections["turbo"] = {"level": 1.0, "blow_off": 0.0, "rated_boost": DIESEL_BOOST}
        reasons["turbo"] = "the diesel engine"
    if "cranking" in field_names(vehicle.state["engine"].dtype):
        sections["starter"] = {}


def clutch_fields(vehicle: Vehicle) -> tuple[str, ...]:
    """Names of the state of the clutch; a torque converter, behind which are planetary gears, has `torque_ratio`."""
    return field_names(vehicle.state["clutch"].dtype) if "clutch" in vehicle.sequence.by_slot else ()


def _add_tracks(vehicle: Vehicle, sections: dict[str, dict[str, Any]]) -> None:
    """Section of tracks, if any wheel runs on one."""
    count = vehicle.wheel_count
    differential = vehicle.params["differential"][0] if "levers" in vehicle.sequence.by_slot else None
    if differential is None or not (on_track := differential["track"][:count] > 0).any():
        return
    load = 0.5 * float(vehicle.params["tire"]["nominal_load"][0, :count][on_track].sum())
    sections["tracks"] = {"level": 1.0, "nominal_load": max(1.0, load)}


def _tires(vehicle: Vehicle) -> dict[str, Any]:
    """Parameters of the tires' sound."""
    count = vehicle.wheel_count
    tire, radius = vehicle.params["tire"][0][:count], float(vehicle.params["wheel"]["radius"][0, :count].mean())
    values: dict[str, Any] = {
        "nominal_load": float(np.clip(tire["nominal_load"].mean(), 100.0, 4e5)),
        "cavity": float(np.clip(SPEED_OF_SOUND / (2.0 * np.pi * TREAD_RADIUS * radius), 30.0, 1000.0)),
    }
    if "levers" in vehicle.sequence.by_slot:  # a vehicle with tracks
        return {**values, "squeal": 0.0, "blocks": 0.0}
    types = tire["tire_type"] if "tire_type" in field_names(tire.dtype) else np.zeros(count)
    if (types == TIRE_TYPES.index("offroad")).all():
        values["lugs"] = OFF_ROAD_LUGS
    elif (types == TIRE_TYPES.index("sport")).all():
        values["blocks"] = SPORT_BLOCKS
    return values


def _add_body(vehicle: Vehicle, sections: dict[str, dict[str, Any]]) -> None:
    """Sections of bodywork, wind, signals, brakes and suspension: heavier means larger, so deeper."""
    mass = float(vehicle.params["body"]["mass"][0])
    pitch = float(np.clip(cube_root(CAR_MASS / mass), 0.5, 1.5))
    sections["body"] = {"pitch": pitch, "material": MATERIALS[bodywork_material(vehicle)]}
    sections["wind"] = {"pitch": pitch}
    if "engine" in vehicle.sequence.by_slot or "direct_drive" in vehicle.sequence.by_slot:
        heavy, tracked = mass > HEAVY, "levers" in vehicle.sequence.by_slot
        if not tracked:
            sections["body"] |= {"glass": 1.0, "glass_impulse": GLASS_SPEED * mass}
        sections["horn"] = {"low": 220.0, "high": 277.0, "attack": 0.05} if heavy else {"low": 420.0, "high": 500.0}
        sections["indicator"] = {}
        if heavy:
            sections["tires"].setdefault("tread_pitch", 550.0)
        lorry = heavy and "engine" in vehicle.sequence.by_slot and not tracked
        if lorry and preset_of(vehicle) == "diesel_6":
            sections["air_brake"] = {"level": 1.0}
    if "suspension" in vehicle.sequence.by_slot and "ram" in field_names(vehicle.state["suspension"].dtype):
        sections["hydraulics"] = {"level": 1.0}
