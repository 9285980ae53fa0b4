"""Check a certificate without a solver: python check_certificate.py CERTIFICATE.json.

For `proofs/public.json`, `proofs/table_rebuilding/*.json` and
`proofs/query_answers/*.json` of a study. Prints how many claims hold, or the first that
does not, with exit status 1.

The first part, fifty lines besides these texts, decides whether numbers are as rows say
and whether a proof holds. The others say what certificates of each form claim.
"""

import json
import sys
from fractions import Fraction

NOTHING = {"low": 0, "factors": []}
"""A row: the sum of some numbers, each times its factor, is `low` or more."""


def is_whole(part):
    """Whether no number in it is a fraction."""
    if isinstance(part, dict | list):
        return all(map(is_whole, part.values() if isinstance(part, dict) else part))
    return type(part) is not float


def room(row, low, high):
    """Return by how much a row can exceed `low`; of `ranks`, the sum of some terms."""
    terms = sorted(f * (high if f > 0 else low)[n] for n, f in row["factors"])
    return sum(terms[row["ranks"]] if "ranks" in row else terms) - row["low"]


def impossible(rows, low, high):
    """Whether bounds leave a number no value, or a row does not hold within them."""
    is_empty = any(a > b for a, b in zip(low, high, strict=True))
    return is_empty or any(room(row, low, high) < 0 for row in rows)


