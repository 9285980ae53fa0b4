"""The manifest of a study: what it may tell of the study file, written and checked."""

import csv
import json
import re
from collections.abc import Collection, Iterable, Mapping
from gettext import gettext as _
from pathlib import Path, PurePosixPath
from typing import Any

from microleak import __version__
from microleak.audit.crate import CRATE, claims, copy_code, fingerprint_in, write_crate
from microleak.audit.sealed import read_manifest, sealed_text
from microleak.base.digests import Digests
from microleak.base.errors import StudyError, VerificationError
from microleak.base.files import sha256_of, write_text
from microleak.base.paths import CODE, MANIFEST, RECORDS
from microleak.families import FAMILIES
from microleak.family import load
from microleak.study import listing
from microleak.study.fingerprint import PACKAGES, code_fingerprint, package_versions
from microleak.study.outdated import is_output
from microleak.study.steps import AUDIT, step_of


def public_settings(study: Mapping[str, Any]) -> dict[str, Any]:
    """Copy a study file's content without what must not be told."""
    # An archive is given by its file name, an address without user, password, query and
    # fragment, and what is known of a target by its attributes.
    content: dict[str, Any] = json.loads(json.dumps(study))
    for table in content.get("tables", {}).values():
        for release in table["releases"].values():
            if "archive" in release:
                release["archive"] = PurePosixPath(release["archive"]).name
            if "url" in release:
                address = re.sub("//[^/]*@", "//", release["url"], count=1)
                release["url"] = re.split("[?#]", address, maxsplit=1)[0]
    for family in FAMILIES:
        if family.told and family.name in content["analyses"]:
            given = content["analyses"][family.name]
            content["analyses"][family.name] = load(family.told)(given)
    return content


def write_manifest(
    study_dir: Path,
    study: Mapping[str, Any],
    config: Path,
    outputs: Collection[str],
    digests: Digests,
) -> None:
    """Write crate and manifest of a study whose other results are complete.

    Empty folders, which a run that failed may have left, are removed before, and
    files with records are closed to other users, of a public study all but report/.
    The workflow is copied to `code/`, and `ro-crate-metadata.json` is made from the
    manifest, which then lists it as well. `manifest.json` holds:

    - `study`, `seed` and `synthetic`, whether any release that was read is made by a
      twin, by order of the study file or by the marks in its archive;
    - `config`: name and SHA-256 of the study file, and its content, in which an
      archive is given by its file name and an address without user, password,
      query and fragment, which may be secrets; of what is known of a target
      only the attributes stand there. The SHA-256 of the study file, and of a
      small result, still tells whoever guesses its content that it is right;
    - `code`: microleak's version and the fingerprint of all its code;
    - `versions` of Python and the packages that results depend on, a change of
      which makes their rules run again, and of Snakemake, which ran them last;
    - `inputs`: the receipts of ingest, deduplicate and join by their paths, with
      each archive's name, SHA-256, bytes, members and rows in and out;
    - `outputs`: path, SHA-256 and bytes of every file that is an output, and the
      rows of Parquet and CSV files (a CSV's without its header); they stand by
      path, the crate last;
    - `manifest_sha256`: SHA-256 of this file without that line, which shows a
      slip of the hand. Who wants to forge a manifest can: keep its own hash
      elsewhere.
    """
    # The crate describes what the manifest lists, so it is listed last of all.
    outputs = {*outputs} - {CRATE}
    _check_complete(study_dir, outputs)
    listing.remove_empty_folders(study_dir)
    audience = study.get("report", {}).get("audience", "internal")
    # Closed before they are hashed, as a file's change of mode has it hashed again.
    listing.close_private_files(study_dir, audience)
    copy_code(study_dir)
    paths = listing.files_of(study_dir)
    paths = [path for path in paths if is_output(path, {*outputs, CODE})]
    content = {
        "study": study["study"],
        "seed": study["seed"],
        "synthetic": is_synthetic(study_dir),
        "config": {
            "name": config.name,
            "sha256": sha256_of(config),
            "content": public_settings(study),
        },
        "code": {"microleak": __version__, "fingerprint": code_fingerprint()},
        "versions": package_versions((*PACKAGES, "snakemake")),
        "inputs": receipts(study_dir, paths),
        "outputs": [listing.manifest_entry(study_dir, path, digests) for path in paths],
    }
    write_crate(study_dir, content)
    content["outputs"].append(listing.manifest_entry(study_dir, CRATE, digests))
    write_text(study_dir / MANIFEST, sealed_text(content))
    listing.close_private_files(study_dir, audience)


