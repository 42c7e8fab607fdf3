"""What is drawn: terrain, sky, vehicles and cameras. Reads plain numpy frames, never physics state."""
