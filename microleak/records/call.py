"""What functions on frames share: names, records, room to work, words of errors.

A function on frames does what the jobs of a study do with its files. Records stay in
memory; what jobs hand on to one another, which has no record of a person, is in a
folder that only the user can read and that is removed with the call.
"""

import re
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace
from gettext import gettext as _
from numbers import Integral
from pathlib import Path
from typing import Any

import pandas as pd
import psutil
import pyarrow as pa
import pyarrow.compute as pc

from microleak.base.errors import MicroleakError, StudyError, TableError, count_of
from microleak.base.machine import SHARE, Resources, cores_here, memory_here
from microleak.base.same_values import text_in, value_texts
from microleak.records.coding import encoded_column
from microleak.records.frames import UNCERTAIN, column_of, table_of
from microleak.records.meeting import ReleaseColumn, columns_that_meet
from microleak.records.memory import MIB

TABLE, RELEASE = "given", "frame"
"""What a study would call the frame that a function is given."""

_WORDS = (
    (rf"\bsample {TABLE} {RELEASE}\b", RELEASE),
    (r"\bpopulation or focal\b", f"population or {RELEASE}"),
    (rf"\b(population|sample) {TABLE} \1\b", r"\1"),
    (rf"\b{TABLE} (frame|population|sample)\b", r"the \1"),
    (r" of the \w+ analysis in the study file", ""),
    (r" of the analysis in the study file", ""),
    (r" (in|of) the study file", ""),
    (r" of the analysis", ""),
    (r"[Gg]ive the run more memory \(--max-memory\)", "free memory"),
    (r"Give the run more \(--max-memory\), or (its|the) rule.*", "Free memory."),
)
"""What errors of jobs say, and what they mean here."""


def check_names(function: str, **roles: Sequence[str]) -> None:
    """Refuse names of columns that cannot be, or that have two roles."""
    said = " and ".join(roles)
    if any(isinstance(names, str) for names in roles.values()):
        are = "are lists" if len(roles) > 1 else "is a list"
        raise StudyError(f'{function}: {said} {are} of names, as ["age"].')
    if any(isinstance(names, Set) for names in roles.values()):
        raise StudyError(
            f"{function}: a set has no order, and results follow that of {said}. Give "
            'a list, as ["age"].'
        )
    if "qids" in roles and not roles["qids"]:
        raise StudyError(f"{function} needs at least one QID in qids.")
    for name in roles.get("sensitive", ()):
        if name in roles.get("qids", ()):
            raise StudyError(
                _(
                    "{where}: {attribute} is both a QID and sensitive. Remove it from "
                    "one."
                ).format(where=function, attribute=name)
            )
    every = [name for names in roles.values() for name in names]
    for name in every:
        if not isinstance(name, str) or not name or "|" in name:
            raise StudyError(
                f"{function}: names in {said} are text without a |, which separates "
                "them in results. Rename the frame's columns."
            )
        if every.count(name) > 1:
            raise StudyError(f"{function}: {name} is named twice among {said}.")


@dataclass(frozen=True)
class People:
    """Records of a frame, their values as texts; `types` has what they were."""

    table: pa.Table
    types: Mapping[str, pa.DataType]

    def text(self, function: str, name: str, value: object) -> str | None:
        if value is None or (pd.api.types.is_scalar(value) and pd.isna(value)):
            return None
        kind = self.types[name]
        try:
            given = column_of(pd.Series([value]), name)
            return text_in(given, kind)
        except (*UNCERTAIN, ArithmeticError):
            raise TableError(
                f"{function}: a value given for {name} is not one that the column can "
                f"have, which has values of type {kind}. Give values of that type."
            ) from None

    def texts(self, function: str, name: str, values: Iterable[object]) -> list[Any]:
        return [self.text(function, name, value) for value in values]

    def by_column(
        self, function: str, given: Mapping[str, Iterable[object]]
    ) -> dict[str, list[Any]]:
        """Return values by column as texts; of a column that it has not as they are."""
        return {
            name: self.texts(function, name, values)
            if name in self.types
            else list(map(str, values))
            for name, values in given.items()
        }


def named_targets(function: str, targets: Any) -> dict[str, Mapping[str, Any]]:
    """Return the targets of a call by their names, each with what is known of it."""
    given = targets or {}
    is_named = isinstance(given, Mapping)
    if not is_named or not all(isinstance(of, Mapping) for of in given.values()):
        raise StudyError(
            f"{function}: targets gives what is known of each by a name of your own, "
            'as {"neighbour": {"age": 25}}.'
        )
    return dict(given)


def known_texts(
    function: str,
    target: str,
    known: Mapping[str, object],
    qids: Collection[str],
    people: People,
) -> dict[str, str | None]:
    others = [name for name in known if name not in qids]
    if others or not known:
        what = f"{others[0]}, which is not among qids" if others else "nothing"
        raise StudyError(
            f"{function}: of the target {target!r} is known {what}. Give values of "
            "QIDs."
        )
    return {name: people.text(function, name, value) for name, value in known.items()}


