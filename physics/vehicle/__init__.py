"""Vehicles: types, files, values, component swaps, trailers, bodies moved by another engine."""
