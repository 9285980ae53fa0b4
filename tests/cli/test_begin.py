"""`microleak demo` and `microleak init`: what they write, and what they refuse."""

import csv
import gzip
import io
import zipfile
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from microleak.base.errors import MicroleakError
from microleak.base.paths import DEFAULT_STUDY
from microleak.cli import main
from microleak.cli.first_study import _yaml_scalar, study_text
from microleak.study.load import load_study
from microleak.study_file.yaml import read_yaml

HEADER = "matricula;nome;sexo;dt_nasc;municipio;altura;doença;turno\n"
ROWS = "".join(
    f"{n // 2};N{n};{'FM'[n % 2]};20{n % 10:02}-01-02;{n % 7};1,{n % 9};"
    f"{('NA', 'asma', 'gripe')[n % 3]};manhã\n"
    for n in range(60)
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "alunos 2018.csv").write_bytes((HEADER + ROWS).encode("latin-1"))
    return tmp_path


def begun(folder, text):
    """The study that is written for a file of this text."""
    (folder / "x.csv").write_text(text)
    (folder / "x.yaml").write_text(study_text(folder / "x.csv", "x", "x.yaml"))
    return read_yaml(folder / "x.yaml")


def test_a_study_is_written_with_what_was_seen_of_the_columns(capsys):
    assert main(["init", "alunos 2018.csv"]) == 0
    assert capsys.readouterr().err == (
        "microleak: alunos-2018.yaml leaves these columns out, as comments: altura. If "
        "somebody may know one of a person, remove the # before it, under qid_sets and "
        "under hierarchies.\n"
        "microleak: alunos-2018.yaml is written. Look through it, and then:\n"
        "microleak run alunos-2018.yaml\n"
    )
    text = Path("alunos-2018.yaml").read_text("utf-8")
    assert "to share; needs noise with epsilon and key (docs/public.md)" in text
    study = read_yaml(Path("alunos-2018.yaml"))
    options = study["tables"]["alunos-2018"]["options"]
    assert options == {
        "delimiter": ";",
        "encoding": "cp1252",
        "missing": ["", "NA"],
        "person_id": "matricula",
    }
    assert study["qid_sets"]["known"] == ["sexo", "dt_nasc", "municipio"]
    assert study["report"]["languages"] == ["en", "pt"]
    (analysis,) = study["analyses"]["collective"]
    assert analysis["sensitive"] == ["doença"]
    (search,) = study["analyses"]["smallest_protection"]
    assert search["qids"] == "known"
    assert search["sensitive"] == ["doença"]
    limits = {"reidentified": "0.2", "certain": "0.2", "example": "true"}
    assert search["target"] == limits


def test_a_study_is_written_in_the_language_that_is_spoken():
    assert main(["--lang", "pt", "init", "alunos 2018.csv"]) == 0
    text = Path("alunos-2018.yaml").read_text("utf-8")
    study = read_yaml(Path("alunos-2018.yaml"))
    assert study["qid_sets"]["conhecidos"] == ["sexo", "dt_nasc", "municipio"]
    (search,) = study["analyses"]["smallest_protection"]
    assert (search["name"], search["table"]) == ("menor-mudanca", "alunos-2018")
    assert study["report"]["languages"] == ["pt", "en"]
    assert "- doença # categoria, 2 valores, 20 sem valor\n" in text
    assert "examinar 60 registros" in text


def test_values_written_in_several_ways_are_told(folder, capsys, words, beside, said):
    values = ("Hérnia", "HERNIA", " hernia", "N/D", "-")
    rows = "".join(f"{'FM'[n % 2]},{n % 30},{v}\n" for n, v in enumerate(values))
    (folder / "a.csv").write_text(f"sexo,idade,doenca\n{rows}", encoding="utf-8")
    assert main([*words, "init", "a.csv"]) == 0
    text = Path("a.yaml").read_text("utf-8")
    assert beside in text
    assert "hernia" not in text.lower()
    assert said in capsys.readouterr().err
    assert read_yaml(Path("a.yaml"))["tables"] is not None


