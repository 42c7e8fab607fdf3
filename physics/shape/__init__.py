"""What a vehicle's model file gives the physics: hull parts, masses, places of wheels."""
