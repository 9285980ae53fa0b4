"""A public report has counts with noise, and nothing but what these make."""

import json
import os
import re
import subprocess
from fractions import Fraction

import pytest

from microleak.base.errors import VerificationError
from microleak.cli import main
from microleak.definitions.laplace import range_of
from microleak.study.account import check_form
from microleak.study.public_report import PublicReport
from tests.study.noisy_page import study_of


@pytest.fixture
def report(tmp_path):
    return study_of(tmp_path / "town") / "report"


def test_a_report_is_in_the_form_and_says_its_epsilon(tmp_path, capsys):
    folder = study_of(tmp_path / "town", spent={"old": "1"})
    found = PublicReport(folder)
    assert found.faults == []
    check_form(found)
    assert found.losses == {"old": Fraction(1), "town": Fraction(1, 2)}
    assert main(["verify", "--public", str(folder)]) == 0
    said = "report: its counts have noise; epsilon is 1.5 over 2 publications.\n"
    told = capsys.readouterr().out
    assert told.startswith(f"{folder}/{said}")
    assert f"Give away {folder}/report alone: all other files in {folder}" in told
    assert main(["verify", "--public", str(folder / "report")]) == 0
    assert capsys.readouterr().out.endswith(said)
    assert main(["verify", "--public", str(folder / "report/index.html")]) == 1
    said = f"index.html is a file. Name its folder: {folder}/report"
    assert said in capsys.readouterr().err


def test_the_page_says_range_epsilon_and_account(tmp_path):
    folder = study_of(tmp_path / "town", spent={"old": "1"})
    page = (folder / "report/index.html").read_text("utf-8")
    english = page.split('edition-en"')[1]
    assert "Here it is 0.5; with the earlier publications" in english
    assert "declares, 1.5." in english
    assert english.index("Here it is 0.5") < english.index("<table>")
    assert "may rise to at most 96 or fall to at least 4" in english
    assert "People alone in their block: these facts find them" in english
    assert "fewer than 1,000" not in english
    assert "nor a hash or size of its files: epsilon" in english
    assert "Pass on the folder of this page alone" in english
    alone = study_of(tmp_path / "alone") / "report/index.html"
    assert "Here it is 0.5. It includes neither" in alone.read_text("utf-8")


def test_epsilons_as_fractions_are_read_if_all_are_fractions(tmp_path):
    folder = study_of(tmp_path / "town")
    changes = {"town-noisy_counts": ("0.1", "1/10"), "privacy_losses": ("0.5", "1/2")}
    for name, (old, new) in changes.items():
        file = folder / f"report/data/{name}.csv"
        file.write_text(file.read_text().replace(f"{old}\n", f"{new}\n"))
        said = ["epsilons are written in two ways"] * ("counts" in name)
        assert PublicReport(folder).faults == said
    assert PublicReport(folder).losses == {"town": Fraction(1, 2)}


def setting(kind, name, column, value):
    def plant(kinds):
        frame = kinds[kind][name]
        frame.loc[frame.index[-1], column] = value

    return plant


def reversed_counts(kinds):
    kinds["noisy_counts"]["town"] = kinds["noisy_counts"]["town"].iloc[::-1]


def uneven(kinds):
    """The second vector takes of the first what it gives up."""
    with_epsilons(kinds, ["3/20", "1/20", *["1/10"] * 6])


def apart(kinds):
    """Numbers of one vector have not one epsilon."""
    with_epsilons(kinds, [*["1/10"] * 6, "1/20", "1/10"])


def with_epsilons(kinds, epsilons):
    ranges = [range_of(Fraction(each)) for each in epsilons]
    table = kinds["noisy_counts"]["town"]
    kinds["noisy_counts"]["town"] = table.assign(epsilon=epsilons, range_95=ranges)


def twice(kinds):
    """A second analysis has other parts of epsilon for the same kinds."""
    uneven(kinds)
    both = kinds["noisy_counts"]
    both["two"] = both["town"].assign(analysis="two")
    with_epsilons(kinds, ["1/10"] * 8)


