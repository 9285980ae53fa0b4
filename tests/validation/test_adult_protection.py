"""The smallest protection of ARX's example file, against group-bys of a plain loop.

The file is not in the repository; where it is not beside it, this is skipped.
"""

from itertools import product
from math import prod

import numpy as np
import pandas as pd
import polars as pl
import pytest

import microleak
from microleak.base.paths import ROOT
from microleak.records.hierarchy import levels_of
from microleak.study_file.hierarchies import HierarchySection
from tests.examples import long

ADULT = ROOT.parent / "shared/data/adult_arx.csv"
GROUPS = {
    "race": lambda race: "White" if race == "White" else "other",
    "marital-status": lambda s: "married" if s.startswith("Married") else "alone",
    "native-country": lambda c: c if c == "United-States" else "elsewhere",
    "workclass": lambda w: "own" if w.startswith("Self") else "other",
    "occupation": lambda o: "service" if o.endswith(("serv", "service")) else "other",
}
SCHOOL = {
    **dict.fromkeys(["Bachelors", "Masters", "Doctorate", "Prof-school"], "degree"),
    **dict.fromkeys(["HS-grad", "Some-college", "Assoc-voc", "Assoc-acdm"], "school"),
}

pytestmark = pytest.mark.skipif(not ADULT.exists(), reason=f"there is no {ADULT}")


@pytest.fixture(scope="module")
def people():
    return pd.read_csv(ADULT, sep=";", dtype=str)


@pytest.fixture(scope="module")
def hierarchies(people, tmp_path_factory):
    """Own ones: 9,720 nodes over eight QIDs."""
    folder = tmp_path_factory.mktemp("levels")

    def written(name, *labels):
        lines = [
            ";".join([value, *(label(value) for label in labels)])
            for value in sorted(people[name].unique())
        ]
        path = folder / f"{name}.csv"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return {"file": str(path)}

    def finished(value):
        return "finished" if value in SCHOOL else "not finished"

    return {
        "age": {"widths": [5, 10, 20]},
        "sex": {},
        "education": written("education", lambda v: SCHOOL.get(v, v), finished),
        **{name: written(name, label) for name, label in GROUPS.items()},
    }


def labels_of(people, hierarchies):
    """Numbers of all records' labels by QID and level."""
    labels = {}
    for name, given in hierarchies.items():
        values = [*dict.fromkeys(people[name])]
        section = HierarchySection(
            **{k: tuple(v) if k == "widths" else v for k, v in given.items()}
        )
        labels[name] = [
            people[name].map(dict(zip(values, pd.factorize(level)[0], strict=True)))
            for level in map(np.array, levels_of(section, values, name))
        ]
    return labels


def blocks_of(labels, node):
    """One number for each combination of labels."""
    block = 0
    for levels, level in zip(labels.values(), node, strict=True):
        block = block * 128 + levels[level].to_numpy()
    return block


def counted(labels, node, secret):
    """Risks of a node, by a group-by in Polars."""
    frame = pl.DataFrame({"block": blocks_of(labels, node), "s": secret})
    blocks = frame.group_by("block").agg(
        pl.len().alias("n"), pl.col("s").n_unique().alias("l")
    )
    certain = int(blocks.filter(pl.col("l") == 1)["n"].sum())
    alone = int((blocks["n"] == 1).sum())
    return {"k": int(blocks["n"].min()), "alone": alone, "certain": certain}


def node_of(row, n_levels):
    node = dict.fromkeys(n_levels, 0)
    for name in filter(None, str(row.left_out or "").split("|")):
        node[name] = n_levels[name] - 1
    for told in filter(None, str(row.levels or "").split("|")):
        name, _, level = told.rpartition(":")
        widths = {"width 5": 1, "width 10": 2, "width 20": 3}
        node[name] = widths.get(level) or int(level.removeprefix("level "))
    return tuple(node.values())


FEW, ALL = 1_000, None


