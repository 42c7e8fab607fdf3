"""Vectors, quaternions and curves for kernels."""
