"""Sounds of the interface: what they are made of, and how the audio thread adds them to the sound of a drive."""
