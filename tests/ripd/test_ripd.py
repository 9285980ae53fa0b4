"""The impact report: whose numbers it has, what it leaves open, in which formats."""

import csv
import re
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest

from microleak.audit.manifest import verify
from microleak.audit.sealed import read_manifest
from microleak.base.errors import StudyError, VerificationError
from microleak.base.files import sha256_of
from microleak.cli import main
from microleak.figures.numbers import SYNTHETIC_MARK, Numbers
from microleak.report.risks import NumberCell, Risk
from microleak.report.texts import voice
from microleak.ripd.measured import MeasuredRisk, MeasuredStudy, ProtectedRelease
from microleak.ripd.write import FORMATS, write_ripd
from microleak.study.load import load_study
from tests.ripd.conftest import GIVEN, STUDY, in_folder, with_manifest
from tests.ripd.reading import Page, cells_of_docx, cells_of_odt, parts
from tests.workflow.workshop import Workshop

EVERY = [(name, lang) for name in ("nothing", "given") for lang in ("pt", "en")]
each_document = pytest.mark.parametrize("key", EVERY, ids="-".join)


def page_of(documents, *key):
    return Page(documents[key]["html"])


def rows_of(page, kind, language):
    names = {
        "risks": ("id", "risk"),
        "further": ("risk", "chance"),
        "sources": ("number", "file"),
        "files": ("file", "sha256"),
    }
    heads = voice(language).columns("ripd", *names[kind])
    return {row[0]: row[1:] for row in page.table(*heads)}


def measures_of(page, language):
    return page.table(*voice(language).columns("ripd", "id", "measure"))


def cited(cell):
    number, references = re.fullmatch(r"(.+?)((?: \[\d+\])+)", cell).groups()
    return number, re.findall(r"\d+", references)


@each_document
def test_every_number_is_the_one_of_its_row_in_a_file_of_its_hash(
    key, documents, results
):
    language, page = key[1], page_of(documents, *key)
    sources = rows_of(page, "sources", language)
    hashes = {
        path: sha256 for path, (sha256,) in rows_of(page, "files", language).items()
    }
    values = {}
    for number, (path, row, column, value) in sources.items():
        assert sha256_of(results / path) == hashes[path]
        with (results / path).open(encoding="utf-8", newline="") as file:
            found = list(csv.DictReader(file))[int(row) - 1]
        cells = [found[name] for name in column.split(" / ")]
        assert value == " / ".join(cells)
        first, *others = map(Fraction, cells)
        values[number] = float(first / others[0] if others else first)
    numbers, used = Numbers(language), set()
    risks = rows_of(page, "risks", language).values()
    further = rows_of(page, "further", language).items()
    of_measures = ([row[3], row[1]] for row in measures_of(page, language))
    rows = (
        [[*row[1:4], row[0]] for row in risks],
        [[*row, words] for words, row in further],
    )
    for *chances, words in (*rows[0], *rows[1], *of_measures):
        for cell in chances:
            if "[" in cell and cell[0] != "[":
                written, references = cited(cell)
                for number in references:
                    assert written == numbers.share(values[number])
                used.update(references)
        used.update(re.findall(r"\[(\d+)\]", words))
    assert len(used) > 20
    of_releases = ("measures/ingest.csv", "measures/protections.csv")
    counts = {n for n, (path, *_) in sources.items() if path in of_releases}
    assert used | counts == sources.keys()


def test_every_family_that_tells_risks_is_cited(documents):
    rows = rows_of(page_of(documents, "given", "pt"), "sources", "pt").values()
    assert {row[0] for row in rows} == {
        *("measures/ingest.csv", "measures/protections.csv"),
        *("measures/collective/after.csv", "measures/collective/before.csv"),
        *("measures/values/after.csv", "measures/values/before.csv"),
        *("measures/membership/asked.csv", "measures/known_protection/known.csv"),
        "measures/smallest_protection/smallest.csv",
    }


def test_adversaries_with_a_name_are_told_by_it_in_the_language(documents):
    for language, words in (("pt", "Um servidor que "), ("en", "A clerk who ")):
        told = rows_of(page_of(documents, "given", language), "risks", language)
        assert words in str(told)
        assert "friend" in str(told)


