"""How the gearbox's torque is shared among the driven wheels."""
