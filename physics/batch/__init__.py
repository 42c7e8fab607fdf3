"""Many vehicles or many moments at once: batches, reruns of a segment, logs of states."""
