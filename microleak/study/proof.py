"""A public report proved from its own files: every number of it, besides its form.

Nothing is read but `report/`. What the reader may know besides is given: the sizes of
groups, and another report. docs/decisions/0027-public-proof.md.
"""

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from gettext import gettext as _
from gettext import ngettext
from itertools import combinations
from pathlib import Path
from typing import Any, Final

from microleak.base.errors import TableError, VerificationError
from microleak.base.files import write_text
from microleak.base.language import grouped
from microleak.base.progress import tell
from microleak.disclosure.book import FEW, Book, Cell, Claim, Key
from microleak.disclosure.proof import Leak, prove
from microleak.disclosure.rounding import FEWEST_RECORDS, records_of
from microleak.disclosure.sizes import records
from microleak.report.contents import Tables
from microleak.sources.steps.intermediate import receipt
from microleak.study.beside import BESIDE, Beside, link
from microleak.study.certificate import Outcome, certificate
from microleak.study.known_sizes import (
    Groups,
    Sizes,
    group_sizes,
    known_sizes,
    n_records,
    sizes_of,
)
from microleak.study.listing import CERTIFICATE, UNPUBLISHED, first_few
from microleak.study.neighbours import (
    pooled_releases,
    reports_of_other_records,
    reports_of_same_data,
    reports_of_same_records,
)
from microleak.study.public_report import PublicReport, has_noise
from microleak.study.publish import publications
from microleak.study_file.model import Study

KNOWN_CERTIFICATE: Final = "confidential/public-proof.json"
"""The proof against who knows the sizes of groups: it has them, and is the owner's."""


def proof_of(folder: Path, sizes: Sizes | None = None, *besides: Beside) -> Outcome:
    """Prove a public report, or say what in it tells.

    Parameters and errors are those of `book_of`.
    """
    book, losses = book_of(folder, sizes, *besides)
    proof = prove(book)
    return Outcome(tuple(book.faults), book, proof, losses)


def book_of(
    folder: Path, sizes: Sizes | None = None, *besides: Beside
) -> tuple[Book, dict[str, Fraction]]:
    """Return what a reader of a public report knows, and the epsilons that it names."""
    reports = [PublicReport(each) for each in (folder, *(b.folder for b in besides))]
    sizes = sizes or {}
    for beside, other in zip(besides, reports[1:], strict=True):
        if not beside.wholes and reports[0].releases.isdisjoint(other.releases):
            raise VerificationError(
                _(
                    "{folder} has no table and release of the other report, so that "
                    "nothing can be proved of both. Give them the same names in both "
                    "study files."
                ).format(folder=beside.folder)
            )
    apart = [b for b in besides if b.n_more or b.more or b.is_part or b.wholes]
    assert not apart or len(besides) == 1, "others are not of the same persons"
    of_report: dict[Key, Groups] = {}
    known_of = [("", sizes), *((BESIDE if apart else "", b.sizes) for b in besides)]
    for name, own in known_of:
        for release, groups in own.items():
            key = (name, *release)
            of_report[key] = {**groups, **of_report.get(key, {})}
    shown = [each.tables.whole("releases")["n_records"] for each in reports]
    rounded = [int(n) for rows in shown for n in rows.fillna(FEWEST_RECORDS)]
    most = sum(records_of(n)[1] for n in rounded)
    known = [n_records(groups) for groups in of_report.values()]
    book = Book(max([most, *known, FEWEST_RECORDS]), sizes=of_report)
    for place, report in enumerate(reports):
        book.where = f"{report.folder}: " if besides else ""
        book.faults += [f"{book.where}{said}" for said in report.faults]
        _write(book, BESIDE if place and apart else "", report.tables)
    book.where = ""
    book.faults += _not_together(reports)
    for beside in apart:
        if not any(each.has_noise for each in reports):
            link(book, beside)
    book.close()
    return book, _account(reports)