@pytest.mark.parametrize("kind", ["zip", "gz"])
def test_a_packed_file_is_looked_into(folder, kind):
    plain = folder / "alunos 2018.csv"
    packed = folder / f"packed.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(packed, "w") as archive:
            archive.write(plain, "alunos.csv")
    else:
        packed = folder / "packed.csv.gz"
        packed.write_bytes(gzip.compress(plain.read_bytes()))
    one, other = (study_text(file, "a", "a.yaml") for file in (plain, packed))
    assert other == one.replace(str(plain), str(packed)).replace(
        plain.name, packed.name
    )


def test_a_study_has_the_name_of_its_file(folder):
    assert main(["init", "alunos 2018.csv", "--to", "mine.yaml"]) == 0
    assert read_yaml(Path("mine.yaml"))["study"] == "mine"


@pytest.mark.parametrize(("lang", "name"), [("en", "study"), ("pt", "estudo")])
def test_a_study_of_a_file_without_a_latin_name_has_another(folder, lang, name):
    (folder / "学生.csv").write_bytes((folder / "alunos 2018.csv").read_bytes())
    assert main(["--lang", lang, "init", "学生.csv"]) == 0
    assert read_yaml(Path(f"{name}.yaml"))["study"] == name


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            [],
            "is damaged or cut short (its checksum or structure is wrong). Fetch the ",
        ),
        (
            ["--lang", "pt"],
            "está danificado ou incompleto (a soma de verificação ou a ",
        ),
    ],
)
def test_a_damaged_workbook_is_refused_in_a_sentence(folder, capsys, words, said):
    with zipfile.ZipFile(folder / "sheet.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    assert main([*words, "init", "sheet.xlsx"]) == 1
    assert capsys.readouterr().err.startswith(f"microleak: sheet.xlsx {said}")


def test_what_is_no_candidate_stands_there_as_a_comment(folder):
    text = study_text(folder / "alunos 2018.csv", "a", "a.yaml")
    for line in (
        "# - nome # a different value in each record",
        "# - altura # number, 9 values",
        "# - turno # constant, 1 value",
        "- dt_nasc # date, 10 values",
        "- doença # category, 2 values, 20 missing",
    ):
        assert f" {line}\n" in text


def test_a_column_that_is_left_out_needs_two_signs_removed(folder, capsys):
    rows = "".join(f"{n % 7},{n % 2},{n % 5},{'AB'[n % 2]}\n" for n in range(60))
    (folder / "x.csv").write_text("faixa_etaria,sexo,altura,NOME\n" + rows)
    assert main(["init", "x.csv"]) == 0
    left = "microleak: x.yaml leaves these columns out, as comments: altura. If"
    assert left in capsys.readouterr().err
    text = Path("x.yaml").read_text("utf-8")
    assert read_yaml(Path("x.yaml"))["qid_sets"]["known"] == ["faixa_etaria", "sexo"]
    with_it = text.replace("# - altura", "- altura")
    Path("x.yaml").write_text(with_it, encoding="utf-8")
    with pytest.raises(MicroleakError, match="altura has no hierarchy"):
        load_study(Path("x.yaml"))
    Path("x.yaml").write_text(with_it.replace("# altura: {}", "altura: {}"), "utf-8")
    (search,) = load_study(Path("x.yaml")).analyses["smallest_protection"].values()
    assert search.qids == ("faixa_etaria", "sexo", "altura")


def test_what_is_named_like_a_direct_identifier_is_told(folder):
    rows = "".join(f"N{n // 3},{n % 2},{n % 3}\n" for n in range(60))
    (folder / "x.csv").write_text("NOME DA MÃE,sexo,dia\n" + rows)
    told = "20 values, a direct identifier by its name\n"
    assert told in study_text(folder / "x.csv", "x", "x.yaml")


def test_no_value_of_the_file_is_shown(folder):
    text = study_text(folder / "alunos 2018.csv", "a", "a.yaml")
    assert not {"N17", "asma", "gripe", "manhã"} & {*text.replace(",", " ").split()}


def test_where_names_say_nothing_the_columns_with_most_values_are_proposed(folder):
    rows = "".join(f"{n},{n % 3},{n % 5},{n % 2}\n" for n in range(60))
    known = begun(folder, "a,b,c,d\n" + rows)["qid_sets"]["known"]
    assert known == ["b", "c", "d"]


@pytest.mark.parametrize(
    ("values", "levels"),
    [
        ([f"2001-0{n}-03" for n in range(1, 8)], {"date": "%Y-%m-%d"}),
        ([f"03/0{n}/2001" for n in range(1, 8)], {"date": "%d/%m/%Y"}),
        ([f"20010{n}03" for n in range(1, 8)], {"date": "%Y%m%d"}),
        ([f"2001{n}03" for n in range(13, 60)], {"prefixes": [5, 2]}),
        ([f"2001-0{n}-03 10:00" for n in range(1, 8)], {}),
        (range(30), {"widths": [5, 10, 20]}),
        (range(-5, 7), {"widths": [2, 4, 8]}),
        (range(10), {}),
        ([f"{n}.5" for n in range(30)], {}),
        ([f"{n:03}" for n in range(30)], {}),
        (range(3_500_000, 3_500_030), {"prefixes": [2, 1]}),
        (range(350_000, 350_030), {"prefixes": [2, 1]}),
        ([f"{n}{10**12}" for n in (11, 35, 53)], {"prefixes": [7, 2]}),
        (range(6_500_000, 6_500_030), {"prefixes": [2]}),
        ([f"35402-{n}" for n in range(100, 130)], {"prefixes": [5, 2]}),
    ],
)
def test_levels_are_proposed_by_the_form_of_values(folder, values, levels):
    rows = "".join(f"{value},{n}\n" for value in values for n in (0, 1))
    study = begun(folder, "age,sex\n" + rows)
    assert "direct identifier" not in Path("x.yaml").read_text()
    assert study["hierarchies"] == {"age": levels, "sex": {}}
    load_study(folder / "x.yaml")


def test_states_are_joined_by_region_where_the_name_says_what_they_are(folder):
    rows = "".join(f"{n},{n},{k}\n" for n in range(21, 30) for k in (0, 1))
    levels = begun(folder, "co_uf,age,sex\n" + rows)["hierarchies"]
    assert levels == {"co_uf": {"prefixes": [1]}, "age": {}, "sex": {}}


@pytest.mark.parametrize(
    ("codes", "perhaps"),
    [
        ([1, 2, 3, 9], ["", "9"]),
        ([0, 1, 99], ["", "99"]),
        (["001", "002", "999"], ["", "999"]),
        ([*range(10)], None),
        ([1, 9], None),
        ([*range(0, 100, 3)], None),
        ([1.5, 2.5, 9], None),
        ([*range(60), 99], None),
    ],
)
def test_a_last_code_of_nines_is_perhaps_a_missing_value(folder, codes, perhaps):
    rows = "".join(f"{code},{n}\n" for code in codes for n in (0, 1))
    study = begun(folder, "raca,sexo\n" + rows)
    text = Path("x.yaml").read_text("utf-8")
    assert study["tables"]["x"]["options"]["missing"] == [""]
    if perhaps is None:
        assert "# missing:" not in text
        return
    line = next(line for line in text.splitlines() if "# missing:" in line)
    proposed = yaml.safe_load(line.strip().removeprefix("# "))
    assert proposed == {"missing": perhaps}
    assert f"may mean missing: '{perhaps[1]}'" in text


@pytest.mark.parametrize(
    ("name", "n_rows", "is_told"),
    [
        ("controle", 4, True),
        ("id_domicilio", 4, True),
        ("controle", 21, False),
        ("cep", 4, False),
    ],
)
def test_a_key_of_few_rows_that_follow_one_another_is_perhaps_of_households(
    folder, name, n_rows, is_told
):
    rows = "".join(f"{n // n_rows + 1000},{n % 2},{n % 9}\n" for n in range(1500))
    study = begun(folder, f"{name},sexo,idade\n" + rows)
    said = f"at most {n_rows} rows a value: households?\n"
    assert (said in Path("x.yaml").read_text("utf-8")) == is_told
    assert (name in study["qid_sets"]["known"]) == (name == "cep")
    assert "person_id" not in study["tables"]["x"]["options"]


def test_what_has_the_name_of_a_household_is_one_wherever_its_rows_are(folder):
    """It is no person: all rows but one of each household would be dropped."""
    rows = "".join(f"{n % 500},{n % 2},{n % 9},no\n" for n in range(1500))
    study = begun(folder, "id_domicilio,sexo,idade,doenca\n" + rows)
    text = Path("x.yaml").read_text("utf-8")
    assert "person_id" not in study["tables"]["x"]["options"]
    units = text[text.index("# units:") : text.index("analyses:")]
    risks = text[text.index("  # unit_risks:") : text.index("  # k-anonymity")]
    lines = [each.removeprefix("# ") for each in units.splitlines()]
    lines = [each for each in lines if "harm alike" not in each]
    known = yaml.safe_load("\n".join(lines[:6]))["units"]["neighbours"]
    assert known["facts"] == {"members": {"of": ["sexo", "idade"]}}
    uncommented = risks.replace("  # ", "")
    (analysis,) = yaml.safe_load(uncommented)["unit_risks"]
    assert analysis["qids"] == ["members", "sexo", "idade"]
    assert analysis["unit"] == known["unit"] == "id_domicilio"


def test_a_key_whose_rows_are_apart_is_of_no_household(folder):
    rows = "".join(f"{n % 400},{n % 2},{n % 9}\n" for n in range(1500))
    begun(folder, "renda,sexo,idade\n" + rows)
    assert "households?" not in Path("x.yaml").read_text("utf-8")


def test_groups_are_proposed_where_something_is_sensitive(folder):
    text = study_text(folder / "alunos 2018.csv", "a", "a.yaml")
    proposed = "# groups:\n#   NAME: {attribute: doença, values: [VALUE, BEGINNING*]}\n"
    assert proposed.replace("doença", '"doença"') in text or proposed in text
    assert "      # groups: [NAME]\n" in text


def test_codes_of_diseases_are_sensitive_however_many_and_whatever_their_name(folder):
    rows = "".join(
        f"{n % 80},{'AB'[n % 2]}{n % 97:02}{n % 3 or ''}\n" for n in range(600)
    )
    study = begun(folder, "idade,var7\n" + rows)
    assert study["analyses"]["collective"][0]["sensitive"] == ["var7"]
    told = Path("x.yaml").read_text("utf-8")
    assert "  # labels: {var7: {label: TEXT, values: {VALUE: TEXT}}}\n" in told


def test_no_more_qids_are_searched_than_levels_can_be_tried_of(folder):
    rows = "".join((",".join([str(n)] * 8) + "\n") * 2 for n in range(30))
    names = [f"age{n}" for n in range(8)]
    study = begun(folder, ",".join(names) + "\n" + rows)
    assert study["qid_sets"]["known"] == names
    # 5 levels each: 3,125 combinations of five QIDs, 15,625 of six.
    assert study["analyses"]["smallest_protection"][0]["qids"] == names[:5]


@given(
    st.lists(
        st.text(
            st.characters(exclude_categories=["Cs", "Cc"], exclude_characters=","),
            min_size=1,
            max_size=9,
        ),
        min_size=1,
        max_size=5,
        unique=True,
    )
)
def test_a_study_written_for_a_file_can_be_read_whatever_its_columns_are_called(
    tmp_path_factory, names
):
    folder = tmp_path_factory.mktemp("names")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([names, *([[f"v{n % 3}"] * len(names) for n in range(5)])])
    (folder / "f.csv").write_text(text.getvalue(), encoding="utf-8")
    try:
        written = study_text(folder / "f.csv", "f", "f.yaml")
    except MicroleakError:  # the file itself is refused
        return
    (folder / "f.yaml").write_text(written, encoding="utf-8")
    qids = load_study(folder / "f.yaml").analyses["collective"]["release"].qids
    assert {*qids} <= {*names}


def test_how_a_file_is_written_can_be_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{n % 9};São\n" for n in range(300))
    Path("f.csv").write_bytes(f"idade;cidade\n{rows}".encode("latin-1"))
    given = ["--encoding", "latin-1", "--delimiter", ";"]
    for words, encoding in (([], "cp1252"), (given, "latin-1")):
        assert main(["init", "f.csv", "--to", f"{encoding}.yaml", *words]) == 0
        assert f"encoding: {encoding}" in Path(f"{encoding}.yaml").read_text("utf-8")


ROWS_OF_THREE = "".join(f"{'fm'[n % 2]},{n % 7},x\n" for n in range(60))
BREAKING = ["\n", "\r\n", "\t", "\u2028", "\u2029", "\x85", "\x1b[31m", "\ufeff", ": "]


@pytest.mark.parametrize(
    "breaking", [*BREAKING, " #", "'", '"', "{x}", "\\", "&", "é😀"]
)
def test_the_name_of_a_file_adds_nothing_to_its_study(folder, breaking):
    name = f"a{breaking}report: x{breaking}seed: 3.csv"
    (folder / name).write_text("sex,age,town\n" + ROWS_OF_THREE, encoding="utf-8")
    assert main(["init", name, "--to", "s.yaml"]) == 0
    study = read_yaml(Path("s.yaml"))
    assert [*study] == ["study", "seed", "tables", *STUDY_PARTS]
    assert study["seed"] == 2021
    assert study["tables"]["s"]["releases"]["release"]["archive"] == name
    lines = Path("s.yaml").read_text("utf-8").splitlines()
    assert sum("begin with," in line for line in lines) == 1


STUDY_PARTS = ["qid_sets", "hierarchies", "analyses", "report"]


@pytest.mark.parametrize(
    "breaking", [*BREAKING, "\x7f", "#", "~", "%", "!!int", "`", "*a"]
)
@pytest.mark.parametrize("place", [0, 1])
def test_the_name_of_a_column_adds_nothing_to_its_study(folder, breaking, place):
    name = ["town", ""][place] + breaking + "seed"
    text = f'sex,age,"{name}"\n{ROWS_OF_THREE}'
    (folder / "x.csv").write_bytes(text.encode())
    assert main(["init", "x.csv"]) == 0
    study = read_yaml(Path("x.yaml"))
    assert [*study] == ["study", "seed", "tables", *STUDY_PARTS]
    assert study["qid_sets"]["known"] == ["sex", "age"]


@given(st.text(), st.sampled_from(["{}", "a: {}", "- {}", "{{b: [{}, 1]}}", "{}: 1"]))
def test_a_text_is_read_again_as_it_was_written(tmp_path_factory, text, form):
    path = tmp_path_factory.mktemp("scalar") / "s.yaml"
    written = form.format(_yaml_scalar(text))
    assert len(written.splitlines()) == 1
    path.write_text(written, encoding="utf-8")
    assert text in _texts(read_yaml(path))


def _texts(found):
    if isinstance(found, dict):
        return [
            each for pair in found.items() for part in pair for each in _texts(part)
        ]
    if isinstance(found, list):
        return [each for part in found for each in _texts(part)]
    return [found]


def test_what_init_cannot_do_is_said(folder, capsys, words, said):
    (folder / "there.yaml").write_text("mine")
    (folder / "constant.csv").write_text("a,b\n1,1\n1,1\n")
    assert main(words) == 1
    assert capsys.readouterr().err.startswith(f"microleak: {said}")
    assert (folder / "there.yaml").read_text() == "mine"
    assert not (folder / "nothing.yaml").exists()


def test_the_demonstration_leaves_a_study_file_of_somebody_else_alone(folder, capsys):
    (folder / DEFAULT_STUDY.name).write_text("mine")
    assert main(["demo"]) == 1
    assert capsys.readouterr().err == (
        f"microleak: {DEFAULT_STUDY.name} is here already and is not the "
        "demonstration's. Work in another folder, or run it with microleak run "
        f"{DEFAULT_STUDY.name}.\n"
    )
    assert (folder / DEFAULT_STUDY.name).read_text() == "mine"


@pytest.mark.parametrize(("n_rows", "is_named"), [(2, True), (10, True), (11, False)])
def test_a_person_may_have_up_to_ten_rows(folder, n_rows, is_named):
    rows = "".join(f"{n // n_rows},{'FM'[n % 2]}\n" for n in range(20 * n_rows))
    (folder / "a.csv").write_text(f"cpf,sexo\n{rows}")
    text = study_text(folder / "a.csv", "a", "a.yaml")
    said = "person_id: cpf # rows with the same value are of one person; this column "
    assert (said in text) == is_named


def test_a_number_that_differs_in_each_record_is_told_as_left_out(folder, capsys):
    rows = "".join(f"{n / 8},{'FM'[n % 2]},{n % 9}\n" for n in range(90))
    (folder / "a.csv").write_text(f"peso,sexo,idade\n{rows}")
    assert main(["init", "a.csv"]) == 0
    assert "leaves these columns out, as comments: peso. " in capsys.readouterr().err
    assert "# - peso # a different value in each record\n" in Path("a.yaml").read_text()
