"""Types of arrays and masks: what is in them, whatever they are of."""

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
# Fields of bits, as the cells of a row, or the members of a set
BitWords = NDArray[np.uint64]
# Code of each record's value, shape (n_records,), from 0 up; missing has one
Codes = NDArray[np.integer]
QidMask = int  # A set of QIDs as a bit mask: bit i is the i-th QID of the analysis
