"""Props of a world, rigid bodies without wheels: kinds, contact, solver, sleep."""
