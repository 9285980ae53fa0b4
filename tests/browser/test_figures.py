"""Figures in a browser: letters large enough, nothing cut and nothing over another."""

import pytest

from microleak.figures.slim import in_page
from tests.attacks.collective.state_rows import DRAW, drawn
from tests.browser.test_report import A4_WIDTH, STYLE, edition

LEAST = {390: 10, 700: 10, A4_WIDTH: 9.5}
"""Pixels of a letter as shown on a telephone, a tablet and paper."""

SIZES = """figures => figures.flatMap(figure => {
    const shown = [...figure.querySelectorAll('svg')]
        .filter(svg => svg.getBoundingClientRect().width > 5);
    return shown.flatMap(svg => {
        const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
        const place = svg.querySelector('use')?.getAttribute('href') ?? '';
        const drawing = place ? document.getElementById(place.slice(1)) : svg;
        return [...drawing.querySelectorAll('text')].map(text =>
            [scale * parseFloat(getComputedStyle(text).fontSize), text.textContent]);
    });
})"""

CUT = """svgs => svgs.flatMap(svg => {
    const whole = svg.getBoundingClientRect();
    return [...svg.querySelectorAll('text')].filter(text => {
        const seen = text.getBoundingClientRect();
        // A title and a note are the page's.
        if (seen.bottom < whole.top || seen.top > whole.bottom) return false;
        return seen.left < whole.left - 1 || seen.right > whole.right + 1
            || seen.top < whole.top - 1 || seen.bottom > whole.bottom + 1;
    }).map(text => text.textContent);
})"""

OVERLAPS = """svgs => svgs.flatMap(svg => {
    const texts = [...svg.querySelectorAll('text')].filter(text => {
        const turned = text.getCTM();
        return text.textContent.trim()
            && (Math.abs(turned.b) < 0.01 || Math.abs(turned.a) < 0.01);
    });
    const boxes = texts.map(text => text.getBoundingClientRect());
    const found = [];
    boxes.forEach((one, i) => boxes.slice(0, i).forEach((other, j) => {
        const left = Math.max(one.left, other.left);
        const across = Math.min(one.right, other.right) - left;
        const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
        // Boxes of two lines of text share the room between these.
        if (across > 2 && down > 4)
            found.push([texts[i].textContent, texts[j].textContent]);
    }));
    return found;
})"""


def figures_of_states():
    shown = [in_page(drawn(kind)) for kind in DRAW]
    html = "".join(
        f'<figure><div class="scroll">{each.svg}{each.panels}</div></figure>'
        for each in shown
    )
    return f"<!DOCTYPE html><body>{html}"


@pytest.fixture(params=["every", "states"])
def figures(request, browser, opened):
    """Open a page with figures in a width, and return them."""
    pages = []

    def shown(width):
        if request.param == "every":
            pages.append(opened("every", width=width))
            return edition(pages[-1].__enter__()).locator("figure:not(.picture)")
        page = browser.new_page(viewport={"width": width, "height": 800})
        page.set_content(figures_of_states())
        page.add_style_tag(path=STYLE)
        return page.locator("figure")

    yield shown
    for page in pages:
        page.__exit__(None, None, None)


def test_letters_are_large_enough_on_a_telephone_a_tablet_and_paper(figures):
    shown = figures(A4_WIDTH)
    for width, least in LEAST.items():
        shown.page.set_viewport_size({"width": width, "height": 800})
        shown.page.emulate_media(media="print" if width == A4_WIDTH else "screen")
        sizes = shown.evaluate_all(SIZES)
        assert len(sizes) > 100
        assert [each for each in sizes if each[0] < least] == []


def test_no_figure_is_wider_than_a_telephone(figures):
    wider = "boxes => boxes.filter(b => b.scrollWidth > b.clientWidth).length"
    assert figures(390).locator(".scroll").evaluate_all(wider) == 0


def test_no_word_of_a_figure_is_cut_or_lies_over_another(figures):
    svgs = figures(1280).locator("svg:not(.panel)")
    assert svgs.evaluate_all(CUT) == []
    assert svgs.evaluate_all(OVERLAPS) == []
