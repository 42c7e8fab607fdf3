"""Parameters and states declared once: kinds, limits, units; reading them from YAML with file and line."""
