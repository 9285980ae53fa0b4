"""The command: what it prints and how it ends."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import microleak
from microleak.cli import main

PEOPLE = "age;sex;ill\n025;F;no\n25;F;yes\n;M;no\n;M;yes\n"


@pytest.fixture
def written(tmp_path):
    """Write the file of people; return its path."""

    def write(text, encoding="utf-8"):
        path = tmp_path / "people.csv"
        path.write_text(text, encoding)
        return path

    return write


@pytest.fixture
def people(written):
    return str(written(PEOPLE))


@pytest.mark.parametrize(
    ("code", "heavy"),
    [
        (
            "import microleak.cli",
            "duckdb matplotlib numba numpy pandas pyarrow snakemake pydantic",
        ),
        (
            "import microleak.run.workflow; from microleak.families import FAMILIES; "
            "from microleak.family import load; "
            "[load(each) for f in FAMILIES for each in f.modules]",
            "duckdb matplotlib scipy",
        ),
        (
            "import microleak.run.job, microleak.study.load",
            "duckdb numba pandas",
        ),
        (
            "from microleak.cli import main; "
            "assert main(['assess', FILE, '--qids', 'age', '--delimiter', ';']) == 0",
            "duckdb matplotlib snakemake",
        ),
    ],
    ids=["command", "study", "job", "assess"],
)
def test_what_only_others_need_is_not_loaded(people, code, heavy):
    code = code.replace("FILE", repr(people))
    told = f"print(*{set(heavy.split())!r} & {{*sys.modules}}, file=sys.stderr)"
    line = [sys.executable, "-c", f"import sys; {code}; {told}"]
    assert subprocess.run(line, capture_output=True, check=True).stderr == b"\n"


def test_assess_prints_the_measures_of_a_file(people, capsys):
    words = ["--qids", "age,sex", "--sensitive", "ill", "--delimiter", ";"]
    assert main(["assess", people, *words, "--format", "csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("qids,n_qids,sensitive,n_records,n_blocks,n_certain")
    assert lines[1].startswith("age,1,,4,3,2,3,0.0,0.5,0.5,0.25,0.75")
    assert len(lines) == 1 + 3 * 2


def test_what_a_user_can_put_right_is_said_in_one_line(words, said, capsys):
    assert main(words) == 1
    error = capsys.readouterr().err
    assert error.startswith("microleak: ")
    assert error.count("\n") == 1
    assert said in error


def test_assess_writes_no_record_to_a_disk(people, tmp_path, monkeypatch):
    """Only the profile and what follows from it waits there, till the call ends."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(tempfile.TemporaryDirectory, "_rmtree", lambda *_, **__: None)
    words = ["--qids", "age,sex", "--sensitive", "ill", "--delimiter", ";"]
    assert main(["assess", people, *words]) == 0
    written = [*tmp_path.glob("microleak-*/*")]
    assert {path.name for path in written} == {"0.parquet", "success.parquet"}
    named = {
        "CRS",
        "CAS",
        "assess",
        "given",
        "frame",
        "",
        "age",
        "sex",
        "age|sex",
        "ill",
    }
    for path in written:
        for column in pq.read_table(path).columns:
            if not pa.types.is_integer(column.type):
                assert {*column.cast(pa.string()).to_pylist()} <= named


def test_assess_without_qids_prints_the_sets_that_identify_most(written, capsys):
    rows = ["1,BR,25,F", "2,BR,25,M", "3,BR,60,M", "4,BR,60,M"]
    path = written("\n".join(["id,country,age,sex", *rows]) + "\n")
    assert main(["assess", str(path), "--format", "csv"]) == 0
    out, error = capsys.readouterr()
    assert [line.split(",")[0] for line in out.splitlines()] == [
        *("qids", "sex", "age", "age|sex")
    ]
    assert error.splitlines() == [
        "microleak: left out id: a different value in (nearly) every record",
        "microleak: left out country: constant",
    ]


def test_assess_says_who_is_alone_in_published_counts(people, tmp_path, capsys):
    counts = tmp_path / "counts.csv"
    cells = "025,F,1\n25,F,4\n(missing),M,3\n"
    counts.write_text(f"age,sex,count\n{cells}")
    words = ["assess", people, "--delimiter", ";", "--population", str(counts)]
    assert main(words) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "With age, sex known, by the counts of" in out
    assert "Of these, unique in the population too: 1 (" in out
    assert main([*words, "--format", "csv"]) == 1
    assert "--population is told in words alone" in capsys.readouterr().err
    counts.write_text(f"age,sx,count\n{cells}")
    assert main(words) == 1
    said = "line 1 has sx, which is no column of"
    error = capsys.readouterr().err
    assert said in error and error.endswith("Did you mean sex?\n")


