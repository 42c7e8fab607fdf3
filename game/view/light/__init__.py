"""Sky, shadows, mirrors, and effects on the whole frame."""
