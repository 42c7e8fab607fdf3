"""Props that are not part of the core: kinds, their motion through panda3d.bullet, and their picture."""