def test_assess_without_qids_needs_the_right_delimiter(people, capsys):
    assert main(["assess", people, "--delimiter", ","]) == 1
    said = "line 1, split at ',', has only one column. Correct --delimiter, or name it"
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("text", ["sex\nF\nM\nF\n", '"sex"\nF\nM\nF\n'])
def test_assess_without_qids_takes_the_only_column(written, capsys, text):
    path = written(text)
    assert main(["assess", str(path)]) == 0
    assert "sex" in capsys.readouterr().out


def test_the_person_is_no_column_to_look_at(written, capsys):
    path = written("id,age,sex\n1,25,F\n2,25,M\n3,60,M\n4,60,M\n")
    assert main(["assess", str(path), "--person-id", "id"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (
            "source: inep_school_census",
            "inep_school_census has no release 1; there are 20",
        ),
        (
            "source: delimited, options: {delimiter: '::'}",
            "delimiter",
        ),
    ],
)
def test_a_release_or_option_that_cannot_be_is_said(tmp_path, capsys, table, said):
    study = tmp_path / "study.yaml"
    study.write_text(
        "study: a\nseed: 1\n"
        f"tables: {{t: {{{table}, releases: {{1: {{archive: a}}}}}}}}\n"
        "analyses: {collective: [{name: a, table: t, focal: 1, qids: [TP_SEXO]}]}\n"
    )
    assert main(["run", str(study)]) == 1
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def ended_by(error, people, monkeypatch, capsys):
    """How a command ends in which an error comes up, and what it says."""

    def broken(*arguments):
        raise error

    monkeypatch.setattr(microleak, "assess", broken)
    status = main(["assess", people, "--qids", "age", "--delimiter", ";"])
    return status, capsys.readouterr().err


def test_the_message_of_an_unexpected_error_is_not_shown(people, monkeypatch, capsys):
    status, error = ended_by(ValueError("secret"), people, monkeypatch, capsys)
    assert status == 1
    assert error.startswith("microleak: microleak.cli.commands:")
    assert "ValueError" in error
    assert "secret" not in error
    assert error.count("\n") == 1


def test_an_interrupt_ends_quietly_with_status_130(people, monkeypatch, capsys):
    assert ended_by(KeyboardInterrupt(), people, monkeypatch, capsys) == (130, "")


@pytest.mark.parametrize("qids", ["agee,sex", "sex, agee"])
def test_a_wrong_column_of_a_file_is_named(people, capsys, qids):
    assert main(["assess", people, "--qids", qids, "--delimiter", ";"]) == 1
    said = "has no column agee. Did you mean age? Correct --qids or --delimiter."
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("qids", ["age, sex", " age , sex"])
def test_blanks_around_names_are_no_part_of_them(people, capsys, qids):
    words = ["--sensitive", " ill ", "--delimiter", ";", "--format", "csv"]
    assert main(["assess", people, "--qids", "age,sex", *words]) == 0
    plain = capsys.readouterr().out
    assert main(["assess", people, "--qids", qids, *words]) == 0
    assert capsys.readouterr().out == plain


def test_a_column_may_begin_with_a_blank(tmp_path, capsys):
    file = tmp_path / "in.csv"
    file.write_text(" a,b\n1,2\n1,3\n")
    assert main(["assess", str(file), "--qids", " a,b", "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith(" a,")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            b"sep=,\nage,sex\n1,f\n",
            "line 1 tells Excel that ',' stands between values, but ';' is expected. "
            "Correct --delimiter, or that line.\n",
        ),
        (
            b"age;sex\n1;f",
            "line 2 has no line end, unlike those above, and may have been cut. If the "
            "file is whole, end that line (echo >> FILE does).\n",
        ),
        (
            b"\xe9ge;sex\n1;f\n",
            "line 1 cannot be read as utf-8 text. Correct the file, or --encoding, "
            "which may be utf-8, latin-1, cp1252.\n",
        ),
    ],
)
def test_a_fault_of_a_file_is_told_by_its_options(tmp_path, capsys, content, said):
    file = tmp_path / "people.csv"
    file.write_bytes(content)
    written = ["--delimiter", ";", "--encoding", "utf-8"]
    assert main(["assess", str(file), "--qids", "age", *written]) == 1
    assert capsys.readouterr().err.endswith(said)


