"""Its part of the page."""

from microleak.report.families import PartEach
from microleak.report.parts import Part, Sentences


def _part(rows, place):
    told = place.voice.say("toy.told", n=place.voice.numbers.count(rows["n_values"][0]))
    download = place.download("toy", place.voice.say("toy.download"))
    return Part(
        anchor=place.anchor,
        analysis=place.analysis,
        kicker="",
        heading=place.voice.say("toy.heading"),
        body=(Sentences((told,)),),
        downloads=(download,),
    )


SHOWN = PartEach(
    "toy", lambda rows: iter(rows.get("toy", {}).items()), lambda *_: iter(()), _part
)
