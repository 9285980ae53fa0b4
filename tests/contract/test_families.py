"""What holds of every family: its section, tables, words, part of a page and rules."""

import json
import re
from collections import defaultdict
from functools import cache
from itertools import product
from pathlib import Path

import matplotlib
import pandas as pd
import pytest
import yaml
from pydantic import TypeAdapter, ValidationError

from microleak.audit.csv_metadata import write_csv_metadata
from microleak.base.errors import StudyError
from microleak.base.paths import CONFIG, ROOT
from microleak.families import FAMILIES
from microleak.family import load, steps_of
from microleak.figures.numbers import SYNTHETIC_MARK
from microleak.report.contents import Headline, Tables
from microleak.report.families import EachAnalysis
from microleak.report.texts import voice
from microleak.ripd.measured import MeasuredStudy
from microleak.study.jobs import OF_PUBLISHED, OF_RELEASES, OF_REPORT
from microleak.study.load import load_study
from microleak.study.pages import shown_families
from microleak.study.steps import AUDIT, jobs_of, step_of, steps_by_rule
from microleak.study.tables import result_tables as specs
from microleak.study_file.section import Section
from microleak.tables.spec import WILDCARD, tables_of
from tests.contract.families import examples_of, measured_by, rules_of
from tests.examples import long
from tests.report.made import draw_families, family_parts

NO_STUDY = ("config.yaml", "schema.yaml")
ON_THE_PAGE = [
    f for f in FAMILIES if isinstance(shown_families().get(f.name), EachAnalysis)
]
STUDIES = [
    *(path for path in CONFIG.glob("*.yaml") if path.name not in NO_STUDY),
    *CONFIG.glob("examples/*.yaml"),
    Path(__file__).with_name("small-twins.yaml"),
]

each_family = pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.name)
each_shown = pytest.mark.parametrize("family", ON_THE_PAGE, ids=lambda f: f.name)
each_table = pytest.mark.parametrize("table", specs().values(), ids=lambda t: t.name)


@pytest.fixture(scope="module")
def checked():
    """Names of the analyses that were checked as functions on frames check them."""
    return set()


@pytest.fixture(scope="module")
def studies(checked):
    def noted(whole):
        def check(self, where):
            checked.add(self.name)
            return whole(self, where)

        return check

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        for family in FAMILIES:
            model = load(family.section).SECTION
            patch.setattr(model, "checked", noted(model.checked))
        return [load_study(path) for path in sorted(STUDIES)]


@each_family
def test_its_analyses_are_checked_in_a_study_as_on_frames(family, studies, checked):
    if load(family.section).SECTION.checked is not Section.checked:
        named = {name for study in studies for name in study.analyses[family.name]}
        assert named <= checked


@pytest.fixture(scope="module")
def described(studies, tmp_path_factory):
    path = tmp_path_factory.mktemp("described") / "csv-metadata.json"
    found = {}
    for study in studies:
        write_csv_metadata(path, study)
        for table in json.loads(path.read_text("utf-8"))["tables"]:
            name = table["url"].partition("/")[0].removesuffix(".csv")
            columns = table["tableSchema"]["columns"]
            found[name] = [column["name"] for column in columns]
    return found


@pytest.fixture(scope="module")
def shown():
    found = defaultdict(dict)
    for family in ON_THE_PAGE:
        for analysis, tables in examples_of(family.name).items():
            for name, rows in tables.items():
                found[name][analysis] = rows
    return found


@pytest.fixture(scope="module")
def drawn(shown):
    """Tables of a family alone, and their figures in both languages, drawn once."""

    @cache
    def draw(tables):
        given = {name: rows if name in tables else {} for name, rows in shown.items()}
        return given, dict(draw_families(given, ("pt", "en"), ()))

    return lambda family: draw(tuple(measured_by(family)))


@pytest.mark.parametrize("rule", steps_by_rule())
def test_every_result_is_known_as_that_of_its_step(rule):
    step = steps_by_rule()[rule]
    for pattern in step.makes.values():
        path = WILDCARD.sub("some-name", pattern)
        found = step_of(f"{path}a.csv" if path.endswith("/") else path)
        assert found is not None
        known = {WILDCARD.sub("*", each) for each in found.makes.values()}
        assert WILDCARD.sub("*", pattern) in known


def survived(given, whole):
    # What it lacks is no setting, as what is known of a target: its job reads the file.
    plain = TypeAdapter(type(whole))
    try:
        own = plain.dump_python(whole, exclude_defaults=True)
        restored = plain.validate_python(own | given)
    except ValidationError:
        return False
    return plain.dump_json(restored) == plain.dump_json(whole)


@pytest.fixture(scope="module")
def jobs(studies):
    return [(study, [*jobs_of(study)]) for study in studies]


