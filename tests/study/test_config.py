"""A study file is read as written, and what is wrong in it is named."""

from pathlib import Path

import pytest

from microleak.base.errors import StudyError
from microleak.base.paths import CONFIG, DEFAULT_STUDY
from microleak.study.load import load_study

FIGURE_4 = ("RR", "PI", "AL", "RJ", "SE", "DF")
"""States of Gonze's figure over years."""

GOOD = """\
study: demo
seed: 7
tables:
  people:
    source: delimited
    releases: {2018: {archive: people.csv}}
qid_sets:
  few: [age, sex]
analyses:
  collective:
    - {name: one, table: people, focal: 2018, qids: few, sensitive: [illness]}
"""


@pytest.fixture
def study_file(tmp_path):
    path = tmp_path / "study.yaml"
    path.write_text(GOOD, encoding="utf-8")
    return path


def changed(path: Path, old: str, new: str) -> Path:
    assert old in GOOD
    path.write_text(GOOD.replace(old, new), encoding="utf-8")
    return path


def test_the_default_study_has_the_shape_that_an_office_needs():
    """Three years with sets of QIDs of their own, a person, and each paper's family."""
    study = load_study(DEFAULT_STUDY)
    assert len(DEFAULT_STUDY.read_text("utf-8").splitlines()) <= 70
    assert [*study.tables["school_census"].releases] == ["2015", "2017", "2019"]
    sizes = {len(each.qids) for each in study.analyses["collective"].values()}
    assert sizes == {3, 7, 8}
    assert study.analyses["targets"] and study.analyses["mechanism"]["noise"].epsilons
    of_papers = set()
    for path in CONFIG.glob("papers/*.yaml"):
        if path.stem != "country":
            named = load_study(path).analyses
            of_papers |= {kind for kind, found in named.items() if found}
    assert of_papers <= {kind for kind, found in study.analyses.items() if found}


def test_the_datasus_study_has_all_states_of_2023_and_six_over_five_years():
    study = load_study(CONFIG / "datasus-2023.yaml")
    releases = [analysis.focal for analysis in study.analyses["collective"].values()]
    years = {state: [] for state in (name[:2] for name in releases)}
    for release in releases:
        years[release[:2]].append(release[3:])
    five = ["2019", "2020", "2021", "2022", "2023"]
    assert len(years) == 27
    assert [state for state in years if years[state] == five] == list(FIGURE_4)
    assert all(found in (five, ["2023"]) for found in years.values())


def test_release_names_are_text_however_yaml_reads_them(study_file):
    text = GOOD.replace("2018", "02018").replace("[age, sex]", "[NO, 2018-01-01]")
    study_file.write_text(text, encoding="utf-8")
    study = load_study(study_file)
    assert list(study.tables["people"].releases) == ["02018"]
    assert study.analyses["collective"]["one"].focal == "02018"
    assert study.analyses["collective"]["one"].qids == ("NO", "2018-01-01")


def test_defaults_are_filled_in(study_file):
    study = load_study(study_file)
    assert (study.languages, study.audience) == (("pt", "en"), "internal")
    assert study.analyses["collective"]["one"].subsets == (1, 2, 3)
    assert not study.is_synthetic_analysis(study.analyses["collective"]["one"])


def test_a_release_needs_only_the_attributes_of_its_analyses(study_file):
    study = load_study(study_file)
    assert study.attributes("people", "2018") == ("age", "sex", "illness")
    assert study.attributes("people", "2019") == ()


