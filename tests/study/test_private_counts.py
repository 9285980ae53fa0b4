"""Counts with noise in place of shares: of what, and what may stand beside them."""

import hmac
import json
import stat
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.collective.analysis import Collective
from microleak.attacks.collective.publish import PUBLICATION, exact_counts
from microleak.base.errors import StudyError, VerificationError
from microleak.base.files import sha256_of
from microleak.cli import main
from microleak.disclosure.noise import range_of
from microleak.records.coding import Group
from microleak.report.contents import Tables
from microleak.report.public import write_public_report
from microleak.report.texts import voice
from microleak.study.beside import Beside
from microleak.study.certificate import certificate
from microleak.study.jobs import OF_PUBLISHED
from microleak.study.private_counts import check_replaced, private_tables
from microleak.study.proof import proof_of, prove_study, told
from microleak.study.published import public_families
from microleak.study.tables import tables as specs
from microleak.study_file.noise import NoiseSection
from microleak.tables.files import write_table
from scripts.check_certificate import check
from tests.panels import collective
from tests.study.proved_page import made, town, written
from tests.study_file.given import loaded, refused

QIDS, SENSITIVE = ("age", "street"), ("ill",)
ANALYSIS = Collective("town", "people", "2", QIDS, SENSITIVE, "all")
PEOPLE = [
    {"age": i % 7, "street": i % 90, "ill": "y" if i % 5 else None} for i in range(99)
]
COUNTS = ["records", "alone", "most_frequent", "right_guesses"]


def exact(folder, people, earlier=None):
    """The exact counts of people, rows of attributes; those of `earlier` linked."""
    folder.mkdir(parents=True, exist_ok=True)
    releases = {"2": people} | ({"1": earlier} if earlier else {})
    releases = {
        name: {f"{i:06}": row for i, row in enumerate(rows)}
        for name, rows in releases.items()
    }
    analysis = Collective(
        "town", "people", "2", QIDS, SENSITIVE, "all", (*releases,)[1:]
    )
    rows = collective(folder, releases, QIDS, SENSITIVE)
    return exact_counts(rows, analysis)


def naive(people):
    """The counts, by their definitions."""
    ill = Counter(row["ill"] for row in people)
    blocks = Counter((row["age"], row["street"]) for row in people)
    cells = Counter((row["age"], row["street"], row["ill"]) for row in people)
    guesses = {}
    for (*block, _), n in cells.items():
        guesses[tuple(block)] = max(n, guesses.get(tuple(block), 0))
    alone = sum(n == 1 for n in blocks.values())
    return [len(people), alone, max(ill.values()), sum(guesses.values())]


def test_counts_are_those_of_all_qids(tmp_path):
    found = exact(tmp_path, PEOPLE)
    assert found["statistic"].tolist() == COUNTS
    assert found["n_noisy"].tolist() == naive(PEOPLE)
    assert found["sensitive"].tolist() == ["", "", "ill", "ill"]
    assert {*found["qids"]} == {"age|street"}


def test_counts_are_those_with_all_releases_linked(tmp_path):
    alike = [{"age": 1, "street": 1, "ill": "y"}] * 9
    found = exact(tmp_path, alike, [{"age": i, "street": 1} for i in range(9)])
    assert found["n_noisy"].tolist() == [9, 9, 9, 9]


values = st.none() | st.integers(0, 2)
rows = st.fixed_dictionaries({"age": values, "street": values, "ill": values})


@given(st.lists(rows, min_size=1, max_size=12), rows)
def test_one_person_more_changes_each_count_by_one_at_most(people, one):
    pairs = zip(naive(people), naive([*people, one]), strict=True)
    assert all(abs(more - fewer) <= 1 for fewer, more in pairs)


def test_one_person_more_changes_the_number_of_certain_values_by_any_number():
    """Which is why it has no noise that would do."""

    def n_certain(people):
        of = {}
        for row in people:
            of.setdefault(row["age"], []).append(row["ill"])
        return sum(len(ill) for ill in of.values() if len({*ill}) == 1)

    people = [{"age": 1, "ill": "y"}] * 50
    assert n_certain(people) - n_certain([*people, {"age": 1, "ill": "n"}]) == 50