def _not_together(reports: Sequence[PublicReport]) -> Iterator[str]:
    """Yield which reports with noise do not go together with another one.

    A share that is rounded says more of some persons than any epsilon allows. Of two
    reports with noise one must name the other; two of one name are two publications,
    unless they are the same files.
    """
    for one, other in combinations(reports, 2):
        if one.has_noise != other.has_noise:
            noisy, rounded = (one, other) if one.has_noise else (other, one)
            said = _(
                "{noisy} has counts with noise, and {rounded} shares of the same "
                "persons without"
            )
            yield said.format(noisy=noisy.folder, rounded=rounded.folder)
        elif one.has_noise and _own(one) & _own(other):
            if not one.is_same(other):
                said = _(
                    "{one} and {other} are two publications of one name, whose "
                    "epsilons add up: another study has another name, and names the "
                    "earlier one under report.noise.spent"
                )
                yield said.format(one=one.folder, other=other.folder)
        elif one.has_noise and not _is_named(one, other) and not _is_named(other, one):
            yield (
                _not_named(one, other)
                or _not_named(other, one)
                or _(
                    "neither of {one} and {other} names the epsilon of the other under "
                    "report.noise.spent"
                ).format(one=one.folder, other=other.folder)
            )


def _own(report: PublicReport) -> set[str]:
    """Return the name of a report with noise, if it tells one."""
    return {*[*report.losses][-1:]}


def _is_named(one: PublicReport, other: PublicReport) -> bool:
    """Say whether a report names the epsilon of another one, of another name."""
    return any(one.losses.get(name) == other.losses[name] for name in _own(other))


def _not_named(one: PublicReport, other: PublicReport) -> str:
    """Say that a report names another one with an epsilon that it has not, if so."""
    for name in _own(other) & {*one.losses}:
        return _(
            "{one} names {name} with an epsilon of {named} under report.noise.spent, "
            "but {other} has one of {epsilon}: correct it there"
        ).format(
            one=one.folder,
            name=name,
            named=one.losses[name],
            other=other.folder,
            epsilon=other.losses[name],
        )
    return ""


def _account(reports: Sequence[PublicReport]) -> dict[str, Fraction]:
    """Return the epsilon of each publication that a report names, the largest told."""
    found: dict[str, Fraction] = {}
    for each in reports:
        for name, epsilon in each.losses.items():
            found[name] = max(epsilon, found.get(name, epsilon))
    return found


def _write(book: Book, report: str, published: Tables) -> None:
    """Write what the tables of a report say."""
    every = (t for named in published.analyses.values() for t in named.values())
    steps = (t.filter(("step_pct", "step_of_all_pct")).to_numpy().flat for t in every)
    book.finest = min((int(step) for of in steps for step in of), default=0)
    of_table: dict[str, int] = {}
    releases = published.whole("releases").dropna(subset="n_records")
    for row in releases.to_dict("records"):
        least, most = records_of(int(row["n_records"]))
        number = records(book, (report, row["table"], str(row["release"])))
        book.fix(number, least, most)
        of_table[row["table"]] = of_table.get(row["table"], 0) + most
    for release, groups in book.sizes.items():
        if release[0] == report:
            book.fix(records(book, release), *[n_records(groups)] * 2)
    for each in publications().values():
        if each.laws:
            each.laws(book, report, published.analyses)
    for key, number in [*book.of_kind("records", report)]:
        book.fix(number, 1, of_table.get(key[2], book.most))


def check_proved(folder: Path, outcome: Outcome, *, is_new: bool = False) -> None:
    """Refuse a report that tells of few persons; unless new, it may be changed."""
    if said := _first_told(outcome):
        refused = _(
            "{folder} is not in the public form, or tells of few persons: {said} If "
            "files were changed, or another version made them, run the study again. "
            "Else leave out a QID or the analysis of a table that is named, join rare "
            "values in the records that are released, or publish counts with noise "
            "(docs/decisions/0027-public-proof.md)."
        )
        if is_new:
            refused = _(
                "{folder} tells of few persons: {said} Leave out a QID or the analysis "
                "of a table that is named; else join rare values in the records that "
                "are released, or publish counts with noise (report.noise). Do not "
                "raise report.step because of this: that would tell something, unless "
                "all pages of a kind have it from the beginning "
                "(docs/decisions/0027-public-proof.md)."
            )
        raise VerificationError(refused.format(folder=folder, said=said))


