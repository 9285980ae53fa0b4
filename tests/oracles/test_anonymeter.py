"""anonymeter finds in samples what microleak counts of all people.

Its answers are recorded in `anonymeter.json` (`record_anonymeter.py`): it asks for an
older NumPy. Compared are links between facts A and facts B, and secrets guessed from
facts A. It guesses for people whom no published record fits, too, by the nearest one,
and singles out by conditions that it draws: of these there is no number here.
"""

import json
from pathlib import Path

import pandas as pd
import pytest

import microleak
from tests.oracles.anonymeter_people import N_PAIRS, SECRET, A, B, pair

pytestmark = pytest.mark.oracle

RECORDED = json.loads(
    Path(__file__).with_name("anonymeter.json").read_text(encoding="utf-8")
)


@pytest.fixture(scope="module")
def exact():
    """Of each pair the shares of people who are linked, and rightly guessed."""
    return [shares(number) for number in range(N_PAIRS)]


def shares(number):
    people, made, _ = map(pd.DataFrame, pair(number))
    found = microleak.published_file(
        people, made, A + B, sensitive=[SECRET], links=[[A, B]]
    )
    of_a = found.published_guesses.query("qids == 'a1|a2'")
    (guesses,) = of_a.to_dict("records")
    (links,) = found.published_links.to_dict("records")
    return {
        "linked": links["n_meet"] / len(people),
        "guessed": guesses["posterior_prob"],
    }


@pytest.mark.parametrize("attack", ["linked", "guessed"])
def test_its_intervals_hold_the_exact_share(exact, attack):
    answers = [pair[attack] for pair in RECORDED["pairs"]]
    held = [
        abs(share[attack] - rate) <= error + 1e-9
        for share, (rate, error) in zip(exact, answers, strict=True)
    ]
    assert sum(held) >= 0.95 * N_PAIRS
    # From a copy of everybody to a file in which nobody has facts of their own.
    assert (exact[0][attack], exact[-1][attack] < 0.5) == (1, True)
