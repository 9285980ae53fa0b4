"""Twins that are data: releases drawn by descriptions/SOURCE.yaml, in their raw form.

A description has levels, as places, schools in these and participants there, each with
attributes that are drawn one after the other, and files of the rows of a level. Its
keys are explained in docs/twin.md. `papers.twins.described:SOURCE` is a twin.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from microleak.base.errors import StudyError
from microleak.base.files import whole_file
from microleak.base.paths import package_yaml
from microleak.base.progress import progress
from microleak.sources.definitions.definition import SourceDefinition, source_definition
from microleak.sources.twin import Twin
from papers.twins.engine.draws import at_least_one, generator
from papers.twins.engine.writing import (
    Page,
    Size,
    Text,
    check,
    identifiers,
    lines,
    table,
    write_archive,
)

FOLDER = Path(__file__).with_name("descriptions")
MOST_PERSONS = 60_000_000
ANY = "*"  # Stands for every other value of what an attribute depends on
_ROWS_A_PAGE = 1 << 16
_ROWS_A_BATCH = 1 << 22  # As many as `identifiers` numbers at a time


@dataclass(frozen=True)
class Drawn:
    """An attribute of the rows of a level: a text each, or a number."""

    codes: NDArray[np.int32]  # -1 is missing
    values: Sequence[str]
    numbers: NDArray[np.float64] | None = None  # Instead of both

    def taken(self, rows: NDArray[np.int64]) -> "Drawn":
        """Return the attribute of some rows."""
        if self.numbers is not None:
            return Drawn(self.codes, self.values, self.numbers[rows])
        return Drawn(self.codes[rows], self.values)

    @property
    def text(self) -> Text:
        """The text of each row."""
        return table(self.values)[self.codes]


@dataclass
class Level:
    """Rows of a level, with the attributes of those above them."""

    n: int
    columns: dict[str, Drawn]
    within: NDArray[np.int64]  # Place of each row in the one above it, from 1


class Release:
    """One release of a twin, drawn level by level."""

    def __init__(self, described: Mapping[str, Any], size: int, seed: int, year: int):
        self._size, self._seed, self._year = size, seed, year
        self.levels: dict[str, Level] = {}
        for name, level in described["levels"].items():
            self.levels[name] = self._rows(level["rows"])
            for attribute, how in level["draw"].items():
                drawn = self._drawn(self.levels[name], attribute, how)
                self.levels[name].columns[attribute] = drawn

    def generator(self, name: str, is_yearly: bool = False) -> np.random.Generator:
        """Return what draws an attribute, of one year or the same in all."""
        year = self._year if is_yearly else 0
        return generator(self._seed, crc32(name.encode()), year)

    def _is_yearly(self, how: Mapping[str, Any]) -> bool:
        """Whether an attribute is drawn anew in this year."""
        first, last = how.get("kept", (self._year, self._year))
        return how.get("yearly", False) or not first <= self._year <= last

    def _rows(self, rows: Mapping[str, Any]) -> Level:
        if "each" in rows:
            n = max(1, min(self._size // rows["each"], rows.get("most", self._size)))
            return Level(n, {}, np.arange(1, n + 1))
        above = self.levels[rows["of"]]
        of = above.columns[rows["by"]]
        texts = np.array([float(value) for value in of.values])
        weights = texts[of.codes] if of.numbers is None else of.numbers
        if "shares" in rows:
            n_rows = max(round(self._size * rows["shares"]), above.n)
            n_each = at_least_one(n_rows, weights)
        else:
            n_each = weights.astype(np.int64)
        parent = np.repeat(np.arange(above.n), n_each)
        within = np.arange(len(parent)) - np.repeat(np.cumsum(n_each) - n_each, n_each)
        columns = {key: each.taken(parent) for key, each in above.columns.items()}
        return Level(len(parent), columns, within + 1)

    def _drawn(self, level: Level, name: str, how: Mapping[str, Any]) -> Drawn:
        rng = self.generator(name, self._is_yearly(how))
        if "weights" in how:
            found = _weighted(level, how, rng)
        elif "between" in how:
            found = _between(level, how, rng)
        elif "mean" in how:
            found = _number(level, how, rng)
        elif "within" in how:
            most = how["within"]
            found = _texts(range(1, most + 1), np.minimum(level.within, most) - 1)
        elif "mask" in how:
            number = np.arange(level.n)
            offset = int(rng.integers(1 << 40))
            starts = range(0, level.n, _ROWS_A_BATCH)
            parts = [
                identifiers(number[at : at + _ROWS_A_BATCH] - at, batch, offset)
                for batch, at in enumerate(starts)
            ]
            texts = [text.decode() for text in np.concatenate(parts).tolist()]
            found = _texts(texts, number)
        elif "row" in how:
            numbers = range(how["row"], how["row"] + level.n)
            width = how.get("width", 0)
            texts = [f"{number:0{width}d}" for number in numbers]
            found = _texts(texts, np.arange(level.n))
        elif "join" in how:
            parts = [level.columns[part].text for part in how["join"]]
            each, codes = np.unique(_joined(parts), return_inverse=True)
            found = _texts([text.decode() for text in each.tolist()], codes)
        elif "copy" in how:
            found = level.columns[how["copy"]]
        else:
            text = str(how["is"]).replace("{year}", str(self._year))
            found = Drawn(np.zeros(level.n, dtype=np.int32), [text])
        if found.numbers is not None and {"instead", "only"} & how.keys():
            raise StudyError(f"{name}: instead and only are of texts. Give it digits.")
        for given, by_value in how.get("instead", {}).items():
            found = _replaced(found, level.columns[given], by_value)
        for given, values in how.get("only", {}).items():
            kept = _is_one_of(level.columns[given], values)
            found = _texts(found.values, np.where(kept, found.codes, -1))
        return found


def _texts(values: Sequence[Any], codes: NDArray[Any]) -> Drawn:
    return Drawn(codes.astype(np.int32), [str(value) for value in values])


def _joined(parts: Sequence[Text]) -> Text:
    whole = parts[0]
    for part in parts[1:]:
        whole = np.char.add(whole, part)
    return whole


def _is_one_of(column: Drawn, values: Sequence[Any]) -> NDArray[np.bool_]:
    kept = {str(value) for value in values}
    is_kept = np.array([*(value in kept for value in column.values), False])
    return is_kept[column.codes]


def _replaced(column: Drawn, given: Drawn, by_value: Mapping[Any, Any]) -> Drawn:
    """Return an attribute with other values where a given one has some."""
    values, codes = [*column.values], column.codes.copy()
    for value, other in by_value.items():
        codes[_is_one_of(given, [value])] = len(values)
        values.append(str(other))
    return Drawn(codes, values)


def _weighted(level: Level, how: Mapping[str, Any], rng: np.random.Generator) -> Drawn:
    """Draw values by their weights, which may depend on other attributes."""
    given = [level.columns[name] for name in how.get("by", ())]
    combination = np.zeros(level.n, dtype=np.int64)
    for each in given:
        combination = combination * (len(each.values) + 1) + each.codes + 1
    laws = [
        _expanded(_law(how["weights"], chosen))
        for chosen in product(*(["", *each.values] for each in given))
    ]
    values = list(dict.fromkeys(value for law in laws for value in law))
    weights = np.array([[law.get(v, 0.0) for v in values] for law in laws])
    totals = weights.sum(axis=1, keepdims=True)
    ends = np.cumsum(weights / np.where(totals > 0, totals, 1), axis=1)
    # One sorted list of all laws: that of combination c lies from c to c + 1.
    ends = ends / np.where(totals > 0, ends[:, -1:], 1) + np.arange(len(laws))[:, None]
    places = np.searchsorted(ends.ravel(), combination + rng.random(level.n), "right")
    first = combination * len(values)
    codes = np.clip(places - first, 0, len(values) - 1)
    return _texts(values, np.where(totals[combination, 0] > 0, codes, -1))


def _law(weights: Mapping[Any, Any], chosen: Sequence[str]) -> Mapping[Any, float]:
    """Return the weights of values, given those of the attributes they depend on."""
    for value in chosen:
        by_text = {str(key): each for key, each in weights.items()}
        weights = by_text.get(value, by_text.get(ANY, {}))
    return weights


def _expanded(law: Mapping[Any, float]) -> dict[str, float]:
    """Return the weight of each value; those from 20..24 share one.

    >>> _expanded({"1..2": 3, 7: 1})
    {'1': 1.5, '2': 1.5, '7': 1.0}
    """
    found: dict[str, float] = {}
    for key, weight in law.items():
        first, is_range, last = str(key).partition("..")
        values = range(int(first), int(last) + 1) if is_range else [key]
        found |= {str(value): weight / len(values) for value in values}
    return found


def _between(level: Level, how: Mapping[str, Any], rng: np.random.Generator) -> Drawn:
    first, last = how["between"]
    codes = rng.integers(0, last - first + 1, level.n)
    digits = how.get("digits", 0)
    return _texts([f"{v:0{digits}d}" for v in range(first, last + 1)], codes)


def _number(level: Level, how: Mapping[str, Any], rng: np.random.Generator) -> Drawn:
    """Draw numbers around a mean, moved by other attributes; steps make them texts."""
    found = how["mean"] + how["spread"] * rng.standard_normal(level.n)
    for name, moved in how.get("moved", {}).items():
        column = level.columns[name]
        if column.numbers is not None:
            found = found + moved * column.numbers
        else:
            by_text = {str(key): each for key, each in moved.items()}
            shifts = [
                by_text.get(value, by_text.get(ANY, 0)) for value in column.values
            ]
            found = found + np.array([*shifts, 0.0])[column.codes]
    if how.get("log"):
        found = np.exp(found)
    least, most = how.get("least", -np.inf), how.get("most", np.inf)
    if "digits" not in how:
        return Drawn(np.zeros(0, dtype=np.int32), [], np.clip(found, least, most))
    # Rounded to whole steps first: no text depends on the last digit of a float.
    digits, step = how["digits"], how.get("step", 1)
    scaled = np.clip(found, least, most) * 10**digits
    each, codes = np.unique(np.rint(scaled / step) * step, return_inverse=True)
    texts = [f"{int(n):0{digits + 1}d}" for n in each.tolist()]
    points = [f"{text[:-digits]}.{text[-digits:]}" for text in texts if digits]
    return _texts(points or texts, codes)


def _masked(column: Drawn, how: Mapping[str, Any]) -> Drawn:
    """Return an attribute whose values of few rows are numbers of their own."""
    counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.values))
    is_rare = counts < how["below"]
    numbers = how["from"] + np.cumsum(is_rare)
    values = [
        str(number) if rare else value
        for value, rare, number in zip(
            column.values, is_rare.tolist(), numbers.tolist(), strict=True
        )
    ]
    return Drawn(column.codes, values)


@dataclass(frozen=True)
class _File:
    """A file of a release: its rows, and the columns in their order."""

    columns: Mapping[str, Drawn]
    names: Sequence[str]  # Attributes
    header: Sequence[str]

    def pages(self, rows: NDArray[np.int64], delimiter: str) -> Iterator[Page]:
        known = {n: table(c.values) for n, c in self.columns.items() if n in self.names}
        for at in range(0, len(rows), _ROWS_A_PAGE):
            part = rows[at : at + _ROWS_A_PAGE]
            empty = np.zeros(len(part), dtype="S1")
            texts = [
                known[name][self.columns[name].codes[part]] if name in known else empty
                for name in self.names
            ]
            yield Page(len(part), len(part), lines(texts, delimiter.encode()))


def _file_of(
    release: Release, described: Mapping[str, Any], definition: SourceDefinition
) -> tuple[_File, NDArray[np.int64]]:
    level = release.levels[described["level"]]
    columns = dict(level.columns)
    rows = np.arange(level.n)
    for name, values in described.get("where", {}).items():
        rows = rows[_is_one_of(columns[name], values)[rows]]
    if described.get("shuffled"):
        release.generator(definition.release).shuffle(rows)
    for name, how in described.get("masked", {}).items():
        columns[name] = _masked(columns[name], how)
    if line := described.get("line"):
        numbers = np.empty(level.n, dtype=np.int32)
        numbers[rows] = np.arange(len(rows))
        columns[line] = _texts(range(1, len(rows) + 1), numbers)
    names = definition.names
    return _File(columns, [*names], [*names.values()]), rows


def write_release(path: Path, source: str, release: str, size: int, seed: int) -> int:
    """Write a release of a described twin; return how many rows it has."""
    described = package_yaml(FOLDER / f"{source}.yaml")
    definition = source_definition(source, release, {})
    year = int(definition.year)
    of = Size("persons", size, MOST_PERSONS)
    check(described["called"], year, described["years"], of, seed)
    kind = release.partition("-")[0] if "-" in release else ANY
    told = described["files"][kind]
    file, rows = _file_of(Release(described, size, seed, year), told, definition)
    member = told["member"].replace("{year}", str(year))
    split = told.get("split")
    parts = {member: rows}
    if split:
        column = file.columns[split]
        parts = {
            member.replace(f"{{{split}}}", value): rows[column.codes[rows] == code]
            for code, value in sorted(enumerate(column.values), key=lambda p: p[1])
        }
    pages = {
        name: file.pages(own, definition.delimiter)
        for name, own in parts.items()
        if len(own)
    }
    header = definition.delimiter.join(file.header)
    with whole_file(path) as aside, progress("writing", len(rows)) as advance:
        return write_archive(aside, header, pages, advance)


def __getattr__(source: str) -> Twin:
    if source.startswith("_") or not (FOLDER / f"{source}.yaml").exists():
        raise AttributeError(source)
    described = package_yaml(FOLDER / f"{source}.yaml")
    return Twin(
        "persons",
        1,
        described["years"],
        lambda path, release, *others: write_release(path, source, release, *others),
    )
