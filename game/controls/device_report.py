"""A report on the plugged-in devices, for `./drive devices` and `./drive doctor`."""

import time
from typing import Any

from driving_sandbox.game.controls.bindings import Bindings
from driving_sandbox.game.controls.device import Device
from driving_sandbox.game.controls.devices import Devices
from driving_sandbox.physics.base.user_error import UserError


class DeviceError(UserError):
    """No device can be read on this machine."""

    exit_code = 1


def device_report(devices: Devices) -> list[dict[str, Any]]:
    """One dict per plugged-in device: name, id, guid, profile, kind, current axis values, button and hat counts."""
    return [_describe(device) for device in devices.devices.values()]


def probe_devices(bindings: Bindings, settle: float = 0.3) -> list[dict[str, Any]]:
    """The `device_report` of all plugged-in devices, read for `settle` seconds so that their first reports arrive.

    Raises DeviceError if pygame is missing or SDL cannot start.
    """
    devices = Devices(bindings)
    try:
        if devices.problem:
            raise DeviceError(devices.problem)
        end = time.monotonic() + settle
        while time.monotonic() < end:
            devices.poll()
            time.sleep(0.02)  # s between polls
        return device_report(devices)
    finally:
        devices.close()


def _describe(device: Device) -> dict[str, Any]:
    """Entry of a Device in the report."""
    return {
        "name": device.name,
        "id": device.id,
        "guid": device.guid,
        "profile": device.profile.name,
        "kind": device.profile.kind,
        "axes": [round(value, 3) for value in device.raw_axes()],
        "buttons": device.button_count,
        "hats": device.hat_count,
    }


def report_text(report: list[dict[str, Any]]) -> str:
    """The report as lines for a terminal."""
    if not report:
        return "No gamepad or wheel is plugged in. The keyboard drives; devices plugged in later are picked up."
    lines = []
    for entry in report:
        lines.append(f"{entry['name']}  [{entry['id']}]  used as: {entry['profile']} ({entry['kind']})")
        values = "  ".join(f"{i}: {value:+.2f}" for i, value in enumerate(entry["axes"]))
        lines.append(f"  axes {values or 'none'}")
        lines.append(f"  {entry['buttons']} buttons, {entry['hats']} hats, guid {entry['guid']}")
    return "\n".join(lines)