def test_a_file_that_begins_as_a_spreadsheet_without_end_may_be_one(tmp_path, capsys):
    (tmp_path / "people.csv").write_bytes(b"PK\x03\x04\x14\x00" + bytes(60))
    assert main(["assess", str(tmp_path / "people.csv")]) == 1
    assert capsys.readouterr().err.endswith(
        "people.csv is empty, or begins as a zip or a spreadsheet does and is damaged "
        "or cut short. Save the spreadsheet as CSV, or get the file anew.\n"
    )


def test_delimiter_and_encoding_are_seen_in_the_file(written, capsys):
    path = written("cidade;sexo\nSão José;F\nSão José;M\nItu;F\n", "cp1252")
    assert main(["assess", str(path), "--qids", "cidade,sexo", "--format", "csv"]) == 0
    seen = capsys.readouterr().out
    told = ["--delimiter", ";", "--encoding", "cp1252"]
    main(["assess", str(path), "--qids", "cidade,sexo", "--format", "csv", *told])
    assert capsys.readouterr().out == seen
    assert main(["target", str(path), "--known", "cidade=São José"]) == 0
    assert "no record has" not in capsys.readouterr().err


def test_a_given_encoding_is_taken_as_it_is(written, capsys):
    path = written("cidade;sexo\nVila 1°;F\nItu;F\n", "utf-8")
    words = ["--known", "cidade=Vila 1°", "--encoding", "latin-1"]
    assert main(["target", str(path), *words]) == 0
    assert "no record has all that is known" in capsys.readouterr().err
    path.write_text("cidade;sexo\nSão José;F\nItu;F\n", "utf-8")
    assert main(["target", str(path), *words]) == 1
    assert "line 2 has a letter written in UTF-8, but" in capsys.readouterr().err


def test_a_file_without_names_of_columns_is_said_to_lack_them(written, capsys):
    path = written("25,F,secret\n26,M,secret\n")
    assert main(["assess", str(path), "--qids", "age"]) == 1
    error = capsys.readouterr().err
    assert "line 1 has no column age. The line looks like data: the names of" in error
    assert "secret" not in error


def test_sizes_and_texts_for_missing_values_are_options(written, capsys):
    path = written("age,sex\n,F\nNA,F\n-9,M\n")
    words = ["--qids", "age,sex", "--sizes", "1", "--missing", "NA,-9"]
    assert main(["assess", str(path), *words, "--format", "csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(",")[:5] for line in lines[1:]] == [
        ["age", "1", "", "3", "1"],
        ["sex", "1", "", "3", "2"],
    ]


def test_messages_name_options_of_the_command(people, words, said, capsys):
    line = ["assess", people, "--qids", "age,sex", "--delimiter", ";", *words]
    assert main(line) == 1
    error = capsys.readouterr().err
    assert re.search(said, error)
    assert "study file" not in error


def test_too_many_subsets_are_refused_with_an_option_that_there_is(written, capsys):
    names = [f"q{i}" for i in range(26)]
    path = written(f"{','.join(names)}\n{','.join('1' * 26)}\n")
    assert main(["assess", str(path), "--qids", ",".join(names)]) == 1
    said = "Use fewer QIDs or, for example, --sizes 1,2."
    assert said in capsys.readouterr().err


def test_a_person_with_several_records_is_refused(written, numbers, said, capsys):
    path = written("\n".join(["id,age", *(f"{n},25" for n in numbers.split())]) + "\n")
    words = ["--qids", "age", "--person-id", "id", "--missing", "NA"]
    assert main(["assess", str(path), *words]) == 1
    assert re.search(said, capsys.readouterr().err)


def test_a_column_that_seems_to_name_persons_is_told(written, capsys):
    path = written("id,age\n1,25\n2,25\n1,26\n", encoding="utf-8")
    assert main(["assess", str(path), "--qids", "age"]) == 0
    assert capsys.readouterr().err == (
        "microleak: id has 2 values in 3 records: does it identify people? In a study "
        "with person_id each person counts once (docs/own-file.md).\n"
    )


def test_persons_with_one_record_each_are_measured(written, capsys):
    path = written("id,age\n1,25\n2,25\n")
    words = ["--qids", "age", "--person-id", "id", "--format", "csv"]
    assert main(["assess", str(path), *words]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("age,1,,2,1,0,1")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (lambda i: i, "CPF has a value of its own for each record: an identifier, not"),
        (lambda i: max(i, 3), "CPF has a value of its own for 97% of the records"),
        (lambda i: i // 2, ""),
    ],
)
def test_a_qid_that_seems_an_identifier_is_told(written, value, said, capsys):
    rows = [f"{value(i):03d},{i % 2}" for i in range(100)]
    path = written("\n".join(["CPF,sex", *rows]) + "\n")
    assert main(["assess", str(path), "--qids", "CPF,sex"]) == 0
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == bool(said)


def test_unique_values_of_few_records_tell_nothing(people, capsys):
    assert main(["assess", people, "--qids", "age,sex", "--delimiter", ";"]) == 0
    assert capsys.readouterr().err == ""


def test_an_unknown_command_is_answered_with_the_nearest(words, said, capsys):
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 2
    assert said in capsys.readouterr().err


def test_encodings_are_named_in_the_help(capsys):
    with pytest.raises(SystemExit):
        main(["assess", "--help"])
    assert "latin-1 or cp1252" in " ".join(capsys.readouterr().out.split())


def test_results_that_are_not_there_are_answered_with_the_nearest(
    tmp_path, monkeypatch, capsys, command
):
    monkeypatch.chdir(tmp_path)
    Path("results/school-twin").mkdir(parents=True)
    assert main(command) == 1
    assert capsys.readouterr().err == (
        "microleak: There is no folder results/school-twn of results. "
        "Did you mean school-twin?\n"
    )


def test_a_look_at_all_columns_tells_a_person_and_its_placeholders(written, capsys):
    numbers = [f"{n % 100:011d}" for n in range(100, 300)] + ["99999999999"] * 12
    rows = "".join(f"{n},{i % 7}\n" for i, n in enumerate(numbers))
    path = written(f"cpf,age\n{rows}")
    assert main(["assess", str(path)]) == 0
    first, second, *_ = capsys.readouterr().err.splitlines()
    assert "cpf has what looks like a placeholder in 1" in first
    assert second.startswith("microleak: cpf has 101 values in 212 records: does it")
    assert main(["assess", str(path), "--sensitive", "cpf"]) == 0
    assert "does it identify people" not in capsys.readouterr().err
    assert main(["--lang", "pt", "assess", str(path)]) == 0
    assert "cpf tem 101 valores em 212 registros: identifica" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "x"])
