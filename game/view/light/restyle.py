"""Replaces the shaders of existing nodes when the quality level or the time of day changes while driving.

The switches of every program are known (shading.recipe), so that a program can be replaced by one with other switches,
whichever module made its node.
"""

from __future__ import annotations

from panda3d.core import NodePath, ShaderAttrib

from driving_sandbox.game.view.gl.shading import program, recipe


def restyle(root: NodePath, changed: dict[str, str]) -> int:
    """Replace shader switches {old: new} in the programs of `root` and all nodes below; returns the number changed."""
    count = 0
    for path in (root, *root.findAllMatches("**;+h+s")):
        node = path.node()
        attribute = node.getAttrib(ShaderAttrib)
        program_parts = recipe(attribute.getShader()) if attribute and attribute.hasShader() else None
        if program_parts is None or not changed.keys() & set(program_parts[2]):  # 2: the switches
            continue
        vertex, fragment, defines, include, vertex_include = program_parts
        defines = [changed.get(define, define) for define in defines]
        shader = program(vertex, fragment, *defines, include=include, vertex_include=vertex_include)
        node.setAttrib(attribute.setShader(shader, attribute.getShaderPriority()))
        count += 1
    return count
