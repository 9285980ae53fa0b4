"""The report in a browser: nothing is asked of a network, and everybody can read it."""

import subprocess
from itertools import product
from pathlib import Path
from shutil import which
from urllib.parse import unquote

import pytest

from microleak import report
from microleak.report.texts import voice
from tests.attacks.collective.explorable_study import (
    CERTAIN,
    GUESS,
    LANGUAGES,
    PRIOR,
    QIDS,
    SUBSETS,
    N,
)
from tests.examples import long

RULES = {"target-size": {"enabled": True}}
"""Rules of WCAG 2.2 that axe leaves out unless asked."""

STATE = "lines-RR-2023.html"
PAGES = [
    ("internal", "index.html"),
    ("every", "index.html"),
    ("public", "index.html"),
    ("states", "index.html"),
    ("states", STATE),
]
LINKED = 35_126
"""Records that all facts single out, in both releases."""

NARROW, WIDE = ("pt", "light", 390), ("en", "dark", 1280)
"""Language, colours and width of a screen; some pages have English only."""

TEMPLATES = Path(report.__file__).with_name("templates")
SCRIPT = TEMPLATES / "page.js"
STYLE = TEMPLATES / "page.css"
A4_WIDTH = 680
"""Of the paper less its margins, in CSS pixels."""


each_language = pytest.mark.parametrize("language", ["pt", *long("en")])


def edition(page, language="en"):
    return page.locator(f".edition-{language}")


@pytest.mark.parametrize(
    ("screen", "study", "name"),
    [
        (NARROW, "every", "index.html"),
        (NARROW, "public", "index.html"),
        *long((WIDE, "every", "index.html"), (NARROW, "internal", "index.html")),
        *long(*product((NARROW, WIDE), ["states"], ["index.html", STATE])),
    ],
)
def test_axe_finds_no_fault(opened, screen, study, name):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    language, scheme, width = screen
    with opened(study, language, name, width=width, color_scheme=scheme) as page:
        options = {"rules": RULES, "resultTypes": ["violations"]}
        found = axe.run(page, options=options).response["violations"]
        assert [(v["id"], v["nodes"][0]["html"]) for v in found] == []


@pytest.mark.parametrize(("study", "name"), [*PAGES[:3], *long(*PAGES[3:])])
def test_a_page_asks_for_nothing_but_itself_and_reports_no_error(opened, study, name):
    with opened(study, name=name) as page:
        if study != "public":
            edition(page).locator("button").first.click()
        assert page.heard == [page.url.partition("#")[0]]


def test_every_table_has_a_caption(reports):
    for study, name in PAGES:
        text = (reports / study / name).read_text(encoding="utf-8")
        assert text.count("<table") == text.count("<caption>") > 0


def test_on_a_telephone_the_panels_of_a_figure_stand_one_below_another(opened):
    with opened("internal", width=390) as page:
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        figure = edition(page).locator("figure:has(.panel)").first
        first, second, *_ = [
            panel.bounding_box() for panel in figure.locator(".panel").all()
        ]
        assert second["y"] >= first["y"] + first["height"]
        assert first["x"] + first["width"] <= 390
        whole = figure.locator("svg:not(.panel)").bounding_box()
        assert whole["width"] <= 1
        page.set_viewport_size({"width": 1280, "height": 800})
        assert figure.locator(".panel:visible").count() == 0
        assert figure.locator("svg:not(.panel)").bounding_box()["width"] > 600


def test_no_table_or_figure_is_cut_on_paper(opened):
    with opened("internal", width=A4_WIDTH) as page:
        page.emulate_media(media="print")
        cut = "boxes => boxes.filter(b => b.scrollWidth > b.clientWidth + 1).length"
        assert edition(page).locator(".scroll:visible").evaluate_all(cut) == 0


