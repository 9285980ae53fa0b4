"""The crate says what the manifest says, in a form that others check and read."""

import json
from io import BytesIO
from pathlib import Path

import pytest
import yaml

import microleak
from microleak.audit.crate import CRATE, copy_code, rules, write_crate
from microleak.base.files import write_text
from microleak.base.paths import ROOT
from microleak.study.steps import steps_by_rule

ZERO, ONE, TWO = ("0" * 64, "1" * 64, "2" * 64)
MADE = (
    *sorted({"code/workflow/Snakefile", *(rule.path for rule in rules().values())}),
    *("confidential/targets/ana.csv", "figures/a/x.svg"),
    *("measures/collective/a.csv", "measures/ingest.csv"),
    *("people/census/2018.parquet", "profiles/a/2018.parquet"),
    *("report/index.html", "tables/census/2018.json", "tables/census/2018.parquet"),
)
NEEDED = "needs pip install roc-validator, which asks for an older rich"
PROFILE = "provenance-run-crate"
OF_1_1 = "bioschemas.org/"
MANIFEST = {
    "study": "small",
    "synthetic": False,
    "config": {
        "name": "small.yaml",
        "sha256": ONE,
        "content": {
            "tables": {
                "census": {
                    "releases": {"2018": {"url": "https://example.org/census.zip"}}
                }
            },
            "analyses": {"targets": [{"name": "ana", "known": ["age"]}]},
        },
    },
    "code": {"microleak": "0.1.0", "fingerprint": ZERO},
    "versions": {"duckdb": "2.0", "python": "3.11.7", "snakemake": "9.27.0"},
    "inputs": {
        "people/census/2018.json": {"n_records": 2},
        "tables/census/2018.json": {
            "archive": "census.zip",
            "sha256": TWO,
            "bytes": 9,
            "person_id": "secret",
        },
    },
    "outputs": [{"path": path, "sha256": ZERO, "bytes": 5} for path in MADE],
}


def graph(folder, manifest=MANIFEST):
    """Entities of the crate of a manifest, by their names, in their order."""
    read = {
        "rule": "profile",
        "inputs": [["releases", "people/census/2018.parquet", ""]],
        "outputs": {},
    }
    write_text(folder / "records/profile/a/2018.json", json.dumps(read))
    write_crate(folder, manifest)
    content = json.loads((folder / CRATE).read_text(encoding="utf-8"))
    entities = {entity["@id"]: entity for entity in content["@graph"]}
    assert len(entities) == len(content["@graph"]), "an entity stands once"
    return entities


def pointed_to(part):
    if isinstance(part, list):
        return {name for each in part for name in pointed_to(each)}
    if not isinstance(part, dict):
        return set()
    if set(part) == {"@id"}:
        return {part["@id"]}
    return {name for value in part.values() for name in pointed_to(value)}


def test_every_result_has_its_hash_and_size_and_belongs_to_the_crate(tmp_path):
    found = graph(tmp_path)
    for path in MADE:
        assert (found[path]["sha256"], found[path]["contentSize"]) == (ZERO, "5")
    assert pointed_to(found["./"]["hasPart"]) > set(MADE)


def test_what_an_entity_points_to_is_in_the_crate_or_on_the_web(tmp_path):
    found = graph(tmp_path)
    missing = {each for part in found.values() for each in pointed_to(part)} - {*found}
    assert missing == {
        "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE",
        "https://snakemake.readthedocs.io",
        "https://w3id.org/ro/crate/1.1",
    }


def test_a_rule_made_its_results_of_those_that_it_reads(tmp_path):
    found = graph(tmp_path)
    profiled = found["#run-profile"]
    assert pointed_to(profiled["result"]) == {"profiles/a/2018.parquet"}
    assert "people/census/2018.parquet" in pointed_to(profiled["object"])
    assert "tables/census/2018.parquet" not in pointed_to(profiled["object"])


def test_an_archive_that_was_read_is_named_by_its_hash_with_its_address(tmp_path):
    found = graph(tmp_path)
    (archive,) = (each for each in found.values() if each.get("sha256") == TWO)
    assert (archive["name"], archive["contentSize"]) == ("census.zip", "9")
    assert archive["url"] == "https://example.org/census.zip"
    assert archive["@id"].startswith("ni:///sha-256;")
    for run in ("#run-ingest", "#run"):
        assert archive["@id"] in pointed_to(found[run]["object"])


