"""Pages of three states, which several tests read."""

from dataclasses import replace

import pandas as pd
import pytest

from tests.attacks.collective.state_study import pages_of, tables_of


@pytest.fixture(scope="package")
def pages():
    """All pages of three states, each release of which has one."""
    return pages_of(tables_of())


@pytest.fixture(scope="package")
def census():
    """All pages of a table without states, of which `all` releases are attacked."""
    tables = replace(tables_of(), states=pd.DataFrame(), explained=pd.DataFrame())
    return pages_of(replace(tables, comparison=pd.DataFrame()))
