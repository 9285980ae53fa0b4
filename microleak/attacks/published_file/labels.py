"""What the labels of a published file cover of the original's values.

Understood are equal values, and labels as the programs that make such files write them:
`*`; `81***`; `{a, b}`; `[20, 30[`, `(20,30]`, `20-29`, `<50`, `>=80`, `80+` of numbers;
and what a hierarchy has. A label that may be read in two ways covers both.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, cached_property

import numpy as np

from microleak.attacks.published_file.blocks import LabelLevel
from microleak.base.arrays import Integers
from microleak.kernels.divided import NOTHING, Numbers
from microleak.records.coding import missing_first

_NUMBER = r"-?\d+(?:[.]\d+)?"
_INTERVAL = re.compile(
    rf"([\[\](])\s*({_NUMBER}|-[Ii]nf)\s*[,;]\s*({_NUMBER}|[+]?[Ii]nf)\s*([\[\])])"
)
_FROM_TO = re.compile(rf"({_NUMBER})\s*-\s*({_NUMBER})")
_BOUND = re.compile(rf"(<=?|>=?|≤|≥)\s*({_NUMBER})|({_NUMBER})([+])")

Text = str | None
EVERYTHING = "*"


@dataclass(frozen=True)
class OriginalValues:
    """Values of an attribute of the original by their codes; None is a missing one."""

    texts: Sequence[Text]

    @cached_property
    def code_of(self) -> Mapping[Text, int]:
        """Return the code of each value."""
        return {text: code for code, text in enumerate(self.texts)}

    @cached_property
    def every(self) -> Integers:
        """Return all codes."""
        return np.arange(len(self.texts))

    @cached_property
    def _numbers(self) -> tuple[list[Decimal], Integers]:
        """Numbers, ascending, and their codes; none if a value is no number."""
        given = [(text, code) for code, text in enumerate(self.texts) if text]
        if not all(re.fullmatch(_NUMBER, text, re.ASCII) for text, _ in given):
            return [], np.zeros(0, dtype=np.int64)
        found = sorted((Decimal(text), code) for text, code in given)
        codes = np.array([code for _, code in found], dtype=np.int64)
        return [number for number, _ in found], codes

    @property
    def are_numbers(self) -> bool:
        """Say whether all values but a missing one are numbers."""
        return bool(self._numbers[0])

    def between(
        self, low: Decimal, high: Decimal, *, has_low: bool, has_high: bool
    ) -> Integers | None:
        """Return the codes of numbers between two, each of which it has or not.

        What ends before it begins is no label.
        """
        if low > high:
            return None
        numbers, codes = self._numbers
        first = (bisect_left if has_low else bisect_right)(numbers, low)
        last = (bisect_right if has_high else bisect_left)(numbers, high)
        return np.sort(codes[first:last])

    @cached_property
    def _by_end(self) -> Callable[[bool, int], Mapping[str, list[int]]]:
        """Codes of values by so many first, or last, characters."""

        def by_end(is_first: bool, n: int) -> Mapping[str, list[int]]:
            found = defaultdict(list)
            for code, text in enumerate(self.texts):
                if text is not None and len(text) >= n:
                    found[text[:n] if is_first else text[-n:]].append(code)
            return found

        return cache(by_end)

    def like(self, label: str) -> Integers | None:
        """Return the values that a label with stars in place of its end covers."""
        # Stars stand for a character each; one alone for whatever follows.
        kept = label.strip(EVERYTHING)
        n_stars = len(label) - len(kept)
        is_first = label.startswith(kept)
        if not kept or EVERYTHING in kept or not (is_first or label.endswith(kept)):
            return None
        codes = self._by_end(is_first, len(kept)).get(kept, [])
        long = [
            code
            for code in codes
            if n_stars == 1 or len(self.texts[code] or "") == len(label)
        ]
        return np.array(long, dtype=np.int64)


def covered_by(
    label: Text, values: OriginalValues, told: Mapping[Text, Integers]
) -> Integers | None:
    """Return the codes that a label covers, ascending; None if it is not understood.

    `told` has what each label of a hierarchy covers.
    """
    ways = [way for way in _ways(label, values, told) if way is not None]
    return np.unique(np.concatenate(ways)) if ways else None


def _ways(
    label: Text, values: OriginalValues, told: Mapping[Text, Integers]
) -> Iterator[Integers | None]:
    if label in values.code_of:
        yield np.array([values.code_of[label]])
    if label in told:
        yield told[label]
    if label is None:
        yield np.zeros(0, dtype=np.int64)
        return
    if label in values.code_of or label in told:
        return
    if label == EVERYTHING:
        yield values.every
    elif label.startswith("{") and label.endswith("}"):
        parts = [
            covered_by(part.strip(), values, told) for part in label[1:-1].split(",")
        ]
        # Values that no original has are of no matter beside one that some have.
        if known := [part for part in parts if part is not None]:
            yield np.concatenate(known)
    elif EVERYTHING in label:
        yield values.like(label)
    elif values.are_numbers:
        yield _range(label, values)


def _range(label: str, values: OriginalValues) -> Integers | None:
    infinity = Decimal("inf")
    if re.fullmatch(_NUMBER, label, re.ASCII):
        number = Decimal(label)
        return values.between(number, number, has_low=True, has_high=True)
    if found := _INTERVAL.fullmatch(label):
        left, low, high, right = found.groups()
        bounds = Decimal(low), Decimal(high)
        return values.between(*bounds, has_low=left == "[", has_high=right == "]")
    if found := _FROM_TO.fullmatch(label):
        low, high = map(Decimal, found.groups())
        return values.between(low, high, has_low=True, has_high=True)
    if found := _BOUND.fullmatch(label):
        sign, below, from_there, plus = found.groups()
        bound, sign = Decimal(below or from_there), sign or plus
        has_it = sign not in ("<", ">")
        if sign in ("<", "<=", "≤"):
            return values.between(-infinity, bound, has_low=True, has_high=has_it)
        return values.between(bound, infinity, has_low=has_it, has_high=True)
    return None


def covers_of_levels(levels: Sequence[Sequence[Text]]) -> dict[Text, Integers]:
    """Return the codes that each label of a hierarchy covers, on all of its levels."""
    found: dict[Text, set[int]] = defaultdict(set)
    for labels in levels[1:]:
        for code, label in enumerate(labels):
            found[label].add(code)
    return {label: np.array(sorted(codes)) for label, codes in found.items()}


def levels_of_labels(
    published: Sequence[Text],
    codes: Numbers,
    covers: Sequence[Integers],
    n_values: int,
) -> list[LabelLevel]:
    """Return labels in as few levels as are found, each of which covers no value twice.

    `published` are the labels, `codes` which of them each published record has, and
    `covers` what each covers.
    """
    sizes = np.array([len(cover) for cover in covers], dtype=np.int64)
    one_of = np.full(len(covers), NOTHING, dtype=np.int32)
    for label in np.flatnonzero(sizes == 1).tolist():
        one_of[label] = covers[label][0]
    levels = []
    if (one_of >= 0).any():
        itself = np.arange(n_values, dtype=np.int32)
        levels.append(LabelLevel(itself, one_of[codes], n_values))
    # Wide ones first, so that those of one width come to lie side by side.
    wide = np.flatnonzero(sizes > 1).tolist()
    order = sorted(wide, key=lambda i: (-sizes[i], missing_first(published[i])))
    wider: list[tuple[Numbers, list[int]]] = []
    for label in order:
        cover = covers[label]
        free = (each for each in wider if (each[0][cover] < 0).all())
        level = next(free, None)
        if level is None:
            level = np.full(n_values, NOTHING, dtype=np.int32), []
            wider.append(level)
        level[0][cover] = len(level[1])
        level[1].append(label)
    for of_value, labels in wider:
        number = np.full(len(covers), NOTHING, dtype=np.int32)
        number[labels] = np.arange(len(labels))
        levels.append(LabelLevel(of_value, number[codes], len(labels)))
    return levels
