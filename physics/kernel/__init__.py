"""Compiled functions: the one decorator, its cache, and source that is generated."""
