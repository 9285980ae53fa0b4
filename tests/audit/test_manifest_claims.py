"""A manifest that was sealed again is refused where results say otherwise."""

import json

import pytest

from microleak.audit.crate import CRATE
from microleak.audit.manifest import verify
from microleak.base.digests import Digests
from microleak.base.errors import VerificationError
from microleak.study.listing import manifest_entry
from tests.audit.auditing import sealed_again


def output(manifest, path):
    return next(each for each in manifest["outputs"] if each["path"] == path)


def more_rows(manifest):
    output(manifest, "people/census/2018.parquet")["n_rows"] += 1


def no_rows(manifest):
    del output(manifest, "measures/collective/a.csv")["n_rows"]


def more_bytes(manifest):
    output(manifest, "report/index.html")["bytes"] += 1


def other_input(manifest):
    manifest["inputs"]["tables/census/2018.json"]["n_read"] = 4


def no_input(manifest):
    del manifest["inputs"]["people/census/2018.json"]


def an_input_more(manifest):
    manifest["inputs"]["tables/census/2017.json"] = {"archive": "census.zip"}


def synthetic(manifest):
    manifest["synthetic"] = True


def other_code(manifest):
    manifest["code"]["fingerprint"] = "1" * 64


def other_microleak(manifest):
    manifest["code"]["microleak"] = "9.9"


def other_version(manifest):
    manifest["versions"]["duckdb"] = "9.9"


def other_study_file(manifest):
    manifest["config"]["sha256"] = "1" * 64


def no_crate(manifest):
    manifest["outputs"].pop()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (more_rows, r"1 with other bytes or rows \(people/census/2018\.parquet\)"),
        (no_rows, r"1 with other bytes or rows \(measures/collective/a\.csv\)"),
        (more_bytes, r"1 with other bytes or rows \(report/index\.html\); 1 told"),
        (other_input, r"say: 1 with another receipt \(tables/census/2018\.json\)\. "),
        (no_input, r"1 with another receipt \(people/census/2018\.json\)"),
        (an_input_more, r"1 with another receipt \(tables/census/2017\.json\)"),
        (synthetic, r"1 with another mark of twins \(measures/ingest\.csv\)"),
        (other_code, r"1 told otherwise by ro-crate.*json \(#software-microleak\)"),
        (other_microleak, r"1 told otherwise by .* \(#software-microleak\)"),
        (other_version, r"1 told otherwise by .* \(#software-duckdb\)"),
        (
            other_study_file,
            r"2 told otherwise by .* \(ni:///sha-256;.*, ni:///sha-256;.*\)",
        ),
    ],
)
def test_a_manifest_that_says_what_the_results_do_not_is_refused(made, change, said):
    sealed_again(made, change)
    with pytest.raises(VerificationError, match=rf"manifest\.json does not.*{said}"):
        verify(made)


def test_a_crate_that_the_manifest_does_not_list_is_named(made):
    sealed_again(made, no_crate)
    with pytest.raises(VerificationError, match=r"1 not listed \(ro-crate-metadata"):
        verify(made)


def change_the_crate(made, change):
    """Have the crate changed, and the manifest list it as it is now."""
    path = made / CRATE
    crate = json.loads(path.read_text(encoding="utf-8"))
    change(crate)
    path.write_text(json.dumps(crate), encoding="utf-8")
    listed = manifest_entry(made, CRATE, Digests())
    sealed_again(made, lambda manifest: output(manifest, CRATE).update(listed))


def no_graph(crate):
    crate["@graph"] = 3


def other_hash(crate):
    files = {each["@id"]: each for each in crate["@graph"]}
    files["report/index.html"]["sha256"] = "1" * 64


def a_file_more(crate):
    crate["@graph"].append({"@id": "report/x.html", "sha256": "1" * 64})


@pytest.mark.parametrize(
    ("change", "said"),
    [(no_graph, CRATE), (other_hash, "report/index.html"), (a_file_more, "report/x")],
)
def test_a_crate_that_says_what_the_manifest_does_not_is_refused(made, change, said):
    change_the_crate(made, change)
    with pytest.raises(VerificationError, match=rf"1 told otherwise by .* \({said}"):
        verify(made)


def test_the_words_of_a_crate_may_be_those_of_another_version(made):
    def reworded(crate):
        for each in crate["@graph"]:
            if each.get("description") and each["@id"] != "#software-microleak":
                each["description"] = "Other words"

    change_the_crate(made, reworded)
    assert verify(made) > 0
