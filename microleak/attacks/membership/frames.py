"""Attacks on a sample before its population, on frames."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from microleak.attacks.membership.designs import answers_given, designs
from microleak.attacks.membership.fingerprints import fingerprints
from microleak.attacks.membership.measure import attack_member, membership_tables
from microleak.attacks.membership.rough import rough_membership
from microleak.attacks.membership.section import Membership
from microleak.frames import Call, Tables, on_frames
from microleak.records.call import TABLE, known_texts, meeting_people, named_targets
from microleak.records.overlap_profile import profile_overlap

_BOTH = {each: {"table": TABLE, "release": each} for each in ("population", "sample")}


@on_frames(
    Membership,
    "Member",
    positional=("qids",),
    _rows=lambda found, rows: rows[
        rows["qids"].isin(found.to_pandas("presence")["qids"])
    ],
    shown=(
        *("qids", "n_qids", "n_sample_unique", "n_unique_both"),
        *("prior", "posterior_person"),
    ),
)
def membership(
    call: Call,
    population: Any,
    sample: Any,
    *,
    targets: Mapping[str, Mapping[str, object]] | None = None,
    n_threads: int | None = None,
) -> Tables:
    """Measure what a sample tells about who of a population is in it (Rodrigues).

    Parameters
    ----------
    population, sample
        One record a person, as `microleak.assess` takes it. QIDs have the same names
        and codes in both: values are equal if they are as texts, so that 1 of one
        frame is "1" of the other.
    targets
        Persons by whom to ask whether they are in the sample, by names of your own,
        each with known values by QID: `{"somebody": {"age": 25}}`.

    Examples
    --------
    >>> town = pd.DataFrame({"age": [25, 25, 60, 61], "sex": ["F", "M", "F", "F"]})
    >>> found = membership(town, town[:2], qids=["age", "sex"])
    >>> found.membership[["qids", "n_unique_both", "prior", "posterior_person"]]
          qids  n_unique_both  prior  posterior_person
    0      age              0    0.5          1.000000
    1      sex              1    0.5          0.666667
    2  age|sex              2    0.5          1.000000
    """
    # Values of a filter, and what is known roughly, are not as texts yet.
    given = call.analysis(**_BOTH, filter=None, roughly=None)
    names = [*given.wide.qids, *call.keys.get("filter", ())]
    frames = {
        "the population": (population, [*names, *given.of_population]),
        "the sample": (sample, [*names, *given.of_sample]),
    }
    each = {what: call.people(*of, what) for what, of in frames.items()}
    whole, part = meeting_people("membership", each, dict.fromkeys(names))
    qids = call.columns("qids")
    known = {
        name: known_texts("membership", name, of, qids, whole)
        for name, of in named_targets("membership", targets).items()
    }
    analysis = call.analysis(whole, **_BOTH, targets=known)
    compared, people = analysis.compared, (whole.table, part.table)
    profile = call.resources.scratch / "overlap.parquet"
    profile_overlap(*people, compared, False, call.resources, profile)
    members = [
        attack_member(*people, compared, name, of, analysis.roughly)
        for name, of in known.items()
    ]
    further = (
        ("rough_membership", analysis.roughly, rough_membership),
        ("designs", analysis.design, designs),
        ("answers", analysis.sensitive, answers_given),
        ("fingerprints", analysis.fingerprint, fingerprints),
    )
    return {
        **membership_tables(profile, compared),
        **{
            name: measured(*people, analysis, call.resources)
            for name, is_asked, measured in further
            if is_asked
        },
        **({"member": pd.concat(members)} if members else {}),
    }
