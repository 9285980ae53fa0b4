"""Replies of the first screen: each tells of one adversary from end to end."""

import pandas as pd
import pytest

from microleak.attacks.collective.report.contents import Adversary, Scope
from microleak.attacks.collective.report.headline import Subject
from microleak.attacks.collective.report.replies import ToldOfSubject, replies
from microleak.report.texts import voice

ADDS = "All facts find 90.0 %."
FULL = "BIRTH|SCHOOL"


@pytest.fixture
def first_reply(make_subset, make_worst):
    """The reply about who is found where releases are linked, by some QIDs."""

    def reply(qids, n_certain, language):
        linked = {"auxiliary": "2019"}
        of_school = make_subset("SCHOOL", n_certain, 7, **linked)
        rows = [of_school, make_subset(FULL, 900, 950, **linked)]
        who = Adversary("neighbour", qids, {"pt": "um vizinho", "en": "a neighbour"})
        subject = Subject(pd.DataFrame(rows), make_worst(*rows), [who])
        told = ToldOfSubject("pupils", "en-pupils-0", subject, pd.DataFrame(), ADDS)
        return replies(told, voice(language), Scope("person"))[0]

    return reply


def test_what_an_adversary_with_few_facts_finds_is_not_what_all_facts_add(
    first_reply, n_certain, language, begins, has
):
    reply = first_reply(("SCHOOL",), n_certain, language)
    assert reply.text.startswith(begins)
    assert has in reply.text
    assert ADDS not in reply.text


@pytest.mark.parametrize("qids", [("BIRTH", "SCHOOL"), ("SCHOOL", "BIRTH")])
def test_of_an_adversary_with_all_facts_it_says_what_linked_releases_add(
    first_reply, qids
):
    reply = first_reply(qids, 5, "en")
    assert reply.text == f"{ADDS} A guess without these facts is right once in 1,000."


def test_without_any_facts_nobody_is_found_with_certainty(first_reply):
    bars = first_reply(("SCHOOL",), 5, "en").picture.bars
    told = [("Without any facts", "0%"), ("A neighbour", "0.50%")]
    assert [(bar.label, bar.written) for bar in bars] == told
