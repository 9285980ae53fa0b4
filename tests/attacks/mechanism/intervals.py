"""Which counts a published share may stand for."""


def counts_of(number, n, step):
    """The first and the last count that are published as a number of percent."""
    bound = step * n * (2 * (number // step) + 1)
    first, last = -((2 * step * n - bound) // 200), -(-bound // 200) - 1
    return max(first, 0), min(last, n)