IN_TABLES = [
    (setting("noisy_counts", "town", "range_95", 1), "line 9: the range is not"),
    (setting("noisy_counts", "town", "epsilon", "1/7"), "add up to 19/35, not to"),
    (setting("noisy_counts", "town", "epsilon", "ln 3"), "epsilon is no number"),
    (setting("whole", "privacy_losses", "epsilon", "1"), "add up to 0.5, not to"),
    (setting("whole", "privacy_losses", "publication", "x"), "not end with the st"),
    (setting("whole", "releases", "n_records", 100), "numbers beside counts"),
    (setting("noisy_counts", "town", "n_qids", 99), "n_qids is not the number"),
    (setting("noisy_counts", "town", "focal", "99"), "focal is not the same in"),
    (
        setting("noisy_counts", "town", "group", "17"),
        "right_guesses has not its gr",
    ),
    (setting("noisy_counts", "town", "by", "17"), "counts are not those that a pa"),
    (reversed_counts, "counts are not those that a page has, each once and in order"),
    (apart, "block_sizes has more than one epsilon"),
    (twice, "counts of one kind have different parts of epsilon"),
]
"""Leaks that are planted in tables, which then make the page."""


@pytest.mark.parametrize(("plant", "said"), IN_TABLES)
def test_what_epsilon_does_not_cover_is_found(tmp_path, plant, said):
    faults = PublicReport(study_of(tmp_path / "town", plant=plant)).faults
    assert any(said in line for line in faults), faults


def test_counts_without_an_account_are_found(report):
    (report / "data/privacy_losses.csv").unlink()
    lost = "data/privacy_losses.csv is missing or damaged"
    assert lost in PublicReport(report).faults


@pytest.mark.parametrize("epsilon", ["0", "-1/4", "1e-1", "2/4", "0.50", "1_0", "1/0"])
def test_an_epsilon_that_is_no_reduced_fraction_above_0_is_found(tmp_path, epsilon):
    folder = study_of(tmp_path / "town")
    for path in ("town-noisy_counts.csv", "privacy_losses.csv"):
        file = folder / "report/data" / path
        text = file.read_text()
        value = "0.1" if "counts" in path else "0.5"
        file.write_text(text.replace(f"{value}\n", f"{epsilon}\n", 1))
        said = PublicReport(folder).faults
        assert "an epsilon is no number above 0 and up to 20" in said
        file.write_text(text)


def test_epsilons_of_counts_below_0_make_up_for_no_others(tmp_path):
    def plant(kinds):
        frame = kinds["noisy_counts"]["town"]
        epsilons = ["100", "100", *["-100"] * 6]
        kinds["noisy_counts"]["town"] = frame.assign(epsilon=epsilons, range_95=0)

    said = PublicReport(study_of(tmp_path / "town", plant=plant)).faults
    assert said == ["an epsilon is no number above 0 and up to 20"]


def test_an_epsilon_of_endless_digits_is_not_read(tmp_path):
    folder = study_of(tmp_path / "town", spent={"old": "1"})
    file = folder / "report/data/privacy_losses.csv"
    file.write_text(file.read_text().replace("old,1\n", "old,1e-400000000\n"))
    assert "an epsilon is no number above 0 and up to 20" in PublicReport(folder).faults


def rewritten(path, old, new):
    def plant(folder):
        text = (folder / path).read_text("utf-8")
        found = re.sub(old, new, text, count=1)
        assert found != text
        (folder / path).write_text(found, encoding="utf-8")

    return plant


def added(path, text, is_listed=False):
    def plant(folder):
        file = folder / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        if is_listed:
            metadata = folder / "data/metadata.json"
            told_ = json.loads(metadata.read_text("utf-8"))
            told_["tables"].append(path)
            metadata.write_text(json.dumps(told_), encoding="utf-8")

    return plant


def linked(path, to=""):
    """Put a link in place of a file, to the file itself, or to what is not there."""

    def plant(folder):
        file = folder / path
        kept = file.rename(folder.parent / file.name)
        file.symlink_to(to or kept)

    return plant


def a_folder(path):
    def plant(folder):
        (folder / path).unlink()
        (folder / path).mkdir()

    return plant


