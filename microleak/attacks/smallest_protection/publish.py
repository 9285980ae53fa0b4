"""What is published of a search: its tables; to the public the answer, and a frontier.

docs/decisions/0014-public-form.md has the rules of what the public sees.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd

from microleak.attacks.smallest_protection.jobs import OF_SEARCH
from microleak.attacks.smallest_protection.laws import laws
from microleak.attacks.smallest_protection.public_frontier import (
    MONOTONE,
    Levels,
    given_up,
    hidden_shares,
    shown_nodes,
)
from microleak.attacks.smallest_protection.search_laws import on_level
from microleak.attacks.smallest_protection.shown import levels_by_qid, shown_of
from microleak.attacks.smallest_protection.wording import LEFT_OUT, bounds_of
from microleak.disclosure.rounding import percent, step_of
from microleak.family import GroupSize, Publication, measured, people
from microleak.records.hierarchy import HierarchyGiven, level_names, levels_of
from microleak.records.singles import placed, value_counts
from microleak.study_file.model import Study
from microleak.tables.files import read_table
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.attacks.smallest_protection")


def published_answer(nodes: pd.DataFrame, finest: int = 1) -> pd.DataFrame:
    """Return the release as it is and the smallest protection, as table `answer`.

    Parameters
    ----------
    nodes
        The table `smallest_protection` of an analysis. It is not changed.
    finest
        No step is finer, in percent.
    """
    is_answer = nodes["is_answer"].isin([True, "true"])
    is_shown = is_answer | (nodes["n_changed"] == 0)
    rows = nodes[is_shown & (nodes["sensitive"] == "")].sort_values("n_changed")
    n_records = int(rows["n_records"].iloc[0])
    step = step_of(n_records, finest)
    if step is None:
        return TABLES["answer"].frame([])
    shown = rows.assign(
        sensitive="|".join(filter(None, nodes["sensitive"].unique())),
        step_pct=step,
        alone_pct=percent(rows["n_alone"], n_records, step),
    )
    return shown[TABLES["answer"].names]


def published_frontier(
    nodes: pd.DataFrame,
    lattice: pd.DataFrame,
    targets: Sequence[str] = (),
    finest: int = 1,
) -> pd.DataFrame:
    """Return the nodes between the release and its coarsest form, as table `frontier`.

    The answer is among them, also where it is not on the frontier. There are none of
    a lattice whose nodes were not all counted, or whose loss is not monotone.

    Parameters
    ----------
    nodes, lattice
        The tables of an analysis. They are not changed.
    targets
        Those of all searches of the release, as tables have them; of this one at least.
    finest
        No step is finer, in percent.
    """
    told = shown_of(nodes, nodes.head(0), lattice, nodes.head(0))
    answer, n_records = told.answer, int(told.answer["n_records"])
    step = step_of(n_records, finest)
    is_monotone = answer["loss_of"] in MONOTONE
    if step is None or told.lattice.empty or not is_monotone:
        return TABLES["frontier"].frame([])
    names = levels_by_qid(told.nodes)
    rows = told.lattice[told.lattice["sensitive"] == ""].sort_values("node")
    counts = rows["n_alone"].to_numpy().reshape([len(each) for each in names.values()])
    hidden = {
        share
        for target in {answer["target"], *targets}
        for share in hidden_shares(bounds_of({"target": target}), step)
    }
    shown = shown_nodes(counts, n_records, step, hidden)
    of_answer = _levels_of(answer, names)
    lasts = tuple(length - 1 for length in counts.shape)
    every = {*shown, of_answer}
    ordered = sorted(every, key=lambda each: (given_up(each, lasts), each not in shown))
    found = TABLES["frontier"].frame(
        {
            **{name: answer[name] for name in ("analysis", "table", "focal", "qids")},
            "n_qids": answer["n_qids"],
            **_node(each, names),
            "given_up": _fraction(given_up(each, lasts)),
            "on_frontier": str(each in shown).lower(),
            "is_answer": str(each == of_answer).lower(),
            "step_pct": step,
            "alone_pct": int(counts[each]),
        }
        for each in ordered
    )
    return found.assign(alone_pct=percent(found["alone_pct"], n_records, step))


def _levels_of(row: pd.Series, names: Mapping[str, Sequence[str]]) -> Levels:
    """Return the level of each QID of a node."""
    told = [each.rpartition(":") for each in row["levels"].split("|")]
    found = {name: level for name, _, level in told}
    found |= dict.fromkeys(row["left_out"].split("|"), LEFT_OUT)
    return tuple(each.index(found.get(name, "")) for name, each in names.items())


def _node(levels: Levels, names: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return on which level each QID is, and which are changed."""
    told = {
        name: each[n] for n, (name, each) in zip(levels, names.items(), strict=True)
    }
    lasts = [len(each) - 1 for each in names.values()]
    return {
        "depths": "|".join(map("{}/{}".format, levels, lasts)),
        "left_out": "|".join(name for name, each in told.items() if each == LEFT_OUT),
        "levels": "|".join(
            f"{name}:{each}"
            for name, each in told.items()
            if each not in ("", LEFT_OUT)
        ),
        "n_changed": sum(map(bool, levels)),
    }


