"""Sound of the program: SDL's audio device, and what is heard in a drive or a replay."""
