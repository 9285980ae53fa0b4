"""Words by which a line or a value says that it is a total or a note, and no record."""

import re
import unicodedata

_SURE = {
    *("total", "totais", "totals", "subtotal", "subtotais", "subtotals", "gesamt"),
    *("grand total", "overall", "soma", "sum", "somatorio", "ambos os sexos"),
    *("both sexes", "todas as idades", "todas as faixas", "todas as cores"),
    *("todas as racas", "todos os grupos", "all ages", "all sexes", "all persons"),
    *("insgesamt", "sub total", "total geral", "tot", "tutti", "ensemble"),
    *("todos os municipios", "todas as ufs", "all regions", "all races"),
}
_MAYBE = {
    *("brasil", "brazil", "br", "todos", "todas", "all", "geral", "ambos", "ambas"),
    *("both", "conjunto", "conjunto total", "pais", "country", "nacional"),
    *("todas as", "todos os", "everyone", "everybody", "any", "qualquer"),
}
_NOTE = re.compile(
    r"(fontes?|sources?|nota|notas|notes?|obs|observac(ao|oes)|elaborac(ao|oes)|"
    r"legenda|legend|rodape|footnotes?|gerado em|extraido em|emitido em|generated|"
    r"exported|extracted|printed|downloaded|copyright|dados preliminares|"
    r"preliminary|n\.? de registros|numero de registros|registros|records|rows|"
    r"total de|n)( *[:=(-]| *$| +(ibge|em|on|by|por|de|of|at)\b)|(sub)?tota(l|is)\b|"
    r"(fonte|source) |[*]"
)


def plain_words(text: str) -> str:
    """Return a text without accents, capitals and what stands around its words.

    >>> plain_words("[Ambos  os Sexos]:")
    'ambos os sexos'
    """
    parts = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(c for c in parts if not unicodedata.combining(c))
    return " ".join(re.sub(r"[^\w*]+", " ", bare).split()).strip("*_ ")


def reads_like_total(text: str) -> bool:
    """Say whether a value reads like a total of all others.

    >>> [reads_like_total(text) for text in ("TOTAL:", "Ambos os sexos", "Totonha")]
    [True, True, False]
    """
    return is_surely_total(text) or plain_words(text) in _MAYBE


def is_surely_total(text: str) -> bool:
    """Say whether a value reads like a total whatever the others are.

    >>> [is_surely_total(text) for text in ("Total geral", "Brasil", "All")]
    [True, False, False]
    """
    plain = plain_words(text)
    return plain in _SURE or re.match(r"(sub ?)?tota(l|is) ", plain) is not None


def begins_a_note(text: str) -> bool:
    """Say whether a line's first value begins a total, a source or another note.

    >>> [begins_a_note(text) for text in ("Fonte: IBGE", "Total: 3", "Fontela", "N=3")]
    [True, True, False, True]
    """
    parts = unicodedata.normalize("NFKD", text.strip(" \"'([").casefold())
    bare = "".join(c for c in parts if not unicodedata.combining(c))
    return _NOTE.match(bare) is not None or is_surely_total(text)
