"""A first study file for a file, from a look at its beginning."""

import re
import unicodedata
from argparse import Namespace
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from gettext import gettext as _
from gettext import ngettext
from itertools import accumulate, pairwise
from operator import mul
from pathlib import Path
from typing import Any

import jinja2
import pyarrow as pa
import pyarrow.compute as pc
import yaml
from pydantic import TypeAdapter

from microleak.base.errors import StudyError
from microleak.base.language import LANGUAGES, number_text, spoken_language
from microleak.base.progress import tell_user
from microleak.base.total_words import is_missing, without_accents
from microleak.cli.files import csv_form_given, in_words_of_options
from microleak.records.coding import DATE
from microleak.sources.definitions.definition import source_definition
from microleak.sources.files.archive import released_files
from microleak.sources.files.header import header
from microleak.sources.files.member import printable
from microleak.sources.formats.reader import chunks
from microleak.sources.steps import odd_values
from microleak.sources.steps.persons import MOST_RECORDS_A_VALUE, is_named_so
from microleak.study_file.section import Attribute

AS_IT_SEEMS = Namespace(delimiter=None, encoding=None, sheet=None)
MOST_RECORDS = 200_000  # Records at the beginning of a file that are looked at
MOST_QIDS = 10  # QIDs that are proposed: of ten there are 1,023 subsets
# Combinations of levels that the search proposed for them tries, at most
MOST_NODES = 10_000
_MISSING = ("NA", "N/A", "NULL", "null", "None", "nan", "NaN", "?", "-", ".")
_FEW = 50  # Values of an attribute that is proposed as sensitive

_QID = (
    r"birth|nasc|age|idade|faixa|etari|sex|sexo|gender|genero|race|raca|ethnic|"
    r"etnia|cor|colou?r|zip|cep|postcode|postal|mun|city|cidade|town|county|district|"
    r"distrito|bairro|region|regiao|zona|naturalidade|profiss|"
    r"state|estado|uf|country|pais|native|nacional|school|escola|entidade|course|curso|"
    r"marital|civil|relationship|education|escolar|grau|occupation|ocupacao|cbo|"
    r"employer|workclass|dia|mes|ano|day|month|year|dt|date|data"
)
_SENSITIVE = (
    r"ill|disease|doenca|diag|cid|morbid|hiv|cancer|hyperten|hiperten|health|saude|"
    r"disab|defici|necessidade|pregnan|gravid|smok|fuma|drug|alcohol|proced|causa|"
    r"cause|income|renda|salar|wage|debt|divida|religi|orienta|vote|voto|crime|arrest|"
    r"score|grade|nota"
)
_HOUSEHOLD = r"domicil|dom|famil|household|hous|lar|upa"
_DIRECT = r"nome|name|mae|mother|email|fone|telefone|phone|endereco|address"
TEMPLATE = Path(__file__).with_name("study.yaml.j2")
_NUMBER = r"-?[0-9]+([.,][0-9]+)?"
_MONTH, _DAY = "(0[1-9]|1[0-2])", "(0[1-9]|[12][0-9]|3[01])"
_LEVELS_OF_DATE = 4
_STATE = "(1[1-7]|2[1-9]|3[1235]|4[1-3]|5[0-3])"  # As IBGE numbers them, by region
_LEVELS: dict[str, tuple[str, str | list[int]]] = {
    f"{_STATE}[0-9]{{4,5}}": ("prefixes", [2, 1]),
    f"{_STATE}[0-9]{{13}}": ("prefixes", [7, 2]),
    f"[0-9]{{4}}-{_MONTH}-{_DAY}": ("date", "%Y-%m-%d"),
    f"{_DAY}/{_MONTH}/[0-9]{{4}}": ("date", "%d/%m/%Y"),
    f"(19|20)[0-9]{{2}}{_MONTH}{_DAY}": ("date", "%Y%m%d"),
}
"""Levels by forms: IBGE's codes of municipalities and of census tracts, and dates."""

