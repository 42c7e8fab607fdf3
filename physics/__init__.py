"""The vehicle-dynamics core: numpy records, numba kernels, no window and no devices."""