def test_of_records_and_persons_only_paths_hashes_and_sizes_are_told(tmp_path):
    found = graph(tmp_path)
    told = {"@id", "@type", "name", "encodingFormat", "sha256", "contentSize"}
    for path in ("people/census/2018.parquet", "confidential/targets/ana.csv"):
        assert set(found[path]) == told
    text = (tmp_path / CRATE).read_text(encoding="utf-8")
    assert "secret" not in text
    assert '"age"' not in text


@pytest.mark.parametrize("is_synthetic", [False, True])
def test_synthetic_results_say_so(tmp_path, is_synthetic):
    found = graph(tmp_path, MANIFEST | {"synthetic": is_synthetic})
    assert ("SYNTHETIC" in found["./"]["description"]) is is_synthetic


def test_the_crate_is_the_same_at_any_time_and_has_no_path_of_this_machine(
    tmp_path, monkeypatch
):
    graph(tmp_path)
    first = (tmp_path / CRATE).read_bytes()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1")
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    graph(tmp_path)
    assert (tmp_path / CRATE).read_bytes() == first
    assert str(Path(microleak.__file__).parents[1]).encode() not in first


def test_software_is_named_with_its_version_and_microleak_with_fingerprint_and_date(
    tmp_path,
):
    found = graph(tmp_path)
    assert found["#software-duckdb"]["softwareVersion"] == "2.0"
    assert found["#software-microleak"]["softwareVersion"] == "0.1.0"
    assert ZERO in found["#software-microleak"]["description"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == microleak.__version__
    assert found["./"]["datePublished"] == str(citation["date-released"])


def test_the_copy_of_the_workflow_is_that_of_this_checkout_and_no_other(tmp_path):
    (tmp_path / "code").mkdir()
    (tmp_path / "code/old.smk").write_text("rule old:")
    copy_code(tmp_path)
    copied = {path for path in (tmp_path / "code").rglob("*") if path.is_file()}
    names = {path.relative_to(tmp_path).as_posix() for path in copied}
    paths = {rule.path for rule in rules().values()}
    scripts = {f"code/scripts/{file.name}" for file in (ROOT / "scripts").glob("*.py")}
    captions = {
        f"code/workflow/report/{file.name}"
        for file in (ROOT / "workflow/report").glob("*.rst")
    }
    assert len(captions) == 4
    helpers = {"code/Snakefile", "code/workflow/rules/common.smk"}
    assert names == paths | scripts | captions | helpers
    for path in copied:
        original = ROOT / path.relative_to(tmp_path / "code")
        assert path.read_bytes() == original.read_bytes()


def test_every_rule_is_a_step():
    assert set(rules()) - {"all"} == {step.rule for step in steps_by_rule().values()}


def remember(url, text, cache):
    """Put what an address gives into the validator's cache: no test fetches."""
    requests_cache = pytest.importorskip("requests_cache")
    adapters = pytest.importorskip("requests.adapters")
    urllib3 = pytest.importorskip("urllib3")

    class Stored(adapters.HTTPAdapter):
        def send(self, request, **options):
            body = urllib3.HTTPResponse(
                BytesIO(text.encode()),
                status=200,
                headers={"Content-Type": "application/ld+json"},
                preload_content=False,
            )
            return self.build_response(request, body)

    with requests_cache.CachedSession(str(cache)) as session:
        session.mount("https://", Stored())
        session.get(url)


@pytest.mark.oracle
def test_a_validator_finds_the_crate_to_be_a_provenance_run_crate(tmp_path):
    services = pytest.importorskip("rocrate_validator.services", reason=NEEDED)
    rocrate = pytest.importorskip("rocrate", reason=NEEDED)
    terms = Path(rocrate.__file__).with_name("data") / "ro-crate.jsonld"
    # It brings those of 1.3, which give two classes another address than 1.1 did.
    text = terms.read_text(encoding="utf-8").replace("bioschemas.org/terms/", OF_1_1)
    known = tmp_path / "known"
    remember("https://w3id.org/ro/crate/1.1/context", text, known)
    folder = tmp_path / "small"
    copy_code(folder)
    for path in MADE:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).touch()
    graph(folder)
    settings = {"rocrate_uri": str(folder), "offline": True, "cache_path": known}
    found = services.validate(settings | {"profile_identifier": PROFILE})
    assert {issue.message for issue in found.get_issues()} == set()