def _fraction(value: Fraction) -> str:
    return f"{value.numerator}/{value.denominator}"


def facts(study: Study, _: Path) -> dict[str, Any]:
    """Return the adversaries of the study, and what was made of searched releases.

    Of each search that is, by the name of the protected release, on which level it has
    an attribute, and what it drops.
    """
    return {
        "adversaries": [
            {"qids": who.qids, "labels": who.labels}
            for who in study.shared.get("scenarios", ())
        ],
        "made": {
            name: {
                protection: {
                    "levels": {
                        attribute: level
                        for step in given.steps
                        for attribute, level in (step.generalise or {}).items()
                    },
                    "dropped": given.dropped,
                }
                for protection, given in study.tables[search.table].protections.items()
                if given.release == search.focal
            }
            for name, search in study.analyses["smallest_protection"].items()
        },
    }


def _public(study: Study, study_dir: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    every, targets = {}, defaultdict(list)
    for name in study.analyses["smallest_protection"]:
        path = study_dir / measured("smallest_protection", name)
        every[name] = read_table(path, TABLES["smallest_protection"])
        table, focal, target = every[name].loc[0, ["table", "focal", "target"]]
        targets[table, focal].append(target)
    for name, nodes in every.items():
        lattice = read_table(study_dir / measured("lattice", name), TABLES["lattice"])
        of_release = targets[(*nodes.loc[0, ["table", "focal"]],)]
        yield f"answer/{name}", published_answer(nodes, study.step)
        frontier = published_frontier(nodes, lattice, of_release, study.step)
        yield f"frontier/{name}", frontier


def _public_needs(study: Study) -> Iterator[str]:
    for name in study.analyses["smallest_protection"]:
        yield from (measured(each, name) for each in ("smallest_protection", "lattice"))


def _singles(study: Study) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield the QIDs of each release."""
    for search in study.analyses["smallest_protection"].values():
        yield search.table, str(search.focal), search.qids


def _sizes(study: Study, study_dir: Path) -> Iterator[GroupSize]:
    """Yield how many records have each value of a QID on each level."""
    hierarchies: dict[tuple[str, str], dict[str, HierarchyGiven]] = {}
    for search in study.analyses["smallest_protection"].values():
        of_release = hierarchies.setdefault((search.table, str(search.focal)), {})
        of_release |= {qid: search.hierarchies[qid] for qid in search.qids}
    for release, given_of in hierarchies.items():
        counts = value_counts(study_dir / people(*release), [*given_of])
        for qid, of in counts.items():
            given = given_of[qid]
            levels = levels_of(given, [*of], qid)
            names = level_names(given, len(levels))
            for name, labels in [*zip(names, levels, strict=True)][1:-1]:
                sizes = Counter[str | None]()
                for label, n in zip(labels, of.values(), strict=True):
                    sizes[label] += n
                yield from placed(release, on_level(qid, name), sizes.values())


def _sizes_needs(study: Study) -> Iterator[str]:
    for search in study.analyses["smallest_protection"].values():
        yield people(search.table, str(search.focal))


PUBLICATION = Publication(
    OF_SEARCH,
    facts,
    public=_public,
    public_needs=_public_needs,
    laws=laws,
    singles=_singles,
    sizes=_sizes,
    sizes_needs=_sizes_needs,
)