@each_family
def test_an_analysis_survives_the_settings_of_a_job(family, jobs):
    rules = rules_of(family)
    every, alive = set(), set()
    for study, of_study in jobs:
        analyses = study.analyses[family.name]
        every |= {(study.name, name) for name in analyses}
        for job in of_study:
            if job.rule in rules and "analysis" in job.settings:
                given = json.loads(json.dumps(job.settings["analysis"]))
                whole = analyses.get(given["name"])
                compared = getattr(whole, "compared", None)
                if any(survived(given, each) for each in (whole, compared) if each):
                    alive.add((study.name, given["name"]))
    assert every
    assert alive == every


@each_family
def test_every_table_that_it_writes_has_its_specification(family):
    made = {path for step in steps_of(family) for path in step.makes.values()}
    tables = {p for p in made if p.startswith(("measures/", "confidential/"))}
    assert tables == {t.path for t in family.tables.values() if t.audience != "public"}


def test_no_two_families_have_a_table_of_one_name():
    n_of_families = sum(len(family.tables) for family in FAMILIES)
    assert len(specs()) == len(tables_of("microleak.study")) + n_of_families


@each_table
def test_every_column_has_type_unit_and_meaning_in_both_languages(table):
    for column in table.columns:
        texts = [column.meaning, *([column.missing] if column.missing else [])]
        assert all(text.keys() == {"en", "pt"} for text in texts), column.name
        sentences = [each for text in texts for each in text.values()]
        assert all(text.endswith(".") for text in sentences), column.name
        assert bool(column.unit) == column.is_number, column.name
        assert column.disclosure in {"none", "count", "share", "identity"}
    assert {*table.description} == {"en", "pt"}
    assert {*table.printed} <= {*table.names}


DEFINED = ("prior", "posterior", "degradation", "bayes", "delta_presence", "additive")
"""How columns begin that a paper, or a formula of ours, defines."""
FOLLOWS = re.compile("minus|divided by|without|lost|of the (earlier|later)", re.I)


@each_table
def test_a_column_that_is_defined_somewhere_says_where(table):
    for column in table.columns:
        if column.type == "number" and column.name.startswith(DEFINED):
            told = f"{column.equation}{column.more}"
            assert told or FOLLOWS.search(column.meaning["en"]), column.name


@each_family
def test_its_tables_are_described_by_their_columns(family, described):
    for table in measured_by(family):
        assert described[table] == specs()[table].names, table


@each_shown
def test_its_tables_on_the_page_have_their_columns(family, shown):
    assert shown[measured_by(family)[0]]
    for table in measured_by(family):
        for rows in shown[table].values():
            assert set(rows.columns) == {*specs()[table].names}, table


@each_family
def test_its_risks_are_told_from_its_own_tables_for_a_reader_inside(family):
    if family.risks:
        told = load(family.risks).tables
        assert {family.tables[name].audience for name in told} == {"internal"}


@each_family
def test_its_risks_on_drawn_values_say_that_they_may_be_none(family, shown, tmp_path):
    """The report says so of the releases and attributes that a risk is of."""
    if not family.risks or family not in ON_THE_PAGE:
        return  # those of collective attacks: tests/ripd
    told = load(family.risks)
    (name,) = [*shown[told.tables[0]]][:1]
    tables = {each: shown[each][name] for each in told.tables}
    risks = [*told.found(tables, {}, voice("en"))]
    assert risks
    for risk in risks:
        used = [*risk.qids, *filter(None, [risk.sensitive])]
        assert used
        assert risk.releases
        for release, attribute in product(risk.releases, used):
            steps = [{"swap": [attribute], "rate": "0.1"}]
            content = {"protections": {release: {"release": "before", "steps": steps}}}
            study = MeasuredStudy(tmp_path, {"config": {"content": content}})
            said = study.doubted(risk, voice("en")).words
            assert said.startswith(risk.words)
            assert said.endswith("and may be false of the person.")


SECTIONS = {
    *("name", "introduction", "limit", "part", "figures", "words", "risks"),
    *("numbers", "glossary"),
}
"""Of the texts of a family (docs/architecture.md)."""


def leaves(texts, path=""):
    for key, value in texts.items():
        if "en" in value or "pt" in value:
            yield f"{path}/{key}", value
        else:
            yield from leaves(value, f"{path}/{key}")


@each_family
def test_its_texts_are_there_in_both_languages_and_no_other(family):
    file = ROOT / "microleak/attacks" / family.name / "texts.yaml"
    texts = yaml.safe_load(file.read_text("utf-8"))
    # Collective attacks have chapters of their own, and words for those of states.
    assert {*texts} <= SECTIONS or family.name == "collective"
    for path, value in leaves(texts):
        assert value.keys() == {"en", "pt"}, path
    assert voice("pt").texts["measurable"][family.name]


