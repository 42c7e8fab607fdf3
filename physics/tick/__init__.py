"""One step of one vehicle: components, their order, and the arguments of each kernel."""
