"""Conjugate gradients for normal equations that are only given as a product."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from microleak.kernels.subset_sums import Reals

Product: TypeAlias = Callable[[Reals], Reals]
"""Takes a vector to its product with a symmetric positive semidefinite matrix."""


def conjugate_gradients(
    gram: Product, target: Reals, nearly_inverse: Product, tolerance: float, most: int
) -> Reals:
    """Return x with gram(x) = target, as nearly as `tolerance` says.

    Parameters
    ----------
    gram
        Product with the matrix.
    target
        Right side, shape (n,).
    nearly_inverse
        Product with a positive definite matrix, the nearer the inverse, the fewer
        steps are taken.
    tolerance
        Where to stop: the error left over the first one, in the norm that
        `nearly_inverse` gives.
    most
        Steps after which to stop anyway; each takes one product.
    """
    x, residual = np.zeros_like(target), target
    direction = nearly_inverse(residual)
    size = first = _product(residual, direction)
    for _ in range(most):
        product = gram(direction)
        curvature = _product(direction, product)
        if size <= tolerance**2 * first or curvature <= 0:
            break
        step = size / curvature
        x = x + step * direction
        residual = residual - step * product
        better = nearly_inverse(residual)
        size, before = _product(residual, better), size
        direction = better + size / before * direction
    return x


def _product(first: Reals, second: Reals) -> float:
    """Return the inner product; linear algebra's own may depend on threads."""
    return float(np.sum(first * second))