IN_FILES = {
    "a count in a sentence": rewritten("index.html", "</h1>", "</h1><p>5,003</p>"),
    "a count in a comment": rewritten("index.html", "</body>", "<!-- 17 --></body>"),
    "another count on the page": rewritten("index.html", r" a \d+<", " a 1<"),
    "a table of persons": added("data/people.csv", "name\nAna\n"),
    "an internal table": added("data/town-worst.csv", "a\n1\n", is_listed=True),
    "a figure": added("figures/town.svg", "<svg/>"),
    "a table that no page shows": added(
        "data/other-noisy_counts.csv", "analysis\n", is_listed=True
    ),
    "a person in the notice": rewritten(
        "data/metadata.json", '"notice": "[^"]*"', '"notice": "Ana, 17, is alone"'
    ),
    "a count in the metadata": rewritten(
        "data/metadata.json", '"synthetic": false', '"synthetic": {"n_alone": 3}'
    ),
    "counts of tables in the metadata": rewritten(
        "data/metadata.json", r'"tables": [^\]]*]', '"tables": {"n_alone": 3}'
    ),
    "metadata written otherwise": rewritten("data/metadata.json", "\n}", "}"),
    "a count of names of a table": rewritten(
        "data/metadata.json", '("data/releases.csv",\n *)', r"\1" * 17
    ),
    "tables that are a number": rewritten(
        "data/metadata.json", r'"tables": [^\]]*]', '"tables": 17'
    ),
    "a page that is a link": linked("index.html"),
    "a table that is a link": linked("data/town-noisy_counts.csv"),
    "a link that leads nowhere": linked("data/town-noisy_counts.csv", "ana-is-alone"),
    "a folder in the place of a table": a_folder("data/town-noisy_counts.csv"),
    "a folder in the place of the page": a_folder("index.html"),
    "no page": lambda folder: (folder / "index.html").unlink(),
    "a page without an edition": rewritten("index.html", "(?s).+", "<html></html>"),
    "a page in no language": rewritten("index.html", "edition-pt", "edition-ana"),
    "a stamp with content": added(".snakemake_timestamp", "Ana, 17"),
    "a stamp in another folder": added("data/.snakemake_timestamp", ""),
    "a folder with a telling name": lambda folder: (folder / "ana-is-alone").mkdir(),
    "a hash in the metadata": rewritten("data/metadata.json", "{", '{"sha256": "ff",'),
    "a comment in a table": rewritten(
        "data/town-noisy_counts.csv", "$", "# 17 of these\n"
    ),
    "a title": rewritten("index.html", "<title>", "<title>17 "),
    "text of an image": rewritten("index.html", "</h1>", '</h1><img alt="17">'),
    "places in a figure": rewritten("index.html", "</h1>", '</h1><svg d="M17 3"/>'),
    "a style": rewritten("index.html", "</style>", ".n17 {}</style>"),
    "an attribute": rewritten("index.html", "<main ", '<main data-n="17" '),
    "a blank": rewritten("index.html", "</h1>", "</h1> "),
    "what follows the page": rewritten("index.html", "$", "\n17"),
    "sources that there are not": rewritten(
        "index.html", "<title>", '<meta name="sources" content="ana"><title>'
    ),
    "an order of languages": rewritten("index.html", 'lang="pt-BR"', 'lang="en"'),
    "another heading": rewritten("data/releases.csv", "n_records", "n_alone_17"),
    "one more column": rewritten("data/privacy_losses.csv", "epsilon\n", "epsilon,n\n"),
    "zeros before a number": rewritten("data/town-noisy_counts.csv", ",30,", ",030,"),
    "quotes around a value": rewritten("data/privacy_losses.csv", "town", '"town"'),
    "a mark at the beginning": rewritten("data/releases.csv", "^", "\ufeff"),
    "a list of values": rewritten("data/privacy_losses.csv", "town", "Ana|Eva"),
    "other ends of lines": rewritten("data/town-noisy_counts.csv", "\n", " \n"),
}
"""Leaks that are planted in files as they are."""


@pytest.mark.parametrize("plant", IN_FILES.values(), ids=IN_FILES)
def test_a_leak_that_is_planted_in_a_file_is_found(report, plant):
    before = contents(report)
    plant(report)
    after = contents(report)
    changed = {path for path, _ in before.items() ^ after.items()}
    changed |= {path for path in after if (report / path).is_symlink()}
    said = PublicReport(report).faults
    assert any(path in line for path in changed for line in said), said


