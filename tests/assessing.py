"""The rows of `measures/collective` that `microleak.assess` finds."""

import microleak


def assess(*arguments, **named):
    return microleak.assess(*arguments, **named).to_pandas()
