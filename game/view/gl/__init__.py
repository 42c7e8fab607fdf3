"""Shaders, meshes and levels of quality."""
