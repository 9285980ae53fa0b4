"""The certificate of a public report, checked without a solver."""

from collections import Counter

TOLD_OPENLY = 10
"""So many persons may be told to have something."""


def value(of, numbers):
    return of["constant"] + sum(factor * numbers[n] for n, factor in of["factors"])


def check(told):
    """Yield witnesses that do not fit, and claims that no witness shows."""
    for place, numbers in enumerate(told["witnesses"]):
        for number, x in zip(told["numbers"], numbers, strict=True):
            if not number["low"] <= x <= number["high"]:
                yield f"witness {place}: a number out of its bounds"
        for i, row in enumerate(told["rows"]):
            if value(row, numbers) < 0:
                yield f"witness {place}: row {i}"
    for claim in told["claims"]:
        about = f"claim of {claim['about']}: {claim['end']}"
        if claim["witness"] is not None:
            if claim["witness"] not in range(len(told["witnesses"])):
                yield f"{about}, of no witness"
                continue
            numbers = told["witnesses"][claim["witness"]]
            if value(claim["distance"], numbers) > claim["within"]:
                yield about
        if "refuted" in claim:
            if not is_refuted(told, claim):
                yield f"{about}, refuted"
        elif claim["witness"] is None or claim["within"] > rounding(claim):
            yield f"{about}, without a proof"


def rounding(claim):
    """How far off a witness may be: a share is the sum of 200 times a count."""
    is_share = any(abs(factor) == 200 for _, factor in claim["distance"]["factors"])
    return 199 if is_share else 0


def is_refuted(told, claim):
    """Whether rows refute that a claim is nearer, or what it presumes.

    Its last row says that it is nearer, and those before it that there are members.
    Without a witness either ten or more are told openly or there are no members, so
    that the last row refutes nothing.
    """
    *given, nearer = claim["further"]
    distance = claim["distance"]
    negative = sorted([n, -factor] for n, factor in distance["factors"])
    constant = claim["within"] - 1 - distance["constant"]
    low = [each["low"] for each in told["numbers"]]
    high = [each["high"] for each in told["numbers"]]
    rows = [None if row.get("chosen") else row for row in told["rows"]]
    rows += given
    if claim["witness"] is not None or claim["within"] >= TOLD_OPENLY:
        rows.append(nearer)
    is_nearer = [sorted(nearer["factors"]), nearer["constant"]] == [negative, constant]
    is_given = all(
        row["constant"] == -1 and [factor for _, factor in row["factors"]] == [1]
        for row in given
    )
    return is_nearer and is_given and contradicts(rows, claim["refuted"], low, high)


def most(row, low, high):
    """The most that a sum comes to within bounds."""
    ends = ((f * (high if f > 0 else low)[n]) for n, f in row["factors"])
    return row["constant"] + sum(ends)


def contradicts(rows, refuted, low, high):
    """Whether rows that narrow bounds, each in turn, end where nothing is possible."""
    low, high = [*low], [*high]
    used = [*refuted["rows"], *(place for place, _ in refuted.get("sum", ()))]
    if any(place not in range(len(rows)) or rows[place] is None for place in used):
        return False
    for place in refuted["rows"]:
        room = most(rows[place], low, high)
        if room < 0:
            return True
        for n, factor in rows[place]["factors"]:
            if factor > 0:
                low[n] = max(low[n], high[n] - room // factor)
            else:
                high[n] = min(high[n], low[n] + room // -factor)
    if "sum" in refuted:
        total = {"constant": 0, "factors": Counter()}
        for place, times in refuted["sum"]:
            total["constant"] += times * rows[place]["constant"]
            for n, factor in rows[place]["factors"]:
                total["factors"][n] += times * factor
        summed = total | {"factors": total["factors"].items()}
        is_whole = all(type(n) is int and n > 0 for _, n in refuted["sum"])
        return is_whole and most(summed, low, high) < 0
    cases = refuted.get("cases", ())
    for value, case in enumerate(cases):
        n = refuted["number"]
        one = [*low], [*high]
        one[0][n] = one[1][n] = value
        if (low[n], high[n]) != (0, 1) or not contradicts(rows, case, *one):
            return False
    return len(cases) == 2