_ICD = "[A-Z][0-9]{2}([.]?[0-9X])?"  # Codes of diseases
_WHOLE, _CODE = r"-?(0|[1-9][0-9]{0,3})", r"[0-9]{5,}(-[0-9]+)?"
_LONG = 8
_FEW_TO_JOIN = 10
_ATTRIBUTE: TypeAdapter[str] = TypeAdapter(Attribute)


@dataclass(frozen=True)
class ColumnSeen:
    """What was seen of a column."""

    name: str
    kind: str  # `constant`, `identifier`, `number`, `date` or `category`
    # Distinct values, a missing one among them, and records without one
    n_values: int
    n_missing: int
    levels: tuple[str, str | list[int]] | None = None
    n_alike: int = 0
    n_together: int = 0  # Most records of a value, where it seems a household's
    is_icd: bool = False  # Whether the values look like codes of diseases
    seem_missing: tuple[str, ...] = ()

    @property
    def n_levels(self) -> int:
        """On how many levels it can be; the last one leaves it out."""
        if self.levels is None:
            return 2
        _, given = self.levels
        return 2 + (len(given) if isinstance(given, list) else _LEVELS_OF_DATE)

    def is_named(self, words: str) -> bool:
        """Whether a part of the name begins like one of some words."""
        return _is_named(self.name, words)

    @property
    def is_unit(self) -> bool:
        """Whether its name is that of a household or a family."""
        return self.is_named(_HOUSEHOLD)

    @property
    def is_secret(self) -> bool:
        """Whether it seems what nobody should learn; of a number, if it has few."""
        is_short = self.kind == "category" or self.n_values <= _FEW
        return is_short and (self.is_icd or self.is_named(_SENSITIVE))

    @property
    def remark(self) -> str:
        if self.kind == "unnamed":
            return _("rename the column: results cannot hold its name")
        if self.kind == "identifier":
            return _("a different value in each record")
        said = [_(self.kind)]
        n_values = self.n_values - bool(self.n_missing)
        values = ngettext("{n} value", "{n} values", n_values)
        said.append(values.format(n=number_text(n_values)))
        if self.n_missing:
            said.append(_("{n} missing").format(n=number_text(self.n_missing)))
        if self.n_alike:
            alike = _("{n} values differ only in case, accents or blanks")
            said.append(alike.format(n=number_text(self.n_alike)))
        if self.seem_missing:
            values = ", ".join(map(repr, self.seem_missing))
            said.append(_("may mean missing: {values}").format(values=values))
        if self.n_together:
            together = _("at most {n} rows a value: households?")
            said.append(together.format(n=number_text(self.n_together)))
        if self.is_named(_DIRECT):
            said.append(_("a direct identifier by its name"))
        return ", ".join(said)


def _is_named(name: str, words: str) -> bool:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore")
    split = re.sub(r"([a-z])([A-Z])", r"\1_\2", plain.decode("ascii"))
    parts = re.split(r"[^A-Za-z]+", split)
    return any(re.match(words, part, re.IGNORECASE) for part in parts)


