"""Settings of all tests."""

import pytest
from hypothesis import HealthCheck, settings

from tests.collective_rows import subset, worst_of

# No test is timed: the first example may compile kernels, and machines differ.
settings.register_profile(
    "microleak", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("microleak")


def pytest_collection_modifyitems(items):
    """Whole studies run first, so that no worker is left with one at the end."""
    items.sort(key=lambda item: item.get_closest_marker("workflow") is None)


@pytest.fixture(scope="session")
def make_subset():
    return subset


@pytest.fixture(scope="session")
def make_worst():
    return worst_of
