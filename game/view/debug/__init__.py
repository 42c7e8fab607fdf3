"""Lines over the scene, and the shapes made of them."""