def test_a_look_leaves_out_a_column_without_a_name(written, capsys, text):
    path = written(f"age;sex;\n1;F;{text}\n2;M;{text}\n1;M;{text}\n2;F;{text}\n")
    assert main(["assess", str(path)]) == 0
    assert "column 3 is left out: it has no name\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "delete the delimiters at the end of each line"), ("x", "a title above")],
)
def test_only_columns_with_text_may_be_below_a_title(written, capsys, text, said):
    path = written(f"age;sex;;\n1;F;{text};\n2;M;{text};\n1;M;{text};\n")
    assert main(["assess", str(path)]) == 1
    error = capsys.readouterr().err
    assert "line 1 has no names for columns 3 and 4" in error and said in error


@pytest.mark.parametrize(
    ("lang", "content", "said"),
    [
        (
            "en",
            "idade;uf\n1;São\n2;S".encode() + b"\xe3o\n",
            "line 2 has a letter written in UTF-8, but the encoding is cp1252. If the "
            "file mixes UTF-8 and another encoding, save all of it as UTF-8. Otherwise "
            "correct --encoding.\n",
        ),
        (
            "pt",
            "idade;uf\n1;São\n2;S".encode() + b"\xe3o\n",
            "na linha 2 há uma letra gravada em UTF-8, mas a codificação é cp1252. Se "
            "o arquivo mistura UTF-8 e outra codificação, salve tudo em UTF-8. Senão, "
            "corrija --encoding.\n",
        ),
        (
            "pt",
            b"idade;uf\n1;RJ\n2;SP",
            "há um final sem quebra de linha, ao contrário das anteriores; ela pode "
            "estar cortada. Se o arquivo está completo, acrescente a quebra (echo >> "
            "ARQUIVO).\n",
        ),
        ("pt", b"idade;uf\n1;RJ\n\n2;SP\n", "na linha 3 há uma linha em branco. "),
        ("pt", b"idade;uf\n1;RJ\nidade;uf\n2;SP\n", "a linha 3 repete o cabeçalho, "),
        ("pt", b"idade;uf\n1;RJ\n\xef\xbb\xbf2;SP\n", "uma marca de ordem de bytes "),
        ("pt", b'idade;uf\n1;"RJ\n2;SP\n', "na linha 2 há aspas que nunca se fecham"),
    ],
)
def test_faults_of_a_file_are_told_in_both_languages(
    tmp_path, capsys, lang, content, said
):
    path = tmp_path / "people.csv"
    path.write_bytes(content)
    assert main(["--lang", lang, "assess", str(path), "--qids", "idade"]) == 1
    assert said in capsys.readouterr().err
