"""The worst combination of all that were measured."""

import pandas as pd

from microleak.attacks.collective.report.worst import worst_row
from tests.collective_rows import subset, worst_of


def test_no_combination_of_any_size_is_worse_than_the_worst():
    sizes = [subset("A", 10, 50), subset("A|B", 300, 500), subset("A|B|C", 500, 700)]
    worst = worst_of(*sizes)
    assert worst_row(worst)["qids"] == "A|B|C"


def test_the_worst_by_the_best_guess_need_not_be_the_worst_by_certainty():
    certain = worst_of(subset("B|C", 800, 810))
    guess = worst_of(subset("A|B", 700, 850))
    by_det = certain[certain["criterion"] == "deterministic"]
    by_prob = guess[guess["criterion"] == "probabilistic"]
    assert worst_row(pd.concat([by_det, by_prob]))["qids"] == "A|B"


def test_of_equals_that_with_the_fewest_releases_and_then_facts_is_told():
    rows = [
        subset(qids, 400, 500, auxiliary=auxiliary)
        for auxiliary in ("2019|2020", "")
        for qids in ("A|B|C", "A|B")
    ]
    told = worst_row(worst_of(*rows))
    assert (told["qids"], told["auxiliary"]) == ("A|B", "")
