"""Dear ImGui in Panda3D, and the theme, widgets and units that all windows share."""
