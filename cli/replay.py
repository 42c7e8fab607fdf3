"""`main.py replay`: watch a recording, or verify or export it without a picture."""

import json
import subprocess
import sys
from dataclasses import asdict

from cli.names import find_recording
from cli.program import FAILED, FINE


def replay(options):
    """Watch, verify or export; FAILED when a recording does not verify."""
    options.file = str(find_recording(options.file).resolve())
    if options.verify:
        return _verify_in_fresh_process(options)
    if options.export:
        from physics.recording import export

        rows = export(options.file, options.export)
        print(f"{options.export}: {rows} rows")
        return FINE
    from game.replay import replay as run

    return run(options)


def _verify_in_fresh_process(options):
    """A process that has simulated nothing before, so that no state left over can make two wrongs look right."""
    command = [sys.executable, "-m", "cli.replay", options.file, *(["--json"] if options.json else [])]
    from physics.jit import ROOT

    return subprocess.run(command, cwd=ROOT, check=False).returncode


def verify_here(path, as_json):
    """Verify in this process and print the report; the exit code."""
    from physics.recording import verify

    report = verify(path)
    if as_json:
        print(json.dumps(asdict(report), indent=2))
    else:
        print(f"{path}: {'verified: ' if report.ok else 'DIFFERS: '}{report.text}")
    return FINE if report.ok else FAILED


def main(arguments):
    """The fresh process: FILE [--json]."""
    from pathlib import Path

    from cli.program import BAD_INPUT
    from physics.recording import RecordingError

    try:
        return verify_here(Path(arguments[0]).resolve(), "--json" in arguments[1:])
    except RecordingError as error:
        print(error, file=sys.stderr)
        return BAD_INPUT


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
