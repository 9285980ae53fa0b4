import pytest

# A script of another environment
collect_ignore = ["record_pycanon.py"]


@pytest.fixture(scope="session")
def qif():
    return pytest.importorskip("qif", reason="needs the oracles group")
