"""Physics data from a vehicle's model file: hull parts, masses, wheel positions."""