def _first_told(outcome: Outcome) -> str:
    """Say what tells first, and how much else; empty if nothing does."""
    first, *others = [*told(outcome)] or [""]
    if n := len(others):
        claims = (leak.claim for leak in outcome.proof.leaks if leak.claim)
        cells = [each.about for each in claims if isinstance(each.about, Cell)]
        files = first_few([*dict.fromkeys(cell.table for cell in cells)])
        said = ngettext(". And {n} other", ". And {n} others", n)
        first += f"{said.format(n=n)} ({files})" if files else said.format(n=n)
    if outcome.proof.n_left:
        first += f"; {not_looked_at(outcome)}"
    return f"{first}." if first else ""


def not_looked_at(outcome: Outcome) -> str:
    """Say how many claims were not looked at, as enough do not hold."""
    n = outcome.proof.n_left
    said = ngettext(
        "{n} claim of the proof was not looked at",
        "{n} claims of the proof were not looked at",
        n,
    )
    return said.format(n=grouped(n))


def prove_study(study: Study, study_dir: Path) -> None:
    """Prove a study's public report, and write the certificates.

    Against who reads the page; and, in a file of the owner's, against who knows the
    sizes of all groups as well, with of how many persons values may be any for who
    knows all QIDs. Until all of it is written the report lies in `unpublished/`, which
    its owner alone can open; there it stays if it tells, if it does so together with
    public reports of the same records that lie beside it, or if anything fails.
    """
    aside = study_dir / UNPUBLISHED
    if aside.exists():
        shutil.rmtree(aside)
    aside.mkdir(mode=0o700)
    (study_dir / "report").rename(aside / "report")
    certificates: list[dict[str, Any]] = []
    of_groups = known_sizes(study, study_dir)
    for sizes in ({}, of_groups):
        outcome = proof_of(aside, sizes)
        check_proved(aside / "report", outcome, is_new=True)
        certificates.append(certificate(outcome))
    _check_together(study_dir, of_groups)
    of_page, of_sizes = certificates
    _write_json(study_dir / CERTIFICATE, of_page)
    # The register is of what rounding hides; what noise hides is its epsilon.
    register = [] if outcome.losses else _register(study, study_dir)
    groups = [*group_sizes(of_groups)]
    known = {"sizes": of_sizes, "register": register, "groups": groups}
    _write_json(study_dir / KNOWN_CERTIFICATE, known)
    (aside / "report").rename(study_dir / "report")
    aside.rmdir()


def _check_together(study_dir: Path, sizes: Sizes) -> None:
    """Refuse a report that tells together with others of the same records, or nearly.

    Of records that others have under the same names all are taken for unchanged but
    those that are more or fewer; if numbers contradict that, it is not so, and nothing
    is proved of both. No certificate is kept of it, as results do not depend on what
    lies beside them.
    """
    _check_noise(study_dir)
    others = reports_of_same_records(study_dir)
    mine = pooled_releases(study_dir)
    known = [Beside(other, sizes=_sizes_beside(other)) for other in others]
    together = [known] if known else []
    together += [[replace(each, wholes=mine)] for each in known if mine]
    together += [
        [replace(each, wholes=pools, is_whole=True)]
        for each in known
        if (pools := pooled_releases(each.folder))
    ]
    together += [
        [Beside(other, more=more, sizes=_sizes_beside(other))]
        for other, more in reports_of_other_records(study_dir).items()
    ]
    for besides in together:
        outcome = proof_of(study_dir / UNPUBLISHED, sizes, *besides)
        if besides[0].more and outcome.is_contradictory:
            warning = _(
                "warning: between the public reports of {one} and {other} persons "
                "were not only added or left out, and nothing is proved of both "
                "together. Publish one of them: if one is out already, not the other "
                "(docs/decisions/0027-public-proof.md)"
            )
            tell(warning.format(one=study_dir.name, other=besides[0].folder.name))
        elif said := _first_told(outcome):
            names = first_few([each.folder.name for each in besides])
            of = _("some of the same records") if besides[0].wholes else ""
            of = _("nearly the same records") if besides[0].more else of
            refused = _(
                "{folder} tells of few persons together with the public report of "
                "{names}, which is of {records}: {said} Remove the other one if it is "
                "not published, or leave an analysis out; if its persons are others, "
                "give table or release another name "
                "(docs/decisions/0027-public-proof.md)."
            ).format(
                folder=study_dir / UNPUBLISHED / "report",
                names=names,
                records=of or _("the same records"),
                said=said,
            )
            raise VerificationError(refused)