def noisy_tables(
    folder, study="town", epsilon="1/2", key=b"k" * 32, rows=b"rows", analysis=ANALYSIS
):
    """The tables of a report with noise of one analysis, by name."""
    counts = exact(folder / "made", PEOPLE).assign(analysis="town")
    (folder / "key").write_bytes(key)
    for path, content in {"people/people/2.parquet": rows}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    ingest = dict.fromkeys(specs()["ingest"].names, 99)
    ingest |= {"table": "people", "release": "2", "synthetic": "false", "sha256": "0f"}
    (folder / "measures").mkdir(exist_ok=True)
    frame = specs()["ingest"].frame([ingest])
    write_table(folder / "measures/ingest.csv", frame, specs()["ingest"])
    family = SimpleNamespace(counts=lambda *_: [("noisy_counts/town", counts)])
    noise = NoiseSection(epsilon=epsilon, key=str(folder / "key"), spent={"old": "1"})
    study = SimpleNamespace(name=study, analyses={"collective": {"town": analysis}})
    return dict(private_tables(study, noise, {"collective": family}, folder))


def test_epsilon_is_split_over_all_counts_and_the_account_ends_with_the_study(tmp_path):
    tables = noisy_tables(tmp_path)
    counts = tables["noisy_counts/town"]
    assert counts["epsilon"].tolist() == ["1/8"] * 4
    assert counts["range_95"].tolist() == [range_of(Fraction(1, 8))] * 4
    losses = tables["privacy_losses"]
    assert losses.to_numpy().tolist() == [["old", "1"], ["town", "1/2"]]
    assert tables["releases"]["n_records"].isna().all()


def test_noise_is_near_nothing_where_epsilon_is_large(tmp_path):
    counts = noisy_tables(tmp_path, epsilon="400")["noisy_counts/town"]
    assert counts["n_noisy"].tolist() == naive(PEOPLE)


@pytest.mark.parametrize(
    "other",
    [
        {"study": "town-2"},
        {"key": b"q" * 32},
        {"rows": b"row"},
        {"epsilon": "501/1000"},
        {"analysis": replace(ANALYSIS, fewer={"1": ("age",)})},
        {"analysis": replace(ANALYSIS, groups=(Group("g", "ill", ("y",)),))},
    ],
    ids=lambda other: next(iter(other)),
)
def test_the_same_study_has_the_same_noise_and_another_one_its_own(tmp_path, other):
    """Two counts of 20 or so agree with a chance below 1 in 10,000 each."""
    epsilon = {"epsilon": "1/2"}
    first, again, different = (
        noisy_tables(tmp_path, **epsilon | each)["noisy_counts/town"]["n_noisy"]
        for each in ({}, {}, other)
    )
    assert first.tolist() == again.tolist()
    assert (first != different).sum() >= 3
    assert first.tolist() != naive(PEOPLE)


def test_noise_does_not_follow_from_how_many_jobs_count(tmp_path):
    in_jobs = [replace(ANALYSIS, n_parts=n) for n in (1, 7)]
    first, again = (
        noisy_tables(tmp_path, analysis=each)["noisy_counts/town"] for each in in_jobs
    )
    assert first.equals(again)


def study_of(folder, study="town", spent=None, epsilon="1/2", plant=lambda _: None):
    """Results with a report with noise, and where its records are from."""
    made_ = noisy_tables(folder, study, epsilon)
    losses = specs()["privacy_losses"].frame(
        [{"publication": n, "epsilon": e} for n, e in (spent or {}).items()]
        + [{"publication": study, "epsilon": epsilon}]
    )
    kinds = {"noisy_counts": {"town": made_["noisy_counts/town"]}}
    kinds["whole"] = {"releases": made_["releases"], "privacy_losses": losses}
    plant(kinds)
    (folder / "tables/people").mkdir(parents=True)
    receipt = {"sha256": "00ff", "archive": "people.csv"}
    (folder / "tables/people/2.json").write_text(json.dumps(receipt))
    tables = Tables(kinds, kinds.pop("whole"))
    (folder / "report").mkdir()
    voices = [voice("pt"), voice("en")]
    write_public_report(folder / "report", study, tables, (), voices, public_families())
    return folder


def test_a_report_with_noise_excludes_nothing_and_says_its_epsilon(tmp_path, capsys):
    folder = study_of(tmp_path / "town", spent={"old": "1"})
    outcome = proof_of(folder)
    assert [*told(outcome)] == []
    assert outcome.is_proved
    told_ = json.loads(json.dumps(certificate(outcome)))
    assert told_["epsilon"] == {"old": "1", "town": "1/2"}
    assert [*check(told_)] == []
    assert main(["verify", "--public", str(folder)]) == 0
    said = "its counts have noise; epsilon is 3/2 over 2 publications.\n"
    assert capsys.readouterr().out.endswith(said)


