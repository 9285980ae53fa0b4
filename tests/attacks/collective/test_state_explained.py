"""States by what may explain their leakage."""

import pandas as pd

from microleak.attacks.collective.figures import states
from microleak.attacks.collective.figures.state_trends import fits_of, state_explained
from tests.attacks.collective.state_rows import EXPLAINED, ROWS
from tests.figures.reading import words, written


def test_only_fits_of_the_year_and_size_that_is_drawn_are_told():
    fits = fits_of(states.ranked(ROWS), EXPLAINED)
    assert fits == {"n_records": 0.25, "qids_entropy|mean_block_size": 0.5}


def test_without_fits_no_title_has_any_and_the_measure_is_not_explained():
    texts = written(state_explained(ROWS, pd.DataFrame(), words()))
    assert not [text for text in texts if "R²" in text]
