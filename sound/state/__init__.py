"""Kernels that read a vehicle's state and parameters for its FRAME, whatever its type."""
