"""Driver commands: the record that every source of driving (keys, devices, AI, files) fills once per tick."""
