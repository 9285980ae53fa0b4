"""A study of procedures in three states, made from counts that can be seen here."""

from dataclasses import replace

import pandas as pd

from microleak.attacks.collective.contributions import importance
from microleak.attacks.collective.report.contents import Listed
from microleak.attacks.collective.report.drawing import (
    figure_path,
    kinds,
    state_kinds,
    state_path,
)
from microleak.attacks.collective.report.states import states_parts
from microleak.attacks.collective.states import compare, explained
from microleak.report.texts import voice
from microleak.study.tables import result_tables as specs
from tests.collective_rows import RARER, bins_of, ingest_of, subset, worst_of
from tests.report.made import AnyFigure, Made, Told, report_pages

GROUPS = tuple(specs()["groups"].names)
STATES = tuple(specs()["states"].names)

LANGUAGES = ("pt", "en")
ENGLISH = voice("en")
TABLE, PROC = "sia_pa", "PA_PROC_ID"
AGE, UNIT, BOTH = "PA_IDADE", "PA_CODUNI", "PA_IDADE|PA_CODUNI"
COUNTS = {
    "RR-2022": (20_000, 1_503, (3_003, 7_033, 11_003), 4_003),
    "RR-2023": (20_000, 1_333, (3_003, 7_403, 11_403), 4_703),
    "SE-2023": (40_000, 2_403, (4_003, 5_603, 9_603), 603),
    "DF-2023": (80_000, 13_003, (16_003, 20_003, 28_003), 2_503),
}
"""Records, prior, expected hits with age, unit and both, records above 90 %.

They end in 3 so that one more is published alike.
"""

SERIES = {TABLE: [["RR-2022", "RR-2023"], ["SE-2023"], ["DF-2023"]]}


def name_of(release):
    return f"lines-{release}"


def collective(release, more=0):
    """Measures of one release; `more` is added to every count."""
    n_records, prior, modals, _ = COUNTS[release]
    which = {
        **{"analysis": name_of(release), "table": TABLE, "focal": release},
        "n_records": n_records + more,
    }
    blocks = {"n_blocks": 503 + more}
    rows = [
        subset(qids, alone + more, n + more, **which, **blocks, prior_count=1)
        for qids, alone, n in [(AGE, 13, 103), (UNIT, 53, 503), (BOTH, 403, 4_003)]
    ] + [
        subset(
            qids,
            modal // 40 * 10 + 3 + more,
            modal + more,
            **which,
            **blocks,
            sensitive=PROC,
            prior_count=prior + more,
        )
        for qids, modal in zip((AGE, UNIT, BOTH), modals, strict=True)
    ]
    return pd.DataFrame(rows).astype(RARER)


def states(releases, more=0):
    """Worst subset of each size of each release, as measures/states.csv has them."""
    rows = []
    for release in sorted(releases, key=lambda name: name[-4:]):
        measures = collective(release, more)
        inferred = measures[measures["sensitive"] == PROC]
        for qids in (UNIT, BOTH):
            row = inferred[inferred["qids"] == qids].iloc[0]
            n_above = COUNTS[release][3] + more
            rows.append(
                row.to_dict()
                | {
                    "analysis": "lines",
                    "release": release,
                    "state": release[:2],
                    "year": release[-4:],
                    "n_above_90": n_above,
                    "share_above_90": n_above / row["n_records"],
                    "sensitive_entropy": 6.5 + COUNTS[release][3] / 10_000,
                    "qids_entropy": 11.0 + len(qids) / COUNTS[release][3],
                    "mean_block_size": row["n_records"] / 5_000,
                    "expected_block_size": 23.0,
                }
            )
    return pd.DataFrame(rows, columns=[*STATES])


