"""`devices`: connected input devices, their roles, and the present values of their axes."""

import json
from argparse import Namespace


def devices(options: Namespace) -> None:
    """Print the report on all connected devices, as text or JSON."""
    from driving_sandbox.game.controls.device_report import probe_devices, report_text
    from driving_sandbox.game.windows.bindings_file import load_bindings, user_bindings_path

    report = probe_devices(load_bindings(user_bindings_path()))
    print(json.dumps(report, indent=2) if options.json else report_text(report))
