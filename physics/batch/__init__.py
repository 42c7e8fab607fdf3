"""Many vehicles or many moments at once: batches, reruns of a stretch, logs of states."""
