"""Sky, shadows, mirrors, smoothing: what whole pictures go through."""
