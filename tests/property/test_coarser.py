"""Whatever is made coarser, no posterior rises, and k and l do not fall."""

import numpy as np
import pytest

from microleak.attacks.collective.definitions.attribute_inference import (
    attribute_inference,
)
from microleak.attacks.collective.definitions.reidentification import reidentification
from microleak.definitions.profile import BlockProfile, partition
from microleak.records.hierarchy import levels_of
from microleak.study_file.hierarchies import HierarchySection
from tests.examples import long

VALUES = {
    "age": (None, "1", "2", "3", "4", "7", "12", "-5"),
    "town": (None, "aba", "abb", "acb", "b", "ca"),
    "born": (None, "31/12/1999", "01/01/2000", "02/01/2000", "05/06/2007"),
    "race": (None, "p", "q", "r", "s", "t"),
}


def trees(folder, rng, n):
    """Write hierarchies of a race by file: labels of labels, drawn at random."""
    found = []
    for number in range(n):
        lines = [[value or ""] for value in VALUES["race"]]
        for level in range(int(rng.integers(1, 4))):
            labels = sorted({line[-1] for line in lines})
            above = dict(zip(labels, rng.integers(0, 3, len(labels)), strict=True))
            for line in lines:
                line.append(f"{level}-{above[line[-1]]}")
        path = folder / f"{number}.csv"
        text = "\n".join(";".join(line) for line in lines)
        path.write_text(text + "\n", encoding="utf-8")
        found.append(HierarchySection(file=str(path)))
    return found


@pytest.fixture
def hierarchies(tmp_path):
    rules = {
        "age": [{"widths": (2, 4)}, {"widths": (5,), "top": 7}, {"bottom": 2}, {}],
        "town": [{"prefixes": (2, 1)}, {"prefixes": (1,)}],
        "born": [{"date": "%d/%m/%Y"}],
    }
    found = {n: [HierarchySection(**r) for r in each] for n, each in rules.items()}
    return {**found, "race": trees(tmp_path, np.random.default_rng(0), 20)}


def codes_by_level(name, hierarchy, used):
    """What each level makes of codes of values, a missing label a code of its own."""
    found = []
    for labels in levels_of(hierarchy, [VALUES[name][code] for code in used], name):
        of_code = np.zeros(len(VALUES[name]), dtype=np.int64)
        number = {label: i for i, label in enumerate(dict.fromkeys(labels))}
        of_code[used] = [number[label] for label in labels]
        found.append(of_code)
    return found


def profile_of(blocks, sensitive):
    """Every block as a kind of its own; who is left out is not asked for."""
    n_of = np.bincount(blocks * 3 + sensitive, minlength=3 * (int(blocks.max()) + 1))
    n_of = n_of.reshape(-1, 3)
    ones = np.ones(len(n_of), dtype=np.int64)
    n_distinct = np.count_nonzero(n_of, axis=1)
    return BlockProfile(n_of.sum(axis=1), n_of.max(axis=1), n_distinct, ones, 0 * ones)


def risks_of(columns, sensitive):
    """Every measure that a target bounds, the larger the worse."""
    profile = profile_of(partition(columns), sensitive)
    whole = profile_of(np.zeros_like(sensitive), sensitive)
    crs, cas = reidentification(profile), attribute_inference(whole, profile)
    return (
        crs.posterior_det,
        crs.posterior_prob,
        cas.posterior_det,
        cas.posterior_prob,
        cas.largest_success,
        -int(profile.block_size.min()),
        -int(profile.n_distinct.min()),
    )


@pytest.mark.parametrize("n_tables", [2_000, *long(20_000)])
def test_coarser_is_never_worse_in_thousands_of_tables(hierarchies, n_tables):
    rng = np.random.default_rng(20)
    n_lower = np.zeros(7, dtype=np.int64)
    for _ in range(n_tables):
        n = int(rng.integers(1, 13))
        finer, coarser = [], []
        for name in rng.permutation([*VALUES])[: rng.integers(1, 4)]:
            column = rng.integers(0, rng.integers(1, len(VALUES[name]) + 1), n)
            each = hierarchies[name]
            levels = codes_by_level(
                name, each[rng.integers(len(each))], np.unique(column)
            )
            one, other = sorted(rng.integers(0, len(levels), 2).tolist())
            finer.append(levels[one][column])
            coarser.append(levels[other][column])
        sensitive = rng.integers(0, rng.integers(1, 4), n)
        fine, coarse = (risks_of(each, sensitive) for each in (finer, coarser))
        assert all(a >= b for a, b in zip(fine, coarse, strict=True))
        n_lower += np.array([a > b for a, b in zip(fine, coarse, strict=True)])
    # Each of them falls often enough for the law to say something.
    assert (n_lower > n_tables / 20).all()
