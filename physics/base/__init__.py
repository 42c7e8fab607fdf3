"""Foundations: user errors, safe input files, helper processes."""
