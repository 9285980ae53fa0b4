"""`microleak target`: what it prints, what it refuses, and what it never shows."""

import json

import pytest

from microleak.base.errors import StudyError
from microleak.cli import main
from microleak.cli.files import known_values
from microleak.sources.steps.join import ReleaseLink, join
from tests.panels import people_file

PEOPLE = 'age,sex,ill,town\n025,F,no,A\n25,F,yes,B\n,M,no,A\n,M,yes,"A, b"\n'
HEADER = (
    "attack,known,n_known,sensitive,outcome,n_records,block_size,n_modal,n_distinct,"
    "prior_det,posterior_det,degradation_det,prior_prob,posterior_prob,"
    "degradation_prob,most_likely"
)
FURTHER = "attribute,block_size,n_distinct,expected_success,certain,expected_block_size"
IN_2014 = {
    "1": {"age": "25", "town": "A", "ill": "no"},
    "2": {"age": "25", "town": "A", "ill": "yes"},
    "3": {"age": "60", "town": "B", "ill": None},
}
IN_2016 = {"1": {"age": "27", "town": "A"}, "2": {"age": "27", "town": "C"}}
STUDY = ("--table", "people", "--focal", "2014")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE, encoding="utf-8")
    return str(path)


@pytest.fixture
def study(tmp_path):
    people, panels = tmp_path / "s/people/people", tmp_path / "s/panels/people/2014"
    people.mkdir(parents=True)
    panels.mkdir(parents=True)
    focal = people_file(people / "2014.parquet", IN_2014)
    other = people_file(people / "2016.parquet", IN_2016)
    for release in ("2014", "2016"):
        receipt = people / f"{release}.json"
        receipt.write_text(json.dumps({"person_id": "ID"}), encoding="utf-8")
    link = ReleaseLink(focal, other, "ID", "2016")
    join(link, panels / "2016.parquet", panels / "2016.json")
    return str(tmp_path / "s")


def printed(capsys, *words):
    assert main(["target", *words, "--format", "csv"]) == 0
    first, second = capsys.readouterr().out.split("\n\n")
    return first.splitlines(), second.splitlines()


def refused(capsys, *words):
    assert main(["target", *words]) == 1
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    return said.err


def test_both_tables_of_a_file_are_printed(file, capsys):
    words = ("--known", "sex=F", "--sensitive", "ill", "--further", "age,town")
    assert printed(capsys, file, *words) == (
        [
            HEADER,
            "IRS,sex,1,,match,4,2,1,2,false,false,false,0.25,0.5,2.0,",
            "IAS,sex,1,ill,match,4,2,1,2,false,false,false,0.5,0.5,1.0,no|yes",
        ],
        [FURTHER, "age,2,2,1.0,1.0,1.0", "town,2,2,1.0,1.0,1.0"],
    )


def test_a_leading_zero_counts_and_an_empty_value_is_a_missing_one(file, capsys):
    for known, n in (("age=025", 1), ("age=25", 1), ("age=5", 0), ("age=", 2)):
        (_, row), further = printed(capsys, file, "--known", known)
        assert row.split(",")[6] == str(n)
        assert further == [FURTHER]


def test_nothing_is_written(file, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    printed(capsys, file, "--known", "age=25")
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


def test_a_value_is_all_up_to_the_next_name(text, known):
    assert known_values(text) == known


def test_values_without_a_name_of_their_own_are_refused_and_not_shown(text, words):
    with pytest.raises(StudyError, match=f"^--known: {words}") as error:
        known_values(text)
    assert "4711" not in str(error.value)


def test_values_may_stand_in_a_file_one_a_line(tmp_path):
    path = tmp_path / "known"
    path.write_bytes("\ufefftown=Rio, b=RJ\r\n\nstreet=\nage= 07 \n".encode())
    known = {"town": "Rio, b=RJ", "street": None, "age": " 07 "}
    assert known_values(f"@{path}") == known


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"a=1\n4711", "line 2 of .*known is not of the form NAME=VALUE"),
        (b"a 4711=1\n\na 4711=2", "line 3 of .*known has the name of an earlier one"),
        (b"a=\xff", "known is not UTF-8 at byte 2"),
        (b"\n", "--known gives no value"),
    ],
)
def test_a_wrong_file_of_values_is_refused_without_them(tmp_path, content, words):
    path = tmp_path / "known"
    path.write_bytes(content)
    with pytest.raises(StudyError, match=words) as error:
        known_values(f"@{path}")
    assert "4711" not in str(error.value)


