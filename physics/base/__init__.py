"""Foundations: user errors, safe input files, worker processes."""
