"""What holds of every family: its section, tables, words, part of a page and rules."""

import json
import pickle
import re
from dataclasses import fields
from pathlib import Path

import pytest
import yaml

from microleak.attacks.anonymity.analysis import Anonymity
from microleak.attacks.collective.analysis import Collective
from microleak.attacks.mechanism.analysis import Mechanism
from microleak.attacks.reconstruction.analysis import Reconstruction
from microleak.audit.csv_metadata import write_csv_metadata
from microleak.base.paths import CONFIG, ROOT
from microleak.families import FAMILIES
from microleak.records.compared import Compared
from microleak.report.families import SHOWN, draw_families, family_parts
from microleak.report.texts import voice
from microleak.study.jobs import OF_PAGES, OF_RELEASES
from microleak.study.load import load_study
from microleak.study.steps import AUDIT, jobs_of, steps
from microleak.tables import columns
from tests.browser import every_kind
from tests.contract.families import rules_of, tables_of

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


DECODED = {
    "measure": ("collective", Collective.of),
    "membership": ("membership", Compared.of),
    "anonymity": ("anonymity", Anonymity.of),
    "mechanism": ("mechanism", Mechanism.of),
    "reconstruction": ("reconstruction", Reconstruction.of),
}
"""Rules that have all of an analysis among their settings, and what makes it of these.

None of targets has: what is known of them is no setting, the job reads the file.
"""


@pytest.mark.parametrize("rule", DECODED)
def test_a_section_survives_the_settings_of_its_job(rule, studies):
    family, decode = DECODED[rule]
    decoded = []
    for study in studies:
        for job in jobs_of(study):
            if job.rule == rule:
                settings = pickle.loads(pickle.dumps(job.settings))
                decoded.append(decode(settings["analysis"]))
                assert same_fields(
                    decoded[-1], study.analyses[family][decoded[-1].name]
                )
    assert decoded


def same_fields(one, other):
    """Whether two objects have equal values of all fields of the first.

    A membership analysis has targets too, which no job is told of.
    """
    names = [field.name for field in fields(one)]
    return all(getattr(one, name) == getattr(other, name) for name in names)


@each_family
def test_every_table_is_declared_and_every_column_has_type_and_meaning(
    family, described
):
    for table in tables_of(family):
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
    for table in tables_of(family):
        assert re.search(rf"^## measures/{table}[./]", written, flags=re.M), table
        for column in map(as_documented, getattr(columns, table.upper())):
            assert f"`{column}`" in written, (table, column)


@each_shown
def test_its_tables_on_the_page_have_their_columns(family, shown):
    for table in tables_of(family):
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
    tables = {name: shown[name] for name in tables_of(family)}
    others = {name: {} for name in shown if name not in tables}
    given = tables | others
    figures = dict(draw_families(given, ("en",), ()))
    assert figures
    assert all(text.rstrip().endswith("</svg>") for text in figures.values())
    parts = list(family_parts(given, figures, voice("en")))
    assert len(parts) == len(tables[tables_of(family)[0]])
    assert all(part.heading for part in parts)


def test_every_family_of_the_page_is_one_of_the_families():
    assert list(SHOWN) == [family.name for family in ON_THE_PAGE]
    assert {
        each.name: tuple(tables_of(each)) for each in ON_THE_PAGE
    } == columns.FAMILIES


@each_family
def test_its_rules_are_those_of_its_file(family):
    file = ROOT / f"workflow/rules/{family.name}.smk"
    written = re.findall(r"^rule (\w+):", file.read_text("utf-8"), flags=re.M)
    assert sorted(written) == sorted({*rules_of(family)} - {"overlap"})


def test_every_step_is_of_a_family_or_of_the_core():
    of_families = {rule for family in FAMILIES for rule in rules_of(family)}
    of_core = {step.rule for step, _ in (*OF_RELEASES, *OF_PAGES)}
    assert {*steps()} == of_families | of_core | {AUDIT.rule}


CORE = (
    *("study", "study_file", "report", "figures", "exports", "audit", "run"),
    *("disclosure", "tables", "records", "sources", "definitions", "kernels", "base"),
)


def test_no_file_of_the_core_names_a_family():
    names = "|".join(family.name for family in FAMILIES)
    named = re.compile(rf"attacks[./]({names})\b|[\"']({names})[\"']")
    files = [
        *(ROOT / "microleak/family.py", ROOT / "workflow/rules/common.smk"),
        *(
            p
            for each in CORE
            for p in sorted((ROOT / "microleak" / each).rglob("*.py"))
        ),
    ]
    naming = [str(p.relative_to(ROOT)) for p in files if named.search(p.read_text())]
    assert naming == []
