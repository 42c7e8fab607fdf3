"""The ground: heightfields, meshes, surfaces, and ray and sweep queries."""
