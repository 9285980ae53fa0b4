"""A public report of a made-up town, written as a run writes it, and its tables."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

from microleak.report.contents import Tables
from microleak.report.public import write_public_report
from microleak.report.texts import voice
from microleak.study.published import public_families
from microleak.study.tables import tables as specs
from tests.attacks.collective.test_published import publish
from tests.attacks.risk_groups.publishing import publish_alone

QIDS = ("age", "street", "sex")
KINDS = ("blocks", "inference", "alone", "answer")


def town(seed=0, n=5_003):
    """People of a town, of whom street and age tell most."""
    rng = np.random.default_rng(seed)
    age, street = rng.integers(0, 90, n), rng.geometric(0.02, n)
    sex = rng.choice(["f", "m"], n, p=[0.55, 0.45])
    ill = np.where(rng.random(n) < 0.1 + 0.2 * (age > 60), "yes", "no")
    columns = {"age": age, "street": street, "sex": sex, "ill": ill}
    return pd.DataFrame(columns).astype(str).to_dict("records")


def answer(alone, after, step):
    """The table `answer` of a search that leaves the street out."""
    row = {
        **{"analysis": "smallest", "table": "people", "focal": "2"},
        **{
            "target": "alone:1/10",
            "loss_of": "information",
            "n_known": 3,
            "qids": "|".join(QIDS),
            "n_qids": 3,
        },
        **{
            "left_out": "",
            "levels": "",
            "sensitive": "",
            "n_changed": 0,
            "holds": "false",
        },
        **{"is_answer": "false", "step_pct": step, "alone_pct": alone},
    }
    last = {"left_out": "street", "n_changed": 1, "holds": "true", "is_answer": "true"}
    last |= {"alone_pct": after}
    return specs()["answer"].frame([row, row | last])


def made(
    folder,
    people,
    qids=QIDS,
    groups=(QIDS, ["sex"]),
    search=True,
    sensitive=("ill",),
):
    """The tables of a public report, by kind; those of the study by themselves."""
    blocks, inference = publish(folder, people, qids, sensitive)
    of_groups, by = groups
    alone = publish_alone(folder, people, [*of_groups], by, subsets="full")
    full, step = (int(blocks[name].iloc[-1]) for name in ("alone_pct", "step_pct"))
    rows = answer(full, 0, step)
    releases = [{"table": "people", "release": "2", "synthetic": "true"}]
    releases[0]["n_records"] = (len(people) + 50) // 100 * 100
    return SimpleNamespace(
        blocks=blocks.assign(analysis="town"),
        inference=inference.assign(analysis="town"),
        alone=alone.assign(analysis="my-alone"),
        answer=(rows if search else rows.iloc[:0]).assign(analysis="my-answer"),
        releases=specs()["releases"].frame(releases),
    )


def of_releases(named, listed=None):
    """One page of several, by the name that the release of each is given.

    Of a pooled release the parts are listed in its place, with their records.
    """
    kinds = {kind: {} for kind in KINDS}
    releases = []
    for name, page in named.items():
        for kind, by_name in kinds.items():
            rows = getattr(page, kind)
            own = name if kind in ("blocks", "inference") else f"{name}-{kind}"
            by_name[own] = rows.assign(focal=name, analysis=own)
        releases.append(page.releases.assign(release=name))
    whole = specs()["releases"].frame(pd.concat(releases).to_dict("records"))
    if listed:
        (row,) = whole.to_dict("records")
        rows = [row | {"release": n, "n_records": v} for n, v in listed.items()]
        whole = specs()["releases"].frame(rows)
    return Tables(kinds, {"releases": whole})


def written(folder, page, languages=("pt", "en"), sources=None):
    """Write a report as a run does; return its folder."""
    kinds = {kind: {f"my-{kind}": getattr(page, kind)} for kind in KINDS}
    kinds["blocks"] = {"town": page.blocks}
    kinds["inference"] = {"town": page.inference}
    tables = Tables(kinds, {"releases": page.releases})
    return written_tables(folder, tables, languages, sources)


def written_tables(folder, tables, languages=("pt", "en"), sources=None):
    """Write a report of tables; return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    voices = [voice(language, sources) for language in languages]
    write_public_report(folder, "town", tables, (), voices, public_families())
    return folder
