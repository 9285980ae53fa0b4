"""What answers to queries - sums, means, medians, maxima, minima - give away."""

from microleak.family import Family

FAMILY = Family(
    "query_answers",
    publish="jobs:PUBLICATION",
)
