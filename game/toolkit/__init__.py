"""Dear ImGui in Panda3D, and what all windows share: theme, widgets, units."""