@each_shown
def test_its_part_and_figures_are_made_of_its_tables(family, shown, drawn):
    none = {name: {} for name in shown}
    given, figures = drawn(family)
    assert figures
    assert all(text.rstrip().endswith("</svg>") for text in figures.values())
    portuguese, english = (
        list(family_parts(given, figures, voice(language))) for language in ("pt", "en")
    )
    assert len(english) == len(shown[measured_by(family)[0]])
    for parts in zip(portuguese, english, strict=True):
        assert all(part.heading for part in parts)
        for name in ("sentences", "drawings", "grids", "definitions", "measured"):
            assert len({len(getattr(part, name)) for part in parts}) == 1
        linked = {path for path, _ in parts[0].downloads}
        linked |= {each.href for reply in parts[0].replies for each in reply.sources}
        files = {path for path in linked if path.startswith("data/")}
        assert files
        assert files <= {*Tables(given, {}).files()}
    assert list(family_parts(none, {}, voice("en"))) == []
    with pytest.raises(StudyError, match=f"lacks the figure {family.name}-"):
        list(family_parts(given, {}, voice("en")))


def releases_of(tables):
    """Tables and releases that rows name in any way, for which a twin may stand."""
    ways = [("table", "focal"), ("table", "release"), *COMPARED]
    for rows in (rows for each in tables.values() for rows in each.values()):
        for pair in ways:
            if {*pair} <= {*rows.columns}:
                yield from zip(*(rows[name] for name in pair), strict=True)


COMPARED = [(name, f"{name}_release") for name in ("population", "sample")]


@each_shown
def test_its_figures_say_if_they_are_made_up_and_look_alike_for_everybody(
    family, drawn
):
    given, plain = drawn(family)
    with matplotlib.rc_context({"lines.linewidth": 9, "svg.fonttype": "path"}):
        again = dict(draw_families(given, ("en",), ()))
    assert again.items() <= plain.items()
    made_up = dict(draw_families(given, ("en",), {*releases_of(given)}))
    assert made_up.keys() == again.keys()
    for path, svg in made_up.items():
        assert f">{SYNTHETIC_MARK}<" in svg
        assert SYNTHETIC_MARK not in plain[path]
    each_once = {*plain.values()}
    ids = [i for svg in each_once for i in {*re.findall(r'\bid="(.*?)"', svg)}]
    assert len(ids) == len({*ids})


@each_shown
@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "In release noisy, values of ILL were randomised: this is a claim"),
        *long(("pt", "Na divulgação noisy, valores de ILL foram aleatorizados: trat")),
    ],
)
def test_its_part_says_that_what_it_finds_in_drawn_values_may_be_false(
    family, drawn, language, said
):
    given, figures = drawn(family)
    names = given[measured_by(family)[0]]
    noisy = {name: {"noisy": {"randomise": ["ILL"]}} for name in names}
    study = Headline("s", drawn={family.name: noisy})
    tables = Tables(given, {"ingest": pd.DataFrame()})
    part = shown_families()[family.name]
    told = part.chapters(study, tables, figures, voice(language))
    parts = [part for chapter in told for part in chapter.parts]
    assert parts
    assert all(said in part.caution.text for part in parts)
    lines = [line for p in parts for each in p.answer for line in each.lines]
    texts = [line.text for line in lines if line.href]
    texts += [reply.text for part in parts for reply in part.replies]
    assert texts
    assert all(said in text for text in texts)


def test_families_that_are_no_part_each_tell_of_drawn_values_themselves():
    # Collective attacks, of each subject alone; of targets nothing is told.
    others = {f.name for f in FAMILIES if f.part} - {f.name for f in ON_THE_PAGE}
    assert others == {"collective", "targets"}


def test_every_family_of_the_page_is_one_of_the_families():
    assert list(shown_families()) == [family.name for family in FAMILIES if family.part]


@each_family
def test_its_rules_are_those_of_its_file(family):
    file = ROOT / f"workflow/rules/{family.name}.smk"
    written = re.findall(r"^rule (\w+):", file.read_text("utf-8"), flags=re.M)
    assert sorted(written) == sorted({*rules_of(family)} - {"overlap"})


def test_every_step_is_of_a_family_or_of_the_core():
    of_families = {rule for family in FAMILIES for rule in rules_of(family)}
    of_core = {step.rule for step, _ in (*OF_RELEASES, *OF_PUBLISHED, *OF_REPORT)}
    assert {*steps_by_rule()} == of_families | of_core | {AUDIT.rule}


CORE = (
    *("study", "study_file", "report", "figures", "exports", "ripd", "audit", "run"),
    *("tables", "records", "sources", "definitions", "kernels", "base"),
)


def test_no_file_of_the_core_names_a_family():
    names = "|".join(family.name for family in FAMILIES)
    named = re.compile(rf"attacks[./]({names})\b|[\"']({names})[\"']")
    files = [ROOT / "microleak/family.py", ROOT / "workflow/rules/common.smk"]
    for folder, kind in product(CORE, ("py", "yaml", "j2", "js", "css")):
        files += (ROOT / "microleak" / folder).rglob(f"*.{kind}")
    assert [str(path) for path in files if named.search(path.read_text())] == []
