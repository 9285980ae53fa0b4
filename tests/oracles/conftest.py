import pytest

# Scripts of other environments
collect_ignore_glob = ["record_*.py"]


@pytest.fixture(scope="session")
def qif():
    return pytest.importorskip("qif", reason="needs the oracles group")
