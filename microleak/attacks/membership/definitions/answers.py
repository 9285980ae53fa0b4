"""The answer of somebody who may be in the sample (Rodrigues, 3.2 and 3.3).

Rodrigues' adversary asks first who is present, as nobody else's answer is there to be
inferred (3.3), and then wants the sensitive attribute of the sample (3.2). Of the d
records of the sample that are alike with the target, t have the most frequent value.
The target is present with the chance p = d/n, or by a design
(`definitions/designs.py`); its record is each of the d as likely.

    value of somebody known to be present:   t/d, before T/|S|
    present, and the value:                  p t/d, before T/|D|
    the best guess, absence being one:       max(1 - p, p t/d)

T records of the whole sample have its most frequent value. The second is the mean over
the persons of the sample, each there with p; the third over those of the population,
before max(|D| - |S|, T)/|D|: Bayes vulnerability of a secret that is either `absent` or
a value. Of d that exceed n, n can be of the population, and t n/d of these are expected
to have the value.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from microleak.base.arrays import Integers

_BITS = 128


def rounded_sum(terms: Iterable[tuple[int, Fraction]]) -> Fraction:
    """Return a sum of ratios, each with how often it is added.

    With more denominators than an exact sum can have: each ratio is rounded down to a
    multiple of 2**-128, which no digit of a float shows.

    >>> rounded_sum([(2, Fraction(1, 4)), (1, Fraction(1, 2))])
    Fraction(1, 1)
    """
    whole = sum(
        times * ((each.numerator << _BITS) // each.denominator) for times, each in terms
    )
    return Fraction(whole, 1 << _BITS)


@dataclass(frozen=True)
class Alike:
    """Kinds of persons of the population, and the records alike in the sample.

    One entry a kind of persons with somebody alike in the sample.
    """

    n_persons: Integers
    """Persons of the kind."""
    d: Integers
    modal: Integers
    """Records of the sample that are alike, and how many of them have their most
    frequent value."""
    chances: list[Fraction]
    """Chance of each person to be in the sample."""

    def counted(self) -> Counter[tuple[int, int, Fraction]]:
        """Count persons by d, modal and chance."""
        found: Counter[tuple[int, int, Fraction]] = Counter()
        columns = (self.n_persons, self.d, self.modal)
        for n, d, modal, chance in zip(
            *(column.tolist() for column in columns), self.chances, strict=True
        ):
            found[d, modal, chance] += n
        return found


@dataclass(frozen=True)
class Answers:
    """What is inferred of an answer; chances."""

    prior_value: Fraction
    posterior_value: Fraction
    """That the value of a person of the sample, known to be in it, is told right."""
    prior_found: Fraction
    posterior_found: Fraction
    """That presence and value of a person of the sample are told right."""
    certain: Fraction
    """Share of the sample's persons whose presence and value are certain."""
    bayes_prior: Fraction
    bayes_posterior: Fraction
    """That of a person of the population the best guess is right."""


def answers(
    alike: Alike, n_both: tuple[int, int], modal_of_all: int, n_modal: int
) -> Answers:
    """Return what is inferred of an answer with one set of QIDs.

    Parameters
    ----------
    alike
        Persons of the population of whom the sample has somebody alike.
    n_both
        Persons of the population and of the sample, from 1.
    modal_of_all, n_modal
        Records of the sample with its most frequent value, and records that have the
        most frequent value of those alike.

    Examples
    --------
    Rodrigues' sample (Table 2): of the men of RJ, two of three are there, with two
    values; the woman of SP and one of two of MG have the values of one record each.

    >>> import numpy as np
    >>> kinds = Alike(
    ...     *np.array([[1, 2, 3], [1, 1, 2], [1, 1, 1]]),
    ...     [Fraction(1), Fraction(1, 2), Fraction(2, 3)],
    ... )
    >>> found = answers(kinds, (10, 4), modal_of_all=2, n_modal=3)
    >>> found.prior_value, found.posterior_value
    (Fraction(1, 2), Fraction(3, 4))
    >>> found.certain, found.bayes_prior, float(found.bayes_posterior)
    (Fraction(1, 4), Fraction(3, 5), 0.7)
    """
    n_population, n_sample = n_both
    kinds = alike.counted()
    right = rounded_sum(
        (n, chance * chance * Fraction(modal, d))
        for (d, modal, chance), n in kinds.items()
    )
    best = rounded_sum(
        (n, max(1 - chance, chance * Fraction(modal, d)))
        for (d, modal, chance), n in kinds.items()
    )
    certain = sum(
        n for (d, modal, chance), n in kinds.items() if chance == 1 and modal == d
    )
    n_absent = n_population - int(alike.n_persons.sum())
    return Answers(
        prior_value=Fraction(modal_of_all, n_sample),
        posterior_value=Fraction(n_modal, n_sample),
        prior_found=Fraction(modal_of_all, n_population),
        posterior_found=right / n_sample,
        certain=Fraction(certain, n_sample),
        bayes_prior=Fraction(max(n_population - n_sample, modal_of_all), n_population),
        bayes_posterior=(best + n_absent) / n_population,
    )
