"""The words of a figure: phrases and numbers in one language."""

from collections.abc import Mapping
from dataclasses import dataclass

from microleak.figures.numbers import Numbers

SYNTHETIC_MARK = "SYNTHETIC / SINTÉTICO"


@dataclass(frozen=True)
class Words:
    """What a figure says, and whether its study is made up.

    Attributes
    ----------
    phrases
        Phrases of a figure by key, with `{placeholders}`.
    numbers
        How numbers are written.
    is_synthetic
        Whether the figure must say SYNTHETIC.
    """

    phrases: Mapping[str, str]
    numbers: Numbers
    is_synthetic: bool

    def say(self, key: str, **values: str) -> str:
        """Return a phrase with its placeholders filled."""
        return self.phrases[key].format(**values)

    def attributes(self, number: int) -> str:
        """Write how many attributes, as in `1 attribute` or `4 attributes`."""
        key = "attribute_one" if number == 1 else "attribute_many"
        return self.say(key, number=self.numbers.count(number))
