"""The three formats of a document, read as headings, paragraphs and tables."""

from html.parser import HTMLParser
from xml.etree import ElementTree
from zipfile import ZipFile

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def parts(path):
    """XML of a package by the names of its files, and the type of an ODT."""
    with ZipFile(path) as package:
        return {
            name: package.read(name).decode()
            if name == "mimetype"
            else ElementTree.fromstring(package.read(name))
            for name in package.namelist()
        }


def cells_of_odt(path):
    """Texts of headings, paragraphs and cells, in order, and which are marked."""
    content = parts(path)["content.xml"]
    tags = (f"{_TEXT}h", f"{_TEXT}p")
    said = ["".join(each.itertext()) for each in content.iter() if each.tag in tags]
    spans = content.iter(f"{_TEXT}span")
    return said, [s.text for s in spans if s.get(f"{_TEXT}style-name") == "gap"]


def cells_of_docx(path):
    """The same of a DOCX, in which a table is followed by an empty paragraph."""
    content = parts(path)["word/document.xml"]
    said = ["".join(each.itertext()) for each in content.iter(f"{_WORD}p")]
    marked = [
        "".join(each.itertext())
        for each in content.iter(f"{_WORD}r")
        if each.find(f"{_WORD}rPr/{_WORD}highlight") is not None
    ]
    return [each for each in said if each], marked


class Page(HTMLParser):
    """A page: its elements in order, with their attributes and texts."""

    def __init__(self, path):
        super().__init__()
        self.elements, self.tables, self._open = [], [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        self.elements.append([tag, dict(attrs), ""])
        self._open.append(self.elements[-1])
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("th", "td"):
            self.tables[-1][-1].append("")
        if tag == "meta":
            self._open.pop()

    def handle_endtag(self, tag):
        assert self._open.pop()[0] == tag

    def handle_data(self, data):
        tags = [element[0] for element in self._open]
        for element in self._open:
            element[2] += data
        if "td" in tags or "th" in tags:
            self.tables[-1][-1][-1] += data

    def texts(self, *tags):
        return [text for tag, _, text in self.elements if tag in tags]

    def table(self, *headings):
        (found,) = (t for t in self.tables if t[0][: len(headings)] == [*headings])
        return found[1:]
