"""Road queries: the ground plane under each wheel, by rays, cylinder sweeps or a formula."""
