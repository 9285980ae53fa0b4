"""A census with an analysis of every kind, in English."""

from collections import defaultdict
from dataclasses import replace

from microleak.attacks.collective.report.contents import Listed
from tests.attacks.anonymity import anonymity_study
from tests.attacks.collective import explorable_study, state_study
from tests.attacks.composition.shown_rows import COUNTS
from tests.attacks.g_leakage.shown_rows import GAINS
from tests.attacks.intersection.shown_rows import CROSSED
from tests.attacks.known_protection.shown_rows import CELLS, KNOWN
from tests.attacks.linkage.shown_rows import BINS, LINKS, SUCCESS
from tests.attacks.mechanism.noisy_counts import (
    NO_COUNT,
    NO_DRAWS,
    NO_PAIRS,
    NO_SAMPLES,
    PEOPLE,
    pairs,
    samples,
    scenario,
    simulated,
)
from tests.attacks.membership.shown_rows import (
    ANSWERS,
    DESIGNS,
    FINGERPRINTS,
    MEASURES,
    PRESENCE,
    UNIQUES,
)
from tests.attacks.membership.shown_rows import ROUGH as GUESSED
from tests.attacks.query_answers.shown_rows import (
    ANSWERED,
    ANSWERED_VALUES,
    AUDITED,
    NO_VALUES,
    NONE_ANSWERED,
    NONE_AUDITED,
)
from tests.attacks.reconstruction.shown_rows import (
    GRID,
    PERSONS,
    counted,
    points,
    results,
)
from tests.attacks.risk_groups.shown_rows import GROUPS
from tests.attacks.rough_knowledge.shown_rows import ROUGH
from tests.attacks.smallest_protection.shown_rows import (
    CUTS,
    EXPOSED,
    LATTICE,
    MINIMALITY,
    NODES,
    WITNESSES,
)
from tests.attacks.special_uniques.shown_rows import ATTRIBUTES, SCORED, SIZES, VALUES
from tests.attacks.table_rebuilding.shown_rows import (
    REBUILT,
    REGIONS,
    SIZES_OF_REGIONS,
)
from tests.report.made import Told, draw_families, report_pages

LANGUAGES = ("en",)


def tables_of():
    """All tables of the study."""
    census = explorable_study.tables_of()
    which = {"analysis": "pupils", "table": "census", "focal": "2018"}
    severe = state_study.groups("RR-2023").assign(**which)
    families = defaultdict(dict)
    for analysis, exact in _analyses().items():
        for family, rows in exact.items():
            families[family][analysis] = rows
    groups = {"pupils": severe}
    return replace(census, groups=groups, families=families)


def pages_of(tables, of_census):
    """The texts of all pages, with figures, those of the census as they are given."""
    figures = {
        **of_census,
        **dict(draw_families(tables.families, LANGUAGES, ())),
    }
    study = Told("census", groups={"pupils": {"severe": Listed("ILL", 2)}})
    return report_pages(study, tables, figures, LANGUAGES)


def _analyses():
    """The exact tables of each analysis, by family."""
    clinic = anonymity_study.study("counted", has_values=True, has_entities=True)
    count = scenario("A")
    of_persons = [row | PERSONS for row in GRID]
    return {
        "sample": {
            "membership": MEASURES,
            "presence": PRESENCE,
            "uniques": UNIQUES,
            "rough_membership": GUESSED,
            "designs": DESIGNS,
            "answers": ANSWERS,
            "fingerprints": FINGERPRINTS,
        },
        "two-tries": {"g_leakage": GAINS},
        "several": {"composition": COUNTS},
        "roughly": {"rough_knowledge": ROUGH},
        "at-risk": {"risk_groups": GROUPS},
        "smallest": {
            "smallest_protection": NODES,
            "witnesses": WITNESSES,
            "lattice": LATTICE,
            "cuts": CUTS,
            "minimality": MINIMALITY,
            "exposed": EXPOSED,
        },
        "known": {"known_protection": KNOWN, "undone_cells": CELLS},
        "crossed": {"intersection": CROSSED},
        "linked": {
            "linkage": LINKS,
            "linkage_bins": BINS,
            "linked_success": SUCCESS,
        },
        "tract": {
            "table_rebuilding": REGIONS,
            "rebuilt_cells": REBUILT,
            "rebuilt_sizes": SIZES_OF_REGIONS,
        },
        "wages": {
            "query_answers": ANSWERED,
            "answered_values": ANSWERED_VALUES,
            "audited_queries": NONE_AUDITED,
        },
        "asked": {
            "query_answers": NONE_ANSWERED,
            "answered_values": NO_VALUES,
            "audited_queries": AUDITED,
        },
        "standing-out": {
            "special_uniques": SIZES,
            "suda_scores": SCORED,
            "suda_attributes": ATTRIBUTES,
            "suda_values": VALUES,
        },
        "survey": {"anonymity": clinic.rows, "classes": clinic.classes},
        "counts": {
            "mechanism": count,
            "samples": samples(count),
            "simulated": simulated(count),
            "pairs": NO_PAIRS,
        },
        "pairs": {
            "mechanism": NO_COUNT,
            "samples": NO_SAMPLES,
            "simulated": NO_DRAWS,
            "pairs": pairs(PEOPLE),
        },
        "roots": {"reconstruction": results(*GRID), "bad_points": points()},
        "people": {"reconstruction": results(*of_persons), "bad_points": points()},
        "points": {
            "reconstruction": results(),
            "bad_points": points(*(counted(n, 900 + n, 40, 7) for n in (5, 6, 8))),
        },
    }
