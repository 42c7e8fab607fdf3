"""Replaces the shaders of existing nodes when the rendering quality changes while driving.

Every program knows the switches it was made with (shading.program), so that the same one can be made with others and
replaced, regardless of which module made the node.
"""

from __future__ import annotations

from panda3d.core import NodePath, ShaderAttrib

from driving_sandbox.game.view.gl.shading import program, recipe


def restyle(root: NodePath, changed: dict[str, str]) -> int:
    """Put programs with the switches `changed` {old: new} below `root`; returns how many nodes got another one."""
    count = 0
    for path in (root, *root.findAllMatches("**;+h+s")):
        node = path.node()
        attribute = node.getAttrib(ShaderAttrib)
        made = recipe(attribute.getShader()) if attribute and attribute.hasShader() else None
        if made is None or not changed.keys() & set(made[2]):
            continue
        vertex, fragment, defines, include, vertex_include = made
        defines = [changed.get(each, each) for each in defines]
        shader = program(vertex, fragment, *defines, include=include, vertex_include=vertex_include)
        node.setAttrib(attribute.setShader(shader, attribute.getShaderPriority()))
        count += 1
    return count
