"""Channels and Bayes vulnerability as Nunes' section 2.3 defines them, for tests.

A channel is a matrix of chances, one row a secret and one column an output.
"""


def joint(prior, channel):
    """Chance of each secret with each output (Definition 3)."""
    return tuple(
        tuple(chance * known for chance in row)
        for known, row in zip(prior, channel, strict=True)
    )


def outputs(both):
    """Chance of each output, the joint's sum over the secrets (Definition 3)."""
    return tuple(map(sum, zip(*both, strict=True)))


def posteriors(both):
    """Chances of the secrets given each output; None for one that never occurs."""
    return tuple(
        tuple(chance / sum(column) for chance in column) if sum(column) else None
        for column in zip(*both, strict=True)
    )


def posterior_vulnerability(prior, channel):
    """Chance to guess the secret at once, having seen the output (Definition 6)."""
    return sum(map(max, zip(*joint(prior, channel), strict=True)))


def multiplicative_leakage(prior, channel):
    """Ratio of the vulnerabilities, from 1 (Definition 7)."""
    return posterior_vulnerability(prior, channel) / max(prior)


def additive_leakage(prior, channel):
    """Difference of the vulnerabilities, in [0, 1[ (Definition 7)."""
    return posterior_vulnerability(prior, channel) - max(prior)
