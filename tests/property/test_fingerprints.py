"""Classes recognised: likelihoods are those of every way in which members answer."""

from fractions import Fraction
from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.membership.definitions.fingerprints import (
    Answering,
    likelihoods,
)
from tests.examples import examples

VALUES = 3
chances = st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(1)])
classes = st.lists(st.integers(0, VALUES - 1), max_size=4)


def plain(members, answers, said, answering):
    """Add up over what each member does: nothing, the truth, or what it misreports."""
    r, e = answering.response, answering.misreport
    whole = Fraction(0)
    for does in product((None, "true", *range(VALUES)), repeat=len(members)):
        chance, given = Fraction(1), []
        for true, act in zip(members, does, strict=True):
            if act is None:
                chance *= 1 - r
            elif act == "true":
                chance *= r * (1 - e)
                given.append(true)
            else:
                chance *= r * e * Fraction(said[act], sum(said))
                given.append(act)
        if sorted(given) == sorted(answers):
            whole += chance
    return whole


@examples(60)
@given(
    st.lists(classes, min_size=1, max_size=3),
    st.lists(st.integers(0, VALUES - 1), min_size=1, max_size=4),
    st.lists(st.integers(1, 3), min_size=VALUES, max_size=VALUES),
    st.builds(Answering, chances, chances),
)
def test_likelihoods_are_those_of_every_way_to_answer(
    several, answers, said, answering
):
    asked, each = np.unique(answers, return_counts=True)
    inside = np.array([[c.count(x) for x in asked.tolist()] for c in several])
    sizes = np.array([len(c) for c in several])
    told = np.array([*(said[x] for x in asked.tolist()), sum(said)])
    found = likelihoods(each, inside, sizes, told, answering).tolist()
    wanted = [plain(c, answers, said, answering) for c in several]
    # Up to a common factor.
    assert [one > 0 for one in found] == [one > 0 for one in wanted]
    assert [one * sum(wanted) for one in found] == [one * sum(found) for one in wanted]