def test_levels_follow_from_the_bands_and_impacts_of_the_study_file(documents):
    page = page_of(documents, "given", "en")
    risks = rows_of(page, "risks", "en")
    sources = rows_of(page, "sources", "en")
    seen = set()
    for text, chance, _, _, likely, impact, level in risks.values():
        if "that sample" in text:
            assert (impact, level) == ("[TO BE FILLED IN]",) * 2
            continue
        value = sources[cited(chance)[1][0]][3]
        first, *others = map(Fraction, value.split(" / "))
        share = first / others[0] if others else first
        expected = (
            5 if share <= Fraction("0.01") else 10 if share <= Fraction(1, 2) else 15
        )
        assert int(likely) == expected
        assert int(impact) == (15 if "of “ill”" in text else 10)
        assert int(level) == int(likely) * int(impact)
        seen.add(expected)
    assert len(seen) > 1


def test_a_residual_risk_has_its_own_probability_and_the_same_impact(documents):
    page = page_of(documents, "given", "en")
    risks, measures = rows_of(page, "risks", "en"), measures_of(page, "en")
    known = [row for row in measures if row[1] != "[TO BE FILLED IN]"]
    assert {row[0] for row in known} == {"R01", "R02", "R03", "R04"}
    for i, _, effect, _, likely, impact, level, approved in known:
        assert impact == risks[i][5]
        assert int(level) == int(likely) * int(impact)
        assert effect in ("Reduce", "Does not lower it")
        assert approved == "[TO BE FILLED IN]"


def test_each_adversary_learns_each_attribute_once_and_by_value(documents):
    risks = rows_of(page_of(documents, "given", "en"), "risks", "en")
    words = [row[0] for row in risks.values()]
    begin = ("A clerk who", "An adversary (“friend”) who")
    learns = ("A clerk finds", "An adversary (“friend”) is")
    assert [*map(str.startswith, words, (*begin, *learns, "Someone who"))] == [True] * 5
    assert "1 (33.33%) of the 3 people with the value “yes” of “ill”" in words[2]
    sources = rows_of(page_of(documents, "given", "en"), "sources", "en")
    (reference,) = re.findall(r"\[(\d+)\]", words[2])
    assert sources[reference][0] == "measures/values/before.csv"
    assert sources[reference][3] == "1 / 3"


def test_a_protected_release_is_a_measure_with_what_is_left_in_it(
    documents, language, left, measure
):
    page = page_of(documents, "given", language)
    measures = [row for row in measures_of(page, language) if row[1] == measure]
    further = rows_of(page, "further", language)
    chances = [cited(row[0]) for words, row in further.items() if words.endswith(left)]
    assert [row[0] for row in measures] == ["R01", "R02", "R03", "R04"]
    assert [cited(row[3]) for row in measures] == chances


def test_a_measure_of_all_values_says_how_likely_that_was_before(documents):
    page = page_of(documents, "given", "en")
    (row,) = (
        row
        for row in measures_of(page, "en")
        if row[0] == "R03" and "left out" in row[1]
    )
    assert re.search(
        r"all values of the attribute; before the measure it was 50.00% \[\d+\]", row[1]
    )
    assert (cited(row[3])[0], row[2]) == ("0%", "Reduce")


def risk(release, chance, family="collective", **other):
    told = {"kind": "inference", "sensitive": "ill", "who": "", "qids": ("age",)}
    given = {"words": "", "table": "people", "releases": (release,), **told, **other}
    cell = NumberCell(family, round(100 * chance), "")
    return MeasuredRisk(family, release, Risk(chance=cell, **given))


