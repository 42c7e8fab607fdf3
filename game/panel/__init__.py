"""The on-screen panel: a Dear ImGui backend for Panda3D, parameters, plots and timeline."""
