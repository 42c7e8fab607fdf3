"""Sound in real time: the ring between simulation and audio thread, and the callback that fills the device's buffer."""