@pytest.mark.parametrize(
    ("told", "places"),
    [
        ([risk("2022", 0.9), risk("2023", 0.1)], [1]),
        ([risk("2023", 0.1), risk("2023", 0.2), risk("2023", 0.1)], [1]),
        ([risk("2023", 0.1, who="a"), risk("2023", 0.2, who="b")], [0, 1]),
        ([risk("2023", 0.1), risk("2023", 0.9, "risk_groups")], [0]),
        ([risk("2023", 0.1), risk("2023", 0.2, sensitive="")], [0, 1]),
        ([risk("2022", 0.1)], [0]),
        (
            [
                replace(
                    risk("2023", 0.9), protected=ProtectedRelease("2023", "2022", False)
                ),
                risk("2022", 0.1),
            ],
            [1],
        ),
    ],
)
def test_the_risk_of_the_newest_release_with_the_highest_chance_stands_first(
    told, places, tmp_path, monkeypatch
):
    """Of each adversary and what it learns; all others are in an annex."""
    releases = {"releases": {"2022": {}, "2023": {}}}
    settings = {"content": {"tables": {"people": releases}}}
    study = MeasuredStudy(tmp_path, {"config": settings})
    monkeypatch.setattr(MeasuredStudy, "_risks", lambda *_: iter(told))
    monkeypatch.setattr(MeasuredStudy, "value", lambda _, place: place.cell.row)
    main, further = study.risks(voice("en"))
    assert main == [told[i] for i in places]
    assert further == [each for i, each in enumerate(told) if i not in places]


LEFT = NumberCell("smallest_protection", 2, "")
COARSE, DRAWN = (ProtectedRelease("new", "2023", is_drawn) for is_drawn in (0, 1))


@pytest.mark.parametrize(
    ("other", "is_measure"),
    [
        (risk("2023", 0.5, "smallest_protection", residual=LEFT), True),
        (risk("2023", 0.5, "smallest_protection"), False),
        (risk("2022", 0.5, "smallest_protection", residual=LEFT), False),
        (risk("2023", 0.5, "smallest", residual=LEFT, sensitive="job"), False),
        (replace(risk("new", 0.1, who="clerk"), protected=COARSE), True),
        (replace(risk("new", 0.1), protected=COARSE), True),
        (replace(risk("new", 0.1, who="friend"), protected=COARSE), False),
        (replace(risk("new", 0.1), protected=DRAWN), False),
    ],
)
def test_a_measure_is_what_lowers_what_is_learned_of_the_same_release(
    other, is_measure
):
    assert risk("2023", 0.9, who="clerk").is_treated_by(other) == is_measure
    assert other.is_treated_by(other) == (other.risk.residual is not None)


def test_risks_of_values_drawn_anew_say_that_they_may_be_none(
    results, documents, tmp_path
):
    config = read_manifest(results)["config"]
    steps = config["content"]["protections"]["coarse"]["steps"]
    steps.append({"randomise": {"sex": "1/10"}})
    made = with_manifest(results, tmp_path / "made", config=config)
    *_, html = write_ripd(made, tmp_path / "out", "en")
    page, said = Page(html), "and may be false of the person."
    coarse = [words for words in rows_of(page, "further", "en") if "coarse" in words]
    assert [said in words for words in coarse] == [False, True, False, True]
    assert not [row for row in measures_of(page, "en") if row[1].startswith("Publish")]
    assert said not in str(page_of(documents, "nothing", "en").tables)


def test_the_protected_releases_are_listed(documents):
    page = page_of(documents, "nothing", "en")
    (row,) = page.table("Table", "Protected release")
    assert row[:3] == ["people", "coarse", "1"]
    assert cited(row[3])


@each_document
def test_what_the_study_does_not_say_is_marked_and_nothing_else_is(key, documents):
    name, language = key
    page = page_of(documents, *key)
    marks = page.texts("mark")
    start = {"pt": "[A PREENCHER", "en": "[TO BE FILLED IN"}[language]
    assert all(mark.startswith(start) for mark in marks)
    named = {mark[len(start) :].strip(": ]") for mark in marks} - {""}
    every = {"need", "nature", "scope", "context", "purpose", "consulted", "necessity"}
    agents = ("controller", "operator", "officer", "officer_email", "officer_phone")
    every = {f"ripd.{each}" for each in (*every, *(f"agents.{a}" for a in agents))}
    said = {"ripd.purpose", "ripd.agents.controller", "ripd.agents.officer"}
    assert named == (every - said if name == "given" else every)
    text = "".join(page.texts("main"))
    assert text.count(start) == len(marks) + 1  # the sentence that says what it means


