"""How much a property is tried: less in `make test`, all in `make test-long`."""

import pytest
from hypothesis import settings

QUICK, FULL = "quick", "full"


def examples(n, most=12):
    """Try a test with n examples, in the quick profile with a twentieth, 12 at most."""
    is_quick = settings.get_current_profile_name() == QUICK
    n_quick = min(max(n // 20, min(n, 5)), most)
    return settings(max_examples=n_quick if is_quick else n)


def long(*values):
    """Parameters that `make test` leaves out, each a value or a tuple of them."""
    # tests.mutants, which has a profile of its own, leaves out none.
    is_marked = settings.get_current_profile_name() in (QUICK, FULL)
    marks = [pytest.mark.long] if is_marked else []
    given = [value if isinstance(value, tuple) else (value,) for value in values]
    return [pytest.param(*value, marks=marks) for value in given]


def thinned(values, step=3):
    """Values of which `make test` has each third, or as `step` says."""
    given = enumerate(values)
    return [each for n, v in given for each in ([v] if n % step == 0 else long((v,)))]


def seeds(n):
    """The seeds below n, of which `make test` has a fifth, three at least."""
    n_quick = max(3, n // 5)
    return [*range(n_quick), *long(*range(n_quick, n))]