def narrowed(rows, low, high):
    """Return bounds as rows, one after the other, leave them."""
    low, high = [*low], [*high]
    for row in rows:
        left = room(row, low, high)
        for n, factor in () if "ranks" in row else row["factors"]:
            if factor > 0:
                low[n] = max(low[n], high[n] - left // factor)
            elif factor < 0:
                high[n] = min(high[n], low[n] + left // -factor)
    return low, high


def split(low, high, n, at):
    """Return bounds if a number is at most so much, and if it is more."""
    under = [*high[:n], min(high[n], at), *high[n + 1 :]]
    return (low, under), ([*low[:n], max(low[n], at + 1), *low[n + 1 :]], high)


def stepped(steps, rows, low, high):
    """Return bounds without cases, one after the other, that are refuted."""
    for n, at, case, proof in steps:
        cases = split(low, high, n, at)
        if refutes(proof, rows, *cases[case]):
            low, high = cases[1 - case]
    return low, high


def summed(proof, rows):
    """Return what rows add up to, each times a multiplier above 0."""
    used = [(rows.get(place, NOTHING), times) for place, times in proof.get("sum", ())]
    factors = {}
    for row, times in used:
        for n, factor in row["factors"]:
            factors[n] = factors.get(n, 0) + times * factor
    low = sum(n * row["low"] if n > 0 else float("-inf") for row, n in used)
    return {"low": low, "factors": factors.items()}


def refutes(proof, rows, low, high, lists=()):
    """Whether no whole numbers within bounds are as rows say, but for some lists."""
    used = [rows.get(place, NOTHING) for place in proof.get("rows", ())]
    low, high = narrowed(used, *stepped(proof.get("steps", ()), rows, low, high))
    if impossible([*used, summed(proof, rows)], low, high) or low == high in lists:
        return True
    sides, at = proof.get("cases", ()), proof.get("at_most", 0)
    cases = split(low, high, proof["number"], at) if sides else ()
    pairs = [*zip(sides, cases, strict=False)]
    return len(pairs) == 2 and all(refutes(p, rows, *c, lists) for p, c in pairs)


def is_list(numbers, rows, low, high):
    """Whether numbers are within bounds, and as rows say."""
    bounds = ((), low, numbers), ((), numbers, high), (rows, numbers, numbers)
    return not any(impossible(*each) for each in bounds)


# What the certificate of a public report claims (docs/decisions/0027-public-proof.md).

FEW = 9
"""Counts up to it are not to be told from another."""

END_OF_LARGE = 100
"""Who is in no large block is in one of fewer records."""

TOLD_OPENLY = 10
"""So many persons may be told to have something."""

MEMBERS = {1: (10_000, None), 2: (5_000, 9_999), 5: (2_000, 4_999), 10: (1_000, 1_999)}
"""Of how few and how many records a share is that is rounded to a step; None: any."""

COARSER = (20, 50)
"""Steps that no number of records has by itself, in percent."""

HIDDEN = ("frequent", "another", "alone left out", "alone")
"""What numbers count of a group, of which no share is published."""

ENDS = ("least", "largest")
GROUP_ENDS = ("none", "few", "all", "nearly all")


def page_claims(told):
    """Yield each claim, with what of it is not shown, and whether it holds."""
    low, high = ([each[end] for each in told["numbers"]] for end in ("low", "high"))
    rows = [at_least(row) for row in told["rows"]]
    for place, numbers in enumerate(told["witnesses"]):
        if not is_list(numbers, rows, low, high):
            yield f"witness {place} does not fit", False
    for claim in told["claims"]:
        said = page_fault(told, claim, (rows, low, high))
        yield f"claim of {claim['about']}: {claim['end']}{said}", not said
    yield from missing(told)
    yield from nearly_told(told)


def at_least(sum_):
    """Return the row that a sum with a constant is 0 or more."""
    return {"low": -sum_["constant"], "factors": sum_["factors"]}


def page_fault(told, claim, system):
    """Return what of a claim is not shown; nothing if all of it is."""
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
        if "of" in claim and numbers[claim["of"]] < 1:
            return ", of nobody"
        if room(at_least(claim["distance"]), numbers, numbers) > claim["within"]:
            return ", farther off"
    if "refuted" in claim:
        is_proved = is_refuted(told, claim, *system)
    elif is_share(claim["distance"]) and is_whole_known(told, claim):
        is_proved = claim["witness"] is not None
    else:
        is_proved = claim["witness"] is not None and claim["within"] <= rounding(claim)
    return "" if is_proved else ", without a proof"


def missing(told):
    """Yield shares that have not both of their claims, and groups not all four.

    And numbers of one key.
    """
    shares, counts = {}, set()
    of_shares = {row.get("cell") for row in told["rows"] if is_share(row)}
    for row in told["rows"]:
        if row.get("cell", "").endswith("pct") or row.get("cell") in of_shares - {None}:
            shares.setdefault(row["cell"], []).append(row)
    if len({str(each["key"]) for each in told["numbers"]}) < len(told["numbers"]):
        yield "two numbers have one key", False
    steps, finest = {cell: rounded_to(rows) for cell, rows in shares.items()}, {}
    for cell, (step, _) in steps.items():
        report = cell.rpartition(": ")[0]
        finest[report] = min(step, finest.get(report, step))
    for cell, rows in shares.items():
        step, ends = steps[cell]
        if ends < 2 and step > min(finest[cell.rpartition(": ")[0]], COARSER[-1]):
            yield f"rows of {cell} are not those of a rounded share", False
        counts |= {n for row in rows for n in of_its_members(told, row)}
    wanted, found = {(cell, None, end) for cell in shares for end in ENDS}, {}
    for claim in told["claims"]:
        pair = (claim["of"], *counted(claim)) if "of" in claim else None
        made = claim["about"], pair, claim["end"]
        found[made] = found.get(made, 0) + 1
        if pair:
            wanted |= {(claim["about"], pair, end) for end in GROUP_ENDS}
            counts |= {*pair[1:]}
    for made in wanted | found.keys():
        if made not in wanted or found.get(made) != 1:
            yield f"claim of {made[0]}: {made[2]}, not made once", False
    for place, number in enumerate(told["numbers"]):
        if number["key"][0] in HIDDEN and place not in counts:
            yield f"number {place} counts some of a group and has no claims", False


def nearly_told(told):
    """Yield shares whose two lists have nearly the same count, of one whole.

    And laws alone leave it more, as far as they narrow it. That all are in blocks that
    are not large tells of nobody.
    """
    lists = {(c["about"], c["end"]): c["witness"] for c in told["claims"]}
    laws = [at_least(r) for r in told["rows"] if not (r.get("cell") or r.get("chosen"))]
    ends = tuple([each[end] for each in told["numbers"]] for end in ("low", "high"))
    while not impossible((), *ends) and (further := narrowed(laws, *ends)) != ends:
        ends = further
    for row in told["rows"]:
        factors, cell = dict(row["factors"]), row.get("cell")
        count = next((n for n, factor in factors.items() if factor == 200), None)
        both = [lists.get((cell, end)) for end in ENDS]
        if None in (count, *both) or not {*both} <= {*range(len(told["witnesses"]))}:
            continue
        key = told["numbers"][count]["key"]
        first, last = (told["witnesses"][place] for place in both)
        is_of_one = all(first[n] == last[n] for n in factors.keys() - {count})
        left = last[count] - first[count]
        is_few = left < min(FEW, ends[1][count] - ends[0][count])
        are_all = len({each[n] for each in (first, last) for n in factors}) == 1
        is_small = (key[0], key[-1]) == ("below", END_OF_LARGE)
        if is_of_one and is_few and not (are_all and is_small):
            yield f"{cell} leaves fewer than ten counts", False


def rounded_to(rows):
    """Return the step to which rows round one share, and how many bounds its whole has.

    One bound is enough at the finest step of a report, which may be that of more
    records. If they are not those of a rounded share, all of them, the step is none.
    """
    above = [dict(row["factors"]) for row in rows if row["constant"] == 0]
    counts = [n for each in above for n, factor in each.items() if factor == 200]
    if len(above) != 1 or len(above[0]) != 2 or len(counts) != 1:
        return COARSER[-1] + 1, 0
    (count,) = counts
    (of,) = above[0].keys() - {count}
    coarser = dict.fromkeys(COARSER, (MEMBERS[10][0], 0))
    for step, (fewest, most) in (MEMBERS | coarser).items():
        twice = step - above[0][of]
        sums = [(-fewest, {of: 1}), (0, {count: 200, of: step - twice})]
        sums.append((-1, {count: -200, of: twice + step}))
        is_bound = any(is_sum(row, most, {of: -1}) for row in rows)
        is_all = len(rows) == len(sums) + is_bound and all(
            any(is_sum(row, *each) for row in rows) for each in sums
        )
        if is_all and twice in range(0, 201, 2 * step):
            return step, 2 if is_bound or most is None else 1
    return COARSER[-1] + 1, 0


def is_share(row):
    """Whether a row is that of a rounded share: the sum of 200 times a count."""
    return any(abs(factor) == 200 for _, factor in row["factors"])


def rounding(claim):
    """Return how far off a witness may be."""
    return 199 if is_share(claim["distance"]) else 0


def is_of_its_cell(told, claim):
    """Whether a claim of a share is of that end of its cell, rounded or none or all."""
    sign = {"least": 1, "largest": -1}.get(claim["end"], 0)
    for row in told["rows"]:
        factors = dict(row["factors"])
        count = [n for n, factor in factors.items() if sign and factor == 200 * sign]
        if row.get("cell") == claim["about"] and count:
            (of,) = factors.keys() - {*count}
            if factors[of] < (0 if sign == 1 else 201):
                return is_sum(claim["distance"], row["constant"], factors)
            last = {count[0]: 1} if sign == 1 else {of: 1, count[0]: -1}
            return is_sum(claim["distance"], 0, last)
    return False


def is_whole_known(told, claim):
    """Whether of a share it is known of how many it is."""
    for row in told["rows"]:
        factors = dict(row["factors"])
        if row.get("cell") == claim["about"] and 200 in factors.values():
            (whole,) = (told["numbers"][n] for n, f in factors.items() if f != 200)
            return whole["low"] == whole["high"]
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
    """Return the numbers of a claim of a group besides its members: what it counts."""
    return {n for n, _ in claim["distance"]["factors"]} - {claim["of"]}


def members_of(key):
    """Return the key of the members of the group of which a number counts some."""
    kind, *rest = key
    if kind == "alone":
        return ["members", *rest[:3], *rest[4:6]]
    if kind in ("frequent", "another"):
        return ["members", *rest[:3], *rest[5:]]
    return ["members left out", *rest[:-1]] if kind == "alone left out" else None


def of_its_members(told, row):
    """Return the number that a share counts, if it is one of the group's members."""
    keys = {n: told["numbers"][n]["key"] for n, _ in row["factors"]}
    counts = {n for n, factor in row["factors"] if factor == 200}
    return {n for n in counts if members_of(keys[n]) in keys.values()}


def is_sum(of, constant, factors):
    """Whether a sum has this constant and these factors."""
    written = sorted(map(list, factors.items()))
    return of["constant"] == constant and sorted(of["factors"]) == written


def is_refuted(told, claim, rows, low, high):
    """Whether rows refute that a claim is nearer, or what it presumes.

    Its last row says that it is nearer, or of a share of a known whole that it is at
    its end, and the one before it that there are members. With a witness no other cell
    tells that it is not. Without one, ten or more are told openly of none or all of a
    group; or it has no members, so that the last row refutes nothing.
    """
    *given, nearer = claim["further"]
    presumed = (
        [{"constant": -1, "factors": [[claim["of"], 1]]}] if "of" in claim else []
    )
    opposite = {n: -factor for n, factor in claim["distance"]["factors"]}
    nearest = {claim["within"] - 1}
    if not presumed and is_whole_known(told, claim):
        nearest.add(rounding(claim))
    constants = [n - claim["distance"]["constant"] for n in nearest]
    if given != presumed or not any(is_sum(nearer, n, opposite) for n in constants):
        return False
    told_by = {None, claim["about"], *(row.get("cell") for row in told["rows"])}
    further = [*given, nearer]
    if claim["witness"] is not None:
        told_by = {None} if "of" in claim else {None, claim["about"]}
    elif claim["within"] == 0:
        further = given
    elif claim["end"] not in ("none", "all") or not (
        claim["within"] == claim["told_from"] == TOLD_OPENLY
    ):
        return False
    allowed = {
        place: rows[place]
        for place, row in enumerate(told["rows"])
        if row.get("cell") in told_by and not row.get("chosen")
    }
    allowed |= {len(rows) + i: at_least(row) for i, row in enumerate(further)}
    return refutes(claim["refuted"], allowed, low, high)


# What proofs/table_rebuilding/ claims (docs/decisions/0023-published-tables.md).


def table_claims(told):
    """Yield each claim about a cell, and whether it holds."""
    sizes = [len(values) for values in told["attributes"].values()]
    for region in told["regions"]:
        yield from cell_claims(region, sizes)


def cells_of(codes, sizes):
    """Return the cells of the joint table that have codes, None being any."""
    cells = [()]
    for code, size in zip(codes, sizes, strict=True):
        last = range(size) if code is None else [code]
        cells = [(*cell, each) for cell in cells for each in last]
    return cells


def two_rows(place, members, low, high):
    """Return the rows of a sum by place: it is `low` or more, and `high` or less."""
    rows = {place: {"low": low, "factors": [(n, 1) for n in members]}}
    if high is not None:
        rows[~place] = {"low": -high, "factors": [(n, -1) for n in members]}
    return rows


def with_multipliers(rows):
    """Return rows and multipliers, those below 0 being of what is at most `high`."""
    return [(int(place) if n > 0 else ~int(place), abs(n)) for place, n in rows.items()]


def cell_claims(region, sizes):
    """Yield each claim about a cell of a region, and whether it holds."""
    name, rows, empty = region["region"], {}, set()
    place = {cell: n for n, cell in enumerate(cells_of([None] * len(sizes), sizes))}
    for i, row in enumerate(region["rows"]):
        cells = cells_of(row["cell"], sizes)
        rows |= two_rows(i, [place[cell] for cell in cells], row["low"], row["high"])
        empty |= {*cells} if row["high"] == 0 else set()
    bounds = [0] * len(place), [float("inf")] * len(place)
    databases = [{tuple(cell): n for cell, n in each} for each in region["databases"]]
    for database in databases:
        counts = [database.get(cell, 0) for cell in place]
        if not database.keys() <= place.keys():
            yield f"a database of {name!r} is of other cells", False
        if not is_list(counts, rows.values(), *bounds):
            yield f"a database of {name!r} does not fit", False
    made, n_proved = [], 0
    for n, claim in enumerate(region["claims"]):
        cell, used = tuple(claim["cell"]), claim["database"]
        proof = cell_proof(claim.get("proof", {}), place)
        for end in (end for end in ENDS if end in claim):
            made.append((end, cell))
            if claim[end] is None:
                continue
            n_proved += claim[end] if end == "least" else 0
            at, case = (claim[end] - 1, 0) if end == "least" else (claim[end], 1)
            beyond = split(*bounds, place[cell], at)[case]
            is_taken = used is None or (
                used in range(len(databases))
                and databases[used].get(cell, 0) == claim[end]
            )
            said = "" if is_taken else " is not taken"
            said = said if refutes(proof, rows, *beyond) else " is not proved"
            yield f"claim {n} about {name!r}: the {end}{said}", not said
    if sorted(made) != sorted((e, cell) for e in ENDS for cell in place.keys() - empty):
        yield f"the claims about {name!r} are not one of each bound of each cell", False
    if n_proved != region["n_records_proved"]:
        yield f"the claims about {name!r} prove {n_proved} records", False


def cell_proof(proof, place):
    """Return a proof about cells with the places of numbers and rows."""
    if "at_most" not in proof:
        return {"sum": with_multipliers(proof.get("rows", {}))}
    sides = [proof[side] for side in ("below", "above") if side in proof]
    cases = [cell_proof(side, place) for side in sides]
    number = place[tuple(proof["cell"])]
    return {"number": number, "at_most": proof["at_most"], "cases": cases}


# What proofs/query_answers/ claims (docs/decisions/0029-query-answers.md).

RANKS = ("median", "min", "max")
NO_END = 1 << 40


def answer_claims(told):
    """Yield each claim about a value, and whether it holds."""
    n_cells = 1
    for values in told["attributes"].values():
        n_cells *= len(values)
    for region in told["regions"]:
        yield from value_claims(told, region, n_cells)


def value_claims(told, region, n_cells):
    """Yield each claim about a value of a region, and whether it holds."""
    name, scale = region["region"], 10 ** told["decimals"]
    tables = region.get("tables", ())
    if "tables" in region:
        sizes = [table["sizes"] for table in tables]
        rows, order = system_of(counts_of(region), [1] * n_cells)
        bounds = [0] * n_cells, [NO_END] * n_cells
        is_all = refutes(value_proof(region["every"], order), rows, *bounds, sizes)
        said = "the tables of persons are" + ("" if is_all else " not") + " all"
        yield f"{said} of {name!r}", is_all
    possible = [table for table in tables if "refuted" not in table]
    if any(len(table["claims"]) != sum(table["sizes"]) for table in possible):
        yield f"the claims about {name!r} are not one of each value", False
        return
    for n, table in enumerate(tables):
        answers = answers_of(region, table["sizes"], scale)
        bounds = [[told[end]] * sum(table["sizes"]) for end in ("least", "most")]
        for said, holds in claims_of_persons(table, answers, bounds):
            yield f"table {n} of persons of {name!r}: {said}", holds
    certain = [min(each) for each in zip(*(t["sizes"] for t in possible), strict=True)]
    n_proved = len(region["alone"])
    for cell, n in enumerate(certain):
        for rank in range(n):
            claims = [t["claims"][sum(t["sizes"][:cell]) + rank] for t in possible]
            n_proved += len({claim[end] for claim in claims for end in ENDS}) == 1
    yield from alone_claims(
        region, scale, {cell for cell, n in enumerate(certain) if n}
    )
    if n_proved != region["n_values_proved"]:
        yield f"the claims about {name!r} prove {n_proved} values", False


def system_of(answers, sizes):
    """Return what answers say of values in their order within cells, as rows.

    An answer is of some ranks of some values. It is a sum of numbers, too, if it is of
    all of its values or of those of one cell. `order` are the places of rows that say
    the order, forwards and backwards.
    """
    starts = [sum(sizes[:cell]) for cell in range(len(sizes) + 1)]
    cells = [
        [*range(start, start + n)] for start, n in zip(starts, sizes, strict=False)
    ]
    rows, order = {}, []
    for number, answer in enumerate(answers):
        members, (first, last) = answer["members"], answer["ranks"]
        low, high, n = answer["low"], answer["high"], len(members)
        both = two_rows(0, members, low, high)
        rows["ranks", number] = both[0] | {"ranks": slice(first - 1, last)}
        rows["ranks", ~number] = both[~0] | {"ranks": slice(n - last, n - first + 1)}
        if (first, last) == (1, n) or members in cells:
            rows |= two_rows(number, members[first - 1 : last], low, high)
    for value in range(1, starts[-1]):
        if value not in starts:
            order.append(len(answers) + value - 1)
            rows[order[-1]] = {"low": 0, "factors": [(value - 1, -1), (value, 1)]}
    return rows, order + order[::-1]


def value_proof(proof, order):
    """Return a proof about values with the places of rows.

    A step says that a value is `bound` or more, or with another sign or less, as an
    answer excludes the others.
    """
    steps = [
        (value, bound - (sign > 0), int(sign < 0), {"rows": excluding(order, number)})
        for value, sign, bound, number in proof["steps"]
    ]
    found = {"steps": steps, "rows": order}
    if "answer" in proof:
        found["rows"] = excluding(order, proof["answer"])
    if "cases" in proof:
        sides = [proof[side] for side in ("below", "above") if side in proof]
        found["number"], found["at_most"] = proof["cases"]
        found["cases"] = [value_proof(side, order) for side in sides]
    return found | {"sum": with_multipliers(proof.get("rows", {}))}


def excluding(order, number):
    """Return the places of the order of values, and of an answer by its ranks."""
    return [*order, ("ranks", number), ("ranks", ~number)]


def claims_of_persons(table, answers, bounds):
    """Yield each claim about one table of persons, and whether it holds."""
    rows, order = system_of(answers, table["sizes"])
    root = value_proof({"steps": table["steps"]}, order)
    low, high = stepped(root["steps"], rows, *bounds)
    if "refuted" in table:
        holds = refutes(value_proof(table["refuted"], order), rows, low, high)
        yield "is" + ("" if holds else " not") + " refuted", holds
        return
    for values in [*table["taken"], *table["databases"]]:
        if not is_list(values, rows.values(), low, high):
            yield "values do not fit", False
    for value, claim in enumerate(table["claims"]):
        taken = {values[value] for values in table["taken"]}
        for case, end in enumerate(ENDS):
            proof = value_proof(claim["proofs"][case] or {"steps": []}, order)
            beyond = split(low, high, value, claim[end] - (case == 0))[case]
            said = ""
            if not refutes(proof, rows, *beyond):
                said = " is not proved"
            elif claim["is_exact"] and claim[end] not in taken:
                said = " is not taken"
            yield f"the {end} of {value}{said}", not said
    if table["every"]:
        ends = [[claim[end] for claim in table["claims"]] for end in ENDS]
        proof = value_proof(table["every"], order)
        is_all = refutes(proof, rows, *ends, table["databases"])
        yield f"there are {'no' if is_all else 'perhaps'} more databases", is_all


def counts_of(region):
    """Return what rows say of how many persons cells have."""
    return [
        {
            "members": row["members"],
            "ranks": [1, len(row["members"])],
            "low": row["count"][0],
            "high": row["count"][1],
        }
        for row in region["rows"]
    ]


def answers_of(region, sizes, scale):
    """Return what rows say of values, if cells have so many persons."""
    cell_of = [cell for cell, n in enumerate(sizes) for _ in range(n)]
    found = []
    for row in region["rows"]:
        members = [i for i, cell in enumerate(cell_of) if cell in row["members"]]
        n = len(members)
        ranks = {"median": [(n + 1) // 2, n // 2 + 1], "min": [1, 1], "max": [n, n]}
        for name, bounds in row["numbers"].items():
            times = {"mean": n, "median": 2 - n % 2}.get(name, 1) * scale
            low, high = units(bounds, times)
            told = {"low": low, "high": high, "ranks": ranks.get(name, [1, n])}
            found.append({"members": members, **told})
    return found


def units(bounds, times):
    """Return the least and the largest whole number within bounds times a number."""
    low, high = (Fraction(each) * times for each in bounds)
    return -(-low // 1), high // 1


def alone_claims(region, scale, certain):
    """Yield whether each is one person with one value, who was not counted already."""
    for place, one in enumerate(region["alone"]):
        cells, count, sum_ = {}, [0, 0], [0, 0]
        for row, times in ((region["rows"][int(p)], t) for p, t in one["rows"].items()):
            for cell in {*row["members"]}:
                cells[cell] = cells.get(cell, 0) + times
            for total, ranged in ((count, row["count"]), (sum_, sums(row, scale))):
                total[0] += times * ranged[times < 0]
                total[1] += times * ranged[times > 0]
        members, said = {cell for cell, times in cells.items() if times}, ""
        if count != [1, 1] or {cells[cell] for cell in members} != {1}:
            said = " is not of one person"
        elif sum_ != [one["value"]] * 2:
            said = " does not leave one value"
        elif certain & members:
            said = " is of a person who was counted"
        certain |= members
        yield f"who is alone, {place} of {region['region']!r}{said}", not said


def sums(row, scale):
    """Return the least and largest sum of the values of a row, in units."""
    n, most = row["count"]
    times = {"sum": 1, "mean": n} | (dict.fromkeys(RANKS, 1) if n == 1 else {})
    said = [units(b, scale * times[k]) for k, b in row["numbers"].items() if k in times]
    if n == most == 0:
        return 0, 0
    if n != most or not said:
        return -float("inf"), float("inf")
    return max(low for low, _ in said), min(high for _, high in said)


def claims_of(told):
    """Yield each claim of a certificate, with what is wrong, and whether it holds."""
    if "sizes" in told and told.keys() <= {"sizes", "register", "groups"}:
        told = told["sizes"]  # of confidential/public-proof.json
    if not is_whole(told):
        yield "a number is not whole", False
    elif "witnesses" in told:
        yield from page_claims(told)
    elif told != {}:
        yield from (answer_claims if "decimals" in told else table_claims)(told)


def check(told):
    """Yield what does not hold."""
    yield from (said for said, holds in claims_of(told) if not holds)


def main(path):
    """Print how many claims of a file hold, or end with the first that does not."""
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123
            told = json.load(file)
        n_claims = 0
        for said, holds in claims_of(told):
            if not holds:
                sys.exit(f"{path}: {said}")
            n_claims += 1
    except (AttributeError, LookupError, OSError, TypeError, ValueError) as error:
        sys.exit(f"{path} is no certificate of microleak ({type(error).__name__}).")
    print(f"{n_claims} claims hold.")


if __name__ == "__main__":
    main(sys.argv[-1])
