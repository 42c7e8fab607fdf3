"""Turns the input of keys, gamepads and wheels into the raw command of one tick.

`bindings` says which key, button or axis means which action; `keyboard` and `devices` read them; `driver` turns what
is held into a command record. Smoothing is not done here: it belongs to the vehicle and runs inside the tick.
"""
