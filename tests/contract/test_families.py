"""What holds of every family: its section, tables, words, part of a page and rules."""

import json
import pickle
import re
from pathlib import Path

import pytest
import yaml

from microleak.audit.csv_metadata import write_csv_metadata
from microleak.base.paths import CONFIG, ROOT
from microleak.report.families import SHOWN, draw_families, family_parts
from microleak.report.texts import voice
from microleak.study.jobs import jobs_of
from microleak.study.load import load_study
from microleak.study.steps import steps
from microleak.tables import columns
from tests.browser import every_kind
from tests.contract.families import CORE_RULES, FAMILIES, same_fields

TEXTS = ROOT / "microleak/report/texts"
ON_THE_PAGE = [family for family in FAMILIES if family.name in columns.FAMILIES]
STUDIES = [
    *(path for path in CONFIG.glob("*.yaml") if path.name != "schema.yaml"),
    *CONFIG.glob("examples/*.yaml"),
    Path(__file__).with_name("small-twins.yaml"),
]

each_family = pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.name)
each_shown = pytest.mark.parametrize("family", ON_THE_PAGE, ids=lambda f: f.name)


@pytest.fixture(scope="module")
def studies():
    """Every study of the repository, which may name paths from its top."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return [load_study(path) for path in sorted(STUDIES)]


@pytest.fixture(scope="module")
def described(studies, tmp_path_factory):
    """Columns by table, with type and meaning, as CSV on the Web has them."""
    path = tmp_path_factory.mktemp("described") / "csv-metadata.json"
    found = {}
    for study in studies:
        write_csv_metadata(path, study)
        for table in json.loads(path.read_text("utf-8"))["tables"]:
            name = table["url"].partition("/")[0].removesuffix(".csv")
            found[name] = table["tableSchema"]["columns"]
    return found


@pytest.fixture(scope="module")
def shown():
    """Tables of every family that has a part of the page."""
    return every_kind.tables_of().families


@pytest.mark.parametrize(
    "family", [f for f in FAMILIES if f.measured], ids=lambda f: f.name
)
def test_a_section_survives_the_settings_of_its_job(family, studies):
    decoded = []
    for study in studies:
        analyses = getattr(study, family.name)
        for job in jobs_of(study):
            if job.rule == family.measured:
                settings = pickle.loads(pickle.dumps(job.settings))
                decoded.append(family.decoded(settings["analysis"]))
                assert same_fields(decoded[-1], analyses[decoded[-1].name])
    assert decoded


@each_family
def test_every_table_is_declared_and_every_column_has_type_and_meaning(
    family, described
):
    for table in family.tables:
        declared = getattr(columns, table.upper())
        assert [column["name"] for column in described[table]] == list(declared), table
        for column in described[table]:
            assert column["datatype"] in ("string", "boolean", "integer", "number")
            assert column["dc:description"].endswith("."), (table, column["name"])


def as_documented(column):
    """A column as docs/results.md has it, one for every threshold or model."""
    thresholds = "|".join(map(str, columns.ANONYMITY_THRESHOLDS))
    models = "|".join(columns.UNIQUENESS_MODELS)
    if column.startswith("recursive_c_"):
        return column
    column = re.sub(rf"_({thresholds})$", "_K", column)
    return re.sub(rf"^(posterior_\w+?)_({models})$", r"\1_MODEL", column)


@each_family
def test_every_table_and_column_is_explained_in_the_documentation(family):
    written = (ROOT / "docs/results.md").read_text("utf-8")
    for table in family.tables:
        assert re.search(rf"^## measures/{table}[./]", written, flags=re.M), table
        for column in map(as_documented, getattr(columns, table.upper())):
            assert f"`{column}`" in written, (table, column)


@each_shown
def test_its_tables_on_the_page_have_their_columns(family, shown):
    for table in family.tables:
        for rows in shown[table].values():
            assert set(rows.columns) == {*getattr(columns, table.upper())}, table


def keys(texts):
    """Names in a section of texts, each below those that it stands in."""
    if not isinstance(texts, dict):
        return None
    return {name: keys(part) for name, part in texts.items()}


@each_shown
def test_its_words_are_there_in_both_languages_with_the_same_keys(family):
    portuguese, english = (
        yaml.safe_load((TEXTS / language / f"{family.name}.yaml").read_text("utf-8"))
        for language in ("pt", "en")
    )
    assert english
    assert keys(portuguese) == keys(english)


@each_shown
def test_its_part_and_figures_are_made_of_its_tables(family, shown):
    tables = {name: shown[name] for name in family.tables}
    others = {name: {} for name in shown if name not in tables}
    given = tables | others
    figures = dict(draw_families(given, ("en",), ()))
    assert figures
    assert all(text.rstrip().endswith("</svg>") for text in figures.values())
    parts = list(family_parts(given, figures, voice("en", is_published=False)))
    assert len(parts) == len(tables[family.tables[0]])
    assert all(part.heading for part in parts)


def test_every_family_of_the_page_is_one_of_the_families():
    assert list(SHOWN) == [family.name for family in ON_THE_PAGE]
    assert {each.name: each.tables for each in ON_THE_PAGE} == columns.FAMILIES


@each_family
def test_its_rules_are_steps_and_stand_in_its_files(family):
    written = {
        name
        for file in family.workflow
        for name in re.findall(
            r"^rule (\w+):",
            (ROOT / f"workflow/rules/{file}.smk").read_text("utf-8"),
            flags=re.M,
        )
    }
    assert written <= set(family.rules) <= set(steps())
    assert set(family.rules) - written <= {"overlap"}
    assert {f"measures/{table}" for table in family.tables} == {
        path.removesuffix(".csv").rpartition("/{")[0] or path.removesuffix(".csv")
        for rule in family.rules
        for path in steps()[rule].makes.values()
        if re.fullmatch(r"measures/.*\.csv", path)
    }


def test_every_step_is_of_a_family_or_of_the_core():
    of_families = {rule for family in FAMILIES for rule in family.rules}
    assert set(steps()) == of_families | set(CORE_RULES)
