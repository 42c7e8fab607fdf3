"""Interface to the operating system: the window, folders, signals, the stages of the program's start."""