def groups(release, n_members=2_000, n_certain=503, belief=0.4, auxiliary=""):
    """What is inferred of a group of severe procedures, with each subset."""
    n_records = COUNTS[release][0]
    rows = [
        {
            **{"analysis": name_of(release), "table": TABLE, "focal": release},
            **{"auxiliary": auxiliary, "qids": qids, "n_qids": qids.count("|") + 1},
            **{"group": "severe", "n_records": n_records, "n_blocks": 500},
            **{"n_members": n_members, "n_certain": n_certain // part},
            **{"n_likely": 1_003 // part, "n_above_90": 603 // part},
            "prior_prob": n_members / n_records,
            "posterior_det": n_certain // part / n_members if n_members else None,
            "posterior_prob": belief / part if n_members else None,
            "additive_leakage": belief / part - n_members / n_records,
            "multiplicative_leakage": belief / part * n_records / n_members
            if n_members
            else None,
        }
        for qids, part in ((AGE, 4), (UNIT, 2), (BOTH, 1))
    ]
    return pd.DataFrame(rows, columns=[*GROUPS])


def ingest(releases, more=0):
    """What was read; the last release is synthetic."""
    marks = [str(release == releases[-1]).lower() for release in releases]
    records = {release: COUNTS[release][0] + more for release in releases}
    return ingest_of(TABLE, records, synthetic=marks)


def tables_of(releases=tuple(COUNTS), more=0):
    found = {name_of(release): collective(release, more) for release in releases}
    series = {TABLE: [[r for r in part if r in releases] for part in SERIES[TABLE]]}
    side = states(releases, more)
    return Made(
        found,
        {n: worst_of(*_records(rows)) for n, rows in found.items()},
        {n: bins_of(rows) for n, rows in found.items()},
        ingest(releases, more),
        comparison=compare(list(found.values()), series),
        importance={name: importance(rows) for name, rows in found.items()},
        groups={name_of(r): groups(r) for r in releases},
        states=side,
        explained=explained(side),
    )


def with_another(tables, name="units"):
    """The tables with a second analysis of the same releases, alike in its numbers."""

    def doubled(family):
        return family | {
            key.replace("lines-", f"{name}-"): rows.assign(
                analysis=key.replace("lines-", f"{name}-")
            )
            for key, rows in family.items()
        }

    families = ("collective", "worst", "distribution", "importance", "groups")
    return replace(
        tables,
        **{family: doubled(getattr(tables, family)) for family in families},
        **{
            table: pd.concat([rows, rows.assign(analysis=name)])
            for table, rows in [
                ("states", tables.states),
                ("explained", tables.explained),
            ]
        },
    )


def alone(tables):
    """The tables of analyses that stand alone and are compared as the first."""
    first = next(iter(tables.collective))
    return replace(
        tables,
        states=tables.states.assign(analysis=first),
        explained=tables.explained.assign(analysis=first),
    )


def _records(measures):
    """Rows of one subset of each size, as the worst tables have them."""
    return measures[measures["qids"] != AGE].to_dict("records")


def study_of(tables, are_parts=True):
    """What the page must know of the study; every analysis is a part, or none is."""
    return Told(
        "demo",
        frozenset({TABLE}),
        {TABLE: tuple(tables.ingest["release"])},
        parts={name: name.split("-")[0] for name in tables.collective}
        if are_parts
        else {},
        groups={name: {"severe": Listed(PROC, 2)} for name in tables.collective},
    )


def blank_figures(tables, languages):
    """An empty drawing at the path of every figure that the pages show."""
    svg = "<svg></svg>"
    paths = [
        figure_path(name, kind, sensitive, language)
        for name, rows in tables.collective.items()
        for kind in kinds(rows)
        for sensitive in ("", PROC)
        for language in languages
    ] + [
        state_path(shown, kind, language)
        for shown in tables.side_by_side()
        for kind in state_kinds(shown)
        for language in languages
    ]
    return dict.fromkeys(paths, svg)


def chapter(tables, speaker=ENGLISH):
    """What is said of the states of the one analysis and sensitive attribute."""
    facts = study_of(tables).facts
    (found,) = states_parts(facts, tables.measures, AnyFigure(), speaker)
    return found.part


def pages_of(tables, study=None, languages=LANGUAGES):
    return report_pages(study or study_of(tables), tables, AnyFigure(), languages)


def english(page):
    return page[page.index('<main lang="en"') :]
