"""What all sections of the study file have in common, and the values in them.

A section is one pydantic model: it says which keys there are, what each means and
may be, and it is what the program and its jobs work with. The text below a key is
its description in `config/schema.yaml` and `docs/study-file.md`.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from gettext import gettext as _
from numbers import Integral
from typing import Annotated, Any, Literal, NoReturn, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    StrictInt,
    ValidationInfo,
    field_validator,
)
from pydantic.config import JsonDict
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import CoreSchema, PydanticCustomError, core_schema
from typing_extensions import TypedDict

from microleak.base.arrays import QidMask
from microleak.base.errors import StudyError, did_you_mean, most_like
from microleak.records.subsets import subsets_of

# In the context of what is read from a study file, and of nothing else: its sets
QID_SETS = "qid_sets"
# What `read` of a family is given, a `microleak.study_file.context.Context`. By no
# import: jobs import sections, and what only checks is no code of what measures.
Context = Any


def refuse(said: str) -> NoReturn:
    """Refuse a section with a sentence, which begins with its place in the file."""
    raise PydanticCustomError("sentence", "{said}", {"said": said})


class Section(BaseModel):
    """A part of the study file, which has no other keys than its fields."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        hide_input_in_errors=True,
        serialize_by_alias=True,
    )

    @field_validator("*", mode="before")
    @classmethod
    def _check_given(cls, value: Any, info: ValidationInfo) -> Any:
        """Refuse what a study file cannot give: null for a key that it may leave out.

        Nor what is found by reading it, which the schema does not have.
        """
        field = cls.model_fields[str(info.field_name)]
        kinds = {type(each) for each in field.metadata}
        if info.context and SkipJsonSchema in kinds:
            raise PydanticCustomError("extra_forbidden", "no key of a study file")
        is_left_out = value is None and field.default is None and Missing not in kinds
        if info.context and is_left_out:
            raise PydanticCustomError("null", "null")
        return value

    def as_given(self) -> dict[str, Any]:
        """Return the keys that are given, and lists for lists."""
        return self.model_dump(mode="json", exclude_unset=True)

    def checked(self, where: str) -> Self:
        """Return it with what its files say; refuse what no data can have."""
        # A study file and functions on frames call it alike; `where` begins messages.
        return self

    def check_one(self, *fields: str) -> None:
        """Refuse a section that does not give exactly one of some fields."""
        if len(self.model_fields_set.intersection(fields)) != 1:
            *others, last = (each.rstrip("_") for each in fields)
            refuse(f"must give exactly one of {', '.join(others)} and {last}.")


@dataclass(frozen=True)
class Missing:
    """Marks a value that may be missing, which a study file writes as null."""

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {"type": ["string", "null"]}


@dataclass(frozen=True)
class DefaultText:
    """What is said of a type where a key of it has no text of its own."""

    text: str

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {"description": self.text} | handler(schema)


@dataclass(frozen=True)
class Never:
    """Refuses texts in which a pattern is found."""

    pattern: str

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_after_validator_function(
            self._checked, handler(source)
        )

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return handler(schema) | {"not": {"pattern": self.pattern}}

    def _checked(self, text: str) -> str:
        if re.search(self.pattern, text):
            raise PydanticCustomError("never", "never")
        return text


