"""What of a study file may be told: no folders, secrets of addresses, known values."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any


def public_settings(study: Mapping[str, Any]) -> dict[str, Any]:
    """Copy a study file's content without what must not be told.

    An archive is given by its file name, an address without user, password, query
    and fragment, and what is known of a target by its attributes.
    """
    content: dict[str, Any] = json.loads(json.dumps(study))
    for release in _releases(content):
        if "archive" in release:
            release["archive"] = PurePosixPath(release["archive"]).name
        if "url" in release:
            address = re.sub("//[^/]*@", "//", release["url"], count=1)
            release["url"] = re.split("[?#]", address, maxsplit=1)[0]
    for target in content["analyses"].get("targets", []):
        target["known"] = _attributes(target["known"])
    for analysis in content["analyses"].get("membership", []):
        if "targets" in analysis:
            known = analysis["targets"].items()
            analysis["targets"] = {name: list(values) for name, values in known}
    return content


def _releases(study: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for table in study.get("tables", {}).values():
        yield from table["releases"].values()


def _attributes(known: Mapping[str, Any]) -> Any:
    """Return the attributes of which a value is known, by release if they are so."""
    if any(isinstance(value, Mapping) for value in known.values()):
        return {release: list(values) for release, values in known.items()}
    return list(known)
