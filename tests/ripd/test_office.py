"""The documents in an office program: it opens both, and shows what they say."""

import re
import shutil
import subprocess

import pytest

from microleak.report.texts import voice
from tests.ripd.reading import Page

SOFFICE = shutil.which("soffice")
PDFTOTEXT = shutil.which("pdftotext")

pytestmark = [
    pytest.mark.skipif(
        SOFFICE is None, reason="soffice is missing (apt: libreoffice-writer)"
    ),
    pytest.mark.skipif(PDFTOTEXT is None, reason="pdftotext is missing"),
]


@pytest.fixture(scope="module")
def pages(documents, tmp_path_factory):
    """Text of each page of a document that LibreOffice has laid out."""
    folder = tmp_path_factory.mktemp("office")

    def convert(path):
        command = (
            *(SOFFICE, f"-env:UserInstallation={(folder / 'profile').as_uri()}"),
            *("--headless", "--convert-to", "pdf", "--outdir", folder, path),
        )
        subprocess.run(command, check=True, capture_output=True, timeout=180)
        pdf = folder / f"{path.stem}.pdf"
        text = subprocess.run(
            (PDFTOTEXT, "-layout", pdf, "-"), check=True, capture_output=True, text=True
        ).stdout
        return text.removesuffix("\f").split("\f")

    return convert


def words(text):
    return re.sub(r"\s+", "", text)


@pytest.mark.parametrize("kind", ["odt", "docx"])
@pytest.mark.parametrize("language", ["pt", "en"])
def test_an_office_program_opens_the_document_and_shows_every_heading(
    documents, pages, language, kind
):
    document = documents["given", language]
    laid_out = pages(document[kind])
    shown = words("".join(laid_out))
    page = document["html"].read_text(encoding="utf-8")
    headings = re.findall(r"<h[123][^>]*>(.*?)</h[123]>", page)
    assert len(headings) > 10
    for heading in headings:
        assert words(heading) in shown
    assert 3 <= len(laid_out) <= 14


def test_a_risk_is_not_broken_into_a_narrow_column(documents, pages):
    heads = voice("en").columns("ripd", "id", "risk")
    rows = Page(documents["given", "en"]["html"]).table(*heads)
    beginning = " ".join(rows[0][1].split()[:4])
    for kind in ("odt", "docx"):
        lines = "".join(pages(documents["given", "en"][kind])).split("\n")
        assert any(beginning in " ".join(line.split()) for line in lines)
