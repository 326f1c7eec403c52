"""How time grows with size: the slope of the line through (log n, log t). 1 is linear, 2 quadratic, 0 is none at all."""

import math
from collections.abc import Sequence


def exponent(sizes: Sequence[int], times: Sequence[float]) -> float:
    x, y = [math.log(s) for s in sizes], [math.log(max(t, 1e-9)) for t in times]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / sum((a - mean_x) ** 2 for a in x)


def of_n_log_n(sizes: Sequence[int]) -> float:
    """What n log n gives over the same sizes: a little over 1."""
    return exponent(sizes, [n * math.log(n) for n in sizes])