def study_text(file: Path, name: str, to: Path, given: Namespace = AS_IT_SEEMS) -> str:
    """Return a commented study file for a file, from a look at its first records.

    Identifiers are proposed as `person_id`, what is named like a fact that others
    know as QIDs, and what is named like a secret as sensitive; of a file whose names
    say nothing, the columns with most values are. What may be the key of households is
    told and left out. No value of the file is shown but
    what stands for a missing one, or may. Columns whose values are written in several
    ways are told. `given` has delimiter and encoding, if they are given.
    """
    with in_words_of_options():
        options, table = _look_at_csv(file, given)
    missing = sorted(
        {m for each in table.columns for m in _MISSING if m in {*_values_present(each)}}
    )
    options["missing"] = ["", *missing]
    columns = [_column_seen(name, table[name], missing) for name in table.column_names]
    if odd := [c.name for c in columns if c.n_alike or c.seem_missing]:
        said = _(
            "some values of {columns} differ only in case, accents or blanks, or may "
            "stand for a missing one. The comments in {to} say which columns have "
            "what; correct the file, or add to missing."
        )
        tell_user(said.format(columns=", ".join(odd), to=to))
    for c in columns:
        if c.kind in ("number", "date", "category"):
            odd_values.tell_of(c.name, table[c.name])
    named = (c for c in columns if c.kind != "unnamed" and is_named_so(c.name))
    named = (c for c in named if not (c.n_together and c.is_unit))
    keys = [c for c in named if not c.n_missing and c.kind != "constant"]
    likely = (  # a column with at most two rows a person is surer to name them
        c
        for most in (2, MOST_RECORDS_A_VALUE)
        for c in keys
        if c.n_values * most >= len(table)
    )
    person = next(likely, None)
    if person:
        most = odd_values.most_frequent(table[person.name])
        odd_values.tell_placeholders(person.name, most, len(table), person.n_values)
        names = pc.unique(table[person.name].drop_null()).sort()
        odd_values.tell_totals(person.name, odd_values.n_named_as_totals(names))
    beside = [c for c in columns if c is not person]
    of_people = [c for c in beside if not c.n_together]
    usable = [c for c in of_people if c.kind in ("number", "date", "category")]
    secret = [c for c in usable if c.is_secret]
    known = [c for c in usable if c.is_named(_QID) and c not in secret]
    if not known:
        rest = (c for c in usable if c not in secret)
        known = sorted(rest, key=lambda c: -c.n_values)
    qids = [c for c in columns if c in known[:MOST_QIDS]]
    if not qids:
        said = _(
            "{file} has no column that could be a QID: each has one value, or one for "
            "each record."
        )
        raise StudyError(said, file=file)
    alone = (c for c in beside if c.kind == "identifier" and not is_named_so(c.name))
    together = (c for c in beside if c.n_together)
    others = [*(c for c in usable if c not in (*qids, *secret)), *alone, *together]
    if left := [c.name for c in others if not c.is_named(_DIRECT)]:
        said = _(
            "{to} leaves these columns out, as comments: {columns}. If somebody may "
            "know one of a person, remove the # before it, under qid_sets and under "
            "hierarchies."
        )
        tell_user(said.format(columns=", ".join(left), to=to))
    n_nodes = accumulate((c.n_levels for c in qids), mul)
    searched = [c for c, n in zip(qids, n_nodes, strict=True) if n <= MOST_NODES]
    environment = jinja2.Environment(keep_trailing_newline=True)
    environment.filters |= {"scalar": _yaml_scalar, "printable": printable}
    environment.globals |= {"_": _, "grouped": number_text}
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    text: str = template.render(
        file=file,
        to=to,
        name=name,
        n_records=len(table),
        options=options,
        perhaps=sorted(
            {t for c in columns if c.kind == "number" for t in c.seem_missing}
        ),
        person=person,
        columns=[c for c in beside if c not in secret],
        qids=qids,
        searched=searched,
        unit=next((c for c in beside if c.n_together), None),
        left=left,
        secret=secret,
        languages=f"[{', '.join(sorted(LANGUAGES, key=spoken_language().__ne__))}]",
    )
    return text


def _look_at_csv(file: Path, given: Namespace) -> tuple[dict[str, Any], pa.Table]:
    options: dict[str, Any] = {**csv_form_given(file, given)}
    definition = source_definition("delimited", file.name, options)
    names: list[str] = []
    read, n_records = [], 0
    for member in released_files(file, definition):  # all, as one may be a copy
        names = names or header(member, definition, [])
        for chunk in chunks(member, definition, names):
            if n_records >= MOST_RECORDS:
                break
            read.append(chunk)
            n_records += chunk.num_rows
    return options, pa.concat_tables(read).slice(0, MOST_RECORDS)


def _values_present(column: pa.ChunkedArray) -> list[str | None]:
    values: list[str | None] = column.unique().to_pylist()
    return values


def _is_attribute(name: str) -> bool:
    try:
        _ATTRIBUTE.validate_python(name)
    except ValueError:
        return False
    return True