def test_nothing_is_invented_in_the_sections_of_the_form_for_who_says_nothing(
    documents,
):
    page = page_of(documents, "nothing", "pt")
    assert [text[:1] for text in page.texts("h2")] == [*"12345678", "A", "A", "A"]
    for row in rows_of(page, "risks", "pt").values():
        assert row[-3:] == ["[A PREENCHER]"] * 3
    assert "ripd.probability" in "".join(page.texts("p"))


@each_document
def test_what_the_study_says_stands_there_as_text(key, documents):
    page = page_of(documents, *key)
    is_given = key[0] == "given"
    assert (GIVEN["agents"]["controller"] in page.texts("td")) == is_given
    assert ("estatísticas" in page.texts("p")) == is_given


@each_document
def test_all_formats_say_the_same(key, documents):
    files = documents[key]
    page = Page(files["html"])
    tags = ("h1", "h2", "h3", "p", "caption", "th", "td")
    said = page.texts(*tags)
    for read, kind in ((cells_of_odt, "odt"), (cells_of_docx, "docx")):
        found, marked = read(files[kind])
        assert found == said
        assert marked == page.texts("mark")


@each_document
def test_packages_are_well_formed_and_begin_as_readers_expect(key, documents):
    odt, docx = parts(documents[key]["odt"]), parts(documents[key]["docx"])
    kind = "application/vnd.oasis.opendocument.text"
    assert next(iter(odt.items())) == ("mimetype", kind)
    assert documents[key]["odt"].read_bytes()[30:38] == b"mimetype"
    items = [i for entry in odt["META-INF/manifest.xml"] for i in entry.items()]
    listed = {value for name, value in items if name.endswith("full-path")}
    assert listed == {"/", *odt} - {"mimetype", "META-INF/manifest.xml"}
    assert next(iter(docx)) == "[Content_Types].xml"
    types = {each.get("PartName") for each in docx["[Content_Types].xml"]} - {None}
    assert types == {"/word/document.xml", "/word/styles.xml", "/docProps/core.xml"}


