"""The figure of a search: what each bound of the target limits, over what is lost."""

from collections.abc import Iterator

from matplotlib.axes import Axes

from microleak.attacks.smallest_protection.definitions.nodes import not_dominated
from microleak.attacks.smallest_protection.shown import (
    OF_SENSITIVE,
    SearchShown,
    bound_text,
    bounds_of,
    is_of_some,
    kind_of_loss,
    limit_of,
    loss_text,
    lost_text,
)
from microleak.figures import svg
from microleak.figures.numbers import Words
from microleak.figures.scales import percent_labels, scale_shares
from microleak.report.texts import speaker_of

_HEIGHT = 2.8  # Of a panel, in inches

_LETTERS = 46  # That the scale of losses has room for

_LABEL = 42  # Letters of a line below the scale of losses

_ROOM = 1.25
"""How far up a panel reaches, of its largest share, for the names of points."""


def draw_frontier(shown: SearchShown, words: Words) -> str:
    """Draw a panel a bound, as an `<svg>`: nothing cheaper than the answer is below."""
    # The line goes through nodes with less of what is bounded than any of no more loss.
    kind = kind_of_loss(shown.answer)
    # Of what all nodes can lose wholly, the largest loss is 1.
    is_whole = kind in {"information", "cells"}
    widest = 1.0 if is_whole else float(shown.nodes["loss"].max()) or 1.0
    names = [*bounds_of(shown.answer)]
    with svg.plain_style():
        # One below the other, as letters of panels side by side would be too small.
        figure, axes = svg.canvas(len(names), 1, _HEIGHT * len(names))
        for axis, name in zip(axes, names, strict=True):
            _draw(axis, shown, name, words, widest)
            _scale_losses(axis, kind, widest, words)
        # Panels have one scale.
        highest = max(float(shown.bounded(name).max()) for name in names)
        limits = (float(limit_of(shown.answer, name)) for name in names)
        scale_shares(axes[0], [highest, *limits], words)
        axes[0].set_ylim(top=_ROOM * axes[0].get_ylim()[1])
        at = "smallest_protection", "frontier"
        return svg.analysis_svg(figure, at, shown.nodes, _told(shown, words), words)


def _draw(
    axis: Axes, shown: SearchShown, name: str, words: Words, widest: float
) -> None:
    """Draw the bounded shares of nodes, the limit, the release and the answer."""
    loss, share = shown.nodes["loss"] / widest, shown.bounded(name)
    line = not_dominated(share.to_numpy(), loss.to_numpy())
    losses, shares = loss[line], share[line]
    end = [*losses, 1], [*shares, shares.iloc[-1]]
    axis.step(*end, where="post", color=svg.BLUE, linewidth=1.6)
    axis.scatter(losses, shares, s=9, color=svg.BLUE, zorder=3)
    title = _named(name, shown, words)
    # Where some facts are known, whichever, the limit is not of the shares by all.
    limit = None if is_of_some(shown.answer) else limit_of(shown.answer, name)
    if limit is not None:
        axis.axhline(float(limit), color=svg.DARK_VERMILION, linestyle="--")
        at_most = f"{limit.numerator}/{limit.denominator}"
        said = bound_text(at_most, words.numbers)
        title = words.say("smallest_protection_limit", measure=title, limit=said)
    axis.set_title("\n".join(svg.even_lines(title, _LETTERS)))
    axis.set_xlim(-0.03, 1.02)
    for row, key in (
        (shown.as_it_is, "as_it_is"),
        *([(shown.answer, "answer")] if shown.answer["n_changed"] else []),
    ):
        at = loss[row.name], share[row.name]
        said = words.say(f"smallest_protection_{key}", share=words.numbers.share(at[1]))
        colour = svg.GREY if key == "as_it_is" else svg.VERMILION
        axis.scatter(*at, s=70, color=colour, zorder=4)
        # The line is nowhere above a point and right of it.
        left = min(at[0], 1 - len(said) / _LETTERS)
        above = max(at[1], limit or 0, share[line & (loss <= left)].min())
        axis.annotate(
            said,
            at,
            xytext=(left, float(above) + 0.04),
            color=svg.DARK_VERMILION if key == "answer" else svg.GREY,
            weight="bold" if key == "answer" else "normal",
            arrowprops={"arrowstyle": "-", "linewidth": 0.6, "color": svg.GREY},
        ).set_in_layout(False)


def _scale_losses(axis: Axes, kind: str, widest: float, words: Words) -> None:
    ticks = [quarter / 4 for quarter in range(5)]
    said = (
        percent_labels(ticks, words)
        if widest == 1
        else [loss_text(kind, tick * widest, words.numbers) for tick in ticks]
    )
    axis.set_xticks(ticks, said)
    label = svg.even_lines(words.say(f"smallest_protection_{kind}"), _LABEL)
    axis.set_xlabel("\n".join(label))


def _named(name: str, shown: SearchShown, words: Words) -> str:
    """Name what a bound limits, with the sensitive attribute if there is one."""
    of = [*shown.inferred["sensitive"].unique()]
    is_any = name in OF_SENSITIVE and len(of) > 1
    key = f"smallest_protection_{name}{'_any' if is_any else ''}"
    return words.say(key, sensitive=speaker_of(words).quoted(of))


def _told(shown: SearchShown, words: Words) -> tuple[str, list[str]]:
    """Return the title, what the smallest change brings, and a description."""
    kept = "" if shown.answer["n_changed"] else "_none"
    said = [*_brought(shown, words)]
    lost = lost_text(shown.answer, words.say, "smallest_protection_lost", words.numbers)
    return (
        words.say(f"smallest_protection_found{kept}", measured=said[0]),
        [
            words.say(
                f"smallest_protection_alt{kept}", measured=". ".join(said), lost=lost
            )
        ],
    )


def _brought(shown: SearchShown, words: Words) -> Iterator[str]:
    """Write of each bound what it limits, in the release as it is and after it."""
    for name in bounds_of(shown.answer):
        share = shown.bounded(name)
        yield words.say(
            "smallest_protection_brought",
            measure=_named(name, shown, words),
            before=share[shown.as_it_is.name],
            after=share[shown.answer.name],
        )
