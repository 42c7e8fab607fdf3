"""Hull contact with the static world, suspension limits and tires at rest: one velocity-level constraint solver."""
