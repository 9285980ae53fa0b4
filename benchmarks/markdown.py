"""Tables and numbers of the page, as Markdown."""

from collections.abc import Iterable, Sequence


def table(head: str, rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table, its first column left, the others right.

    >>> print(table("a | b", [["x", "1"]]))
    |a|b|
    |---|--:|
    |x|1|
    """
    heads = head.split(" | ")
    line = "|---" + "|--:" * (len(heads) - 1) + "|"
    lines = (f"|{'|'.join(row)}|" for row in (heads, *rows))
    return "\n".join([next(lines), line, *lines])


def duration(seconds: float) -> str:
    """Write seconds with three figures, as seconds, minutes or hours.

    >>> [duration(s) for s in (0.1234, 42.42, 321, 31980)]
    ['0.123 s', '42.4 s', '5 min 21 s', '8 h 53 min']
    """
    if seconds < 99.95:
        return f"{seconds:#.3g} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    minutes = round(seconds / 60)
    return f"{minutes // 60:,} h {minutes % 60} min"


def memory(mib: float) -> str:
    """Write MiB as GiB from one GiB on.

    >>> [memory(mib) for mib in (1.26, 340, 5210)]
    ['1.3 MiB', '340 MiB', '5.1 GiB']
    """
    if mib >= 1024:
        return f"{mib / 1024:.1f} GiB"
    return f"{mib:.0f} MiB" if mib >= 10 else f"{mib:.1f} MiB"


def multiple(ratio: float | None) -> str:
    """Write a ratio with three figures, or nothing.

    >>> multiple(12.345), multiple(1234.5), multiple(None)
    ('12.3×', '1,234×', '')
    """
    if ratio is None:
        return ""
    return f"{ratio:,.0f}×" if ratio >= 99.95 else f"{ratio:#.3g}×"