def test_a_file_of_values_that_is_not_there_is_named(file, capsys):
    error = refused(capsys, file, "--known", "@none.txt")
    assert "--known: none.txt cannot be read: No such file" in error


@pytest.mark.parametrize(
    "words",
    [
        ("--known", "@known"),
        ("--known", "-"),
        ("--known", "town=A, b", "--known", "sex=M"),
    ],
    ids=["of a file", "of the standard input", "of several options"],
)
def test_known_values_are_those_of_a_line(file, tmp_path, capsys, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "known").write_text("town=A, b\nsex=M\n", encoding="utf-8")
    with (tmp_path / "known").open(encoding="utf-8") as lines:
        monkeypatch.setattr("sys.stdin", lines)
        found = printed(capsys, file, *words)
    assert found == printed(capsys, file, "--known", "town=A, b,sex=M")


def test_a_name_in_two_options_is_refused(file, capsys):
    error = refused(capsys, file, "--known", "sex=4711", "--known", "sex=M")
    assert "has the name of an earlier one" in error


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("FILE", "--known", "age=7", "sex=4711"), "1 word too many. Give FILE first"),
        (("FILE", "--known", "age=7", "a=4711", "--b=4711"), "2 words too many. Give"),
        (("FILE", "--known", "age=7", "--f=4711"), "1 word too many."),
        (("FILE", "--known", "age=7", "--", "a=4711"), "1 word too many."),
        (("--known", "age=7", "sex=4711"), "1 word too many. Give FILE first"),
        (("--known", "age=7", "sex=4711", "FILE"), "2 words too many."),
    ],
)
def test_words_too_many_are_counted_and_not_shown(file, words, said, capsys):
    error = refused(capsys, *(file if word == "FILE" else word for word in words))
    assert said in error
    assert "4711" not in error


def test_another_command_names_the_words_that_it_does_not_know(file, capsys):
    with pytest.raises(SystemExit) as end:
        main(["assess", file, "--qids", "age", "more"])
    assert end.value.code == 2
    assert "unrecognized arguments: more" in capsys.readouterr().err


def test_people_of_a_study_are_attacked_in_its_panel(study, capsys):
    known = "2014.town=A,2016.town=C"
    words = ("--known", known, "--sensitive", "ill", "--further", "age,town")
    assert printed(capsys, study, *STUDY, *words) == (
        [
            HEADER,
            "IRL,town|2016.town,2,,match,3,1,1,1,false,true,true,"
            "0.3333333333333333,1.0,3.0,",
            "IAL,town|2016.town,2,ill,match,3,1,1,1,false,true,true,"
            "0.3333333333333333,1.0,3.0,yes",
        ],
        [FURTHER, "2016.age,1,1,1.0,1.0,1.0", "age,1,1,1.0,1.0,1.0"],
    )


def test_a_name_without_a_release_is_of_the_focal_one(study, capsys):
    (_, row), _ = printed(capsys, study, *STUDY, "--known", "town=A")
    assert row.startswith("IRS,town,1,,match,3,2,")


def test_absence_from_a_release_can_be_known(study, capsys):
    (_, row), _ = printed(capsys, study, *STUDY, "--known", "2016.town=")
    assert row.startswith("IRL,2016.town,1,,match,3,1,")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--table", "peple", "--focal", "2014", "--known", "town=4711"),
            "has no table 'peple'. Did you mean 'people'?",
        ),
        (("--known", "town=4711"), "give both --table and --focal."),
        (
            ("--table", "people", "--focal", "2013", "--known", "town=4711"),
            "has no release '2013'. Did you mean '2016'?",
        ),
        (
            (*STUDY, "--known", "2014.twon=4711"),
            "has no attribute of the 1st name. Did you mean 2014.town?",
        ),
        (
            (*STUDY, "--known", "2015.town=4711"),
            "has no attribute of the 1st name. Did you mean 2016.town?",
        ),
        (
            (*STUDY, "--known", "town=Rua X, apto 4711=1"),
            "has no attribute of the 2nd name. A value that holds ,NAME= is cut there",
        ),
        ((*STUDY, "--known", "ID=4711"), "--known: people 2014 of"),
        (
            (*STUDY, "--known", "town=4711,2014.town=4711"),
            "--known gives town of 2014 twice.",
        ),
        (
            (*STUDY, "--known", "town=4711", "--sensitive", "2016.town"),
            "attribute '2016.town'. Did you mean 'town'? The study read of it age",
        ),
        (
            (*STUDY, "--known", "2016.town=4711", "--further", "ill"),
            "--further, of every release: people 2016 of",
        ),
        (
            (*STUDY, "--known", "town=4711", "--sensitive", "town"),
            "town is sensitive and also in --known or --further.",
        ),
    ],
)
def test_what_is_not_there_is_named_in_a_line_and_no_value(study, words, said, capsys):
    error = refused(capsys, study, *words)
    assert said in error
    assert "4711" not in error