@pytest.mark.parametrize(
    ("target", "n"),
    [
        ({"k": 5}, FEW),
        *long(({"k": 5}, ALL), ({"k": 2, "certain": "0.2"}, ALL)),
        *long(({"alone": "0.01"}, ALL)),
    ],
    ids=str,
)
def test_witnesses_and_a_sample_of_nodes_are_as_counted(people, hierarchies, target, n):
    people = people[:n]
    sensitive = "salary-class"
    found = microleak.smallest_protection(
        people, [*hierarchies], hierarchies, target, sensitive=[sensitive]
    )
    shape = (5, 2, 4, 3, 3, 3, 3, 3)
    assert found.cuts["n_nodes"].sum() == prod(shape) == 9_720
    witnesses = found.witnesses[found.witnesses["least_distinct"].isna()]
    n_levels = dict(zip(hierarchies, shape, strict=True))
    held, failed = (
        [node_of(row, n_levels) for row in witnesses[which].itertuples()]
        for which in (witnesses["holds"], ~witnesses["holds"])
    )

    def decided(node):
        is_held = any(all(a >= b for a, b in zip(node, w, strict=True)) for w in held)
        is_failed = any(
            all(a <= b for a, b in zip(node, w, strict=True)) for w in failed
        )
        assert is_held != is_failed
        return is_held

    nodes = [*product(*map(range, shape))]
    rng = np.random.default_rng(7)
    asked = [*held, *failed][:60]
    asked += [nodes[i] for i in rng.choice(len(nodes), 60, replace=False)]
    n = len(people)
    labels, secret = labels_of(people, hierarchies), people[sensitive].to_numpy()
    for node in asked:
        risks = counted(labels, node, secret)
        is_kept = (
            risks["k"] >= target.get("k", 1)
            and risks["alone"] <= float(target.get("alone", 1)) * n
            and risks["certain"] <= float(target.get("certain", 1)) * n
        )
        assert decided(node) == is_kept, node


def without_own_record(counts):
    """Share guessed right from all other records of a table of blocks and values."""
    whole, n = counts.sum(axis=0), counts.sum()
    right = 0.0
    for value in np.flatnonzero(whole):
        rows = counts[counts[:, value] > 0]
        n_each = rows[:, value]
        others = rows.copy()
        others[:, value] -= 1
        alone = others.sum(axis=1) == 0
        others[alone] = whole
        others[alone, value] -= 1
        is_most = others == others.max(axis=1, keepdims=True)
        right += (n_each * is_most[:, value] / is_most.sum(axis=1)).sum()
    return right / n


@pytest.mark.parametrize("n", [FEW, *long(ALL)], ids=str)
def test_all_nodes_of_a_lattice_are_as_a_plain_loop_counts_them(people, hierarchies, n):
    """One group-by for each of 864 nodes, and all that follows from its counts."""
    people = people[:n]
    own = {name: hierarchies[name] for name in ("sex", "education")}
    own |= {name: hierarchies[name] for name in ("race", "marital-status", "workclass")}
    own["age"] = {"widths": [5, 10]}
    sensitive = ["salary-class", "occupation"]
    target = {"k": 3, "l": 2, "certain": "0.1", "own_record": "0.01"}
    target |= {"inferred": "0.8", "alone": "0.02"}
    found = microleak.smallest_protection(
        people, [*own], own, target, sensitive=sensitive
    ).smallest_protection
    labels = labels_of(people, own)
    n_levels = {name: len(each) for name, each in labels.items()}
    assert prod(n_levels.values()) == 864 == len(found) / 3
    secrets = {name: pd.factorize(people[name])[0] for name in sensitive}
    told = {}
    for row in found.itertuples():
        node = node_of(row, n_levels)
        told[node, row.sensitive or ""] = row
    n, kept = len(people), {}
    for place, node in enumerate(product(*map(range, n_levels.values()))):
        frame = pl.DataFrame({"block": blocks_of(labels, node), **secrets})
        keeps = True
        for name, secret in secrets.items():
            rows = frame.group_by("block", name).len()
            ids, at = np.unique(rows["block"].to_numpy(), return_inverse=True)
            counts = np.zeros((len(ids), int(secret.max()) + 1), dtype=np.int64)
            counts[at, rows[name].to_numpy()] = rows["len"].to_numpy()
            sizes, most = counts.sum(axis=1), counts.max(axis=1)
            n_distinct = (counts > 0).sum(axis=1)
            row, person = told[node, name], told[node, ""]
            assert person.n_blocks == len(ids)
            assert person.smallest_block == sizes.min()
            assert person.n_alone == (sizes == 1).sum()
            assert person.posterior_prob == len(ids) / n
            assert row.n_certain == sizes[n_distinct == 1].sum()
            assert row.posterior_prob == most.sum() / n
            assert row.least_distinct == n_distinct.min()
            assert row.largest_success == (most / sizes).max()
            if name == "salary-class" or place % 25 == 0:
                prior = counts.sum(axis=0).max() / n
                added = most.sum() / n - max(prior, without_own_record(counts))
                assert row.own_record == pytest.approx(added, abs=1e-12)
            keeps &= (
                sizes.min() >= 3
                and n_distinct.min() >= 2
                and row.n_certain <= 0.1 * n
                and row.posterior_prob <= 0.8
                and row.own_record <= 0.01
                and person.n_alone <= 0.02 * n
            )
        kept[node] = keeps
    holds = {node: row.holds for (node, name), row in told.items() if not name}
    assert holds == kept
    assert 0 < sum(kept.values()) < len(kept)
    (answer,) = found[found["is_answer"]].head(1).itertuples()
    assert answer.loss == min(told[node, ""].loss for node in kept if kept[node])
