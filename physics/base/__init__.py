"""What everything stands on: errors that people read, processes that help."""
