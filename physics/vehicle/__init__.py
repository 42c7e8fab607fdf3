"""Vehicles: types, files, values, swapped components, trailers, bodies that another engine moves."""
