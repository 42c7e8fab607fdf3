"""Laps: the one being driven, others beside it, the gap between them, the map."""
