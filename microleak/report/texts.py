"""The report's words by language, and numbers and lists in sentences."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
from babel import Locale

from microleak.base.errors import StudyError, entry_of
from microleak.base.paths import package_yaml
from microleak.definitions.profile import LEAST_NAMED
from microleak.figures.numbers import LOCALES, Numbers, TableRow, Words, filled

_FOLDER = Path(__file__).with_name("texts")
_PAGE = _FOLDER / "page.yaml"
_FAMILIES = Path(__file__).parents[1] / "attacks"


@dataclass(frozen=True)
class Voice:
    """Everything a page or figure needs to speak one language."""

    language: str  # `pt` or `en`
    texts: Mapping[str, Any]
    numbers: Numbers  # How numbers are written
    sources: tuple[str, ...] | None = None  # Of the attributes that have plain names

    @property
    def locale(self) -> str:
        """Return the language's tag, for `lang` in HTML."""
        return LOCALES[self.language].replace("_", "-")

    def say(self, key: str, row: TableRow = None, /, **values: Any) -> str:
        """Return the phrase `section.name`, filled by values and a row (`filled`)."""
        section, name = key.split(".")
        phrase = entry_of(self.texts[section], name, f"{section} of texts.yaml")
        return filled(str(phrase), self, row, values)

    def attribute(self, name: str) -> str:
        """Return an attribute's plain name, or the official one if it has none."""
        return str(self.texts["attributes"].get(name, name))

    def value_labels(self, attribute: str) -> Mapping[str, str]:
        """Return what the study file calls values of an attribute."""
        labels: Mapping[str, str] = self.texts["value_labels"].get(attribute, {})
        return labels

    def named(self, names: Iterable[str]) -> str:
        """List the plain names of attributes, which may be joined by `|`."""
        return self.listing(map(self.attribute, _split(names)))

    def quoted(self, names: Iterable[str]) -> str:
        """List them in quotes."""
        return self.listing(f"“{self.attribute(name)}”" for name in _split(names))

    def listed(self, names: Iterable[str]) -> str:
        """List names as they are, which may be joined by `|`."""
        return self.listing(_split(names))

    def known(self, names: Iterable[str]) -> str:
        """Write what is known as a list; three fields of a date have one name."""
        label = {name: self.attribute(name) for name in _split(names)}
        for joined, together in self.texts["together"].items():
            first, *others = joined.split("|")
            if label.keys() >= {first, *others}:
                label[first] = together
                for other in others:
                    del label[other]
        return self.listing(label.values())

    def facts(self, names: Iterable[str]) -> str:
        """Write how many facts are known, as in `four facts`: one an attribute."""
        number = len(_split(names))
        key = "numbers.fact_one" if number == 1 else "numbers.fact_many"
        return self.say(key, number=self.number_word(number))

    def number_known(self, names: Iterable[str]) -> str:
        """Write how many attributes are known, as in `4 attributes`."""
        return self.attributes(len(_split(names)))

    def explained(self, name: str) -> str:
        """Return an attribute's name, as in `race or colour (PA_RACACOR)`."""
        plain = self.attribute(name)
        return name if plain == name else f"{plain} ({name})"

    def subject(self, sensitive: str) -> str:
        """Name an attack by the attribute it infers, none for re-identification."""
        if sensitive:
            return self.say("page.inference", sensitive=self.explained(sensitive))
        return self.say("page.reidentification")

    def attributes(self, number: int) -> str:
        """Write how many attributes, as in `4 attributes`."""
        return self.words(is_synthetic=False).attributes(number)

    def combinations(self, number: int, largest: int) -> str:
        """Write how many combinations of up to how many attributes there are."""
        return self.say(
            f"page.combinations_{'one' if number == 1 else 'many'}",
            n_subsets=self.numbers.count(number),
            attributes=self.attributes(largest),
        )

    def points(self, written: str, value: float) -> str:
        """Write a difference of shares, given as written, with its unit."""
        digits = Decimal(f"{abs(100 * value):.2f}")
        form = Locale.parse(LOCALES[self.language]).plural_form(digits)
        key = "numbers.point_one" if form == "one" else "numbers.point_many"
        return self.say(key, number=written)

    def in_points(self, value: float) -> str:
        """Write the size of a difference of shares with its unit."""
        return self.points(self.numbers.points(value), value)

    def columns(self, section: str, *names: str) -> tuple[str, ...]:
        """Return the headings of columns, which a section has, or else the page."""
        keys = [f"column_{name}" for name in names]
        texts = (self.texts[section].get(key) for key in keys)
        both = zip(keys, texts, strict=True)
        return tuple(text or self.say(f"page.{key}") for key, text in both)

    def number_word(self, number: int) -> str:
        """Write a small number as a word, another one in digits."""
        words = self.texts["numbers"]["words"]
        return str(words.get(number, self.numbers.count(number)))

    def listing(self, names: Iterable[str]) -> str:
        """Write names as a list, as in `a, b and c`, or `a, b or c, and d`."""
        # Of two names, one with `or` needs no comma. `explorer.js` writes lists, too.
        *first, last = [*names] or [""]
        if not first:
            return last
        texts = self.texts["numbers"]
        words = texts["in_phrases"][: 1 if len(first) == 1 else None]
        is_phrase = any(word in name for name in (*first, last) for word in words)
        comma = "," if is_phrase else ""
        return f"{', '.join(first)}{comma} {texts['and']} {last}"

    def words(self, is_synthetic: bool) -> Words:
        """Return the words of a figure."""
        labels, values = self.texts["attributes"], self.texts["value_labels"]
        return Words(self.texts["figure"], self.numbers, is_synthetic, labels, values)


