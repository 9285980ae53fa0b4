"""What is left of a count that is perturbed and rounded (docs/decisions/0028)."""

from fractions import Fraction
from itertools import product

import pytest

from microleak.disclosure.book import FEW, Book, Cell, Claim, Sum
from microleak.disclosure.proof import prove


def rounded(count, base):
    """The nearest multiple, halves up."""
    return (count + base // 2) // base * base


def range_of(published, base, most):
    """Counts that may be published so, where up to `most` was added or taken away."""
    least = published - base // 2 - most
    return least, least + base - 1 + 2 * most


def counts_left(base, most, n_more):
    """How many counts are left, of each count and each draw of two publications.

    The second one has `n_more` persons, who all count, and a new key.
    """
    for count in range(1000, 1000 + base):
        for first, second in product(range(-most, most + 1), repeat=2):
            one = range_of(rounded(count + first, base), base, most)
            two = range_of(rounded(count + n_more + second, base), base, most)
            yield min(one[1], two[1] - n_more) - max(one[0], two[0] - n_more) + 1


def share(values, is_it):
    told = [is_it(each) for each in values]
    return Fraction(sum(told), len(told))


@pytest.mark.parametrize(
    ("base", "most", "narrowed", "few"),
    [(100, 0, 0.01, 0.01), (50, 25, 0.34, 7.7e-6), (10, 45, 0.894, 2.0e-3)],
)
def test_new_keys_narrow_most_counts_and_tell_few(base, most, narrowed, few):
    """Each has a range of 100 counts; one of 99 is that of the person more alone."""
    left = [*counts_left(base, most, 1)]
    assert max(left) <= base + 2 * most == 100
    assert float(share(left, lambda n: n < 99)) == pytest.approx(narrowed, rel=0.01)
    assert float(share(left, lambda n: n <= FEW)) == pytest.approx(few, rel=0.01)
    assert min(left) == 1


def book_of(published, base, most):
    """A count of each of two publications, the second one with a person more."""
    book = Book(10_000)
    numbers = []
    for line, each in enumerate(published, 2):
        least, largest = range_of(each, base, most)
        number, noise = book.number(line), book.number("noise", line, high=2 * most)
        numbers.append(number)
        cell = Cell("t", line, "count")
        book.hold({number: 1, noise: 1}, -least - 2 * most, cell)
        book.hold({number: -1, noise: -1}, largest, cell)
        book.claims += [
            Claim(cell, "least", Sum({number: 1}, -least)),
            Claim(cell, "largest", Sum({number: -1}, largest)),
        ]
    book.hold({numbers[1]: 1, numbers[0]: -1})
    book.hold({numbers[1]: -1, numbers[0]: 1}, 1)
    return book


def test_the_proof_takes_noise_but_not_two_publications_with_new_keys():
    """A count may be any of its range; another number narrows it, unless they agree."""
    assert prove(book_of((1000, 1000), 10, 45)).leaks == ()
    for second in (980, 990, 1010, 1020):
        leaks = prove(book_of((1000, second), 10, 45)).leaks
        assert {(each.claim.about.line, each.claim.end) for each in leaks} == {
            (2, "least" if second > 1000 else "largest"),
            (3, "largest" if second > 1000 else "least"),
        }
