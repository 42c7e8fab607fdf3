"""What the world is made of below the wheels: heights, meshes, surfaces, and rays and sweeps against them."""