@dataclass(frozen=True)
class Different:
    """Refuses a list that repeats an entry."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_after_validator_function(
            self._checked, handler(source)
        )

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return handler(schema) | {"uniqueItems": True}

    def _checked(self, entries: tuple[Any, ...]) -> tuple[Any, ...]:
        for place, entry in enumerate(entries):
            if entry in entries[:place]:
                raise PydanticCustomError("repeated", "{place}", {"place": place})
        return entries


def check_sensitive(
    names: Iterable[str], sensitive: Collection[str], key: str, where: str
) -> None:
    """Refuse attributes of a key that are not among the sensitive ones."""
    for name in names:
        if name not in sensitive:
            raise StudyError(
                f"{where}: {key} has {name}, which is not sensitive."
                f"{did_you_mean(name, sensitive)} Add it to sensitive, or remove it "
                f"from {key}."
            )


def check_own_role(
    name: str | None,
    what: str,
    qids: Collection[str],
    sensitive: Collection[str],
    where: str,
) -> None:
    """Refuse an attribute with a role of its own that is a QID or sensitive, too."""
    if name in (*qids, *sensitive):
        role = "a QID" if name in qids else "sensitive"
        raise StudyError(
            f"{where}: {name} is both {what} and {role}. Remove it from one."
        )


def as_text(given: object) -> object:
    """Return an integer as a text, and all else as it is."""
    is_whole = isinstance(given, Integral) and not isinstance(given, bool)
    return str(given) if is_whole else given


# Said in the schema of what must not be shown: what is known of a person
SECRET: JsonDict = {"writeOnly": True}
_NAME = "^[A-Za-z0-9][A-Za-z0-9._-]*$"
_UNFINISHED = Never(r"[.]part([.]json)?\Z")
# A name that can be part of a path, and of no download under way
Name = Annotated[str, Field(pattern=_NAME, max_length=100), _UNFINISHED]

Key = Annotated[
    Name,
    Field(
        description="Names have letters of English, digits, `.`, `_` and `-`, begin "
        "with a letter or digit, have at most 100 characters and do not end in `.part` "
        "or `.part.json`."
    ),
]

TargetName = Annotated[
    str, Field(pattern=_NAME, max_length=100), Never(r"([.]part([.]json)?|-further)\Z")
]

NotEmpty = Annotated[str, Field(min_length=1)]
Positive = Annotated[StrictInt, Field(ge=1)]
# A text, or an integer that is taken as one, as the name of a release is
Text = Annotated[str, BeforeValidator(as_text, json_schema_input_type=str | int)]
SHARE_FORM = r"^(\d{1,15}|\d{0,15}\.\d{1,15}|\d{1,15}/\d{0,14}[1-9]\d{0,14})$"
Share = Annotated[
    Text,
    Field(pattern=SHARE_FORM),
    DefaultText('A number from 0 to 1 in quotes, as `"0.05"` or `"1/20"`.'),
]
"""A text of a fraction; that it is from 0 to 1 is checked where it is used."""

Seed = Annotated[StrictInt, Field(ge=0, le=4294967295)]

Attribute = Annotated[
    str,
    Field(min_length=1),
    Never(r"""[|\x00-\x1f\x7f-\x9f\u2028\u2029]|^[\s'"]*[=+\-@＝＋－＠]"""),
]
_Listed = Annotated[
    Attribute,
    Field(
        description="Names of attributes are not empty, have neither control "
        "characters nor `|`, which joins them in the result tables, and do not begin "
        "as a formula of a spreadsheet does (`=`, `+`, `-`, `@`): rename such a column "
        "in the file."
    ),
]
AnyAttributes = Annotated[tuple[_Listed, ...], Different()]
Attributes = Annotated[AnyAttributes, Field(min_length=1)]
AnyValues = Annotated[
    tuple[Annotated[str, Field(description="Values, as texts in quotes.")], ...],
    Field(min_length=1, description="Values, as texts in quotes, each once."),
    Different(),
]


def _of_set(given: object, info: ValidationInfo) -> object:
    """Return the QIDs of the set that is named, if one is."""
    if not isinstance(given, str):
        return given
    sets = (info.context or {}).get(QID_SETS, {})
    if given in sets:
        return sets[given]
    like = most_like(given, sets)
    hint = _(" Did you mean {like}?").format(like=repr(like)) if like else ""
    said = _("has no QID set {given}.{hint} It must be listed under qid_sets.")
    refuse(said.format(given=repr(given), hint=hint))


Qids = Annotated[
    Attributes, BeforeValidator(_of_set, json_schema_input_type=str | Attributes)
]
"""A list of QIDs, which the file may give by the name of a set of them."""

Value = Annotated[str | None, Missing()]
Known = Annotated[dict[str, Value], Field(min_length=1)]
"""Known values by attribute; None is a missing one."""

_LOW_TO_HIGH = "Values from low to high, as texts in quotes"
Ordered = Annotated[
    tuple[Annotated[str, Field(description=f"{_LOW_TO_HIGH}.")], ...],
    Field(min_length=1, description=f"{_LOW_TO_HIGH}, each once."),
    Different(),
]
_TO_KEEP = "Values to keep, as texts in quotes, or null."
_Kept = Annotated[
    tuple[Annotated[Value, Field(description=_TO_KEEP)], ...],
    Field(min_length=1, description=_TO_KEEP),
    Different(),
]
Filter = dict[Attribute, _Kept]


class Label(Section):
    """What something is called, by language."""

    pt: NotEmpty | None = None
    """In Portuguese."""

    en: NotEmpty | None = None
    """In English."""


class Sizes(TypedDict):
    """Subsets by their number of QIDs."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]

    sizes: Annotated[tuple[Positive, ...], Field(min_length=1), Different()]
    """Numbers of QIDs that the adversary knows."""


SubsetsWanted = Literal["all", "full"] | Sizes


class OneRelease(Section):
    """One release of one table."""

    table: str
    """Which table."""

    release: Text
    """Which release of it."""

    def __str__(self) -> str:
        return f"{self.table} {self.release}"


class OfRelease(Section):
    """An analysis of one release."""

    name: Name
    """Name of the analysis, unique among the analyses of all kinds but targets; formed
    as that of the study."""

    table: str
    """Which table."""

    focal: Text
    """Which release of it."""


class OfQids(OfRelease):
    """An analysis of one release with subsets of its QIDs."""

    qids: Qids
    """The quasi-identifiers, by their newest official names, as a list (of 62 at most)
    or the name of a QID set; none an identifier of the person or record."""

    wanted: SubsetsWanted = Field("all", alias="subsets")
    """Which subsets of the QIDs - `all`, only the `full` set, or those of some
    sizes."""

    @property
    def subsets(self) -> tuple[QidMask, ...]:
        """Subsets as bit masks over `qids`, by size and then position."""
        return subsets_of(len(self.qids), self.wanted, f"analysis {self.name!r}")

    def checked(self, where: str) -> Self:
        """Refuse subsets that there are not, or that are too many."""
        subsets_of(len(self.qids), self.wanted, where)
        return self
