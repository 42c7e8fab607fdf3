"""Telemetry as MCAP, the container that Foxglove, PlotJuggler and other viewers open.

One topic for the commands and one for every slot: `/tire` holds messages {"fl": {"load": 2713.0, ...}, ...} in JSON,
with a JSON Schema that gives units and order. The time of a message is that at which the recording was made plus the
time in the recording. Values that are not finite are left out, as JSON has no numbers for them.
"""

import json
import math
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcap.writer import Writer

if TYPE_CHECKING:
    from driving_sandbox.physics.recording.exports import RecordingTable

NANOSECONDS = 1_000_000_000  # per s
LIBRARY = "driving-sandbox"
Leaves = list[tuple[list[str], int]]  # keys inside a message, column


def write_mcap(table: "RecordingTable", path: Path | str) -> int:
    """Write a RecordingTable to a file; returns the number of messages."""
    topics = _topics(table.names)
    start = _nanoseconds(table.created)
    with open(path, "wb") as file:
        writer = Writer(file)
        writer.start(library=LIBRARY)
        channels = {}
        for topic, leaves in topics.items():
            schema = json.dumps(_schema(topic, leaves, table.units))
            schema_id = writer.register_schema(topic.strip("/"), "jsonschema", schema.encode())
            channels[topic] = writer.register_channel(topic, "json", schema_id)
        for row in table.data.tolist():
            time = start + round(row[0] * NANOSECONDS)  # the first column is the time, s
            for topic, leaves in topics.items():
                data = json.dumps(_message(leaves, row), allow_nan=False).encode()
                writer.add_message(channels[topic], log_time=time, publish_time=time, data=data)
        writer.finish()
    return len(table.data) * len(topics)


def _topics(names: Sequence[str]) -> dict[str, Leaves]:
    """{topic: [(keys inside a message, column)]}, without the time."""
    topics: dict[str, Leaves] = {}
    for column, name in enumerate(names):
        if name == "time":
            continue
        vehicle, colon, channel = name.rpartition(":")
        slot, *keys = channel.split(".")
        topic = f"/vehicle{vehicle}/{slot}" if colon else f"/{slot}"
        topics.setdefault(topic, []).append((keys, column))
    return topics


def _message(leaves: Leaves, row: Sequence[float]) -> dict[str, Any]:
    """Nested dict of a row's finite values, by the keys of the leaves."""
    tree: dict[str, Any] = {}
    for (*parents, last), column in leaves:
        branch = tree
        for key in parents:
            branch = branch.setdefault(key, {})
        if math.isfinite(row[column]):
            branch[last] = row[column]
    return tree


def _schema(topic: str, leaves: Leaves, units: Sequence[str]) -> dict[str, Any]:
    """JSON Schema of a topic's messages."""
    root: dict[str, Any] = {"title": topic.strip("/"), "type": "object", "properties": {}}
    for (*parents, last), column in leaves:
        branch = root
        for key in parents:
            branch = branch["properties"].setdefault(key, {"type": "object", "properties": {}})
        branch["properties"][last] = {"type": "number", "description": f"unit: {units[column]}"}
    return root


def _nanoseconds(created: Any) -> int:
    """Nanoseconds from 1970 to an ISO time; 0 for a recording without a creation time.

    A time without a zone counts as UTC, so that the result does not depend on this machine's zone.
    """
    try:
        moment = datetime.fromisoformat(str(created))
    except ValueError:
        return 0
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return round(moment.timestamp() * NANOSECONDS)
