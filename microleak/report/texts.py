"""The report's words by language: the shell's own, and those of each family."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from babel import Locale

from microleak.base.errors import StudyError
from microleak.base.package_data import package_yaml
from microleak.figures.numbers import LOCALES, Numbers
from microleak.figures.words import Words

_FOLDER = Path(__file__).with_name("texts")
_FAMILIES = Path(__file__).parents[1] / "attacks"


@dataclass(frozen=True)
class Voice:
    """Everything a page or figure needs to speak one language.

    Attributes
    ----------
    language
        `pt` or `en`.
    texts
        What `texts_of` reads.
    numbers
        How numbers are written.
    """

    language: str
    texts: Mapping[str, Any]
    numbers: Numbers

    @property
    def locale(self) -> str:
        """Return the language's tag, for `lang` in HTML."""
        return LOCALES[self.language].replace("_", "-")

    def say(self, key: str, **values: str) -> str:
        """Return the phrase `section.name` with its placeholders filled."""
        section, name = key.split(".")
        return str(self.texts[section][name]).format(**values)

    def attribute(self, name: str) -> str:
        """Return an attribute's plain name, or the official one if it has none."""
        return str(self.texts["attributes"].get(name, name))

    def known(self, names: Iterable[str]) -> str:
        """Write what is known as a list; three fields are a full date of birth."""
        return self.listing(self._facts(names))

    def facts(self, names: Iterable[str]) -> str:
        """Write how many facts are known, as in `four facts`; a full date is one."""
        number = self.n_facts(names)
        key = "numbers.fact_one" if number == 1 else "numbers.fact_many"
        return self.say(key, number=self.number_word(number))

    def number_known(self, names: Iterable[str]) -> str:
        """Write how many attributes are known, as in `4 attributes`.

        Where they make a full date of birth it is the number of facts.
        """
        names = [*names]
        is_plain = self.n_facts(names) == len(names)
        return self.attributes(len(names)) if is_plain else self.facts(names)

    def n_facts(self, names: Iterable[str]) -> int:
        """Count what is known, where a full date of birth is one fact."""
        return len(self._facts(names))

    def _facts(self, names: Iterable[str]) -> list[str]:
        """Name attributes plainly; what has a name together has it where it begins."""
        label = {name: self.attribute(name) for name in names}
        for joined, together in self.texts["together"].items():
            first, *others = joined.split("|")
            if label.keys() >= {first, *others}:
                label[first] = together
                for other in others:
                    del label[other]
        return list(label.values())

    def explained(self, name: str) -> str:
        """Return an attribute's plain name with the official one, if they differ.

        As in `race or colour (PA_RACACOR)`.
        """
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

    def points(self, written: str, value: float) -> str:
        """Write a difference of shares with its unit, as in `81.10 percentage points`.

        `written` is its number as `Numbers` writes it.
        """
        digits = Decimal(f"{abs(100 * value):.2f}")
        form = Locale.parse(LOCALES[self.language]).plural_form(digits)
        key = "numbers.point_one" if form == "one" else "numbers.point_many"
        return self.say(key, number=written)

    def number_word(self, number: int) -> str:
        """Write a small number as a word, another one in digits."""
        words = self.texts["numbers"]["words"]
        return str(words.get(number, self.numbers.count(number)))

    def listing(self, names: Iterable[str]) -> str:
        """Write names as a list, as in `a, b and c`."""
        *first, last = names
        if not first:
            return last
        return f"{', '.join(first)} {self.texts['numbers']['and']} {last}"

    def words(self, is_synthetic: bool) -> Words:
        """Return the words of a figure."""
        return Words(self.texts["figure"], self.numbers, is_synthetic)


def voice(language: str) -> Voice:
    """Return the voice of a language.

    Raises
    ------
    StudyError
        If there are no texts in that language.
    """
    if language not in LOCALES:
        raise StudyError(
            f"The report has no texts in language {language}. "
            f"It has: {', '.join(LOCALES)}. Correct report.languages in the study file."
        )
    return Voice(language, texts_of(language), Numbers(language))


@cache
def texts_of(language: str) -> Mapping[str, Any]:
    """Read the files of a language; a section may be in several of them.

    The page's own come first, then the report's others and those of the families,
    either by name.
    """
    texts: dict[str, Any] = {}
    for path in (
        *sorted(_FOLDER.glob(f"{language}/*.yaml"), key=_page_first),
        *sorted(_FAMILIES.glob(f"*/texts/{language}.yaml")),
    ):
        for section, phrases in package_yaml(path).items():
            known = texts.setdefault(section, phrases)
            if known is not phrases:
                assert known.keys().isdisjoint(phrases), (path.name, section)
                known.update(phrases)
    return texts


def _page_first(path: Path) -> tuple[bool, str]:
    return path.name != "page.yaml", path.name
