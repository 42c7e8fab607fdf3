"""`main.py devices`: what is plugged in, what it is used as, and what its axes say now."""

import json


def devices(options):
    """Print the report."""
    from driving_sandbox.game.controls.device_report import device_report, report_text

    report = device_report()
    print(json.dumps(report, indent=2) if options.json else report_text(report))
