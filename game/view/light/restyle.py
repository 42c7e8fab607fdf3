"""Replaces the shaders of existing nodes when the rendering quality changes while driving.

The switches of every program are known (shading.recipe), so that it can be replaced by one with other switches,
whichever module made the node.
"""

from __future__ import annotations

from panda3d.core import NodePath, ShaderAttrib

from driving_sandbox.game.view.gl.shading import program, recipe


def restyle(root: NodePath, changed: dict[str, str]) -> int:
    """Replace switches {old: new} of the programs of nodes below `root`; returns the number of changed nodes."""
    count = 0
    for path in (root, *root.findAllMatches("**;+h+s")):
        node = path.node()
        attribute = node.getAttrib(ShaderAttrib)
        program_parts = recipe(attribute.getShader()) if attribute and attribute.hasShader() else None
        if program_parts is None or not changed.keys() & set(program_parts[2]):
            continue
        vertex, fragment, defines, include, vertex_include = program_parts
        defines = [changed.get(each, each) for each in defines]
        shader = program(vertex, fragment, *defines, include=include, vertex_include=vertex_include)
        node.setAttrib(attribute.setShader(shader, attribute.getShaderPriority()))
        count += 1
    return count
