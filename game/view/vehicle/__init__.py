"""Drawing of vehicles: model, running gear, lamps, driver."""
