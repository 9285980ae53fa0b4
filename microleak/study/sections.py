"""The whole study file as one model: the shell, and the sections of every family."""

from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, ValidationError, create_model

from microleak.base.errors import StudyError
from microleak.base.paths import ROOT, SCHEMA
from microleak.families import FAMILIES
from microleak.family import load
from microleak.study_file import faults
from microleak.study_file.schema import documentation, plain_schema, schema_file
from microleak.study_file.section import QID_SETS, Section
from microleak.study_file.shell import Shell


@cache
def study_model() -> type[BaseModel]:
    """Return the model of a study file, put together from the families' sections."""
    sections: dict[str, Any] = {}
    for family in FAMILIES:
        section: Any = load(family.section).SECTION
        described = Field(default=(), description=section.__doc__)
        sections[family.name] = tuple[section, ...], described
    analyses = create_model("Analyses", __base__=Section, **sections)
    modules = (load(family.section) for family in FAMILIES)
    further = (each.FURTHER for each in modules if hasattr(each, "FURTHER"))
    what = Field(description="What is measured.")
    return create_model(
        "StudyFile", __base__=(Shell, *further), analyses=(analyses, what)
    )


@cache
def schema() -> dict[str, Any]:
    """Return the JSON schema of study files, as `config/schema.yaml` has it."""
    return plain_schema(study_model())


def check(content: object, path: Path) -> Any:
    """Return a study file by its sections, with defaults filled in.

    Raises
    ------
    StudyError
        One line for the first fault in the file: the key, what is wrong with
        it and, for an unknown key, the nearest that exists.
    """
    sets = content.get(QID_SETS) if isinstance(content, dict) else None
    context = {QID_SETS: sets if isinstance(sets, dict) else {}}
    try:
        return study_model().model_validate(content, context=context)
    except ValidationError as error:
        said = faults.sentence(error, schema(), content)
    raise StudyError(f"{path}: {said}")


def documents() -> dict[Path, str]:
    """Return what `make docs` writes: the schema for editors, and all keys."""
    page = ROOT / "docs" / "study-file.md"
    return {SCHEMA: schema_file(schema()), page: documentation(schema())}


if __name__ == "__main__":
    for path, text in documents().items():
        path.write_text(text, encoding="utf-8")
