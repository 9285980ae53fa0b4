"""The answer in short: what each analysis found, told once."""

from markupsafe import Markup

from microleak.attacks.collective.report.pages import (
    CertainOfRelease,
    ToldRelease,
    whole_parts,
)
from microleak.report.answer import answer as answer_of
from microleak.report.answer import below
from microleak.report.parts import Bars, Drawing, Line, Part, Reply, Sentences, ShareBar
from microleak.report.texts import voice
from tests.attacks.collective.state_study import (
    alone,
    english,
    pages_of,
    study_of,
    tables_of,
    with_another,
)


def answer(page):
    text = english(page)
    begin = text.index('class="answer"')
    return text[begin : text.index("</section>", begin)]


def test_the_answer_in_short_tells_of_the_states_and_warns_of_lines(pages):
    told = answer(pages["index.html"])
    assert "is right for 24.01% (Sergipe) to 57.02% (Roraima) of the records" in told
    assert told.count("a line that is found is not yet a person") == 1
    assert "<h3>" not in told  # one analysis alone is not named
    assert '"lines-RR-2023' not in told
    assert english(pages["index.html"]).count("is not yet a person who is found") == 1


def test_what_states_do_not_tell_is_told_of_the_release_where_it_is_highest(pages):
    told = answer(pages["index.html"])
    assert "RR-2022, the most exposed of 4 releases: two facts about a record" in told
    assert "are enough to find" in told
    assert "give away" not in told
    assert "Group “severe” of procedure: with" not in told
    assert (
        "Group “severe” of procedure: share of its members whom an adversary "
        "recognises as members with certainty, with 2 attributes known: 25.15% "
        "(Distrito Federal, Roraima and Sergipe)."
    ) in told


def test_without_states_the_answer_tells_of_the_highest_release_and_warns(census):
    told = answer(census["index.html"])
    assert "States side by side" not in census["index.html"]
    assert "RR-2022, the most exposed of 4 releases: two facts about a record" in told
    assert '<a href="lines-RR-2022.html">RR-2022<span' in told
    assert "a line that is found is not yet a person" in told
    assert "Each release in detail</a>" in english(census["index.html"])


def test_of_several_analyses_each_stands_below_its_name_with_its_findings():
    tables = with_another(tables_of())
    told = answer(pages_of(tables)["index.html"])
    assert told.count("the best guess of “procedure” is right for") == 2
    assert told.count("most exposed of 4 releases: ") == 2


def test_analyses_that_are_compared_as_one_do_not_tell_again_what_states_tell():
    tables = alone(tables_of())
    told = answer(pages_of(tables, study_of(tables, are_parts=False))["index.html"])
    assert told.count("the best guess of “procedure” is right for") == 1
    assert told.count("facts about a record") == 3
    assert told.count("<dt>Who can find whom?</dt>") == 1
    assert "give away" not in told


def whole(language, kicker, found, **risks):
    """What is told of an analysis of releases, each with how many are found."""
    parts = [
        ToldRelease(
            *(f"x-{name}", name, "t", "x", f"x-{name}.html", "", (), ""),
            (CertainOfRelease(kicker, found, risk),),
        )
        for name, risk in risks.items()
    ]
    study = study_of(tables_of()).facts
    (told,) = whole_parts(parts, frozenset(), study, voice(language))
    return told


def test_of_many_releases_the_one_in_the_middle_is_told_if_it_is_the_highest():
    told = whole("en", "Re", "Found", a=0.1, b=0.3, c=0.2)
    said = "b, the most exposed of 3 releases: found."
    assert told.answer[0].lines[0] == Line(said, "x-b.html", "Re")


def test_who_is_found_is_told_of_the_most_exposed_release_and_drawn_of_several():
    risks = {"a": 0.1, "b": 0.3, "c": 0.2, "d": 0.25, "e": 0.0, "f": 0.15, "g": 0.12}
    (reply,) = whole("pt", voice("pt").subject(""), "Achados", **risks).replies
    assert reply.question == "find"
    assert reply.text == "b, a mais exposta de 7 divulgações: achados."
    assert [link.href for link in reply.sources] == [
        *("x-b.html", "#pt-term-deterministic", "data/x-b-collective.csv")
    ]
    told = {bar.label: bar.written for bar in reply.picture.bars}
    shares = {"b": "30,00%", "d": "25,00%", "c": "20,00%", "f": "15,00%", "e": "0%"}
    assert [*told.items()] == [*shares.items()]


SHARES = Bars("Share of the people found", (ShareBar("Anybody", 0.5, "50.00%"),))
DRAWING = Drawing(Markup("<svg></svg>"), "What each change costs")


def part_with(question, picture, *body):
    reply = Reply(question, "So it is.", f"#{question}", picture=picture)
    return Part(question, "x", question, question, body=body, replies=(reply,))


def test_a_figure_is_the_picture_and_stands_in_its_part_no_more():
    said = Sentences(("It costs less.",))
    parts = [part_with("find", SHARES), part_with("help", DRAWING, said, DRAWING)]
    assert answer_of(parts, voice("en")).picture == (DRAWING,)
    found, helps = below(parts)
    assert found.body == found.open == (SHARES,)
    assert helps.body == (said,)


def test_the_figure_of_a_second_search_stays_in_its_part():
    other = Drawing(Markup("<svg> </svg>"), "Another one")
    parts = [part_with("help", DRAWING, DRAWING), part_with("help", other, other)]
    assert answer_of(parts, voice("en")).picture == (DRAWING,)
    assert [part.body for part in below(parts)] == [(), (other,)]


def test_without_a_figure_shares_are_the_picture_alone():
    parts = [part_with("find", SHARES), part_with("learn", SHARES)]
    (picture,) = answer_of(parts, voice("en")).picture
    assert picture == Bars(SHARES.title, SHARES.bars * 2)
    assert [part.body for part in below(parts)] == [(), ()]
