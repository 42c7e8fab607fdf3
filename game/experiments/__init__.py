"""Experiments while driving: what if, ghosts, the twin, the effect of a parameter."""