def _split(names: Iterable[str]) -> list[str]:
    """Return names, which may be joined by `|`."""
    every = names.split("|") if isinstance(names, str) else names
    return [name for name in every if name]


Labels = Mapping[str, Mapping[str, Any]]
"""What the study file calls attributes and their values (`report.labels`)."""


def voice(
    language: str, sources: Iterable[str] | None = None, labels: Labels | None = None
) -> Voice:
    """Return the voice of a language."""
    if language not in LOCALES:
        raise StudyError(
            f"The report has no texts in language {language}. "
            f"It has: {', '.join(LOCALES)}. Correct report.languages in the study file."
        )
    texts = texts_of(language)
    every = texts["attributes"]
    chosen = tuple(every if sources is None else sorted(every.keys() & {*sources}))
    plain = {name: said for source in chosen for name, said in every[source].items()}
    labels = labels or {}
    named = {name: told["label"] for name, told in labels.items() if "label" in told}
    together = {
        names: said
        for names, said in texts["together"].items()
        if plain.keys() - named.keys() >= {*names.split("|")}
    }
    plain |= _in_language(language, named)
    values = {
        name: _in_language(language, told.get("values", {}))
        for name, told in labels.items()
    }
    own = {**texts, "attributes": plain, "together": together, "value_labels": values}
    return Voice(language, own, Numbers(language), None if sources is None else chosen)


def _in_language(language: str, labels: Mapping[Any, Any]) -> dict[str, str]:
    """Return labels that are for a language, or for all."""
    told = {
        str(name): each.get(language) if isinstance(each, Mapping) else each
        for name, each in labels.items()
    }
    return {name: said for name, said in told.items() if said}


def speaker_of(words: Words) -> Voice:
    """Return the voice of a figure's language, with its plain names."""
    speaker = voice(words.numbers.language)
    own = {"attributes": dict(words.plain_names), "value_labels": words.values}
    return replace(speaker, texts={**speaker.texts, **own})


@cache
def texts_of(language: str) -> Mapping[str, Any]:
    """Return all texts of a language by section; several files may fill one."""
    texts: dict[str, Any] = {}
    for section, phrases in _sections():
        known = texts.setdefault(section, {})
        told = _in(language, phrases)
        assert known.keys().isdisjoint(told), section
        known.update(told)
    return texts


_OF_FAMILY = {
    **{"part": "{}", "words": "{}_definitions"},
    **{"numbers": "{}_numbers", "risks": "ripd_{}"},
}
"""What sections of a family's texts.yaml are called beside those of others."""

_ONE_EACH = {"name": "measurable", "introduction": "introductions", "limit": "limits"}
"""Texts of which a family has one, and the section of those of all families."""


@cache
def _sections() -> Sequence[tuple[str, Mapping[str, Any]]]:
    """Return the sections of all files, the page's first, in both languages."""
    own = sorted(_FOLDER.glob("*.yaml"), key=lambda path: (path != _PAGE, path.name))
    found = [each for path in own for each in package_yaml(path).items()]
    for path in sorted(_FAMILIES.glob("*/texts.yaml")):
        family = path.parent.name
        for section, texts in package_yaml(path).items():
            if section in _ONE_EACH:
                found.append((_ONE_EACH[section], {family: texts}))
            elif section == "figures":
                named = {f"{family}_{key}": text for key, text in texts.items()}
                found.append(("figure", named))
            else:
                name = _OF_FAMILY.get(section, section).format(family)
                found.append((name, texts))
    return found