def test_a_table_of_twelve_columns_is_printed_whole_and_its_numbers_unbroken(browser):
    heads = "".join(f"<th scope=col class=number>Entries right {n}" for n in range(12))
    cells = "<td class=number>9,956,338" * 11
    page = browser.new_page(viewport={"width": A4_WIDTH, "height": 900})
    page.set_content(
        "<!DOCTYPE html><div class=scroll><table class='pairs many'>"
        f"<thead><tr>{heads}</thead>"
        f"<tbody><tr><th scope=row>Table 3{cells}</tbody></table></div>"
    )
    page.add_style_tag(path=STYLE)
    page.emulate_media(media="print")
    box = page.locator(".scroll")
    assert box.evaluate("box => box.scrollWidth <= box.clientWidth")
    lines = """cells => cells.map(cell => {
        const text = document.createRange();
        text.selectNodeContents(cell);
        return text.getClientRects().length;
    })"""
    assert page.locator("td").evaluate_all(lines) == [1] * 11
    page.close()


def test_only_what_is_wider_than_the_screen_is_said_to_scroll_and_where(opened):
    with opened("internal", width=390) as page:
        box = edition(page).locator(".scroll:has(.worst)").first
        assert box.get_attribute("tabindex") == "0"
        assert box.get_attribute("role") == "group"
        assert box.get_attribute("aria-label") == "Table, can be scrolled sideways"
        assert box.get_attribute("data-more") == "right"
        box.focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_selector(".edition-en .scroll[data-more='left right']")
        box.evaluate("box => box.scrollTo(box.scrollWidth, 0)")
        page.wait_for_selector(".edition-en .scroll[data-more='left']")
        page.set_viewport_size({"width": 1280, "height": 800})
        boxes = edition(page).locator("div.scroll:visible")
        assert boxes.count() > 0
        page.wait_for_timeout(500)
        told = "boxes => boxes.filter(b => b.matches('[tabindex], [data-more]')).length"
        assert boxes.evaluate_all(told) == 0


def test_the_row_stays_named_and_the_caption_in_view_where_a_table_is_scrolled(opened):
    with opened("internal", width=700) as page:
        box = edition(page).locator(".scroll:has(.worst)").first
        box.evaluate("box => box.scrollTo(box.scrollWidth, 0)")
        left = box.bounding_box()["x"]
        for part in ("caption", "tbody th >> nth=0", "thead th >> nth=0"):
            assert box.locator(part).bounding_box()["x"] == pytest.approx(left, abs=1)


def tick(page, language, qids):
    facts = edition(page, language).locator(".facts")
    facts.locator("[data-tick=none]").click()
    for name in qids:
        facts.locator("label", has_text=voice(language).attribute(name)).click()


def shown(page, language):
    """The cells of the result, a row an attack."""
    rows = edition(page, language).locator(".explorer tbody tr").all()
    return [row.locator("td").all_inner_texts() for row in rows]


@each_language
def test_ticking_facts_shows_the_numbers_of_that_combination(opened, language):
    numbers = voice(language).numbers
    with opened("internal", language) as page:
        edition(page, language).locator("select").select_option("0")
        for qids, alone, hits in zip(SUBSETS, CERTAIN, GUESS, strict=True):
            tick(page, language, qids.split("|"))
            right = PRIOR + hits // 10
            assert shown(page, language) == [
                [
                    numbers.count(alone),
                    numbers.share(alone / N),
                    numbers.share(guess / N),
                    numbers.share(prior / N),
                    numbers.points((guess - prior) / N),
                ]
                for guess, prior in [(hits, 1), (right, PRIOR)]
            ]


def test_contents_stay_in_view_lead_to_each_part_and_close(opened):
    with opened("every", is_unfolded=False, width=390) as page:
        nav = edition(page, "en").locator(".contents")
        links = nav.locator("a").all()
        places = [link.get_attribute("href") for link in links]
        assert len(places) == len({*places}) > 10
        for place in places:
            assert page.locator(f"[id='{unquote(place[1:])}']").count() == 1, place
        nav.locator("summary").click()
        links[-1].click()
        last = page.locator(f"[id='{places[-1][1:]}']")
        for _ in range(100):
            page.wait_for_timeout(100)
            if last.bounding_box()["y"] < 800:
                break
        assert last.get_attribute("open") is not None
        assert not links[-1].is_visible()
        assert nav.locator("summary").bounding_box()["y"] < 50