def test_a_folder_that_is_no_study_is_refused(tmp_path, capsys):
    error = refused(capsys, str(tmp_path), *STUDY, "--known", "a=1")
    assert "has no people/: it is no result of a study that ran." in error


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("agee=4711",), "has no column of the 1st name of --known."),
        (("age=1, apto 4711=2",), "has no column of the 2nd name of --known."),
        (
            ("age=4711", "--sensitive", "il"),
            "has no column il. Correct --sensitive or --delimiter.",
        ),
        (
            ("age=4711", "--further", "twon"),
            "has no column twon. Correct --further or --delimiter.",
        ),
        (("age=4711", "--encoding", "utf-9"), "Correct --delimiter or --encoding."),
        (("age=4711", "--delimiter", "::"), "Correct --delimiter or --encoding."),
    ],
)
def test_what_is_wrong_of_a_file_is_told_with_its_option(file, words, said, capsys):
    error = refused(capsys, file, "--known", *words)
    assert said in error
    assert "4711" not in error
    assert "study file" not in error


def test_another_delimiter_of_what_is_known_is_named(tmp_path, capsys):
    (tmp_path / "a.csv").write_text("age;sex\n4711;F\n", encoding="utf-8")
    words = ("--known", "age=4711,sex=F", "--delimiter", ",")
    error = refused(capsys, str(tmp_path / "a.csv"), *words)
    said = "values expected between ',', but ';' seems to be used. Correct --delimiter."
    assert said in error
    assert "4711" not in error


def test_a_file_that_is_not_there_or_not_of_the_encoding_is_told(tmp_path, capsys):
    error = refused(capsys, str(tmp_path / "none.csv"), "--known", "age=4711")
    assert "none.csv does not exist. Correct FILE." in error
    (tmp_path / "a.csv").write_bytes(b"\xff,age\n1,2\n")
    words = ("--known", "age=4711", "--encoding", "utf-8")
    error = refused(capsys, str(tmp_path / "a.csv"), *words)
    assert "Correct the file, or --encoding, which may be" in error


def test_the_name_of_a_column_without_a_value_is_refused(file, known, said, capsys):
    error = refused(capsys, file, "--known", known)
    assert said in error
    assert "4711" not in error


@pytest.mark.parametrize("name", ["age", "2016.town"])
def test_the_name_of_an_attribute_without_a_value_is_refused(study, name, capsys):
    error = refused(capsys, study, *STUDY, "--known", f"town=4711,{name}")
    assert "the value of the 1st part has the name of a column" in error
    assert "4711" not in error


def test_names_of_columns_are_values_as_any_other_in_a_file(file, tmp_path, capsys):
    (tmp_path / "known").write_text("town=A, town,sex\n", encoding="utf-8")
    first, _ = printed(capsys, file, "--known", f"@{tmp_path}/known")
    assert first[1].startswith("IRS,town,1,,no match")


def test_that_nobody_fits_is_said_beside_the_tables(file, capsys):
    csv = ("--format", "csv")
    assert main(["target", file, "--known", "sex=F,twon", *csv]) == 0
    ended = capsys.readouterr()
    assert ended.out.startswith(HEADER)
    assert "no record has all that is known." in ended.err
    assert "F,twon" not in ended.err
    assert main(["target", file, "--known", "sex=F", *csv]) == 0
    assert capsys.readouterr().err == ""