def test_the_page_says_range_epsilon_and_account(tmp_path):
    folder = study_of(tmp_path / "town", spent={"old": "1"})
    page = (folder / "report/index.html").read_text("utf-8")
    english = page.split('edition-en"')[1]
    assert "The epsilon of this page is 1/2. With all earlier" in english
    assert "it is 3/2." in english
    assert f"±{range_of(Fraction(1, 8))}<" in english
    assert "fewer than 1,000" not in english
    assert "nor a hash or size of a file of results, may be published" in english
    assert "Only the folder of this page and its proof may be passed on" in english


def setting(kind, name, column, value):
    def plant(kinds):
        frame = kinds[kind][name]
        frame.loc[frame.index[-1], column] = value

    return plant


def reversed_counts(kinds):
    kinds["noisy_counts"]["town"] = kinds["noisy_counts"]["town"].iloc[::-1]


def uneven(kinds):
    epsilons = ["1/8", "1/8", "1/16", "3/16"]
    ranges = [range_of(Fraction(each)) for each in epsilons]
    table = kinds["noisy_counts"]["town"]
    kinds["noisy_counts"]["town"] = table.assign(epsilon=epsilons, range_95=ranges)


def share_beside(kinds):
    row = {"analysis": "town", "table": "people", "focal": "2", "auxiliary": ""}
    row |= {"qids": "age", "n_qids": 1, "is_worst": "true", "step_pct": 1}
    row |= dict.fromkeys(specs()["blocks"].saying("share"), 0) | {"from_100_pct": 100}
    kinds["blocks"] = {"town": specs()["blocks"].frame([row])}


@pytest.mark.parametrize(
    ("plant", "said"),
    [
        (setting("noisy_counts", "town", "range_95", 1), "line 5: has not the range"),
        (setting("noisy_counts", "town", "epsilon", "1/7"), "add up to 29/56, not to"),
        (setting("noisy_counts", "town", "epsilon", "ln 3"), "epsilon is no fraction"),
        (setting("whole", "privacy_losses", "epsilon", "1"), "add up to 1/2, not to"),
        (setting("whole", "privacy_losses", "publication", "x"), "not end with the st"),
        (setting("whole", "releases", "n_records", 100), "numbers beside counts"),
        (setting("noisy_counts", "town", "n_qids", 99), "n_qids is not the number"),
        (setting("noisy_counts", "town", "focal", "99"), "focal is not the same in"),
        (reversed_counts, "counts are not those of the rules, each once and in order"),
        (uneven, "counts have not the same part of the page's epsilon"),
        (share_beside, "town-blocks.csv stands beside counts with noise"),
    ],
)
def test_what_epsilon_does_not_cover_is_found(tmp_path, plant, said):
    outcome = proof_of(study_of(tmp_path / "town", plant=plant))
    assert any(said in line for line in told(outcome)), [*told(outcome)]


def exact_at(epsilon):
    """Plant counts without noise, of which each claims an epsilon."""

    def plant(kinds):
        frame = kinds["noisy_counts"]["town"]
        kinds["noisy_counts"]["town"] = frame.assign(
            n_noisy=naive(PEOPLE),
            epsilon=epsilon,
            range_95=range_of(Fraction(epsilon)),
        )
        del kinds["whole"]["privacy_losses"]

    return plant


def test_counts_without_an_account_are_found(tmp_path):
    folder = study_of(tmp_path / "town", plant=exact_at("1/1000"))
    lost = "data/privacy_losses.csv is missing or damaged beside counts with noise"
    assert lost in [*told(proof_of(folder))]


def test_counts_without_an_account_do_not_pass_for_shares(tmp_path):
    lost = study_of(tmp_path / "lost", plant=exact_at("1/1000"))
    of_shares = study_of(tmp_path / "shares", "shares")
    written(of_shares / "report", made(tmp_path / "made", town(n=1_204)))
    (of_shares / "report/data/town-noisy_counts.csv").unlink()
    (of_shares / "report/data/privacy_losses.csv").unlink()
    said = [*told(proof_of(of_shares, {}, Beside(lost)))]
    assert any("of the same persons without" in line for line in said), said
    with pytest.raises(VerificationError, match="of the same persons without"):
        prove_study(NO_SIZES, of_shares)


@pytest.mark.parametrize("epsilon", ["0", "-1/4", "1e-1", "2/4", "0.5", "1_0", "1/0"])
def test_an_epsilon_that_is_no_reduced_fraction_above_0_is_found(tmp_path, epsilon):
    folder = study_of(tmp_path / "town")
    for path in ("town-noisy_counts.csv", "privacy_losses.csv"):
        file = folder / "report/data" / path
        text = file.read_text()
        value = "1/8" if "counts" in path else "1/2"
        file.write_text(text.replace(f"{value}\n", f"{epsilon}\n", 1))
        said = [*told(proof_of(folder))]
        assert "an epsilon is no fraction above 0" in said
        file.write_text(text)


