"""What answers to queries - sums, means, variances, medians, extremes - give away."""

from microleak.family import Family

FAMILY = Family("query_answers", publish="jobs:PUBLICATION")