def test_a_wrong_study_file_is_refused_in_words(study_file, old, new, words):
    path = changed(study_file, old, new)
    with pytest.raises(StudyError, match=words) as error:
        load_study(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


WORD = "s3" + "cret"


@pytest.mark.parametrize("scheme", ["http", "https", "ftp", "htp"])
def test_an_address_with_a_password_is_refused_and_not_shown(study_file, login, scheme):
    url = f"{scheme}://{login}a.br/people.csv"
    words = "has a user or a password"
    words = words if scheme != "htp" else "url is .* not of the form"
    path = changed(study_file, "{archive: people.csv}", f"{{url: '{url}'}}")
    with pytest.raises(StudyError, match=words) as error:
        load_study(path)
    assert WORD not in str(error.value) and "ana" not in str(error.value)
    assert str(path) in str(error.value)


@pytest.mark.parametrize(
    "url",
    [
        *("http://a.br/x.csv", "https://a.br:8080/x@2.csv", "https://a.br/a:b@c.csv"),
        *("https://a.br?mail=a@b", "https://[::1]:80/x.csv", "ftp://a.br/x/"),
    ],
)
def test_an_address_with_a_mark_elsewhere_is_taken(study_file, url):
    path = changed(study_file, "{archive: people.csv}", f"{{url: '{url}'}}")
    assert load_study(path).tables["people"].releases["2018"].url == url


@pytest.mark.parametrize("name", ["a|b", "", "a\\nb", "a\\n", "\\e[31m", "\\u2028"])
@pytest.mark.parametrize("place", ["[age, sex]", "few,", "[illness]"])
def test_a_name_that_could_be_taken_for_another_is_refused(study_file, place, name):
    comma = "," if place.endswith(",") else ""
    path = changed(study_file, place, f'["{name}", c]{comma}')
    with pytest.raises(StudyError, match=r"neither control .* nor `\|`") as error:
        load_study(path)
    assert str(error.value).isprintable()


@pytest.mark.parametrize("ending", ["\\n", ".part", ".part.json", "|", "/x"])
@pytest.mark.parametrize("name", ["study: demo", "  people:", "2018:", "name: one"])
def test_a_name_that_cannot_be_a_file_of_its_own_is_refused(study_file, name, ending):
    key, _, value = name.partition(": ")
    if value:
        new = f'{key}: "{value}{ending}"'
    else:
        word = key.strip().removesuffix(":")
        new = key.replace(word, f'"{word}{ending}"')
    path = changed(study_file, name, new)
    with pytest.raises(
        StudyError, match=r"a name has letters|which cannot be"
    ) as error:
        load_study(path)
    assert str(error.value).isprintable()


@pytest.mark.parametrize("option", ["person_id", "record_id"])
@pytest.mark.parametrize("role", ["sex", "illness"])
def test_an_identifier_is_neither_a_qid_nor_sensitive(study_file, option, role):
    options = f"source: delimited\n    options: {{{option}: {role}}}"
    path = changed(study_file, "source: delimited", options)
    words = rf"analysis 'one': {role} identifies persons or records.*Remove it"
    with pytest.raises(StudyError, match=words):
        load_study(path)


@pytest.mark.parametrize("name", ["ID_ALUNO", "ID_MATRICULA"])
def test_the_identifiers_of_the_school_census_are_no_qids(study_file, name):
    text = GOOD.replace("delimited", "inep_school_census").replace("age", name)
    study_file.write_text(text, encoding="utf-8")
    with pytest.raises(StudyError, match=f"{name} identifies persons or records"):
        load_study(study_file)


def test_more_qids_than_bits_are_refused(study_file):
    many = ", ".join(f"q{i}" for i in range(63))
    text = GOOD.replace("[age, sex]", f"[{many}]")
    text = text.replace("qids: few", "qids: few, subsets: full")
    study_file.write_text(text, encoding="utf-8")
    with pytest.raises(StudyError, match="63 QIDs are more than the 62"):
        load_study(study_file)
    study_file.write_text(text.replace("q62", "q61").replace(", q61", "", 1), "utf-8")
    assert load_study(study_file).analyses["collective"]["one"].subsets == (2**62 - 1,)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("? [x, y]\n: 1", "line 1: a key must be a text, not a list or mapping"),
        ("? {x: y}\n: 1", "line 1: a key must be a text, not a list or mapping"),
        ("study: a\nseed: \x07", "line 2: a control character"),
        ("study: a\n\tseed: 1", "line 2: a tab; YAML is indented with blanks"),
        ("seed: !!float abc", "line 1: could not determine a constructor"),
        ("seed: !!float 3", "line 1: could not determine a constructor"),
        ("seed: !!timestamp abc", "line 1: could not determine a constructor"),
        ("seed: !!binary a", "line 1: could not determine a constructor"),
        ("seed: !!python/name:os.system x", "line 1: could not determine"),
        ("seed: !!int [1]", "line 1: expected a scalar node"),
        ("seed: &a [*a]", "line 1: found unconstructable recursive node"),
        ("a: *b", "line 1: a text that begins with .* and is not in quotes"),
        ("a: &b 1\nc: &b 2", "line 2: a text that begins with .* and is not in quotes"),
        ("a: [1}", r"line 1: expected ',' or ']', but got '}'"),
        ("[" * 2000, "line 1: lists in lists without end"),
        (GOOD.replace("7", "9" * 5000), "seed is '9{60,}…, not of type integer"),
    ],
)
def test_odd_yaml_is_refused_in_one_line(tmp_path, line, words):
    path = tmp_path / "study.yaml"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(StudyError, match=words) as error:
        load_study(path)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)


def test_what_yaml_cannot_read_is_not_shown(tmp_path, line):
    path = tmp_path / "study.yaml"
    path.write_text(line * 2, encoding="utf-8")
    with pytest.raises(StudyError, match=r"line [12]: .* Correct that line") as error:
        load_study(path)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([GOOD.splitlines()[-1]] * 2, r"two analyses named 'one'\. Rename one"),
        (["    []"], "nothing to do"),
    ],
    ids=["two of one name", "none"],
)
def test_analyses_that_cannot_be_are_refused(study_file, lines, words):
    text = GOOD.replace(GOOD.splitlines()[-1], "\n".join(lines))
    study_file.write_text(text, encoding="utf-8")
    with pytest.raises(StudyError, match=words):
        load_study(study_file)


def test_25_qids_with_all_subsets_are_refused_with_what_they_would_take(study_file):
    many = ", ".join(f"q{i}" for i in range(25))
    words = (
        r"33,554,431 subsets of the sizes wanted, more than 131,072: their profiles "
        r"would take about 10 h and 150 GB for a million records\. Use fewer QIDs"
    )
    with pytest.raises(StudyError, match=words):
        load_study(changed(study_file, "[age, sex]", f"[{many}]"))


def test_a_missing_study_file_is_named(tmp_path):
    with pytest.raises(StudyError, match=r"There is no study file .*none\.yaml"):
        load_study(tmp_path / "none.yaml")


@pytest.mark.parametrize(
    ("given", "meant"),
    [("my-stduy.yaml", "my-study.yaml"), ("town.yaml", "config/town.yaml")],
)
def test_a_missing_file_is_answered_by_the_nearest(tmp_path, monkeypatch, given, meant):
    monkeypatch.chdir(tmp_path)
    Path("config").mkdir()
    for name in ("my-study.yaml", "config/town.yaml"):
        Path(name).touch()
    with pytest.raises(StudyError, match=f"file {given}. Did you mean {meant}\\?$"):
        load_study(Path(given))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv.gz", b"\x1f\x8b\x08", r"A study file is YAML: is this one\?"),
        ("study.yaml", b"study: caf\xe9\n", "not UTF-8 at byte 10"),
    ],
)
def test_a_file_that_is_no_text_is_refused(tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(StudyError, match=words):
        load_study(tmp_path / name)
