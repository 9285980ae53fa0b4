"""What answers to queries - sums, means, medians, maxima, minima - give away."""

from microleak.family import Family

FAMILY = Family(
    "query_answers",
    section="microleak.attacks.query_answers.section",
    jobs="microleak.attacks.query_answers.jobs",
    publish="microleak.attacks.query_answers.publish:PUBLICATION",
    part="microleak.attacks.query_answers.report:SHOWN",
)
