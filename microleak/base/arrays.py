"""Types of arrays and masks: what is in them, whatever they are of."""

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

BitWords = NDArray[np.uint64]
"""Fields of bits, as the cells of a row, or the members of a set."""

Codes = NDArray[np.integer]
"""Code of each record's value, shape (n_records,), from 0 up; missing has one."""

QidMask = int  # A set of QIDs as a bit mask: bit i is the i-th QID of the analysis
