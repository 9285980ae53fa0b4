"""What a published file gives away, from the records of both files to the tables."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from microleak.attacks.published_file.blocks import KnownAttribute, LabelLevel
from microleak.attacks.published_file.definitions import (
    alone_in_draw,
    difference,
    linked_rightly,
)
from microleak.attacks.published_file.read import Read, read_files
from microleak.attacks.published_file.search import (
    Guesses,
    KnownPeople,
    SetFound,
    candidates_by,
    copies_of,
    found_by,
)
from microleak.attacks.published_file.section import PublishedFile
from microleak.base.arrays import Integers, QidMask
from microleak.base.machine import Resources
from microleak.base.progress import progress
from microleak.records.chunks import Given
from microleak.records.memory import Memory
from microleak.records.subsets import names_of
from microleak.tables.rows import as_table
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.attacks.published_file")


def published_tables(
    original: Given,
    published: Given,
    control: Given | None,
    analysis: PublishedFile,
    resources: Resources,
) -> dict[str, pd.DataFrame]:
    memory = Memory(resources, f"analysis {analysis.name!r}")
    read = read_files(original, published, control, analysis, memory)
    attack = _Attack(analysis, read, resources.threads)
    rows = {
        "published_file": attack.singled_out(),
        "published_guesses": attack.guessed(),
        "published_facts": attack.by_n_facts(),
        "published_copies": attack.copies(),
        "published_links": attack.links(),
    }
    of_analysis = {
        "analysis": analysis.name,
        "table": analysis.table,
        "focal": analysis.focal,
        "published": str(analysis.published),
    }
    return {
        name: as_table(TABLES[name], (of_analysis | row for row in of_table))
        for name, of_table in rows.items()
    }


@dataclass(frozen=True)
class _Attack:
    """The attack of an analysis on both files, and on the control."""

    analysis: PublishedFile
    read: Read
    n_threads: int

    @property
    def people(self) -> list[KnownPeople]:
        return [each for each in self.read if each is not None]

    @cached_property
    def found(self) -> list[tuple[dict[QidMask, SetFound], Integers]]:
        """What each set finds of the originals and of the control."""
        subsets = self.analysis.subsets
        n_steps = sum(each.n for each in self.people) * len(subsets)
        with progress("looking for people in the published file", n_steps) as advance:
            return [
                found_by(each, subsets, self.n_threads, advance) for each in self.people
            ]

    def of_set(self, subset: QidMask) -> dict[str, Any]:
        names = names_of(subset, self.analysis.qids)
        return {"qids": "|".join(names), "n_qids": len(names)}

    def singled_out(self) -> Iterator[dict[str, Any]]:
        originals, control = self.read
        for subset in self.analysis.subsets:
            found, *others = (of_sets[subset] for of_sets, _ in self.found)
            n = originals.n
            row = {
                **self.of_set(subset),
                "n_records": n,
                "n_published": originals.n_published,
                "n_alone": found.n_alone,
                "n_singled_out": found.n_singled_out,
                "singled_out": found.n_singled_out / n,
                "n_with_candidate": found.n_with_candidate,
                "n_one_candidate": int(found.one_candidate.sum()),
                "n_rightly_one": found.n_rightly_one,
                "linked": float(linked_rightly(found.n_candidates, found.n_people, n)),
            }
            if control is not None:
                n_others = others[0].n_singled_out
                draw = n, min(n, control.n)
                share = alone_in_draw(found.n_covered, found.one_candidate, draw)
                row |= {
                    "n_control": control.n,
                    "n_control_singled_out": n_others,
                    "singled_out_of_draw": share,
                    "singled_out_control": n_others / control.n,
                } | self._beyond(share, n_others / control.n)
            yield row

    def _beyond(self, share: float, of_control: float) -> dict[str, float]:
        """Return the difference to the control, and its interval."""
        n, n_control = (each.n for each in self.people)
        names = ("beyond_control", "beyond_control_low", "beyond_control_high")
        return dict(
            zip(names, difference(share, n, of_control, n_control), strict=True)
        )

    def guessed(self) -> Iterator[dict[str, Any]]:
        n = self.read.originals.n
        for place, sensitive in enumerate(self.analysis.sensitive):
            for subset in self.analysis.subsets:
                found, *others = (of_sets[subset] for of_sets, _ in self.found)
                guesses: Guesses = found.guesses[place]
                right, by_others = guesses.n_right / n, guesses.n_right_by_others / n
                row = {
                    **self.of_set(subset),
                    "sensitive": sensitive,
                    "n_records": n,
                    "n_claims": guesses.n_claims,
                    "n_claims_right": guesses.n_claims_right,
                    "claims_that_hold": _share(
                        guesses.n_claims_right, guesses.n_claims
                    ),
                    "disco": guesses.n_claims_right / n,
                    "tcap": _share(guesses.n_claims_right, found.n_with_candidate),
                    "posterior_prob": float(right),
                    "posterior_loo": float(by_others),
                    "beyond_others": float(right - by_others),
                    "n_beyond_others": guesses.n_beyond_others,
                }
                for other in others:
                    n_control = self.people[1].n
                    of_control = float(other.guesses[place].n_right / n_control)
                    row |= {"n_control": n_control, "control_prob": of_control}
                    row |= self._beyond(float(right), of_control)
                yield row

    def by_n_facts(self) -> Iterator[dict[str, Any]]:
        _, n_smallest = self.found[0]
        n, n_at_most = self.read.originals.n, 0
        for n_facts in sorted({subset.bit_count() for subset in self.analysis.subsets}):
            n_at_most += int(n_smallest[n_facts])
            yield {
                "n_qids": n_facts,
                "n_records": n,
                "n_smallest": int(n_smallest[n_facts]),
                "n_at_most": n_at_most,
                "at_most": n_at_most / n,
            }

    def copies(self) -> Iterator[dict[str, Any]]:
        people = [_with_guessed(each) for each in self.people]
        n_attributes = len(people[0].attributes)
        found = [copies_of(each, self.n_threads) for each in people]
        rare = found[0].rare
        # Of one attribute there is none that all but one have.
        for kind in ("exact", "all_but_one")[: 1 + (n_attributes > 1)]:
            copied = [getattr(each, kind) for each in found]
            row = {
                "kind": kind,
                "n_attributes": n_attributes,
                "n_records": people[0].n,
                "n_copied": int(np.count_nonzero(copied[0])),
                "n_rare": int(np.count_nonzero(rare)),
                "n_rare_copied": int(np.count_nonzero(copied[0] & rare)),
            }
            if len(people) > 1:
                n_copied = int(np.count_nonzero(copied[1]))
                row |= {"n_control": people[1].n, "n_control_copied": n_copied}
                shares = (each.mean() for each in copied)
                row |= self._beyond(*map(float, shares))
            yield row

    def links(self) -> Iterator[dict[str, Any]]:
        place_of = {name: place for place, name in enumerate(self.analysis.qids)}
        for pair in self.analysis.links:
            one, other = (sum(1 << place_of[name] for name in names) for names in pair)
            found = []
            for each in self.people:
                known = candidates_by(each, {one, other, one | other}, self.n_threads)
                both = (known[one] == 1) & (known[other] == 1)
                meet = both & (known[one | other] == 1)
                of = (known[one] == 1, known[other] == 1, both, meet)
                found.append([int(np.count_nonzero(each)) for each in of])
            names = ("n_one", "n_other", "n_both_one", "n_meet")
            row = {
                **dict(zip(("one", "other"), map("|".join, pair), strict=True)),
                "n_records": self.read.originals.n,
                **dict(zip(names, found[0], strict=True)),
            }
            if len(found) > 1:
                row |= {"n_control": self.people[1].n, "n_control_meet": found[1][-1]}
            yield row


def _share(n: int, whole: int) -> float | None:
    return n / whole if whole else None


def _with_guessed(people: KnownPeople) -> KnownPeople:
    """Return the same people with their sensitive attributes among what is known."""
    attributes = [*people.attributes]
    for each in people.guessed:
        itself = np.arange(each.n_ranks, dtype=np.int32)
        level = LabelLevel(itself, each.published, each.n_ranks)
        attributes.append(KnownAttribute(each.people, each.n_ranks, [level]))
    return replace(people, attributes=attributes, guessed=())
