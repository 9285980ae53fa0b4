"""Results with a manifest, for the tests of several modules."""

import pytest

from tests.audit.auditing import audited, copied


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    """Results with their manifest, made once a module; not to be changed."""
    return audited(tmp_path_factory.mktemp("once"))


@pytest.fixture
def made(once, tmp_path):
    """Results with their manifest, of one's own."""
    return copied(once, tmp_path)
