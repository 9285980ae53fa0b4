"""What is told of values that may not be what they seem: totals, placeholders, marks.

Looked at are the different values of a column. None of them is shown.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from gettext import gettext as _
from gettext import ngettext
from heapq import nlargest

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from microleak.base.language import number_text
from microleak.base.progress import tell_user
from microleak.base.total_words import is_missing, is_surely_total, reads_like_total

_CONTROLS = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x{FFFE}\x{FFFF}\x{80}-\x{9F}]"
_UNSEEN = (
    r"^\s|\s$|\s\s|[\t\n\r\x{A0}\x{AD}\x{2000}-\x{200F}\x{2028}-\x{202F}\x{205F}-"
    r"\x{2064}\x{3000}\x{FEFF}]|\pM"
)
"""Blanks at an end or twice, and what has no look of its own."""

_MISREAD = r"[ÂÃÄÅ][\x{80}-\x{BF}ŒœŠšŸŽžƒ‰™†‡ˆ˜€›¸]|â€|ðŸ|ï»¿"
_ROUNDED = re.compile(r"\d([.,]\d+)?E[+]\d+", re.IGNORECASE)
_LIKE_TOTALS = (
    r"(?i)\btot|(sub|super)tot|soma|sum|geral|gesamt|(tod|amb)[ao]s|all |both "
)
PADDED = "^0[0-9]+$"
FEW, MANY = 3, 10  # Rows of a placeholder: of one that looks so, and of any
LOOKED_AT = 20  # Persons with most rows, of whom it is asked whether they are persons


def tell_of(name: str, column: pa.ChunkedArray) -> None:
    counted = column.value_counts()
    tell_values(name, counted.field("values"), counted.field("counts").to_numpy)


def most_frequent(column: pa.Array | pa.ChunkedArray) -> list[tuple[int, str]]:
    counted = column.value_counts().to_pylist()
    return nlargest(LOOKED_AT, ((each["counts"], each["values"]) for each in counted))


def tell_values(
    name: str, values: pa.Array, counts: Callable[[], NDArray[np.int64]]
) -> None:
    for pattern, said in (
        (_CONTROLS, _("with control characters, for which a page shows \ufffd")),
        ("\ufffd", _("with a replacement character, where another one was lost")),
        (_MISREAD, _("with what looks like UTF-8 read in another encoding")),
    ):
        if n := pc.sum(pc.match_substring_regex(values, pattern)).as_py():
            _tell(name, n, said)
    if n := _n_alike(values):
        same = _("equal to another but for spaces or invisible characters")
        _tell(name, n, same)
    tell_totals(name, _n_totals(values, counts))


def tell_totals(name: str, n: int) -> None:
    """Tell of so many values of a column that read like totals, if there are any."""
    if n:
        said = ngettext(
            "{name}: {n} value reads like a total, and its rows count as persons. If "
            "it is a total, delete those rows.",
            "{name}: {n} values read like totals, and their rows count as persons. If "
            "they are totals, delete those rows.",
            n,
        )
        tell_user(said.format(name=name, n=number_text(n)))


def _tell(name: str, n: int, said: str) -> None:
    text = ngettext("{name} has {n} value {said}.", "{name} has {n} values {said}.", n)
    correct = _("If that is wrong, correct the file.")
    tell_user(f"{text.format(name=name, n=number_text(n), said=said)} {correct}")


def _n_alike(values: pa.Array) -> int:
    odd = values.filter(pc.match_substring_regex(values, _UNSEEN)).drop_null()
    if not len(odd):
        return 0
    seen = [_as_seen(text) for text in odd.to_pylist()]
    n_of = Counter(seen)
    plain = pc.is_in(pa.array(seen, values.type), value_set=values).to_pylist()
    pairs = zip(odd.to_pylist(), seen, plain, strict=True)
    return sum(n_of[s] > 1 or (is_there and s != text) for text, s, is_there in pairs)


def _as_seen(text: str) -> str:
    composed = unicodedata.normalize("NFC", text)
    shown = "".join(c for c in composed if unicodedata.category(c) not in ("Cf", "Cc"))
    return " ".join(shown.split())


def _n_totals(values: pa.Array, counts: Callable[[], NDArray[np.int64]]) -> int:
    """Count the values that read like a total and that few records have."""
    # There are two other values or more, and half of them are in as many records as a
    # total or, where its word may be a value, in twice as many.
    words = pc.match_substring_regex(values, r"^\PL*\pL[^0-9]*$")
    texts = values.filter(words).drop_null().to_pylist()
    if not any(map(reads_like_total, texts)):
        return 0
    n_of = dict(zip(values.to_pylist(), counts().tolist(), strict=True))
    totals = {text for text in texts if reads_like_total(text)}
    others = [n for text, n in n_of.items() if text is not None and text not in totals]
    if len(others) < 2:
        return 0
    half = float(np.median(others))
    return sum(n_of[t] * (1 if is_surely_total(t) else 2) <= half for t in totals)


def n_named_as_totals(names: pa.Array) -> int:
    if not len(names) or names[-1].as_py() < "A":  # as where all are digits
        return 0
    likely = names.filter(pc.match_substring_regex(names, _LIKE_TOTALS))
    return sum(map(is_surely_total, likely.to_pylist()))


def without_zeros(padded: pa.Array) -> pa.Array:
    return pc.replace_substring_regex(padded, "^0+([0-9])", r"\1")


def n_zeros_apart(one: pa.Array, other: pa.Array) -> int:
    """Count the values that one has with leading zeros, and the other without."""
    zeros = one.filter(pc.match_substring_regex(one, PADDED))
    if not len(zeros):  # as of most columns, of which no set has to be made
        return 0
    bare = without_zeros(zeros)
    meets = pc.or_(pc.is_in(zeros, other), pc.is_in(bare, one))
    is_apart = pc.and_not(pc.is_in(bare, other), meets)
    return pc.sum(is_apart).as_py() or 0


def tell_placeholders(
    name: str, most: Iterable[tuple[int, str]], n_rows: int, n_persons: int
) -> None:
    """Tell of identifiers that many rows have which are hardly of one person."""
    # Either an identifier looks like none and has more rows than others, or it has many
    # and ten times as many as any other.
    ordered = sorted(most, reverse=True)
    odd = [n for n, text in ordered if _looks_empty(text, n, n_rows / n_persons)]
    if any(_ROUNDED.fullmatch(text) for _, text in ordered):
        said = _(
            "{name} has identifiers as 2.0E+10, of which a spreadsheet dropped digits: "
            "several persons may count as one. Write it again from the file that has "
            "all digits."
        )
        tell_user(said.format(name=name))
    first, second, *_rest = [*(n for n, _ in ordered), 1, 1]
    if not odd and n_persons > 1 and first >= MANY and first > MANY * second:
        odd = [first]
    if odd:
        said = ngettext(
            "{name} has what looks like a placeholder in {n} of {n_rows} rows, which "
            "would count as one person. If it names nobody, add it to missing under "
            "options in the study file, and say in max_refused how many rows may be "
            "set aside.",
            "{name} has what look like placeholders in {n} of {n_rows} rows; the rows "
            "of each would count as one person. If they name nobody, add them to "
            "missing under options in the study file, and say in max_refused how many "
            "rows may be set aside.",
            len(odd),
        )
        tell_user(
            said.format(name=name, n=number_text(sum(odd)), n_rows=number_text(n_rows))
        )


def _looks_empty(text: str, n: int, mean: float) -> bool:
    """Whether an identifier that several rows have is blank, a word or one sign."""
    bare = text.strip()
    if is_missing(bare) or not re.search(r"\w", bare):
        return n > 1
    digits = re.sub(r"[\s./-]", "", bare)
    is_one_sign = len(set(digits.casefold())) == 1
    return is_one_sign and n >= FEW and n > FEW * mean