def _column_seen(
    name: str, column: pa.ChunkedArray, missing: Sequence[str]
) -> ColumnSeen:
    is_null = pc.is_in(column, pa.array(missing, "string"))
    column = pc.if_else(is_null, None, column)
    values = _values_present(column)
    texts = [each for each in values if each is not None]
    n_missing = column.null_count

    if not _is_attribute(name):
        kind = "unnamed"
    elif len(values) == 1:
        kind = "constant"
    elif not n_missing and len(texts) == len(column) > _FEW:
        kind = "identifier"
    elif _have_form(texts, DATE):
        kind = "date"
    else:
        kind = "number" if _have_form(texts, _NUMBER) else "category"
    seen = ColumnSeen(name, kind, len(values), n_missing, _levels_of(texts, name))
    if kind in ("number", "category") and not seen.is_named(_QID):
        seen = replace(seen, n_together=_n_together(column, seen.is_unit))
    if kind == "number":
        return replace(seen, seem_missing=_last_code(texts))
    if kind != "category":
        return seen
    n_of = Counter(map(without_accents, texts))
    return replace(
        seen,
        n_alike=sum(n for n in n_of.values() if n > 1),
        is_icd=_have_form(texts, _ICD),
        seem_missing=tuple(filter(is_missing, sorted(texts))),
    )


def _n_together(column: pa.ChunkedArray, is_unit: bool) -> int:
    """Return the most records of a value, if each has few; else 0.

    They are all together, unless the column has the name of a unit.
    """
    values = column.combine_chunks()
    n_values = len(values.unique())
    if values.null_count or not _FEW < n_values < len(values):
        return 0
    n_runs = 1 + (pc.sum(pc.not_equal(values[1:], values[:-1])).as_py() or 0)
    most: int = pc.max(values.value_counts().field("counts")).as_py()
    is_together = is_unit or n_runs == n_values
    return most if is_together and most <= 2 * MOST_RECORDS_A_VALUE else 0


def _last_code(texts: Sequence[str]) -> tuple[str, ...]:
    """Return 9, 99 or 999 where it is the last of a few codes, behind a gap."""
    if not 2 < len(texts) <= _FEW or not _have_form(texts, "-?[0-9]{1,3}"):
        return ()
    *codes, last = sorted(texts, key=int)
    gaps = [int(after) - int(before) for before, after in pairwise([*codes, last])]
    return (last,) if int(last) in (9, 99, 999) and gaps[-1] > max(gaps[:-1]) else ()


def _have_form(texts: Sequence[str], pattern: str) -> bool:
    return bool(texts) and all(re.fullmatch(pattern, text) for text in texts)


def _levels_of(texts: Sequence[str], name: str) -> tuple[str, str | list[int]] | None:
    if _is_named(name, "uf|estado|state") and _have_form(texts, _STATE):
        return "prefixes", [1]
    is_even = len({*map(len, texts)}) == 1
    for form, levels in _LEVELS.items():
        if is_even and _have_form(texts, form):
            return levels
    if _have_form(texts, _WHOLE) and len(texts) > _FEW_TO_JOIN:
        return "widths", [5, 10, 20] if len(texts) > 2 * _FEW_TO_JOIN else [2, 4, 8]
    if is_even and _have_form(texts, _CODE):
        return "prefixes", [5, 2] if len(texts[0]) >= _LONG else [2]
    return None


def _yaml_scalar(value: Any) -> str:
    """Write a text, a number or a list of them as YAML, on one line."""
    # What YAML or a terminal would take for more than a letter is escaped.
    if isinstance(value, list):
        return f"[{', '.join(map(_yaml_scalar, value))}]"
    text = str(value)
    words = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"}
    is_plain = re.fullmatch(r"[A-Za-z_][\w./-]*", text) and text.lower() not in words
    if is_plain or isinstance(value, int):
        return text
    quoted = yaml.dump(
        text, default_style='"', allow_unicode=True, width=len(text) * 10 + 9
    )
    return quoted.rstrip("\n")
