"""What words for Snakemake ask for."""

import pytest

from microleak.run.options import is_looking
from microleak.run.rounds import is_partial


@pytest.mark.parametrize(
    "words",
    [
        *(["-n"], ["-np"], ["-nc1"], ["-pn"], ["-kpn"], ["--dryr"], ["--dry-run"]),
        *(["-v"], ["--version"], ["-h"], ["--help"], ["--dag=dot"], ["--cores", "-l"]),
    ],
)
def test_words_that_only_look_are_known(words):
    assert is_looking(words)
    assert is_partial(words)


@pytest.mark.parametrize(
    "words",
    [
        *([], ["-c1"], ["-j", "2"], ["-pk"], ["--cores", "1"], ["--", "-k"], ["-"]),
        *(["-shn"], ["-cn"], ["--dryer"], ["--latency-wait=3"], ["--nolock"]),
        *(["--cores", "all"], ["-j", "all", "-k"]),
    ],
)
def test_words_that_look_at_nothing_are_known(words):
    assert not is_looking(words)
    assert not is_partial(words)


@pytest.mark.parametrize("words", [["-pF"], ["--until", "x"], ["all"], ["-kR"]])
def test_words_that_ask_for_a_part_are_known(words):
    assert is_partial(words)
    assert not is_looking(words)
