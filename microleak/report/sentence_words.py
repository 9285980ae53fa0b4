"""How sentences begin."""


def capital(text: str) -> str:
    """Return a phrase as it begins a sentence.

    Examples
    --------
    >>> capital("three facts"), capital("")
    ('Three facts', '')
    """
    return text[:1].upper() + text[1:]


def uncapital(text: str) -> str:
    """Return the beginning of a sentence as it stands within one.

    Examples
    --------
    >>> uncapital("No person")
    'no person'
    """
    return text[:1].lower() + text[1:]
