"""Sound of vehicles, synthesised from the state of the simulation; `physics/` knows nothing of it.

    state --gather--> FRAME, one per vehicle and tick
    frames --voices--> buses of a vehicle --space--> two ears --limiter--> samples

Every voice is a kernel with declared parameters and a state; it gets the frames at the start and the end of a block of
samples. Blocks lie at fixed sample numbers, so the samples do not depend on the size of the pieces that are asked for.
"""
