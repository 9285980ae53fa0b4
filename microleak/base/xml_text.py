"""Texts that hold only characters which XML, and so a figure or a sheet, can hold."""

import re

_NOT_IN_XML = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff\ud800-\udfff]")


def xml_text(text: str) -> str:
    """Return a text with U+FFFD for each character that XML cannot hold.

    >>> xml_text("a" + chr(27) + "b")
    'a�b'
    """
    return _NOT_IN_XML.sub("\ufffd", text)