@each_language
def test_the_first_tab_of_a_keyboard_offers_to_skip_to_the_answers(opened, language):
    with opened("internal", language, is_unfolded=False) as page:
        page.keyboard.press("Tab")
        skip = page.locator(":focus")
        assert skip.inner_text() == voice(language).say("page.skip")
        assert skip.bounding_box()["y"] >= 0
        page.keyboard.press("Enter")
        assert page.locator(":focus").get_attribute("id") == f"{language}-answer"
        page.keyboard.press("Tab")
        assert page.locator(".replies a:focus").count() == 1


@each_language
def test_the_first_screen_answers_the_questions_beside_the_contents(opened, language):
    """Who, how surely, knowing what, against what, a picture, changes, help, limits."""
    with opened("internal", language, is_unfolded=False) as page:
        main = edition(page, language)
        say = voice(language).say
        replies = main.locator(".replies > div")
        asked = replies.locator("dt").all_inner_texts()
        assert asked == [
            say(f"answer.{name}")
            for name in ("find", "learn", "change", "help", "sure")
        ]
        seen = [
            *(main.locator(f) for f in (".contents a", ".audience", ".picture li")),
            *(replies.locator("dd"), replies.locator("a")),
        ]
        for each in seen:
            assert each.count() > 0
            for box in each.all():
                place = box.bounding_box()
                assert place["y"] >= 0
                assert place["y"] + place["height"] <= 800
        find, learn = replies.locator("dd").all_inner_texts()[:2]
        share = voice(language).numbers.share
        assert share(LINKED / N) in find
        assert voice(language).known(QIDS) in find
        assert voice(language).numbers.count(N) in find
        assert share(PRIOR / N) in learn
        page.mouse.wheel(0, 2000)
        page.wait_for_timeout(500)
        assert main.locator(".contents summary").bounding_box()["y"] < 50


@pytest.mark.parametrize("width", [1280, *long(390)])
def test_a_search_has_its_frontier_as_picture_of_the_first_screen(opened, width):
    """Its letters can be read as they are, and what it takes the place of is below."""
    with opened("every", is_unfolded=False, width=width) as page:
        main = edition(page, "en")
        (drawing,) = main.locator(".answer svg").all()
        title = "After the smallest change – Chance of finding a person of the smallest"
        assert drawing.locator("title").text_content().startswith(title[:40])
        assert main.locator("figure svg").first.inner_html() == drawing.inner_html()
        place = drawing.bounding_box()
        assert place["x"] >= 0
        assert place["x"] + place["width"] <= width
        assert width == 390 or place["y"] + place["height"] <= 800
        for text in drawing.locator("text").all():
            box = text.bounding_box()
            assert min(box["height"], box["width"]) >= 9
            assert place["x"] <= box["x"]
            assert box["x"] + box["width"] <= place["x"] + place["width"]
        assert main.locator(".answer .bars").count() == 0
        assert main.locator(".finding > .bars").count() > 0


@each_language
def test_the_first_screen_of_states_answers_the_same_questions(opened, language):
    with opened("states", language, is_unfolded=False) as page:
        main = edition(page, language)
        say = voice(language).say
        asked = main.locator(".replies dt").all_inner_texts()
        questions = ("find", "learn", "change", "help", "sure")
        assert asked == [say(f"answer.{name}") for name in questions]
        for each in main.locator(".replies dd, .picture li").all():
            place = each.bounding_box()
            assert place["y"] + place["height"] <= 800