def _check_complete(study_dir: Path, outputs: Collection[str]) -> None:
    missing = [path for path in sorted(outputs) if not (study_dir / path).exists()]
    if missing:
        raise StudyError(
            f"{study_dir} lacks results that its manifest should list "
            f"({listing.first_few(missing)}). Run microleak resume with the study file."
        )
    root = study_dir.resolve()
    refuse_linked(study_dir, (p for p in outputs if (root / p).resolve() != root / p))


def check_places(study_dir: Path, outputs: Collection[str]) -> None:
    """Refuse to make results where a link leads elsewhere or a folder is in the way."""
    root = study_dir.resolve()
    places = {str(parent) for path in outputs for parent in PurePosixPath(path).parents}
    refuse_linked(study_dir, (p for p in places if (root / p).resolve() != root / p))
    files = (path for path in outputs if PurePosixPath(path).suffix)
    blocked = sorted(path for path in files if (root / path).is_dir())
    if blocked:
        raise StudyError(
            f"{study_dir / blocked[0]} is a folder where a file would be made. Move it "
            "out of the results."
        )


def refuse_linked(study_dir: Path, paths: Iterable[str]) -> None:
    """Refuse results that lie behind links, if there are any."""
    if linked := sorted(paths):
        raise StudyError(
            f"{len(linked)} results of {study_dir} lie behind links "
            f"({listing.first_few(linked)}), where others can change them. Put the "
            "files in the place of the links, or link the whole folder."
        )


def is_current(study_dir: Path, config: Path, digests: Digests) -> bool:
    """Say whether a manifest is of this study file, this code and all that lies there.

    Whether the results are what they should be, records tell.
    """
    try:
        content = read_manifest(study_dir)
    except VerificationError:
        return False
    listed = {each["path"]: each["sha256"] for each in content["outputs"]}
    return (
        content["config"]["name"] == config.name
        and content["config"]["sha256"] == sha256_of(config)
        and content["code"]["fingerprint"] == code_fingerprint()
        and content["versions"] == package_versions((*PACKAGES, "snakemake"))
        and set(listing.files_of(study_dir)) == set(listed)
        and all(digests.of(study_dir / path) == listed[path] for path in listed)
    )


def verify(study_dir: Path) -> int:
    """Check a study's results against its manifest; return the number of files."""
    manifest = read_manifest(study_dir)
    listed = {each["path"]: each["sha256"] for each in manifest["outputs"]}
    faults = _faults(study_dir, listed)
    if told := _told(faults):
        again = _("Restore the files, or run microleak run with the study file.")
        away = _("Move what is not listed out of the folder.")
        is_other = faults["changed"] or faults["missing"]
        to_do = [again] * bool(is_other) + [away] * bool(faults["not listed"])
        said = _("{folder} is not what its {manifest} lists: {told}. {to_do}")
        known = {"folder": study_dir, "manifest": MANIFEST, "told": told}
        raise VerificationError(said, **known, to_do=" ".join(to_do))
    if told := _told(contradictions(study_dir, manifest)):
        said = _(
            "{manifest} does not say what the results say: {told}. It was changed "
            "after it was made, or they were, and it was sealed again. Restore both, "
            "or delete it and run microleak run with the study file."
        )
        raise VerificationError(said, manifest=study_dir / MANIFEST, told=told)
    return len(listed)


def _faults(study_dir: Path, listed: Mapping[str, str]) -> dict[str, list[str]]:
    found = set(listing.files_of(study_dir))
    emptied = {f"{up}/" for path in listed for up in PurePosixPath(path).parents}
    return {
        "changed": [
            path
            for path in sorted(found & set(listed))
            if not listing.is_file_of(study_dir, path, listed[path])
        ],
        "missing": sorted(set(listed) - found),
        "not listed": sorted(found - set(listed) - emptied),
    }


