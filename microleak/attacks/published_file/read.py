"""The records of an original, a published file and a control, as codes that meet."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import chain
from typing import NamedTuple

import numpy as np

from microleak.attacks.published_file.blocks import KnownAttribute, LabelLevel
from microleak.attacks.published_file.labels import (
    OriginalValues,
    Text,
    covered_by,
    covers_of_levels,
    levels_of_labels,
)
from microleak.attacks.published_file.search import Guessed, KnownPeople
from microleak.attacks.published_file.section import Near, PublishedFile
from microleak.base.arrays import Integers
from microleak.base.errors import TableError, count_of
from microleak.base.progress import tell_user
from microleak.kernels.divided import NOTHING, Numbers
from microleak.protection.methods import blocks_and_sizes
from microleak.records.chunks import Given
from microleak.records.coding import codes_of, missing_first, texts_of
from microleak.records.hierarchy import levels_of
from microleak.records.memory import Memory, counted_values


class ReadColumn(NamedTuple):
    """The distinct values of a column and which of them each record has."""

    texts: Sequence[Text]
    codes: Numbers

    def among(self, texts: Sequence[Text]) -> Numbers:
        """Return codes by other texts, which have all of these."""
        code_of = {text: code for code, text in enumerate(texts)}
        found = np.array([code_of[text] for text in self.texts], dtype=np.int32)
        return found[self.codes]

    @property
    def share_missing(self) -> Fraction:
        """Return the share of the records that have no value."""
        if None not in self.texts:
            return Fraction(0)
        code = self.texts.index(None)
        return Fraction(int(np.count_nonzero(self.codes == code)), len(self.codes))


Columns = Mapping[str, ReadColumn]


def columns_read(people: Given, names: Sequence[str], memory: Memory) -> Columns:
    """Read columns whole, as codes."""
    chunks, memory = memory.chunks(people, len(names))
    known = counted_values(chunks, names, memory)
    parts: dict[str, list[Numbers]] = {name: [] for name in names}
    for i in range(chunks.n_chunks):
        table = chunks.read(i, list(names))
        for name in names:
            codes = codes_of(table[name], known[name])
            parts[name].append(codes.astype(np.int32))
    return {
        name: ReadColumn(texts_of(known[name].values), np.concatenate(parts[name]))
        for name in names
    }


class Read(NamedTuple):
    """The originals and the control, each with the published file."""

    originals: KnownPeople
    control: KnownPeople | None


def read_files(
    original: Given,
    published: Given,
    control: Given | None,
    analysis: PublishedFile,
    memory: Memory,
) -> Read:
    """Return both files of an analysis, and the control, with codes that meet.

    Raises
    ------
    TableError
        If a label is not understood, it is not known what an empty cell is, a key names
        no record, or the control was taken out of the original.
    """
    names, key = analysis.compared, analysis.key
    with_key = [*names, *([key] if key else [])]
    before = columns_read(original, with_key, memory)
    after = columns_read(published, with_key, memory)
    given = [before]
    if control is not None:
        given.append(columns_read(control, names, memory))
        _refuse_taken_out(given[0], given[1], names, memory.where)
    attributes: list[list[KnownAttribute]] = [[] for _ in given]
    for name in analysis.qids:
        texts = [*dict.fromkeys(chain.from_iterable(of[name].texts for of in given))]
        _check_missing(before[name], after[name], name, analysis)
        levels = _levels(texts, after[name], name, analysis)
        for of, each in zip(given, attributes, strict=True):
            each.append(KnownAttribute(of[name].among(texts), len(texts), levels))
        # A file of fewer records, as a sample, need not have each value.
        if len(after[name].codes) >= len(before[name].codes):
            _tell_if_few(attributes[0][-1], f"analysis {analysis.name!r}: {name}")
    guessed: list[list[Guessed]] = [[] for _ in given]
    for name in analysis.sensitive:
        found = _guessed([of[name] for of in given], after[name], name, analysis)
        for one, of_people in zip(found, guessed, strict=True):
            of_people.append(one)
    n, n_published = (len(of[names[0]].codes) for of in (before, after))
    own = None
    if key is not None:
        where = f"{memory.where}: {key}"
        own = _own_masks(before[key], after[key], attributes[0], where)
    originals = KnownPeople(attributes[0], guessed[0], n, n_published, own)
    if control is None:
        return Read(originals, None)
    n = len(given[1][names[0]].codes)
    others = KnownPeople(attributes[1], guessed[1], n, n_published, is_published=False)
    return Read(originals, others)


def _levels(
    texts: Sequence[Text], published: ReadColumn, name: str, analysis: PublishedFile
) -> Sequence[LabelLevel]:
    where = f"analysis {analysis.name!r}: {name}"
    values = OriginalValues(texts)
    hierarchy = analysis.hierarchies.get(name)
    told = {}
    if hierarchy is not None:
        told = covers_of_levels(levels_of(hierarchy, texts, where))
    is_suppressed = analysis.missing == "suppressed"
    covers = [
        values.every
        if label is None and is_suppressed
        else covered_by(label, values, told)
        for label in published.texts
    ]
    if n_unknown := sum(cover is None for cover in covers):
        raise TableError(
            f"{where} of the published file has {count_of(n_unknown, 'label')} that "
            "are neither values of the table nor read as ranges, sets or prefixes. "
            f"Give the labels of {name} as a file under hierarchies."
        )
    known = [cover for cover in covers if cover is not None]
    return levels_of_labels(published.texts, published.codes, known, len(texts))


def _tell_if_few(attribute: KnownAttribute, where: str) -> None:
    """Tell of an attribute that most people cannot be found by, as of other people."""
    values = np.zeros(attribute.n_values, dtype=np.bool_)
    for level in attribute.levels:
        is_used = np.zeros(level.n + 1, dtype=np.bool_)
        is_used[level.published] = True
        is_used[NOTHING] = False
        values |= is_used[level.of_value]
    n, n_covered = len(attribute.codes), int(values[attribute.codes].sum())
    if 2 * n_covered < n:
        tell_user(
            f"{where} of the published file covers that of {n_covered:,} of {n:,} "
            "people of the table. Are both files of the same people, and are its "
            "labels those of the table's values?"
        )


def _check_missing(
    before: ReadColumn, after: ReadColumn, name: str, analysis: PublishedFile
) -> None:
    """Ask what empty cells are, where the file has more of them than the table."""
    is_told = analysis.missing is not None
    if not is_told and after.share_missing > before.share_missing:
        raise TableError(
            f"analysis {analysis.name!r}: {name} has a larger share of empty cells in "
            "the published file than in the table. Write missing: suppressed if they "
            "were made empty, or missing: value if nobody knows the values."
        )


def _guessed(
    people: Sequence[ReadColumn],
    published: ReadColumn,
    name: str,
    analysis: PublishedFile,
) -> list[Guessed]:
    """Return a sensitive attribute of each of some people."""
    where = f"analysis {analysis.name!r}: {name}"
    numbers = [OriginalValues(of.texts).are_numbers for of in (people[0], published)]
    if numbers[0] and not numbers[1]:
        raise TableError(
            f"{where} has values that are no numbers in the published file alone, and "
            "what is guessed is a value. Move it from sensitive to qids, or remove it."
        )
    every = {*chain.from_iterable(of.texts for of in (*people, published))}
    texts = sorted(every, key=missing_first)
    within = np.arange(len(texts)), np.arange(len(texts))
    if name in analysis.near:
        texts, within = _near_ranks(texts, analysis.near[name], where)
    ranks = published.among(texts)
    if analysis.missing == "suppressed" and None in published.texts:
        ranks[ranks == texts.index(None)] = NOTHING
    n = len(texts)
    return [Guessed(of.among(texts), ranks, within, n) for of in people]


def _near_ranks(
    texts: Sequence[Text], near: Near, where: str
) -> tuple[list[Text], tuple[Integers, Integers]]:
    """Return texts in the order of their numbers, and which are near each."""
    given = []
    for text in texts:
        if text is not None:
            try:
                given.append((Fraction(text), text))
            except ValueError:
                raise TableError(
                    f"{where} has values that are no numbers, so none is near another. "
                    "Remove it from near."
                ) from None
    given.sort()
    numbers = [number for number, _ in given]
    absolute, relative = Fraction(near.absolute or 0), Fraction(near.relative or 0)
    widths = [max(absolute, relative * abs(number)) for number in numbers]
    both = [*zip(numbers, widths, strict=True)]
    lows = [bisect_left(numbers, number - width) for number, width in both]
    highs = [bisect_right(numbers, number + width) - 1 for number, width in both]
    ordered: list[Text] = [text for _, text in given]
    if None in texts:
        ordered.append(None)
        lows.append(len(given))
        highs.append(len(given))
    return ordered, (np.array(lows), np.array(highs))


def _own_masks(
    before: ReadColumn,
    after: ReadColumn,
    attributes: Sequence[KnownAttribute],
    where: str,
) -> Integers:
    for column, whose in ((before, "table"), (after, "published file")):
        if len(column.texts) < len(column.codes) or None in column.texts:
            raise TableError(
                f"{where} of the {whose} is missing, or the same in two records, so it "
                "does not say whose a published record is. Correct or remove key."
            )
    row_of = {after.texts[code]: row for row, code in enumerate(after.codes.tolist())}
    rows = np.array(
        [row_of.get(before.texts[code], -1) for code in before.codes.tolist()]
    )
    found = np.zeros(len(rows), dtype=np.int64)
    for place, attribute in enumerate(attributes):
        covers = np.zeros(len(rows), dtype=np.bool_)
        for level in attribute.levels:
            label = level.published[rows]
            covers |= (label >= 0) & (level.of_value[attribute.codes] == label)
        found |= (covers & (rows >= 0)).astype(np.int64) << place
    return found


def _refuse_taken_out(
    before: Columns, others: Columns, names: Sequence[str], where: str
) -> None:
    """Refuse a control each of whose records is one of the originals."""
    n = len(before[names[0]].codes)
    columns = []
    for name in names:
        texts = [*dict.fromkeys((*before[name].texts, *others[name].texts))]
        both = [each[name].among(texts) for each in (before, others)]
        columns.append(np.concatenate(both))
    blocks, sizes = blocks_and_sizes(columns)
    originals, controls = (
        np.bincount(part, minlength=len(sizes)) for part in (blocks[:n], blocks[n:])
    )
    if (controls <= originals).all():
        raise TableError(
            f"{where}: each record of control is one of the table too, so the "
            "published file was made of these people as well, and no difference is to "
            "be expected whatever it gives away. Give people who were never published, "
            "or remove control."
        )
