"""Reports of studies that tests make up: of collective attacks, and of all others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

import pandas as pd

from microleak.attacks.collective.analysis import Scenario
from microleak.attacks.collective.report import drawing
from microleak.attacks.collective.report.contents import (
    Facts,
    Listed,
    Measures,
    drawn_releases,
)
from microleak.base.files import write_text
from microleak.families import FAMILIES
from microleak.report import page
from microleak.report.contents import Headline, Tables, partial_months
from microleak.report.drawn import figure_name, in_languages
from microleak.report.parts import Place
from microleak.report.texts import voice
from microleak.study.pages import shown_families

EMPTY = pd.DataFrame()
_OF_STUDY = ("ingest", "comparison", "states", "explained", "removed", "protections")


@dataclass(frozen=True)
class Made:
    """Tables of a study, as its families publish them."""

    collective: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    worst: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    distribution: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    ingest: pd.DataFrame = field(default_factory=pd.DataFrame)
    gain: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    comparison: pd.DataFrame = field(default_factory=pd.DataFrame)
    linked: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    importance: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    groups: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    values: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    states: pd.DataFrame = field(default_factory=pd.DataFrame)
    explained: pd.DataFrame = field(default_factory=pd.DataFrame)
    removed: pd.DataFrame = field(default_factory=pd.DataFrame)
    protections: pd.DataFrame = field(default_factory=pd.DataFrame)
    families: Mapping[str, Mapping[str, pd.DataFrame]] = field(default_factory=dict)

    @property
    def months(self):
        """Of releases that end before December."""
        return {} if self.ingest.empty else partial_months(self.ingest)

    @property
    def drawn(self):
        """Of which releases values were drawn anew, without groups of values."""
        return drawn_releases(
            dict.fromkeys(self.collective, ()), self.tables.of_family("collective")
        )

    @property
    def measures(self):
        names = (each.name for each in fields(Measures))
        return Measures(**{name: getattr(self, name) for name in names})

    @property
    def tables(self):
        others = {"linked", "families", *_OF_STUDY}
        kinds = [each.name for each in fields(self) if each.name not in others]
        return Tables(
            {kind: getattr(self, kind) for kind in kinds} | {**self.families},
            {name: getattr(self, name) for name in _OF_STUDY},
            kinds={family.name: family.tables for family in FAMILIES},
        )

    def side_by_side(self):
        return self.measures.side_by_side()

    def compared(self):
        return self.measures.compared()


@dataclass(frozen=True)
class Told:
    """What a report must know of a study beside its tables."""

    name: str
    line_tables: frozenset[str] = frozenset()
    releases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    units: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    fewer: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, Mapping[str, Listed]] = field(default_factory=dict)
    adversaries: Sequence[Scenario] = ()
    splits: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    filters: Mapping[str, Sequence[str]] = field(default_factory=dict)
    n_targets: int = 0
    synthetic: Sequence[tuple[str, str]] = ()

    @property
    def facts(self):
        names = (each.name for each in fields(Facts))
        return Facts(**{name: getattr(self, name) for name in names})

    def headline(self, made):
        analyses = {
            name: {
                "part_of": self.parts.get(name, ""),
                "fewer": self.fewer.get(name, {}),
                "groups": {n: vars(g) for n, g in self.groups.get(name, {}).items()},
                "linked": _linked(made, name),
            }
            for name in made.collective
        }
        shared = {
            "adversaries": [vars(each) for each in self.adversaries],
            "splits": self.splits,
        }
        return Headline(
            self.name,
            line_tables=self.line_tables,
            releases=self.releases,
            synthetic=self.synthetic,
            families={
                "collective": {"analyses": analyses, **shared},
                "membership": {"filters": self.filters},
                "targets": {"n_targets": self.n_targets},
            },
        )


def _linked(made, name):
    rows = made.linked.get(name, EMPTY).drop(columns="share_linked", errors="ignore")
    return rows.to_dict("records")


class AnyFigure(dict):
    """Has every figure, each of which is empty."""

    def __contains__(self, _):
        return True

    def __missing__(self, _):
        return "<svg></svg>"


def report_pages(study, made, figures, languages):
    return dict(
        page.each_page(
            study.headline(made), made.tables, figures, languages, shown_families()
        )
    )


def write_report(folder, study, made, figures, languages):
    headline = study.headline(made)
    page.write_report(
        folder, headline, made.tables, figures, languages, shown_families()
    )


def drawn(made, languages, study=None):
    """The figures that no step draws, by their paths."""
    headline = (study or Told("s")).headline(made)
    undrawn = [
        each
        for name, family in shown_families().items()
        for each in family.figures(headline, made.tables.of_family(name))
    ]
    return dict(in_languages(undrawn, map(voice, languages)))


def draw_families(families, languages, synthetic=()):
    study = Told("s", synthetic=synthetic)
    yield from drawn(Made(families=families), languages, study).items()


def family_parts(families, figures, speaker):
    made = Made(families=families)
    headline = Told("s").headline(made)
    for name, shown in shown_families().items():
        own = made.tables.of_family(name)
        for chapter in shown.chapters(headline, own, figures, speaker):
            yield from chapter.parts


def draw_comparison(comparison, releases, languages, synthetic):
    undrawn = drawing.comparisons_drawn(comparison, releases, synthetic)
    yield from in_languages(undrawn, map(voice, languages))


def draw_analysis(collective, distribution, worst, folder, languages, synthetic):
    rows = (collective, distribution, worst)
    voices = [voice(language) for language in languages]
    for path, svg in drawing.figures_of(*rows, voices, synthetic):
        write_text(folder / Path(path).name, svg)


def read_figures(folder, analyses):
    return page.read_figures([folder / name for name in analyses])


def part_with_figure(family, tables, release, language, facts=None):
    """The part of the one analysis of a family, and its figure, of a twin's release."""
    shown = shown_families()[family]
    ((name, found),) = shown.analyses(tables)
    (undrawn,) = shown.drawn(name, found, [release])
    spoken = voice(language)
    svg = undrawn.draw(spoken.words(is_synthetic=undrawn.is_synthetic))
    path = figure_name(*undrawn.names, language=language)
    files = [kind for kind, of in tables.items() if len(of[name])]
    place = Place(family, name, {path: svg}, spoken, facts or {}, files)
    return shown.part(found, place), svg


def part_of_rows(family, rows, language):
    """The part and the figure of the analysis that rows of a family's table are of."""
    first = rows.iloc[0]
    tables = {family: {first["analysis"]: rows}}
    return part_with_figure(family, tables, (first["table"], first["focal"]), language)