def _told(faults: Mapping[str, list[str]]) -> str:
    return "; ".join(
        f"{len(paths)} {_(fault)} ({listing.first_few(paths)})"
        for fault, paths in faults.items()
        if paths
    )


_OF_RECEIPTS = ("tables/", "people/", "panels/")
INGEST = "measures/ingest.csv"  # Rows of every release, and whether a twin made it


def receipts(study_dir: Path, paths: Iterable[str]) -> dict[str, Any]:
    return {
        path: _receipt(study_dir / path)
        for path in paths
        if path.startswith(_OF_RECEIPTS) and path.endswith(".json")
    }


def _receipt(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise StudyError(
            f"{path} is not JSON: the receipt is damaged. Delete it and run "
            "microleak run with the study file."
        ) from None


def is_synthetic(study_dir: Path) -> bool:
    """Say whether a twin made any release that was read, by the counts of its rows."""
    path = study_dir / INGEST
    with path.open(encoding="utf-8", newline="") as file:
        return any(row["synthetic"] == "true" for row in csv.DictReader(file))


_SAID = ("sha256", "contentSize", "softwareVersion", "url")


def contradictions(
    study_dir: Path, manifest: Mapping[str, Any]
) -> dict[str, list[str]]:
    """Return what a study's results say otherwise than their manifest does."""
    paths = [listed["path"] for listed in manifest["outputs"]]
    is_marked_so = INGEST in paths and is_synthetic(study_dir) == manifest["synthetic"]
    return {
        "with other bytes or rows": _other_sizes(study_dir, manifest["outputs"]),
        "with another receipt": _other(receipts(study_dir, paths), manifest["inputs"]),
        "with another mark of twins": [] if is_marked_so else [INGEST],
        f"told otherwise by {CRATE}": _other_entities(study_dir, manifest),
        "told otherwise by records": _other_records(study_dir, manifest),
    }


def _other(found: Mapping[str, Any], told: Mapping[str, Any]) -> list[str]:
    return [n for n in sorted({*found, *told}) if found.get(n) != told.get(n)]


def _other_sizes(study_dir: Path, outputs: Iterable[Mapping[str, Any]]) -> list[str]:
    return [
        listed["path"]
        for listed in outputs
        if listing.size_of(study_dir / listed["path"])
        != {name: listed[name] for name in listed if name not in ("path", "sha256")}
    ]


def _other_records(study_dir: Path, manifest: Mapping[str, Any]) -> list[str]:
    """Return results of which records say other hashes, and those without a record."""
    listed = {each["path"]: each["sha256"] for each in manifest["outputs"]}
    listed["study file"] = manifest["config"]["sha256"]
    paths = [path for path in listed if path.startswith(f"{RECORDS}/")]
    made: dict[str, str] = {}
    wrong: set[str] = set()
    for path in paths:
        try:
            record = json.loads((study_dir / path).read_text(encoding="utf-8"))
            made |= record["outputs"]
            read = [(name, sha) for _, name, sha in record["inputs"]]
            wrong |= {name for name, sha in read if listed.get(name, sha) != sha}
        except (ValueError, KeyError, TypeError, AttributeError):
            wrong.add(path)
    results = {p for p in listed if step_of(p) not in (None, AUDIT)}
    wrong |= {path for path in results if made.get(path) != listed[path]}
    return sorted(wrong)


def _other_entities(study_dir: Path, manifest: Mapping[str, Any]) -> list[str]:
    """Names of entities of which crate and manifest say other things."""
    try:
        crate = json.loads((study_dir / CRATE).read_text(encoding="utf-8"))
        found, told = _said(crate["@graph"]), _said(claims(manifest))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return [CRATE]
    return _other(found, told)


def _said(entities: Iterable[Mapping[str, Any]]) -> dict[str, tuple[Any, ...]]:
    """Return what is said of each file and program, by its name."""
    return {
        each["@id"]: (*map(each.get, _SAID), fingerprint_in(each))
        for each in entities
        if "sha256" in each or "softwareVersion" in each
    }