@each_language
def test_each_reply_leads_to_the_row_and_the_equation_of_its_number(opened, language):
    with opened("internal", language, is_unfolded=False) as page:
        main = edition(page, language)
        for link in main.locator(".replies a[href^='#']").all():
            place = unquote(link.get_attribute("href")[1:])
            link.click()
            found = page.locator(f"[id='{place}']")
            assert found.is_visible()
            page.wait_for_function(
                "id => Math.abs(document.getElementById(id)"
                ".getBoundingClientRect().top) < innerHeight",
                arg=place,
            )
        share = voice(language).numbers.share(LINKED / N)
        assert share in main.locator("tr[id$='-row']").first.inner_text()


def printed(page, path, **settings):
    page.pdf(path=path, **settings)
    text = ["pdftotext", "-layout", path, "-"]
    return subprocess.run(text, capture_output=True, check=True, text=True).stdout


@pytest.mark.skipif(which("pdftotext") is None, reason="poppler-utils is missing")
def test_the_first_sheet_of_paper_is_the_first_screen(opened, tmp_path):
    with opened("internal", is_unfolded=False) as page:
        pages = printed(page, tmp_path / "page.pdf", prefer_css_page_size=True)
    first, second, *_ = pages.split("\f")
    for name in ("find", "learn", "change", "help", "sure"):
        assert voice("en").say(f"answer.{name}") in first
    assert voice("en").say("answer.picture_note")[:20] in first
    assert "· Re-identification" in second
    assert "Português" not in first
    assert "Quem pode encontrar" not in pages


def heard(page):
    """What a screen reader is given, in its order: role and name."""
    session = page.context.new_cdp_session(page)
    tree = session.send("Accessibility.getFullAXTree")["nodes"]
    by_id = {node["nodeId"]: node for node in tree}
    waiting, said = [tree[0]], []
    while waiting:
        node = waiting.pop()
        waiting += [by_id[i] for i in reversed(node["childIds"]) if i in by_id]
        if not node["ignored"]:
            name = node.get("name", {}).get("value", "").strip()
            said.append((node["role"]["value"], name))
    return said


NAMED = ("link", "button", "image", "table", "columnheader", "rowheader", "heading")


@pytest.mark.parametrize(
    ("study", "language"),
    [
        ("every", "en"),
        ("internal", "pt"),
        *long(("internal", "en"), *product(["states"], LANGUAGES)),
    ],
)
def test_screen_readers_have_names_of_links_headers_and_pictures(
    opened, study, language
):
    with opened(study, language) as page:
        said = heard(page)
        assert [each for each in said if each[0] in NAMED and not each[1]] == []
        words = {name.lower() for role, name in said if role == "link"}
        assert words.isdisjoint({"aqui", "here", "csv", "link"})
        assert page.evaluate("document.documentElement.lang").startswith(language)


@each_language
def test_the_first_screen_is_read_from_title_to_replies_in_order(opened, language):
    with opened("internal", language, is_unfolded=False) as page:
        said = heard(page)
        say = voice(language).say
        navigation = said.index(("navigation", say("page.contents")))
        levels = [at for at, (role, _) in enumerate(said) if role == "heading"]
        title = levels[0]
        asked = [at for at, (role, _) in enumerate(said) if role == "term"]
        picture = said.index(("figure", say("answer.picture_bars")))
        assert title < navigation < asked[0] < asked[-1] < picture < levels[2]
        replies = said[asked[0] : picture]
        links = [name for role, name in replies if role == "link"]
        assert len(links) == len({*links}) > 5
        images = [name for role, name in said if role == "image"]
        assert images
        # A drawing is its title; its numbers are not read one by one.
        for at, (role, _) in enumerate(said):
            if role == "image":
                assert said[at + 1][0] != "StaticText"


