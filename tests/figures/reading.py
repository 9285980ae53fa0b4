"""What stands in a figure, and what who cannot see it hears."""

from xml.etree import ElementTree

from microleak.report.texts import voice

SVG = "{http://www.w3.org/2000/svg}"


def words(language="en", is_synthetic=False):
    return voice(language).words(is_synthetic)


def written(svg):
    return [text.text for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def spoken(svg):
    return ElementTree.fromstring(svg).findtext(f"{SVG}desc")
