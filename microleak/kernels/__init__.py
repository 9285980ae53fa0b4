"""Arrays in, arrays out: coding, packing and walking, with NumPy and Numba only."""
