"""Its part of the page."""

from microleak.report.families import EachAnalysis

SHOWN = EachAnalysis(
    "toy",
    heading=lambda _, place: place.say("heading"),
    measured=lambda *_: (),
    sentences=lambda rows, place: [place.say("told", rows.iloc[0])],
)
