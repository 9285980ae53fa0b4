"""The certificate of a public report, checked without a solver."""


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
        if claim["witness"] is not None:
            numbers = told["witnesses"][claim["witness"]]
            if value(claim["distance"], numbers) > claim["within"]:
                yield f"claim of {claim['about']}: {claim['end']}"
