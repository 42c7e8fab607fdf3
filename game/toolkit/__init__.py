"""Dear ImGui in Panda3D, and what all windows are drawn with: theme, widgets, units."""