@each_document
def test_the_page_can_be_read_aloud_and_asks_for_nothing(key, documents):
    page = page_of(documents, *key)
    (html,) = (attrs for tag, attrs, _ in page.elements if tag == "html")
    assert html["lang"] == {"pt": "pt-BR", "en": "en"}[key[1]]
    assert page.texts("title") == page.texts("h1")
    levels = [int(tag[1]) for tag, *_ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert len(page.texts("table")) == len(page.texts("caption"))
    scopes = {attrs["scope"] for tag, attrs, _ in page.elements if tag == "th"}
    assert scopes <= {"row", "col"}
    assert not {tag for tag, *_ in page.elements} & {"script", "link", "img", "iframe"}
    text = documents[key]["html"].read_text(encoding="utf-8")
    assert "default-src 'none'" in text
    assert not re.search("https?:", text)


@each_document
def test_it_says_that_it_is_internal_and_only_its_owner_can_read_it(key, documents):
    word = {"pt": "Documento interno", "en": "Internal document"}[key[1]]
    assert word in "".join(page_of(documents, *key).texts("p"))
    assert {path.stat().st_mode & 0o777 for path in documents[key].values()} == {0o600}


def test_synthetic_results_say_so_in_the_title_and_real_ones_do_not(
    results, documents, tmp_path
):
    assert SYNTHETIC_MARK not in page_of(documents, "given", "pt").texts("title")[0]
    made = with_manifest(results, tmp_path / "made", synthetic=True)
    *_, html = write_ripd(made, tmp_path / "out", "pt")
    assert Page(html).texts("title")[0].startswith(SYNTHETIC_MARK)
    assert "Os dados são sintéticos" in "".join(Page(html).texts("p"))


def test_the_same_results_give_the_same_bytes(given, documents, tmp_path):
    again = write_ripd(given, tmp_path / "again", "pt")
    first = documents["given", "pt"]
    assert [*map(Path.read_bytes, again)] == [first[k].read_bytes() for k in FORMATS]


def test_what_xml_cannot_hold_is_replaced(results, tmp_path):
    odd = {"purpose": "a\x0b<b>&\ud7ff\ufffe c"}
    folder = with_manifest(results, tmp_path / "odd", ripd=odd)
    odt, docx, html = write_ripd(folder, tmp_path / "out", "en")
    wanted = "a�<b>&\ud7ff� c"
    assert wanted in Page(html).texts("p")
    assert wanted in cells_of_odt(odt)[0]
    assert wanted in cells_of_docx(docx)[0]


def test_a_document_that_is_there_is_never_replaced(given, tmp_path):
    (odt, *_) = write_ripd(given, tmp_path, "pt")
    odt.write_text("filled in", encoding="utf-8")
    with pytest.raises(StudyError, match=r"ripd-pt.odt is here already.*with -o\."):
        write_ripd(given, tmp_path, "pt")
    assert odt.read_text(encoding="utf-8") == "filled in"
    assert write_ripd(given, tmp_path, "en")


@pytest.mark.parametrize(
    ("file", "to", "words"),
    [
        ("", "{}/report", "manifest lists every file but those of ripd/"),
        ("measures/collective/before.csv", "", "before.csv is not what manifest.json"),
        ("manifest.json", "", "A run was stopped or failed"),
    ],
)
def test_results_that_are_not_as_they_were_and_places_among_them_are_refused(
    results, tmp_path, file, to, words
):
    folder = with_manifest(results, tmp_path / "changed")
    if file.endswith(".csv"):
        path = folder / file
        path.write_text(path.read_text("utf-8").replace("0.5", "0.4"), encoding="utf-8")
    elif file:
        (folder / file).unlink()
    out = Path(to.format(folder)) if to else tmp_path / "out"
    with pytest.raises((StudyError, VerificationError), match=words):
        write_ripd(folder, out, "pt")
    assert to or not out.exists()


def run(capsys, *words):
    status = main([*map(str, words)])
    said = capsys.readouterr()
    return status, said.out.splitlines(), said.err


def test_the_command_writes_portuguese_below_the_results_which_stay_verified(
    given, tmp_path, capsys, monkeypatch
):
    monkeypatch.delenv("MICROLEAK_LANG", raising=False)
    folder = with_manifest(given, tmp_path / "people", ripd=GIVEN)
    status, written, _ = run(capsys, "ripd", folder)
    assert status == 0
    assert written == [str(folder / f"ripd/ripd-pt.{kind}") for kind in FORMATS]
    words = ("--lang", "en", "ripd", folder, "-o", tmp_path / "o")
    status, written, _ = run(capsys, *words)
    assert status == 0
    assert written == [str(tmp_path / f"o/ripd-en.{kind}") for kind in FORMATS]
    assert run(capsys, "ripd", folder)[0] == 1


def test_the_command_refuses_what_is_not_there_and_words_too_many(given, capsys):
    status, _, said = run(capsys, "ripd", given.parent / "q")
    assert status == 1
    assert "There is no folder" in said
    status, _, said = run(capsys, "ripd", given, "--", "-n")
    assert status == 1
    assert "takes no words after its options" in said


def test_a_faulty_section_is_refused_by_words(ripd, words, tmp_path, monkeypatch):
    in_folder(tmp_path, monkeypatch)
    path = tmp_path / "people.yaml"
    path.write_text(f"{STUDY}ripd: {ripd}\n", encoding="utf-8")
    with pytest.raises(StudyError, match=words):
        load_study(path)


@pytest.mark.long
def test_words_for_the_report_measure_nothing_again(tmp_path, monkeypatch):
    in_folder(tmp_path, monkeypatch)
    workshop = Workshop(STUDY)
    workshop.run()
    workshop.change("analyses:", "ripd: {purpose: To publish}\nanalyses:")
    assert workshop.run() == ["publish", "audit"]
    *_, html = write_ripd(workshop.results, tmp_path / "out", "en")
    assert "To publish" in Page(html).texts("p")
    write_ripd(workshop.results, workshop.results / "ripd", "pt")
    assert verify(workshop.results)
    assert workshop.run() == []