def test_epsilons_of_counts_below_0_make_up_for_no_others(tmp_path):
    def plant(kinds):
        frame = kinds["noisy_counts"]["town"]
        epsilons = ["100", "100", "-100", "-199/2"]
        kinds["noisy_counts"]["town"] = frame.assign(epsilon=epsilons, range_95=0)

    said = [*told(proof_of(study_of(tmp_path / "town", plant=plant)))]
    assert said == ["an epsilon is no fraction above 0"]


def test_an_epsilon_of_endless_digits_is_not_read(tmp_path):
    folder = study_of(tmp_path / "town", spent={"old": "1"})
    file = folder / "report/data/privacy_losses.csv"
    file.write_text(file.read_text().replace("old,1\n", "old,1e-400000000\n"))
    assert "an epsilon is no fraction above 0" in [*told(proof_of(folder))]


NO_SIZES = SimpleNamespace(
    analyses={"collective": {}, "risk_groups": {}, "smallest_protection": {}}
)


def test_a_run_publishes_it_beside_one_that_names_it_and_no_other(tmp_path):
    prove_study(NO_SIZES, study_of(tmp_path / "a", "a"))
    prove_study(NO_SIZES, study_of(tmp_path / "b", "b", {"a": "1/2"}))
    assert (tmp_path / "b/proofs/public.json").is_file()
    prove_study(NO_SIZES, tmp_path / "a")  # again, beside the later one
    with pytest.raises(VerificationError) as error:
        prove_study(NO_SIZES, study_of(tmp_path / "c", "c", {"a": "1/4", "b": "1/2"}))
    assert "does not go with the public report of a, which is of the same" in str(
        error.value
    )
    said = "names a with an epsilon of 1/4 under report.noise.spent, but "
    assert said in str(error.value)
    assert "a/report has one of 1/2: correct it there" in str(error.value)
    aside = tmp_path / "c/unpublished"
    assert stat.S_IMODE(aside.stat().st_mode) == 0o700
    assert not (tmp_path / "c/report").exists()


@pytest.mark.parametrize("first", ["noise", "shares"])
def test_a_run_publishes_no_noise_beside_shares(tmp_path, first):
    of_shares = study_of(tmp_path / "shares", "shares")
    written(of_shares / "report", made(tmp_path / "made", town(n=1_204)))
    (of_shares / "report/data/town-noisy_counts.csv").unlink()
    (of_shares / "report/data/privacy_losses.csv").unlink()
    study_of(tmp_path / "noise", "noise")
    with pytest.raises(VerificationError, match="of the same persons without"):
        prove_study(NO_SIZES, tmp_path / first)


def test_reports_that_are_read_together_add_up(tmp_path):
    first = study_of(tmp_path / "a", "a")
    second = study_of(tmp_path / "b", "b", {"a": "1/2"}, epsilon="1/3")
    outcome = proof_of(first, {}, Beside(second, n_more=1))
    assert [*told(outcome)] == []
    assert sum(outcome.losses.values()) == Fraction(5, 6)
    third = study_of(tmp_path / "c", "c")
    (said,) = told(proof_of(first, {}, Beside(third)))
    assert said.startswith("neither of ")


