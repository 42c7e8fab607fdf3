"""The ground under the wheels: its arrays, rays, nearby triangles, surfaces and meshes."""
