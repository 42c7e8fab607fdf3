"""Driver commands: the record that every input source (keys, devices, AI, files) fills once per tick."""