def people_of(
    function: str, frame: Any, names: Collection[str], what: str = "the frame"
) -> People:
    """Return columns of a frame as texts, such that equal values are equal texts."""
    table = records_of(function, frame, names, what)
    texts = {name: _as_texts(table[name], name) for name in table.column_names}
    types = {name: _plain_type(table[name].type) for name in table.column_names}
    return People(pa.table(texts), types)


def meeting_people(
    function: str, releases: Mapping[str, People], names: Iterable[str]
) -> list[People]:
    """Return releases, by what a message calls each, in which equal values meet."""
    found = {whose: people.table for whose, people in releases.items()}
    for name in names:
        columns = [
            ReleaseColumn(whose, people.types[name], people.table[name])
            for whose, people in releases.items()
        ]
        for each in columns_that_meet(function, name, columns):
            table = found[each.whose]
            place = table.column_names.index(name)
            found[each.whose] = table.set_column(place, name, each.values)
    return [replace(people, table=found[n]) for n, people in releases.items()]


def records_of(
    function: str, frame: Any, names: Collection[str], what: str = "the frame"
) -> pa.Table:
    table = table_of(frame, list(dict.fromkeys(names)), function, what)
    if not len(table):
        raise TableError(f"{function}: {what} has no records.")
    return table


def _plain_type(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _as_texts(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    values, indices = encoded_column(column, name)
    try:
        each = value_texts(values).dictionary_encode()
    except UNCERTAIN:
        raise TableError(
            f"Column {name} has values of type {values.type} that are no text. Convert "
            "it to text or numbers."
        ) from None
    codes = each.indices.take(pa.array(indices))
    return pa.chunked_array([pa.DictionaryArray.from_arrays(codes, each.dictionary)])


def check_one_each(function: str, ids: pa.ChunkedArray, name: str, what: str) -> None:
    if ids.null_count:
        raise TableError(
            f"{function}: in {what} {count_of(ids.null_count, 'record')} "
            f"{'has' if ids.null_count == 1 else 'have'} no {name}. Remove them, or "
            "correct person_id."
        )
    n_more = len(ids) - len(ids.unique())
    if n_more:
        raise TableError(
            f"{function}: in {what} {name} is that of another one in "
            f"{count_of(n_more, 'record')}, but a person counts once. Keep one record "
            "of each person, or correct person_id."
        )


@contextmanager
def room_to_work(function: str, n_threads: int | None = None) -> Iterator[Resources]:
    """Yield threads, free memory and a private folder; errors get the call's words."""
    # All cores that this process may use, unless the call says otherwise.
    n_threads = cores_here() if n_threads is None else n_threads
    if not isinstance(n_threads, Integral) or n_threads < 1:
        raise StudyError(
            f"{function}: n_threads is {n_threads!r}; it must be a whole number from 1 "
            "on."
        )
    in_use = psutil.Process().memory_info().rss
    free = min(psutil.virtual_memory().available, memory_here() - in_use)
    memory_mib = int(in_use + SHARE * free) // MIB
    with (
        tempfile.TemporaryDirectory(prefix="microleak-") as folder,
        in_words_of(function),
    ):
        yield Resources(n_threads, memory_mib, Path(folder))


@contextmanager
def in_words_of(function: str) -> Iterator[None]:
    """Reword errors of an analysis of a study file as errors of a function."""
    try:
        yield
    except MicroleakError as error:
        said = re.sub(rf"analysis '{function}'", function, str(error))
        for theirs, ours in _WORDS:
            said = re.sub(theirs, ours, said)
        error.args = (said,)
        raise


def meeting_with_id(
    function: str,
    releases: Mapping[str, tuple[Any, Sequence[str]]],
    names: Sequence[str],
    person_id: str | None,
) -> list[People]:
    """Return releases as texts, sorted by the person's identifier if there is one."""
    ids = [] if person_id is None else [person_id]
    people = {
        what: people_of(function, frame, [*wanted, *ids], what)
        for what, (frame, wanted) in releases.items()
    }
    found = meeting_people(function, people, dict.fromkeys([*names, *ids]))
    if person_id is None:
        return found
    return [
        _sorted_by(function, each, person_id, what)
        for what, each in zip(releases, found, strict=True)
    ]


def _sorted_by(function: str, people: People, person_id: str, what: str) -> People:
    ids = people.table[person_id].cast(pa.string())
    check_one_each(function, ids, person_id, what)
    place = people.table.column_names.index(person_id)
    table = people.table.set_column(place, person_id, ids)
    return replace(people, table=table.take(pc.sort_indices(ids)))
