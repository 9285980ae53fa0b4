"""The certificate of a public report, checked without a solver."""

from collections import Counter

FEW = 9
"""Counts up to it are not to be told from another."""

TOLD_OPENLY = 10
"""So many persons may be told to have something."""

ENDS = ("least", "largest")
GROUP_ENDS = ("none", "few", "all", "nearly all")


def value(of, numbers):
    return of["constant"] + sum(factor * numbers[n] for n, factor in of["factors"])


def check(told):
    """Yield witnesses that do not fit, and claims that nothing shows or are missing."""
    if not is_whole(told):
        yield "a number that is not whole"
    for place, numbers in enumerate(told["witnesses"]):
        for number, x in zip(told["numbers"], numbers, strict=True):
            if not number["low"] <= x <= number["high"]:
                yield f"witness {place}: a number out of its bounds"
        for i, row in enumerate(told["rows"]):
            if value(row, numbers) < 0:
                yield f"witness {place}: row {i}"
    for claim in told["claims"]:
        if said := fault_of(told, claim):
            yield f"claim of {claim['about']}: {claim['end']}{said}"
    yield from missing(told)


def is_whole(part):
    """Whether no number of a certificate is a fraction, or a text in its place."""
    if isinstance(part, dict):
        places = ("low", "high", "constant", "within")
        return all(map(is_whole, part.values())) and all(
            type(part[name]) is int for name in places if name in part
        )
    return (
        all(map(is_whole, part)) if isinstance(part, list) else type(part) is not float
    )


def fault_of(told, claim):
    """What of a claim is not shown; nothing if all of it is."""
    is_own = is_of_its_group if "of" in claim else is_of_its_cell
    if not is_own(told, claim):
        return ", of other numbers"
    if claim["witness"] is None:
        is_shown = "of" in claim
    else:
        is_shown = claim["witness"] in range(len(told["witnesses"]))
    if not is_shown:
        return ", without a witness"
    if claim["witness"] is not None:
        numbers = told["witnesses"][claim["witness"]]
        if value(claim["distance"], numbers) > claim["within"]:
            return ", farther off"
    if "refuted" in claim:
        is_proved = is_refuted(told, claim)
    else:
        is_proved = claim["witness"] is not None and claim["within"] <= rounding(claim)
    return "" if is_proved else ", without a proof"


def missing(told):
    """Yield shares that have not both of their claims, and groups not all four."""
    shares = {row["cell"] for row in told["rows"] if "cell" in row and is_share(row)}
    wanted = Counter((cell, None, end) for cell in shares for end in ENDS)
    found = Counter()
    for claim in told["claims"]:
        pair = (claim["of"], *counted(claim)) if "of" in claim else None
        found[claim["about"], pair, claim["end"]] += 1
        if pair:
            wanted |= Counter((claim["about"], pair, end) for end in GROUP_ENDS)
    for (about, _, end), n in ((wanted - found) + (found - wanted)).items():
        yield f"claim of {about}: {end}, {n} too few or too many"


def is_share(row):
    """Whether a row is that of a rounded share: the sum of 200 times a count."""
    return any(abs(factor) == 200 for _, factor in row["factors"])


def rounding(claim):
    """How far off a witness may be."""
    return 199 if is_share(claim["distance"]) else 0


def is_of_its_cell(told, claim):
    """Whether a claim of a share is of that end of its cell, rounded or none or all."""
    sign = {"least": 1, "largest": -1}.get(claim["end"], 0)
    for row in told["rows"]:
        factors = dict(row["factors"])
        count = [n for n, factor in factors.items() if sign and factor == 200 * sign]
        if row.get("cell") == claim["about"] and count:
            (of,) = factors.keys() - {*count}
            last = {count[0]: 1} if sign == 1 else {of: 1, count[0]: -1}
            rounded = is_sum(claim["distance"], row["constant"], factors)
            return rounded or is_sum(claim["distance"], 0, last)
    return False


def is_of_its_group(told, claim):
    """Whether a claim of a group is of members of it, and of all of its members."""
    numbers, of, others = told["numbers"], claim["of"], counted(claim)
    if len(others) != 1 or claim["end"] not in GROUP_ENDS:
        return False
    (count,), few = others, min(FEW, numbers[of]["high"])
    ends = {
        "none": (0, {count: 1}),
        "few": (few, {count: -1}),
        "all": (0, {of: 1, count: -1}),
        "nearly all": (few, {of: -1, count: 1}),
    }
    is_end = is_sum(claim["distance"], *ends[claim["end"]])
    return is_end and members_of(numbers[count]["key"]) == numbers[of]["key"]


def counted(claim):
    """The numbers of a claim of a group besides its members: what it counts."""
    return {n for n, _ in claim["distance"]["factors"]} - {claim["of"]}


def members_of(key):
    """The key of the members of the group of which a number counts some."""
    kind, *rest = key
    if kind == "alone":
        return ["members", *rest[:3], *rest[4:6]]
    if kind == "frequent":
        return ["members", *rest[:3], *rest[5:]]
    return ["members left out", *rest[:-1]] if kind == "alone left out" else None


def is_sum(of, constant, factors):
    """Whether a sum has this constant and these factors."""
    written = sorted(map(list, factors.items()))
    return of["constant"] == constant and sorted(of["factors"]) == written


def is_refuted(told, claim):
    """Whether rows refute that a claim is nearer, or what it presumes.

    Its last row says that it is nearer, and the one before it that there are members.
    With a witness no other cell tells that it is not. Without one, ten or more are told
    openly of none or all of a group; or it has no members, so that the last row refutes
    nothing.
    """
    *given, nearer = claim["further"]
    presumed = (
        [{"constant": -1, "factors": [[claim["of"], 1]]}] if "of" in claim else []
    )
    opposite = {n: -factor for n, factor in claim["distance"]["factors"]}
    constant = claim["within"] - 1 - claim["distance"]["constant"]
    if given != presumed or not is_sum(nearer, constant, opposite):
        return False
    told_by = {None, claim["about"], *(row.get("cell") for row in told["rows"])}
    further = [*given, nearer]
    if claim["witness"] is not None:
        told_by = {None, claim["about"]}
    elif claim["within"] == 0:
        further = given
    elif claim["end"] not in ("none", "all") or not (
        claim["within"] == claim["told_from"] == TOLD_OPENLY
    ):
        return False
    rows = [
        row if row.get("cell") in told_by and not row.get("chosen") else None
        for row in told["rows"]
    ]
    low = [each["low"] for each in told["numbers"]]
    high = [each["high"] for each in told["numbers"]]
    return contradicts([*rows, *further], claim["refuted"], low, high)


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
            elif factor < 0:
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