def test_choosing_levels_shows_the_numbers_of_that_combination(opened):
    with opened("every") as page:
        chooser = edition(page, "en").locator(".chooser")

        def told():
            return chooser.locator("dd").all_inner_texts()

        answer = ["50.00%", "0%", "20.00%", "4", "yes", "4.00%", "60.00%"]
        assert told() == answer
        chooser.get_by_role("button", name="All as it is").click()
        assert told()[:5] == ["0%", "30.00%", "20.00%", "1", "no"]
        chooser.locator("select").nth(1).select_option("1")
        assert told()[:2] == ["30.00%", "10.00%"]
        chooser.get_by_role("button", name="The smallest change").click()
        assert told() == answer
        chooser.get_by_label("AGE").press("ArrowUp")
        assert told()[:2] == ["20.00%", "20.00%"]


def test_what_is_ticked_stays_in_the_other_language_and_in_the_address(opened):
    with opened("internal") as page:
        tick(page, "en", QIDS[:1])
        page.get_by_label("Português").check()
        boxes = edition(page, "pt").locator(".explorer input:checked")
        assert [box.get_attribute("data-attribute") for box in boxes.all()] == [QIDS[0]]
        address = page.url
        assert f"attribute={QIDS[0]}" in address
        page.goto("about:blank")
        page.goto(address)
        boxes = edition(page, "en").locator(".explorer input:checked")
        assert [box.get_attribute("data-attribute") for box in boxes.all()] == [QIDS[0]]


def test_on_paper_nothing_fades_and_nothing_is_left_to_tick(opened):
    with opened("internal", width=390) as page:
        box = page.locator(".edition-en .scroll:has(.worst)").first
        assert box.get_attribute("data-more")
        page.emulate_media(media="print")
        assert box.evaluate("e => getComputedStyle(e).maskImage") == "none"
        assert not edition(page).locator(".explorer h2").is_visible()
        assert not edition(page).locator(".explorer .introduction").is_visible()
        assert edition(page).locator(".explorer .known").is_visible()


@pytest.mark.skipif(which("pdftotext") is None, reason="poppler-utils is missing")
def test_every_page_on_paper_says_that_the_data_are_synthetic(opened, tmp_path):
    with opened("internal") as page:
        pages = printed(page, tmp_path / "page.pdf")
    for each in pages.removesuffix("\f").split("\f"):
        assert "SINTÉTICO / SYNTHETIC" in each.lstrip().splitlines()[0]


def test_on_a_telephone_rows_are_cards_and_no_word_is_cut(opened):
    with opened("internal", "pt", width=390) as page:
        row = edition(page, "pt").locator(".explorer tbody tr").first
        cells = row.locator("th, td").all()
        tops = [cell.bounding_box()["y"] for cell in cells]
        assert tops == sorted(set(tops))
        assert (
            row.locator("th").evaluate("e => getComputedStyle(e).overflowWrap")
            == "normal"
        )


def test_a_linked_release_is_chosen_by_the_reader(opened):
    with opened("internal") as page:
        tick(page, "en", QIDS)
        assert shown(page, "en")[0][0] == "35,126"
        edition(page).get_by_label("Releases linked").select_option("2018")
        assert shown(page, "en")[0][0] == "30,123"


def test_what_is_ticked_by_keyboard_is_told_in_words_to_who_hears_the_page(opened):
    with opened("internal") as page:
        told = edition(page).locator("[aria-live=polite]")
        edition(page).locator("[data-tick=none]").focus()
        page.keyboard.press("Enter")
        assert told.inner_text().startswith("Nothing is ticked.")
        edition(page).get_by_label("age NU_IDADE").focus()
        page.keyboard.press("Space")
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        known, reid, _ = told.locator("p").all_inner_texts()
        assert known == "Known: age, sex and CITY."
        assert reid.startswith("Re-identification: 35,126 of 41,233 records are found")


def test_without_its_script_the_page_has_its_tables_and_no_idle_controls(opened):
    with opened("internal", java_script_enabled=False) as page:
        main = edition(page, "pt")
        assert main.locator(".replies dd:visible").count() == 5
        for fold in main.locator("details.more > summary").all():
            fold.click()
        assert main.locator("table.worst:visible").count() == 4
        assert main.locator("button:visible, input:visible").count() == 0
        page.get_by_text("English", exact=True).click()
        assert not main.is_visible()
        assert edition(page).is_visible()


