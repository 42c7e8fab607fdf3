"""What all voices share: the grid of samples, frames, filters, noise, gains, oscillators."""