@pytest.mark.parametrize(
    ("named", "epsilon", "said"),
    [
        ("1/2", "1", "a with an epsilon of 1/2 under report.noise.spent, but"),
        ("1/2", "1/4", "a with an epsilon of 1/2 under report.noise.spent, but"),
        ("2", "1/3", "a with an epsilon of 2 under report.noise.spent, but"),
    ],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_where_another_epsilon_is_named_both_are_said(
    tmp_path, named, epsilon, said, is_first
):
    first = study_of(tmp_path / "a", "a", epsilon=epsilon)
    second = study_of(tmp_path / "b", "b", {"a": named})
    pair = (first, second) if is_first else (second, first)
    (told_of,) = told(proof_of(pair[0], {}, Beside(pair[1])))
    assert f"{second}/report names {said} {first}/report has one of" in told_of
    assert f"has one of {Fraction(epsilon)}: correct it there" in told_of
    assert "neither of" not in told_of


def test_two_publications_of_one_name_are_two(tmp_path):
    first = study_of(tmp_path / "a", "town")
    again = study_of(tmp_path / "b", "town")
    (again / "report/.snakemake_timestamp").touch()
    assert [*told(proof_of(first, {}, Beside(again)))] == []  # one, given twice
    third = study_of(tmp_path / "c", "town", {"town-1": "1/2"})
    with pytest.raises(VerificationError, match="are two publications of one name"):
        prove_study(NO_SIZES, third)
    (said,) = told(
        proof_of(first, {}, Beside(study_of(tmp_path / "d", "town", None, "1/3")))
    )
    assert "are two publications of one name, whose epsilons add up" in said


def test_a_run_replaces_no_proved_page_by_one_with_other_counts(tmp_path):
    folder = study_of(tmp_path / "town")
    spec = specs()["noisy_counts"]
    new = {}
    for name, epsilon in {"same": "1/2", "other": "1/3"}.items():
        counts = noisy_tables(tmp_path / name, epsilon=epsilon)["noisy_counts/town"]
        new[name] = tmp_path / name / "published"
        (new[name] / "noisy_counts").mkdir(parents=True)
        write_table(new[name] / "noisy_counts/town.csv", counts, spec)
    (tmp_path / "none").mkdir()
    check_replaced(folder, new["other"])  # nothing is proved
    prove_study(NO_SIZES, folder)
    check_replaced(folder, new["same"])
    for published in (new["other"], tmp_path / "none"):
        with pytest.raises(StudyError) as error:
            check_replaced(folder, published)
        assert "would replace it by is a further publication. Give the study" in str(
            error.value
        )
        assert "name town with its epsilon under report.noise.spent" in str(error.value)
    (folder / "report").rename(tmp_path / "never given away")
    check_replaced(folder, new["other"])


STUDY = """\
study: demo
seed: 3
tables:
  people:
    source: delimited
    options: {person_id: id}
    releases: {1: {archive: town.csv}}
protections:
  coarse: {table: people, release: 1, steps: [{drop: [town]}]}
analyses:
  collective:
    - {name: one, table: people, focal: 1, qids: [age, sex], sensitive: [ill]}
report:
  audience: public
  noise: {epsilon: 1/2, key: KEY}
"""


def with_key(folder, text=STUDY, n_bytes=32):
    (folder / "key").touch(0o600)
    (folder / "key").write_bytes(bytes(range(n_bytes)))
    return text.replace("KEY", str(folder / "key"))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("audience: public", "audience: internal", "has noise and not audience: publ"),
        ("audience: public", "audience: public\n  step: 5", "has a step and no shares"),
        ("epsilon: 1/2", "epsilon: 0/2", "has an epsilon of 0"),
        ("epsilon: 1/2", "epsilon: ln 3", "report.noise.epsilon"),
        ("key: KEY", "key: KEY, spent: {demo: 1}", "spent has demo, which is this"),
        ("key: KEY", "key: KEY, spent: {old: '0'}", "has an epsilon of 0"),
        ("key: KEY", "key: none", "there is no file none. Correct key. Make one"),
    ],
)
def test_noise_that_cannot_be_is_refused(tmp_path, old, new, words):
    assert old in STUDY
    refused(tmp_path, with_key(tmp_path, STUDY.replace(old, new)), words)


def test_a_short_key_is_refused(tmp_path):
    refused(tmp_path, with_key(tmp_path, n_bytes=31), "has 31 bytes, and a key has 32")


def test_no_hash_of_the_key_is_kept(tmp_path):
    study = loaded(tmp_path, with_key(tmp_path))
    (job,) = (j for _, jobs in OF_PUBLISHED for j in jobs(study))
    found = job.settings["key"]
    assert found == hmac.new(bytes(range(32)), b"fingerprint", "sha256").hexdigest()
    assert sha256_of(tmp_path / "key") not in json.dumps(job.settings)
    (tmp_path / "key").write_bytes(bytes(range(1, 33)))
    (other,) = (j for _, jobs in OF_PUBLISHED for j in jobs(study))
    assert other.settings["key"] != found


def test_what_is_read_are_the_records_and_their_measures(tmp_path):
    study = loaded(tmp_path, with_key(tmp_path))
    assert [*PUBLICATION.counts_needs(study)] == [
        *("measures/collective/one.csv", "people/people/1.parquet")
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("focal: 1,", "focal: coarse,"),
        ("sensitive:", "subsets: {sizes: [1]}, sensitive:"),
    ],
)
def test_releases_made_of_others_and_parts_of_the_qids_are_not_counted(
    tmp_path, old, new
):
    study = loaded(tmp_path, with_key(tmp_path, STUDY.replace(old, new)))
    assert [*PUBLICATION.counts_needs(study)] == []