@pytest.mark.parametrize(
    ("locale", "shown"),
    [("en-GB", "en"), ("fr-FR", "pt"), *long(("pt-BR", "pt"), ("pt-PT", "pt"))],
)
def test_pages_open_in_the_language_of_the_browser_or_the_first(opened, locale, shown):
    with opened("internal", language=None, locale=locale) as page:
        assert edition(page, shown).is_visible()
        assert page.locator("main:visible").count() == 1
        assert page.locator("html").get_attribute("lang").startswith(shown)
        assert page.heard == [page.url]


def test_a_choice_of_the_reader_outlives_what_the_browser_asks_for(opened):
    with opened("states", language=None, locale="en-US") as page:
        assert page.title() == "What the released data give away: demo"
        page.get_by_label("Português").check()
        page.reload()
        assert edition(page, "pt").is_visible()
        edition(page, "pt").get_by_role("link", name="RR-2022", exact=True).click()
        assert page.locator("html").get_attribute("lang") == "pt-BR"
        assert edition(page, "pt").is_visible()
        assert not edition(page, "en").is_visible()


def column(table, number):
    return table.locator(f"tbody tr td:nth-child({number})").all_inner_texts()


def test_a_column_of_numbers_is_sorted_by_value_from_the_largest_and_back(opened):
    with opened("states", "pt") as page:
        table = edition(page, "pt").locator("table.pairs").first
        heading = table.locator("thead th").nth(1)
        before = column(table, 2)
        heading.get_by_role("button").click()
        assert heading.get_attribute("aria-sort") == "descending"
        value = {
            text: float(text.replace(".", "").split(",")[0].rstrip("%"))
            for text in before
        }
        assert column(table, 2) == sorted(before, key=value.get, reverse=True)
        heading.get_by_role("button").click()
        assert heading.get_attribute("aria-sort") == "ascending"
        assert column(table, 2) == sorted(before, key=value.get)
        heading.get_by_role("button").click()
        assert heading.get_attribute("aria-sort") is None
        assert column(table, 2) == before


@pytest.mark.parametrize(
    ("locale", "rising"),
    [
        ("pt-BR", ["−0,40", "0", "0,000002%", "1.234 (2%)", "–"]),
        ("en", ["−0.40", "0", "0.000002%", "1,234 (2%)", "–"]),
    ],
)
def test_numbers_are_sorted_as_written_and_missing_ones_last(browser, locale, rising):
    body = "".join(f"<tr><td class=number>{text}</td></tr>" for text in rising[::-1])
    page = browser.new_page()
    page.set_content(
        f"<main lang={locale}><section><table><thead><tr><th scope=col>N</th></tr>"
        f"</thead><tbody>{body}</tbody></table></section></main>"
    )
    page.add_script_tag(path=SCRIPT)
    page.get_by_role("button", name="N").click()
    assert column(page, 1) == [*rising[-2::-1], rising[-1]]
    page.get_by_role("button", name="N").click()
    assert column(page, 1) == rising
    page.close()


def test_rows_are_filtered_by_parts_of_names_whatever_their_accents(opened):
    with opened("states", "pt", STATE) as page:
        section = edition(page, "pt").locator("section.finding").first
        rows = section.locator("table.worst tr:has(td.qids)")
        assert rows.locator(".qids").all_inner_texts() == [
            "PA_CODUNI",
            "PA_IDADE, PA_CODUNI",
        ]
        section.get_by_role("searchbox").fill("SAUDE, pa_idade")
        assert rows.locator(".qids:visible").all_inner_texts() == [
            "PA_IDADE, PA_CODUNI"
        ]
        assert section.locator("output").inner_text() == "1 de 2 linhas"
        section.get_by_role("searchbox").fill("")
        assert rows.locator(".qids:visible").count() == 2
