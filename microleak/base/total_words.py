"""Words by which a line or a value says that it is no record, or of nobody."""

import re
import unicodedata
from functools import lru_cache

_TOTAL = re.compile(
    r"all|amb[ao]s|both|everybody|everyone|everything|tod[ao]s?( [ao]s)?|tou(s|tes)"
    r"|(em |no )?(geral|conjunto)|o conjunto|global|overall|ensemble"
    r"|(the )?(grand |general )?sums?( (of|total).*)?|somat[oó]rio"
    r"|somas?( (d[aeo]s?|total|geral).*)?|suma|gesamt|insgesamt"
    r"|bra[sz]il( .*)?"
    r"|((no|sub|grand|overall|super|uf|\d+) ?)*(totals?|tot|totais|totales)\d?( .*)?"
    r"|(all|amb[ao]s|both|tod[ao]s)( the| [ao]s| l[ao]s)? (ages?|alun|areas?|categor"
    r"|class|cor(es)?\b|countries|domicilios|edades|estados|ethnic|etnias|faixas|gender"
    r"|generos|groups?|grupos|households|idades|individuals|municip|paises|people"
    r"|persons|pessoas|race|racas|regi|sex|states|students|ufs?\b|years).*"
)
_MAYBE = {
    *("all", "ambas", "ambos", "both", "brasil", "brazil", "conjunto", "everybody"),
    *("everyone", "everything", "geral", "global", "ensemble", "suma", "todas"),
    "todos",
}
"""Words of totals that may be values among records."""

_NOTE = re.compile(
    r"(fontes?|sources?|nota|notas|notes?|obs\.?|observac(ao|oes)|elaborac(ao|oes)|"
    r"legenda|legend|rodape|footnotes?|gerado em|extraido em|emitido em|generated|"
    r"exported|extracted|printed|downloaded|copyright|dados preliminares|"
    r"preliminary|n\.? de registros|numero de registros|registros|records|rows|"
    r"total de|n)( *[:=(-]| *$| +(ibge|em|on|by|por|de|of|at)\b)|(sub)?tota(l|is)\b|"
    r"(fonte|source) ([ao]s? )?(da |do |dos |the )?(ministerio|secretaria|instituto|"
    r"inep|datasus|mec|censo|census|bureau|ministry|office|department|national)\b|[*]|"
    r"end of (the )?(data|file|list|report|table)\b|fim d[aeo] |"
    r"\d+ (linhas?|lines?|records?|registros?|rows?)\b"
)
_STATISTIC = re.compile(
    r"averages?|avg|contagem|counts?|max(imum|imo)?|means?|medias?|medians?|mediana|"
    r"min(imum|imo)?|promedio|quantidade|sd|std( dev)?|standard deviation|"
    r"desvio padrao|variance|variancia|n|(sub)?total( .*)?"
)

_MISSING = {
    *("", "na", "n a", "nan", "null", "none", "nil", "missing", "unknown", "nd", "n d"),
    *("ni", "n i", "si", "s i", "ignorado", "ignorada", "sem informacao", "vazio", "x"),
    *("nao informado", "nao informada", "nao consta", "nao se aplica", "unnamed"),
    *("anonymous", "anonimo", "cpf", "nis", "cns", "sem cpf", "sem documento"),
    *("not available", "not applicable", "undefined", "desconhecido"),
}
_TYPE = re.compile(
    r"(u?int(eger)?|(big|small)int|u?int(8|16|32|64)|str(ing)?|text|char(acter)?|"
    r"n?varchar2?|float(32|64)?|double|real|numeric|number|num|decimal|date(time)?|"
    r"timestamp|bool(ean)?|logical|factor|categor(y|ical)|object|texto|numerico|"
    r"numero|inteiro|caractere|data)( \d+)*"
)


@lru_cache(1 << 16)  # Values of a table are few, and stand in many of its rows
def plain_words(text: str) -> str:
    """Return a text without accents, capitals and what stands around its words.

    >>> plain_words("[Ambos  os Sexos]:")
    'ambos os sexos'
    """
    words = re.sub(r"[^\w*]+|_", " ", without_accents(text))
    return " ".join(words.split()).strip("* ")


def without_accents(text: str) -> str:
    """Return a text without accents and capitals, with single spaces.

    >>> without_accents("Não  Declarada")
    'nao declarada'
    """
    parts = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(c for c in parts if not unicodedata.combining(c)).split())


def is_missing(text: str) -> bool:
    """Whether a text has no letter or digit, or reads like a missing value.

    >>> [is_missing(text) for text in ("--", "N/A", "não informado", "5")]
    [True, True, True, False]
    """
    return plain_words(text) in _MISSING


def is_type(text: str) -> bool:
    """Whether a text is the type of a column.

    >>> [is_type(text) for text in ("VARCHAR(20)", "int64", "internal")]
    [True, True, False]
    """
    return _TYPE.fullmatch(plain_words(text)) is not None


def reads_like_total(text: str) -> bool:
    """Whether a value is a word for all values, whatever signs are around it.

    >>> [reads_like_total(text) for text in ("(TOTAL):", "Ambos os sexos", "Totonha")]
    [True, True, False]
    """
    return _TOTAL.fullmatch(plain_words(text)) is not None


def is_surely_total(text: str) -> bool:
    """Whether a value reads like a total whatever the others are.

    >>> [is_surely_total(text) for text in ("Total geral", "Brasil", "All")]
    [True, False, False]
    """
    return reads_like_total(text) and plain_words(text) not in _MAYBE


def is_statistic(text: str) -> bool:
    """Whether a text is a word for a figure of a whole column.

    >>> [is_statistic(text) for text in ("Média:", "Total geral", "Medium")]
    [True, True, False]
    """
    return _STATISTIC.fullmatch(plain_words(text)) is not None or is_surely_total(text)


def begins_a_note(text: str) -> bool:
    """Whether a line's first value begins a total, a source or another note.

    >>> [begins_a_note(text) for text in ("Fonte: IBGE", "Total: 3", "Fontela", "N=3")]
    [True, True, False, True]
    """
    bare = without_accents(text.strip(" \"'(["))
    return _NOTE.match(bare) is not None or is_surely_total(text)
