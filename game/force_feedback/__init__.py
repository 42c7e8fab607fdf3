"""Force feedback of steering wheels: torque of the rim, its way to the device, and what keeps hands safe."""
