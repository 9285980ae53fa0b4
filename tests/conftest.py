"""Settings of all tests."""

import os
import signal
from collections import Counter
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, settings

from microleak.base.paths import CONFIG
from tests.collective_rows import subset, worst_of
from tests.commands import no_sync
from tests.examples import FULL, QUICK
from tests.workflow.workshop import Workshop, draw_plainly

# No test is timed: the first example may compile kernels, and machines differ.
for name, n_examples in ((QUICK, 12), (FULL, 100)):
    settings.register_profile(
        name,
        max_examples=n_examples,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile(QUICK)
os.fsync = no_sync
os.environ["LC_ALL"] = "C.UTF-8"  # messages are those in English
for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGINT):
    # As a terminal starts commands; nohup and jobs in the background ignore some.
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Whole studies run first, so that no worker is left with one at the end."""
    items.sort(key=lambda item: item.get_closest_marker("workflow") is None)
    # tests.mutants, which has a profile of its own, leaves out none.
    if settings.get_current_profile_name() in (QUICK, FULL):
        for item in left_out(items):
            item.add_marker(pytest.mark.long)


def left_out(items):
    """Yield what tests/long.yaml leaves out of `make test`."""
    path = Path(__file__).with_name("long.yaml")
    steps = yaml.load(path.read_bytes(), yaml.CSafeLoader)
    n_seen = Counter()
    for item in items:
        place, name = item.nodeid.split("[")[0].split("::", 1)
        place = place.removeprefix("tests/")
        step = next((s for of, s in steps.items() if fnmatch(place, of)), {})
        # Of a file each n-th test counts, of a test each n-th of its parameters.
        thing = place
        if isinstance(step, dict):
            step, thing = step.get(name), (place, name)
        if step and not item.get_closest_marker("long"):
            if step == "all" or n_seen[thing] % step:
                yield item
            n_seen[thing] += 1


@cache
def cases_of(folder):
    """The cases of a folder's tests by their file and name."""
    path = folder / "cases.yaml"
    return yaml.load(path.read_bytes(), yaml.CSafeLoader) if path.exists() else {}


def pytest_generate_tests(metafunc):
    """Give a test its cases: the names of what it is given, then a list for each."""
    test = f"{metafunc.module.__name__.split('.')[-1]}::{metafunc.function.__name__}"
    names, *cases = cases_of(Path(metafunc.module.__file__).parent).get(test, [()])
    if names:
        metafunc.parametrize(names, cases)


@pytest.fixture(scope="session")
def demo(tmp_path_factory):
    """Folder of the results of the example study that has every family."""
    study = CONFIG / "examples/delimited-demo.yaml"
    folder = tmp_path_factory.mktemp("demo")
    folder.joinpath("config").symlink_to(CONFIG)
    text = study.read_text("utf-8").replace("languages: [pt, en]", "languages: [en]")
    with pytest.MonkeyPatch.context() as patch:
        # Whoever reads it looks at no figure.
        draw_plainly(patch)
        patch.chdir(folder)
        Workshop(text, study.name).run()
    return folder / "results/delimited-demo"


@pytest.fixture(scope="session")
def make_subset():
    return subset


@pytest.fixture(scope="session")
def make_worst():
    return worst_of