def contents(folder):
    """What is in a folder, by path; of a folder nothing."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        if path.is_file()
        else None
        for path in folder.rglob("*")
    }


def test_an_empty_stamp_of_the_report_is_none_of_its_files(report):
    (report / ".snakemake_timestamp").touch()
    assert PublicReport(report).faults == []


def test_a_report_with_faults_is_refused_in_one_line(report, capsys):
    rewritten("index.html", "</h1>", "</h1><p>5,003</p>")(report)
    added("data/people.csv", "name\nAna\n")(report)
    said = "people.csv is no file of a public report. If files were changed"
    with pytest.raises(VerificationError, match=said):
        check_form(PublicReport(report))
    assert main(["verify", "--public", str(report)]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert said in told.err


def endless(path):
    return linked(path, "/dev/zero")


def large(path):
    """A file of a TB, none of which is on the disk."""

    def plant(folder):
        with (folder / path).open("r+b") as file:
            file.truncate(1 << 40)

    return plant


def a_pipe(path):
    def plant(folder):
        (folder / path).unlink()
        os.mkfifo(folder / path)

    return plant


def many_epsilons(path):
    """Fractions that have nothing in common add up to a very long one."""

    def plant(folder):
        rows = "".join(f"s{n},1/{10**6 - n}\n" for n in range(1, 9000))
        (folder / path).write_text(f"publication,epsilon\n{rows}town,1/2\n")

    return plant


def many_files(folder):
    for n in range(2500):
        (folder / f"data/{n}").touch()


def many_rows(path, row, n=4900):
    def plant(folder):
        head = (folder / path).read_text().splitlines()[0]
        rows = "\n".join(row.format(n=n) for n in range(n))
        (folder / path).write_text(f"{head}\n{rows}\n")

    return plant


def many_sets(folder):
    row = "town,people,2,,q{n},1,,unique,,,5,30,1/10"
    many_rows("data/town-noisy_counts.csv", row)(folder)


def many_parts(folder):
    row = "town,people,2,,q{n},1,,unique,,,5,30,1/1{n:05}"
    many_rows("data/town-noisy_counts.csv", row)(folder)


def nested(folder):
    here = os.open(folder, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d" * 9, dir_fd=here)
        here, before = os.open("d" * 9, os.O_RDONLY, dir_fd=here), here
        os.close(before)
    os.close(here)


HOSTILE = {
    "many commas": rewritten(
        "data/town-noisy_counts.csv", "\n", "," * 4_000_000 + "\n"
    ),
    "many sets": many_sets,
    "many parts of epsilon": many_parts,
    "many releases": many_rows("data/releases.csv", "people{n:05},1,,false"),
    "many editions": rewritten(
        "index.html", "</body>", '<p class="edition edition-en">' * 99_999
    ),
    "many sections": rewritten("index.html", "</body>", 'id="pt-counts:x"' * 99_999),
    "half a character": rewritten("data/metadata.json", '"town"', r'"\\ud800"'),
    "half a character in a path": rewritten(
        "data/metadata.json", '"data/rel', r'"\\ud800data/rel'
    ),
    "a name of two lines": lambda folder: (folder / "a\nb\x1b[31m").touch(),
    "deep metadata": rewritten("data/metadata.json", "{", '{"x":' + "[" * 99_999),
    "endless metadata": endless("data/metadata.json"),
    "an endless table": endless("data/town-noisy_counts.csv"),
    "an endless page": endless("index.html"),
    "a large table": large("data/releases.csv"),
    "large metadata": large("data/metadata.json"),
    "a pipe for a page": a_pipe("index.html"),
    "a pipe for metadata": a_pipe("data/metadata.json"),
    "a long cell": rewritten("data/releases.csv", "people", "p" * 5_000_000),
    "a number of many digits": rewritten(
        "data/town-noisy_counts.csv", ",30,", "9" * 99
    ),
    "many epsilons": many_epsilons("data/privacy_losses.csv"),
    "many files": many_files,
    "a folder within itself": lambda f: (f / "data/again").symlink_to(f),
    "zero bytes": rewritten("data/releases.csv", "people", "\0" * 99),
}


@pytest.mark.parametrize("plant", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_folder_ends_in_one_line(report, capsys, plant):
    plant(report)
    assert main(["verify", "--public", str(report)]) == 1
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert "\x1b" not in said
    assert "unexpected" not in said


def test_folders_within_folders_end_in_one_line(report, capsys):
    nested(report)
    assert main(["verify", "--public", str(report)]) == 1
    subprocess.run(["rm", "-rf", report / ("d" * 9)], check=True)  # Python cannot
    said = capsys.readouterr().err
    assert "a file or a name cannot be read (OSError)" in said


def test_an_internal_report_is_told_to_be_one(report):
    rewritten("data/metadata.json", '"public"', '"internal"')(report)
    with pytest.raises(VerificationError, match="an internal report, whose numbers"):
        PublicReport(report)


def test_what_is_no_report_is_told(tmp_path):
    with pytest.raises(VerificationError, match=r"metadata.json is missing or damaged"):
        PublicReport(tmp_path)


def test_options_that_do_not_fit_are_refused(report, capsys, words, said):
    assert main(["verify", "--public", str(report), *words]) == 1
    assert said in capsys.readouterr().err
