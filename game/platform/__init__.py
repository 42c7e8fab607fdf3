"""The computer outside: the window, folders, signals, the stages of a start."""
