"""What the page says of attacks on single persons: where they are, and no more."""

from collections.abc import Iterator, Mapping

from microleak.report.contents import Headline, Tables
from microleak.report.drawn import Undrawn
from microleak.report.parts import Chapter, Part, Passage
from microleak.report.texts import Voice


class _TargetsShown:
    """How the family is shown (`microleak.report.families.Shown`)."""

    topics = frozenset({"targets"})
    script = ""

    def chapters(
        self, study: Headline, _: Tables, __: Mapping[str, str], voice: Voice
    ) -> Iterator[Chapter]:
        """Yield how many persons were attacked, if any; never who or what of them."""
        n = study.families["targets"]["n_targets"]
        if n:
            key = f"targets.told_{'one' if n == 1 else 'many'}"
            told = voice.say(key, number=voice.numbers.count(n), study=study.name)
            part = Part(
                anchor=f"{voice.language}-targets",
                analysis="",
                kicker="",
                heading=voice.say("targets.heading"),
                said=(),
                body=(Passage("paragraph", told),),
            )
            yield Chapter((part,), self.topics)

    def figures(self, _: Headline, __: Tables) -> Iterator[Undrawn]:
        yield from ()


SHOWN = _TargetsShown()
