"""Lines drawn on top of the scene, and shapes made of lines."""
