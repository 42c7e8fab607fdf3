"""Laps: the one being driven, others to compare, the gap between them, the map."""
