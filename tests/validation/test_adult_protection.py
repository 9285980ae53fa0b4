"""The smallest protection of ARX's example file, against group-bys of a plain loop.

The file is not in the repository; where it is not beside it, this is skipped.
"""

from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest

import microleak
from microleak.base.paths import ROOT
from microleak.records.hierarchy import levels_of
from microleak.study_file.hierarchies import HierarchySection

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


def counted(people, hierarchies, nodes, sensitive):
    """Risks of nodes, each by one group-by in Polars."""
    labels = {}
    for name, given in hierarchies.items():
        values = [*dict.fromkeys(people[name])]
        section = HierarchySection(
            **{k: tuple(v) if k == "widths" else v for k, v in given.items()}
        )
        labels[name] = [
            people[name].map(dict(zip(values, level, strict=True))).tolist()
            for level in levels_of(section, values, name)
        ]
    for node in nodes:
        columns = {n: labels[n][i] for n, i in zip(labels, node, strict=True)}
        frame = pl.DataFrame({**columns, "s": people[sensitive].tolist()})
        blocks = frame.group_by([*columns]).agg(
            pl.len().alias("n"), pl.col("s").n_unique().alias("l")
        )
        certain = int(blocks.filter(pl.col("l") == 1)["n"].sum())
        yield {
            "k": int(blocks["n"].min()),
            "alone": int((blocks["n"] == 1).sum()),
            "certain": certain,
        }


@pytest.mark.parametrize(
    "target", [{"k": 5}, {"alone": "0.01"}, {"k": 2, "certain": "0.2"}], ids=str
)
def test_its_witnesses_and_a_sample_of_all_nodes_are_as_counted(
    people, hierarchies, target
):
    sensitive = "salary-class"
    found = microleak.smallest_protection(
        people, [*hierarchies], hierarchies, target, sensitive=[sensitive]
    )
    shape = (5, 2, 4, 3, 3, 3, 3, 3)
    assert found.cuts["n_nodes"].sum() == np.prod(shape) == 9_720
    places = {name: place for place, name in enumerate(hierarchies)}

    def node_of(row):
        node = [0] * len(shape)
        for name in filter(None, str(row.left_out or "").split("|")):
            node[places[name]] = shape[places[name]] - 1
        for told in filter(None, str(row.levels or "").split("|")):
            name, _, level = told.rpartition(":")
            widths = {"width 5": 1, "width 10": 2, "width 20": 3}
            level = widths.get(level) or int(level.removeprefix("level "))
            node[places[name]] = level
        return tuple(node)

    witnesses = found.witnesses[found.witnesses["least_distinct"].isna()]
    holding = [node_of(row) for row in witnesses[witnesses["holds"]].itertuples()]
    failing = [node_of(row) for row in witnesses[~witnesses["holds"]].itertuples()]

    def decided(node):
        is_held = any(
            all(a >= b for a, b in zip(node, w, strict=True)) for w in holding
        )
        is_failed = any(
            all(a <= b for a, b in zip(node, w, strict=True)) for w in failing
        )
        assert is_held != is_failed
        return is_held

    nodes = [*product(*map(range, shape))]
    rng = np.random.default_rng(7)
    asked = [*holding, *failing][:60]
    asked += [nodes[i] for i in rng.choice(len(nodes), 60, replace=False)]
    n = len(people)
    for node, risks in zip(
        asked, counted(people, hierarchies, asked, sensitive), strict=True
    ):
        is_kept = (
            risks["k"] >= target.get("k", 1)
            and risks["alone"] <= float(target.get("alone", 1)) * n
            and risks["certain"] <= float(target.get("certain", 1)) * n
        )
        assert decided(node) == is_kept, node
