"""Sound of the tires: rolling, squeal, scrub, water, loose ground."""
