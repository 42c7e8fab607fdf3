"""From the driver's raw commands to the responses of pedals and steering: clamping, smoothing, tables over speed."""
