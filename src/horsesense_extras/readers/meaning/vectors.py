"""What a text is turned into."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""One vector of length 1, or a row of that length for each text."""
