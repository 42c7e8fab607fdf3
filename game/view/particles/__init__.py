"""Marks, dust and smoke."""
