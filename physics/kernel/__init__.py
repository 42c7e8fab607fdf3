"""Compiled functions: the decorator, its cache, and generated source."""
