"""Sky, shadows, mirrors, smoothing: effects on whole pictures."""