def _sizes_beside(study_dir: Path) -> Sizes:
    """Return the sizes of all groups of another study, as its own proof has them."""
    try:
        rows = receipt(study_dir / KNOWN_CERTIFICATE)["groups"]
    except (TableError, OSError, KeyError, TypeError):
        return {}
    return sizes_of(tuple(row) for row in rows)


def _check_noise(study_dir: Path) -> None:
    """Refuse a report with noise beside one without, or that it has no account of.

    That another one is of the same data is enough: their persons need not be the same.
    """
    mine = study_dir / UNPUBLISHED / "report"
    for other in reports_of_same_data(study_dir):
        if has_noise(mine) or has_noise(other / "report"):
            pair = [PublicReport(mine), PublicReport(other)]
            for said in _not_together(pair):
                refused = _(
                    "{folder} does not go with the public report of {name}, which is "
                    "of the same data: {said}. Name the epsilon of the earlier one "
                    "under report.noise.spent, or remove one of them "
                    "(docs/decisions/0030-private-counts.md)."
                ).format(
                    folder=study_dir / UNPUBLISHED / "report",
                    name=other.name,
                    said=said,
                )
                raise VerificationError(refused)


def _register(study: Study, study_dir: Path) -> list[dict[str, Any]]:
    """Return of how many persons values may be any for who knows all QIDs.

    By table and sensitive attribute, the least of all analyses that show it. What
    other families read of the table may change other numbers of the page, so nothing
    is said of it.
    """
    public = {name: each for name, each in publications().items() if each.laws}
    found: dict[tuple[str, str], int] = {}
    for name, each in public.items():
        others = {
            (table, attribute)
            for other in public.keys() - {name}
            for analysis in study.analyses.get(other, {}).values()
            for table, _, attributes in analysis.needs
            for attribute in attributes
        }
        for table, sensitive, n_persons in each.margins(study, study_dir):
            if (key := (table, sensitive)) not in others:
                found[key] = min(n_persons, found.get(key, n_persons))
    return [
        {"table": table, "sensitive": sensitive, "n_persons": n_persons}
        for (table, sensitive), n_persons in found.items()
    ]


def _write_json(path: Path, content: Any) -> None:
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    write_text(path, f"{text}\n")


def told(outcome: Outcome) -> Iterator[str]:
    """Yield what tells, a line each, by tables and cells and never by their content."""
    yield from outcome.faults
    for leak in outcome.proof.leaks:
        yield f"{_narrowed(leak, outcome.book)}{_told_by(leak.cells)}"


def _narrowed(leak: Leak, book: Book) -> str:
    """Say what a leak excludes."""
    about = _about(leak.claim, book) if leak.claim else ""
    if leak.is_narrow:
        return _("{cell}: fewer than ten counts stay possible").format(cell=about)
    if leak.claim is None:
        open_, closed = (
            _("no proof of its numbers was found"),
            _("its numbers contradict one another"),
        )
        return open_ if leak.is_open else closed
    ends = {
        "least": _("the least count that rounds to it"),
        "largest": _("the largest count that rounds to it"),
        "none": _("that it is none"),
        "few": _("that it is {few}").format(few=FEW),
        "all": _("that it is all"),
        "nearly all": _("that it is all but {few}").format(few=FEW),
    }
    open_, closed = _("{end} is not proved to be possible"), _("{end} is not possible")
    said = (open_ if leak.is_open else closed).format(end=ends[leak.claim.end])
    return f"{about}: {said}"


def _about(claim: Claim, book: Book) -> str:
    """Name what a claim is about, of a cell with the QIDs whose blocks it counts."""
    if not isinstance(claim.about, Cell):
        return claim.about
    count, _whole = book.shares[claim.about]
    sets = [part for part in book.names[count] if isinstance(part, frozenset)]
    names = sorted(each for each in sets[-1] if isinstance(each, str)) if sets else []
    return f"{claim.about} ({', '.join(names)})" if names else str(claim.about)


def _told_by(cells: Sequence[Cell]) -> str:
    """Say which cells tell something together."""
    named = "; ".join(map(str, cells))
    return _(", told together by {cells}").format(cells=named) if named else ""