def _in(language: str, texts: Mapping[str, Any]) -> dict[str, Any]:
    """Return texts of both languages in one of them."""
    return {
        key: each[language] if language in each else _in(language, each)
        for key, each in texts.items()
    }


def capital(text: str) -> str:
    """Return a phrase as it begins a sentence.

    >>> capital("three facts"), capital("")
    ('Three facts', '')
    """
    return text[:1].upper() + text[1:]


def uncapital(text: str) -> str:
    """Return the beginning of a sentence as it stands within one.

    >>> uncapital("No person")
    'no person'
    """
    return text[:1].lower() + text[1:]


_MOST_NAMES = 3


def span(values: pd.Series, write: Callable[[str], str], voice: Voice) -> str:
    """Write the lowest and the highest value with what each is of."""
    known = values.dropna().astype("float64").sort_index()
    if known.empty:
        return ""
    if known.nunique() == 1:
        names = _listed(known, len(values), voice)
        if len(known) < len(values):
            names = voice.say("numbers.span_rest", names=names)
        return voice.say("numbers.span_equal", value=write(known.index[0]), names=names)
    low, high = known.idxmin(), known.idxmax()
    return voice.say(
        "numbers.span",
        low=write(low),
        low_name=str(low),
        high=write(high),
        high_name=str(high),
    )


def _listed(known: pd.Series, n_all: int, voice: Voice) -> str:
    if len(known) <= _MOST_NAMES:
        return voice.listing(map(str, known.index))
    return voice.say(
        "numbers.span_of",
        number=voice.numbers.count(len(known)),
        n_all=voice.numbers.count(n_all),
    )


_MOST_VALUES = 3


def predicate_text(
    kind: str, values: Sequence[str | None], voice: Voice, attribute: str = ""
) -> str:
    """Write which values of an attribute are counted.

    >>> from microleak.report.texts import voice
    >>> predicate_text("between", ("1937", "2000"), voice("en"))
    'from “1937” to “2000”'
    >>> predicate_text("in", ("a|b", None), voice("en"))
    'one of “a|b”, (missing)'
    """
    labels, missing = voice.value_labels(attribute), voice.say("predicate.missing")
    told = [missing if v is None else f"“{labels.get(v, v)}”" for v in values]
    if kind == "between":
        return voice.say("predicate.between", low=told[0], high=told[1])
    if kind == "in" and len(told) > _MOST_VALUES:
        return voice.say("predicate.in_many", n_values=voice.numbers.count(len(told)))
    return voice.say(f"predicate.{kind}", values=", ".join(told))


_MOST_LETTERS = 60


def who_has(row: Mapping[Hashable, Any], voice: Voice) -> str:
    """Write who has a value, as it follows a number; in words if there are any."""
    name, value = row["sensitive"], row["value"]
    if row["is_missing"] in (True, "true"):
        return voice.say("having.missing", attribute=voice.attribute(name))
    if has_words(row, voice):
        return str(voice.texts["members"][name][value])
    told = voice.value_labels(name).get(value, value)
    short = told if len(told) <= _MOST_LETTERS else f"{told[: _MOST_LETTERS - 1]}…"
    return voice.say("having.value", attribute=voice.attribute(name), value=short)


def has_words(row: Mapping[Hashable, Any], voice: Voice) -> bool:
    """Whether the texts have words for who has a value, and the study has no label."""
    name, value = row["sensitive"], row["value"]
    is_labelled = value in voice.value_labels(name)
    return not is_labelled and value in voice.texts["members"].get(name, {})


def leading(rows: pd.DataFrame, certain: str = "n_certain") -> pd.DataFrame:
    """Return the rows of known values, those first that a sentence tells of first.

    Of the largest share of those who have it an adversary is certain; of equals it is
    the rarest. Last are values that fewer than `LEAST_NAMED` have. `certain` is the
    column that counts of how many one is certain.
    """
    if rows.empty:
        return rows
    known = rows[~rows["is_missing"].isin([True, "true"])]
    members = known["n_members"].astype(int)
    ranks = pd.DataFrame(
        {
            "is_alone": members < LEAST_NAMED,
            "share": -known[certain].astype(int) / members,
            "members": members,
        }
    )
    return known.loc[ranks.sort_values([*ranks], kind="stable").index]


def value_label(row: Mapping[Hashable, Any], voice: Voice) -> str:
    """Write who has a value as a row of a table begins, with the code if it is one."""
    words = capital(who_has(row, voice))
    has_label = row["value"] in voice.value_labels(row["sensitive"])
    return f"{words} ({row['value']})" if has_label or has_words(row, voice) else words
