"""Presence in a sample that was drawn by a design (after Rodrigues, 3.1 and 3.4).

The channel: the secret is whether the target is in the sample. The adversary knows the
target's QIDs, stratum and cluster, the population, and the design. What is seen is d,
how many records of the sample have the target's QIDs and whatever of its stratum and
cluster the sample publishes, as n of the population have. Persons of these n that the
design treats alike are of one kind. With S_i whether person i is in the sample,

    P(S_i = 1 | d) = E(how many of the kind are in the sample | d) / how many there are

Of one kind, this is d/n, whatever the design: Rodrigues' case of a uniform sample
(3.4.2, corrected). Of several kinds, the d are the coefficients of a product over
strata, W(z) = W_1(z) W_2(z) ..., each weighed by the design:

    persons:   w(j) = C(K, j) r^j x(j)
    where x(j) = sum over i of C(K - j, i) C(M - K, m - i - j) (1 - r)^i
    poisson:   w(j) = C(K, j) p^j (1 - p)^(K - j), p = fraction * r
    clusters:  W(z) = sum over k of C(A - U, a - k) e(k)
    where e(k) is what u^k has in the product over clusters of 1 + u g(z)
    and g(z) = (1 - q + q z)^K, q = within * r

K persons are alike, m of the M of a stratum are drawn, or a of its A clusters, of which
U have somebody alike; r is the chance to answer. The expected number of a kind has the
factor of the kind differentiated, z g'(z) for g(z). All weights are whole numbers, up
to a factor of their stratum. Coefficients above z^d are left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import zip_longest
from math import comb, perm

Polynomial = tuple[int, ...]
"""Coefficients of 1, z, z^2 and so on."""

_OPERATION = 50
"""Products of two words in the time of any operation."""


def product(first: Polynomial, second: Polynomial, most: int) -> Polynomial:
    """Return the product of two polynomials up to z^most.

    >>> product((1, 1), (1, 2, 1), 2)
    (1, 3, 3)
    """
    found = [0] * min(len(first) + len(second) - 1, most + 1)
    for i, a in enumerate(first[: len(found)]):
        if a:
            for j, b in enumerate(second[: len(found) - i], i):
                found[j] += a * b
    return tuple(found)


def of_drawn(n_alike: int, stratum: "Stratum", most: int) -> Polynomial:
    """Return the weights of how many alike are drawn of a stratum, and answer.

    Parameters
    ----------
    n_alike
        Persons alike, K.
    stratum
        Of which some are drawn without replacement, each as likely.
    most
        Weights of more are not needed.

    Examples
    --------
    Of four persons two are drawn: of the two alike none, one or both, in 1, 4 and 1 of
    the six samples.

    >>> of_drawn(2, Stratum(4, 2, Fraction(1), False, (Kind(2),)), 2)
    (2, 8, 2)
    """
    rest, top = stratum.n - n_alike - stratum.n_drawn, min(n_alike, stratum.n_drawn)
    answer, of = stratum.chance.numerator, stratum.chance.denominator
    if answer == of and rest >= 0:
        top = min(top, most)
    # Of C(M - K, m - t) what depends on t: numbers of few digits.
    drawn = [
        perm(stratum.n_drawn, t) * perm(rest + top, top - t) for t in range(top + 1)
    ]
    silent = [
        (of - answer) ** i * of ** (top - i)
        for i in range(top + 1 if answer < of else 1)
    ]
    return tuple(
        comb(n_alike, j)
        * answer**j
        * sum(
            comb(n_alike - j, i) * drawn[i + j] * each
            for i, each in enumerate(silent[: top - j + 1])
        )
        // of**j
        for j in range(min(top, most) + 1)
    )


def of_each(n_alike: int, chance: Fraction, most: int) -> Polynomial:
    """Return the weights of how many alike are there, each by itself; up to `most`.

    >>> of_each(2, Fraction(1, 3), 2)
    (4, 4, 1)
    >>> of_each(3, Fraction(1), 2)
    (0, 0, 0)
    """
    there, away = chance.numerator, chance.denominator - chance.numerator
    top = min(n_alike, most)
    behind = n_alike if away == 0 else top
    return tuple(
        comb(n_alike, j) * there**j * away ** (behind - j) for j in range(top + 1)
    )


@dataclass(frozen=True)
class Kind:
    """Persons alike whom the design treats alike."""

    n_alike: int
    """Persons in each unit: a stratum, or a cluster of it."""
    n_units: int = 1
    """Units with so many."""

    @property
    def n_persons(self) -> int:
        """Persons of all units."""
        return self.n_alike * self.n_units


@dataclass(frozen=True)
class Stratum:
    """How a stratum is drawn, and the kinds of persons alike in it.

    One that is drawn person by person has one kind.
    """

    n: int
    n_drawn: int
    """Persons, or clusters, of the stratum, and how many are drawn without replacement.
    None are for persons who are drawn each by itself."""
    chance: Fraction
    """Of persons drawn without replacement, that somebody drawn answers; of others,
    that somebody, of a drawn cluster, is drawn and answers."""
    is_clustered: bool
    """Whether clusters are drawn."""
    kinds: tuple[Kind, ...]

    @property
    def inclusion(self) -> Fraction:
        """Chance of each person to be in the sample, before anything is seen."""
        return self.chance * (Fraction(self.n_drawn, self.n) if self.n else 1)

    def n_bits(self, most: int) -> int:
        """Return about how many bits its weights have.

        >>> kinds = Kind(1, 2), Kind(2)
        >>> chances = Fraction(1), Fraction(3, 4)
        >>> [Stratum(4, 2, each, True, kinds).n_bits(9) for each in chances]
        [12, 20]
        """
        n_alike = sum(kind.n_persons for kind in self.kinds)
        top = n_alike if self.is_clustered or self.chance < 1 else min(n_alike, most)
        units = min(self.n_drawn, top) * 2 * self.n.bit_length()
        return units + top * (self.chance.denominator.bit_length() - 1)

    def n_steps(self, most: int) -> int:
        """Return about how many products of whole numbers its weights need.

        >>> schools = Stratum(4, 2, Fraction(1), True, (Kind(1, 2), Kind(2)))
        >>> [schools.n_steps(most) for most in (1, 9)]
        [24, 337]
        >>> chances, alike = (Fraction(1), Fraction(3, 4)), (Kind(3),)
        >>> [Stratum(4, 2, each, False, alike).n_steps(9) for each in chances]
        [4, 16]
        """
        n_alike = sum(kind.n_persons for kind in self.kinds)
        top = min(n_alike, most) + 1
        if not self.is_clustered:
            return top * (1 if self.chance == 1 or not self.n else n_alike + 1)
        n_drawn = min(self.n_drawn, sum(kind.n_units for kind in self.kinds))
        if self.chance == 1:
            n_drawn = min(n_drawn, most)
        return 3 * len(self.kinds) * ((n_drawn + 1) * top) ** 2 // 4

    def weights(self, most: int) -> tuple[Polynomial, tuple[Polynomial, ...]]:
        """Return W(z), and of each kind z dW/dz as far as it comes from the kind.

        Of five schools three are drawn. Two have one person alike, one has two, and one
        has three.

        >>> kinds = Kind(1, 2), Kind(2), Kind(3)
        >>> of_all, of_kinds = Stratum(5, 3, Fraction(1), True, kinds).weights(9)
        >>> of_all
        (0, 0, 1, 2, 3, 2, 2)
        >>> of_kinds
        ((0, 0, 2, 2, 4, 2, 2), (0, 0, 0, 4, 2, 2, 4), (0, 0, 0, 0, 6, 6, 6))
        """
        if self.is_clustered:
            return self._of_clusters(most)
        (kind,) = self.kinds
        if self.n:
            of_all = of_drawn(kind.n_alike, self, most)
        else:
            of_all = of_each(kind.n_alike, self.chance, most)
        return of_all, (_found(of_all),)

    def _of_clusters(self, most: int) -> tuple[Polynomial, tuple[Polynomial, ...]]:
        both = [_powers(kind, self.chance, self.n_drawn, most) for kind in self.kinds]
        before: list[DrawnPolynomials] = [[(1,)]]
        behind: list[DrawnPolynomials] = [[(1,)]]
        for i in range(len(both)):
            before.append(_times(before[-1], both[i][0], self.n_drawn, most))
            behind.append(_times(behind[-1], both[-1 - i][0], self.n_drawn, most))
        found = (
            _times(
                _times(before[i], of_kind, self.n_drawn, most), rest, self.n_drawn, most
            )
            for i, ((_, of_kind), rest) in enumerate(
                zip(both, behind[-2::-1], strict=True)
            )
        )
        others = self.n - sum(kind.n_units for kind in self.kinds)
        return (
            _all_drawn(before[-1], others, self.n_drawn),
            tuple(_all_drawn(each, others, self.n_drawn) for each in found),
        )


DrawnPolynomials = list[Polynomial]
"""Polynomials in z by the number of clusters drawn."""


def _found(weights: Polynomial) -> Polynomial:
    # z times the derivative by z: each weight times how many are found
    return tuple(j * weight for j, weight in enumerate(weights))


def _powers(
    kind: Kind, chance: Fraction, n_drawn: int, most: int
) -> tuple[DrawnPolynomials, DrawnPolynomials]:
    """Return (1 + u g)^U, in powers of u, and z times its derivative by z."""
    one = of_each(kind.n_alike, chance, kind.n_alike)[: most + 1]
    # Weights of a cluster that is drawn add up to this.
    undrawn = chance.denominator**kind.n_alike
    powers: DrawnPolynomials = [(1,)]
    for _ in range(min(kind.n_units, n_drawn)):
        power = product(powers[-1], one, most)
        if not any(power):
            break
        powers.append(power)
    ways = [
        comb(kind.n_units, k) * undrawn ** (kind.n_units - k)
        for k in range(len(powers))
    ]
    whole = [
        tuple(n * each for each in power) for n, power in zip(ways, powers, strict=True)
    ]
    return whole, [_found(power) for power in whole]


def _times(
    first: DrawnPolynomials, second: DrawnPolynomials, n_drawn: int, most: int
) -> DrawnPolynomials:
    found: DrawnPolynomials = [()] * min(len(first) + len(second) - 1, n_drawn + 1)
    for i, a in enumerate(first):
        for k, b in enumerate(second[: max(len(found) - i, 0)], i):
            both = zip_longest(found[k], product(a, b, most), fillvalue=0)
            found[k] = tuple(x + y for x, y in both)
    return found


def _all_drawn(drawn: DrawnPolynomials, others: int, n_drawn: int) -> Polynomial:
    """Add up over how many of the clusters drawn have somebody alike."""
    size = max(map(len, drawn))
    padded = [each + (0,) * (size - len(each)) for each in drawn]
    ways = [comb(others, n_drawn - k) for k in range(len(drawn))]
    return tuple(
        sum(n * each[j] for n, each in zip(ways, padded, strict=True))
        for j in range(size)
    )


def presence(strata: tuple[Stratum, ...], d: int) -> tuple[tuple[Fraction, ...], ...]:
    """Return the chance to be in the sample of persons alike, by stratum and kind.

    Parameters
    ----------
    strata
        Those that have somebody alike.
    d
        Records alike in the sample, at most as many as there are in the population. A
        number that the design cannot give is taken as the nearest that it can, of two
        the smaller one.

    Examples
    --------
    Two of two persons of one stratum are drawn, and one of two of another one, which
    the sample does not say; all four are alike, and the sample has three of them.

    >>> both = (
    ...     Stratum(2, 2, Fraction(1), False, (Kind(2),)),
    ...     Stratum(2, 1, Fraction(1), False, (Kind(2),)),
    ... )
    >>> presence(both, 3)
    ((Fraction(1, 1),), (Fraction(1, 2),))
    """
    weighed = [weights_of(stratum, d) for stratum in strata]
    before = _running([weights for weights, _ in weighed], d)
    whole = _at(before[-1], d)
    if not whole:
        return presence(strata, _nearest(strata, d))
    behind = _running([weights for weights, _ in reversed(weighed)], d)[-2::-1]
    chances = []
    for stratum, (_, found), first, rest in zip(
        strata, weighed, before, behind, strict=False
    ):
        others = product(first, rest, d)
        pairs = zip(stratum.kinds, found, strict=True)
        chances.append(
            tuple(
                Fraction(_at(product(others, each, d), d), whole * kind.n_persons)
                for kind, each in pairs
            )
        )
    return tuple(chances)


def n_steps(strata: tuple[Stratum, ...], d: int) -> int:
    """Return about how many products of words the chances of a cell need.

    A word has 64 bits; an operation takes as long as some of them besides.

    >>> schools = Stratum(4, 2, Fraction(1), True, (Kind(1, 2), Kind(2)))
    >>> many = Stratum(10**6, 40, Fraction(1, 3), False, (Kind(60),))
    >>> n_steps((schools,), 2), n_steps((schools, many), 2)
    (7548, 161412)
    """
    n_words = [1 + stratum.n_bits(d) // 64 for stratum in strata]
    whole = sum(n_words)
    return sum(
        stratum.n_steps(d) * (_OPERATION + n * n)
        + 3 * (d + 1) ** 2 * (_OPERATION + n * whole)
        for stratum, n in zip(strata, n_words, strict=True)
    )


@lru_cache(maxsize=1 << 12)
def weights_of(
    stratum: Stratum, most: int
) -> tuple[Polynomial, tuple[Polynomial, ...]]:
    """Return `Stratum.weights`, which many cells have in common."""
    return stratum.weights(most)


def _nearest(strata: Sequence[Stratum], d: int) -> int:
    """Return the number that the design can give which is nearest to d."""
    n = sum(kind.n_persons for stratum in strata for kind in stratum.kinds)
    whole = _running([stratum.weights(n)[0] for stratum in strata], n)[-1]
    can_be = (j for j, weight in enumerate(whole) if weight)
    return min(can_be, key=lambda j: (abs(j - d), j))


def _running(polynomials: Sequence[Polynomial], most: int) -> list[Polynomial]:
    """Return the products of the first none, one, two and so on."""
    found: list[Polynomial] = [(1,)]
    for each in polynomials:
        found.append(product(found[-1], each, most))
    return found


def _at(polynomial: Polynomial, at: int) -> int:
    return polynomial[at] if at < len(polynomial) else 0
